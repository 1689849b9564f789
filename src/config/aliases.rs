//! `[[aliases]]` of recount.toml: names that are one customer, one order, one of anything.
use std::collections::BTreeSet;

use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::domain::entity::Entity;

/// One entity under several names.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AliasTable {
    /// Its type, such as `account`.
    #[serde(rename = "type")]
    kind: String,
    /// Its ids: `["2291", "bob@example.com"]`.
    ids: Vec<String>,
}

/// Checks all groups: each has a type and two ids or more, and no id stands in two groups.
pub(super) fn aliases(tables: Vec<AliasTable>) -> Result<Vec<BTreeSet<Entity>>, ConfigError> {
    let mut groups: Vec<BTreeSet<Entity>> = Vec::with_capacity(tables.len());
    for table in tables {
        let names = table.ids.iter().map(|id| Entity::parse(&format!("{}:{id}", table.kind)));
        let group = names.collect::<Option<BTreeSet<Entity>>>().filter(|group| group.len() > 1);
        let Some(group) = group.filter(|_| !table.kind.contains(':')) else {
            return Err(refused(&table.kind, "a group has a type without a colon and two ids or more"));
        };
        if groups.iter().any(|other| !other.is_disjoint(&group)) {
            return Err(refused(&table.kind, "an id stands in two groups; write them as one"));
        }
        groups.push(group);
    }
    Ok(groups)
}

fn refused(kind: &str, reason: &str) -> ConfigError {
    ConfigError::Value { setting: "aliases", value: kind.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<BTreeSet<Entity>>, ConfigError> {
        #[derive(Deserialize)]
        struct File {
            aliases: Vec<AliasTable>,
        }
        aliases(toml::from_str::<File>(text).unwrap().aliases)
    }

    #[test]
    fn groups_are_read_and_wrong_ones_refused() {
        let one = "[[aliases]]\ntype = \"account\"\nids = [\"2291\", \"bob@example.com\"]\n";
        assert_eq!(read(one).unwrap()[0].len(), 2);
        for wrong in ["[[aliases]]\ntype = \"account\"\nids = [\"1\"]\n", &format!("{one}{one}")] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("aliases"), "{error}");
        }
    }
}
