//! Rules that somebody types into a page, read as the settings file is.
use std::path::Path;

use crate::config::{File, redaction_of, rules_of};
use crate::redaction::Settings as Rules;

/// Rules that somebody wrote into a page, as a file of rules or as a recount.toml, over those in force.
pub(in crate::server) fn rules_as_typed(typed: &str, in_force: &Rules) -> Result<Rules, String> {
    let path = Path::new("the rules typed here");
    if typed.lines().any(|line| line.trim() == "[[rules]]") {
        let rules = rules_of(path, typed).map_err(|error| error.to_string())?;
        let mut all = in_force.clone();
        all.rules.retain(|rule| !rules.iter().any(|new| new.id == rule.id));
        all.rules.extend(rules);
        return Ok(all);
    }
    let file = File::typed(path, typed)?;
    redaction_of(&file).map(|(all, _)| all.general).map_err(|error| error.to_string())
}
