//! What the listed runs have in common: values with counts, each a link that edits the filter.
use crate::store::RunField;
use crate::store::queries::{Facet, RunFacets};
use crate::web::finding;
use crate::web::format;
use crate::web::list::address::Address;
use crate::web::query::{Field, Query, Test};
use crate::web::text::{Text, shortened};

/// Values of one field shown before "more".
const SHOWN: usize = 5;

/// The fields that have facets: their place in the filter language, in the store, and their heading.
const FACETS: [(Field, RunField, &str); 7] = [
    (Field::Has, RunField::Has, "Attention"),
    (Field::Agent, RunField::Agent, "Agent"),
    (Field::Tool, RunField::Tool, "Tool"),
    (Field::Model, RunField::Model, "Model"),
    (Field::Finding, RunField::Finding, "Finding"),
    (Field::Service, RunField::Service, "Service"),
    (Field::Environment, RunField::Environment, "Environment"),
];

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
pub(in crate::web) fn chosen(query: &Query) -> Vec<Field> {
    let offered = FACETS.iter().map(|(field, _, _)| *field).chain([Field::Outcome]);
    offered.filter(|field| query.terms.iter().any(|term| is_of(&term.test, *field))).collect()
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
pub(in crate::web) fn groups(counts: &Counts, query: &Query, address: &Address) -> Vec<Group> {
    FACETS
        .iter()
        .filter_map(|(field, column, name)| group(counts.of(*field, *column), (*field, name), query, address))
        .collect()
}

fn group(
    values: &[Facet],
    (field, name): (Field, &'static str),
    query: &Query,
    address: &Address,
) -> Option<Group> {
    let is_open = address.open.as_deref() == Some(field.name());
    let mut options = Vec::new();
    let mut hidden = 0;
    for (at, facet) in values.iter().filter(|facet| !facet.value.is_empty()).enumerate() {
        let test = Test::Is(field, facet.value.clone());
        let on = query.has(&test);
        if at >= SHOWN && !on && !is_open {
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
