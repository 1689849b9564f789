//! Under which names an entity is kept: its own, its aliases, and what redaction made of them.
use std::collections::BTreeSet;

use crate::domain::entity::Entity;
use crate::domain::scope::Scope;
use crate::store::EntityFilter;
use crate::store::queries::CaseFilter;
use crate::store::queries::entity_names;
use crate::web::error::WebError;
use crate::web::params::Params;
use crate::web::state::WebState;

/// Longer types and ids are nobody's.
const NAME_BYTES_MAX: usize = 1_000;

/// The names of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Names {
    /// As it was asked for.
    pub(in crate::web) asked: Entity,
    /// Declared to be the same.
    pub(in crate::web) aliases: Vec<String>,
    /// What redaction made of these names.
    pub(in crate::web) pseudonyms: Vec<String>,
    /// All of them.
    pub(in crate::web) all: BTreeSet<Entity>,
}

impl Names {
    /// Reads an entity out of an address and looks for its other names.
    pub(in crate::web) async fn of(
        state: &WebState,
        scope: &Scope,
        (kind, id): (&str, &str),
    ) -> Result<Self, WebError> {
        let wrong = || WebError::Invalid("an entity is a type and an id, such as account/2291".to_owned());
        let asked =
            Entity::parse(&format!("{kind}:{id}")).filter(|_| !kind.contains(':')).ok_or_else(wrong)?;
        if kind.len() + id.len() > NAME_BYTES_MAX {
            return Err(wrong());
        }
        let group = state.entities.aliases.iter().find(|group| group.contains(&asked));
        let mut all: BTreeSet<Entity> = group.cloned().unwrap_or_default();
        all.insert(asked.clone());
        let aliases = all.iter().filter(|name| **name != asked).map(|name| name.id.clone()).collect();
        let endings: Vec<String> =
            all.iter().flat_map(|name| state.desk.endings(&scope.project, &name.id)).collect();
        let found = entity_names(&state.store, scope, &asked.kind, &endings).await?;
        let spelt: Vec<String> = all
            .iter()
            .flat_map(|name| state.desk.spellings(&scope.project, true, &name.to_string()))
            .collect();
        let found: Vec<Entity> = found.iter().filter_map(|name| Entity::parse(name)).collect();
        let pseudonyms =
            found.iter().filter(|name| !all.contains(*name)).map(|name| name.id.clone()).collect();
        all.extend(found);
        all.extend(spelt.iter().filter_map(|name| Entity::parse(name)));
        Ok(Self { asked, aliases, pseudonyms, all })
    }

    /// Which lines are asked for, by the parameters `from`, `to` and `text`.
    pub(in crate::web) fn filter(&self, params: &Params) -> Result<EntityFilter, WebError> {
        let (from_ns, to_ns, text) = Self::wanted(params)?;
        Ok(EntityFilter { names: self.all.iter().map(ToString::to_string).collect(), from_ns, to_ns, text })
    }

    /// These parameters: whether they can be read does not depend on what the store says.
    pub(in crate::web) fn wanted(params: &Params) -> Result<(Option<u64>, Option<u64>, String), WebError> {
        let (from_ns, to_ns) = (params.moment("from")?, params.moment("to")?);
        if let (Some(from), Some(to)) = (from_ns, to_ns)
            && from >= to
        {
            return Err(WebError::Invalid("`from` is not before `to`".to_owned()));
        }
        let text = params.get("text").unwrap_or_default().to_owned();
        if text.len() > NAME_BYTES_MAX {
            return Err(WebError::Invalid("`text` is longer than 1,000 bytes".to_owned()));
        }
        Ok((from_ns, to_ns, text))
    }
}

/// Every name under which a typed entity may be kept: its own, its aliases, and what redaction made of them.
/// What is no entity is looked for as it was typed.
pub(in crate::web) async fn spelt(
    state: &WebState,
    scope: &Scope,
    typed: &str,
) -> Result<Vec<String>, WebError> {
    let Some(entity) = Entity::parse(typed) else { return Ok(vec![typed.to_owned()]) };
    let names = Names::of(state, scope, (&entity.kind, &entity.id)).await?;
    Ok(names.all.iter().map(ToString::to_string).collect())
}

/// The same question to the queue, which also finds what redaction hid: entities, keys and runs.
pub(in crate::web) async fn hidden_too(
    state: &WebState,
    scope: &Scope,
    mut filter: CaseFilter,
) -> Result<CaseFilter, WebError> {
    let mut entities = Vec::new();
    for typed in &filter.entities {
        entities.extend(spelt(state, scope, typed).await?);
    }
    filter.entities = entities;
    for values in [&mut filter.keys, &mut filter.run_ids] {
        *values = values.iter().flat_map(|value| state.desk.all(&scope.project, value)).collect();
    }
    Ok(filter)
}
