//! What the runs of a list or of a search have in common: values with counts, each a link that edits `q`.
use crate::store::RunField;
use crate::store::queries::{Facet, RunFacets};
use crate::web::finding;
use crate::web::format;
use crate::web::list::address::Address;
use crate::web::query::{Field, Query, Test};
use crate::web::text::{Text, shortened};

/// Which fields have facets: their place in the language of `q`, in the store, and their heading.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Offer {
    fields: [(Field, RunField, &'static str); 7],
    /// Values of one field shown before "more".
    shown: usize,
}

/// The facets of the list of runs.
pub(in crate::web) const OF_RUNS: Offer = Offer {
    fields: [
        (Field::Has, RunField::Has, "Attention"),
        (Field::Agent, RunField::Agent, "Agent"),
        (Field::Tool, RunField::Tool, "Tool"),
        (Field::Model, RunField::Model, "Model"),
        (Field::Finding, RunField::Finding, "Finding"),
        (Field::Service, RunField::Service, "Service"),
        (Field::Environment, RunField::Environment, "Environment"),
    ],
    shown: 5,
};

/// The facets of the search, which counts the most frequent values only: all of them are shown.
pub(in crate::web) const OF_TEXTS: Offer = Offer {
    fields: [
        (Field::Outcome, RunField::Outcome, "Outcome"),
        (Field::Has, RunField::Has, "Retries"),
        (Field::Agent, RunField::Agent, "Agent"),
        (Field::Model, RunField::Model, "Model"),
        (Field::Finding, RunField::Finding, "Finding"),
        (Field::Entity, RunField::Entity, "Entity"),
        (Field::Session, RunField::Session, "Session"),
    ],
    shown: usize::MAX,
};

/// One field.
#[derive(Debug)]
pub(in crate::web) struct Group {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) options: Vec<Choice>,
    /// Such as "7 more", and the address that lists them.
    pub(in crate::web) more: Option<(String, String)>,
}

/// One value.
#[derive(Debug)]
pub(in crate::web) struct Choice {
    pub(in crate::web) name: Text,
    pub(in crate::web) count: String,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// The fields of the filter whose facets must be counted without the filter's own choice of them: else
/// choosing one value would hide the others.
pub(in crate::web) fn chosen(offer: &Offer, query: &Query) -> Vec<Field> {
    let mut offered: Vec<Field> = offer.fields.iter().map(|(field, _, _)| *field).collect();
    // The tallies of the list of runs are counts of outcomes.
    if !offered.contains(&Field::Outcome) {
        offered.push(Field::Outcome);
    }
    offered.retain(|field| query.terms.iter().any(|term| is_of(&term.test, *field)));
    offered
}

fn is_of(test: &Test, field: Field) -> bool {
    matches!(test, Test::Is(of, _) if *of == field)
}

/// Counts for one list: under its whole filter, and for each chosen field without its own terms.
#[derive(Debug, Default)]
pub(in crate::web) struct Counts {
    /// Under the whole filter.
    pub(in crate::web) all: RunFacets,
    /// Without the terms of one field.
    pub(in crate::web) without: Vec<(Field, RunFacets)>,
}

impl Counts {
    /// The counts of a field's values.
    pub(in crate::web) fn of(&self, field: Field, column: RunField) -> &[Facet] {
        let apart = self.without.iter().find(|(of, _)| *of == field).map(|(_, facets)| facets);
        apart.unwrap_or(&self.all).fields.get(&column).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The groups of a list.
pub(in crate::web) fn groups(offer: &Offer, counts: &Counts, query: &Query, address: &Address) -> Vec<Group> {
    let group = |(field, column, name): &(Field, RunField, &'static str)| {
        let is_open = address.open.as_deref() == Some(field.name());
        let shown = if is_open { usize::MAX } else { offer.shown };
        group(counts.of(*field, *column), (*field, name, shown), query, address)
    };
    offer.fields.iter().filter_map(group).collect()
}

fn group(
    values: &[Facet],
    (field, name, shown): (Field, &'static str, usize),
    query: &Query,
    address: &Address,
) -> Option<Group> {
    let mut options = Vec::new();
    let mut hidden = 0;
    for (at, facet) in values.iter().filter(|facet| !facet.value.is_empty()).enumerate() {
        let test = Test::Is(field, facet.value.clone());
        let on = query.has(&test);
        if at >= shown && !on {
            hidden += 1;
            continue;
        }
        options.push(Choice {
            name: Text::new(shortened(&value_name(field, &facet.value), 60)),
            count: format::count(facet.runs),
            href: address.with(&query.toggled(test)),
            on,
        });
    }
    let more = (hidden > 0).then(|| (format!("{hidden} more"), address.opened(query, field.name())));
    (!options.is_empty()).then_some(Group { name, options, more })
}

fn value_name(field: Field, value: &str) -> String {
    let found = crate::domain::finding::Code::from_word(value);
    match (field, value, found) {
        (Field::Outcome, "none", _) => "No effects".to_owned(),
        (Field::Outcome, _, _) => crate::web::text::sentence(value),
        (Field::Has, "finding", _) => "Any finding".to_owned(),
        (Field::Has, "retry", _) => "Retried".to_owned(),
        (Field::Has, "reconcile", _) => "Looked up".to_owned(),
        (Field::Has, "throttle", _) => "Throttled (429)".to_owned(),
        (Field::Has, "gap", _) => "Record has gaps".to_owned(),
        (Field::Has, "error", _) => "Any error".to_owned(),
        (Field::Finding, _, Some(code)) => finding::title(code).to_owned(),
        _ => value.to_owned(),
    }
}
