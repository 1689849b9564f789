//! Settles of what kind a step is: a tool call is an act unless something says that it only reads.
use crate::conventions::claim::Work;
use crate::conventions::draft::Draft;
use crate::domain::finding::Code;
use crate::domain::kind::{Kind, KindSource};

/// First words of tools that only look. Only they make an unclassified tool a read.
const READING: &[&str] = &[
    "get", "list", "search", "lookup", "read", "fetch", "find", "describe", "query", "check", "view", "count",
];
/// Words after which a second verb may follow, as in `get_or_create` or `check_in`.
const TURNING: &[&str] = &["and", "or", "then", "in", "out", "else"];
/// Most tool names are shorter; longer ones are judged by their beginning.
const WORDS_MAX: usize = 32;

/// Gives the step its kind and who says so. A rule of the operator is heard before the tool's verb.
pub(in crate::conventions) fn settle(draft: &mut Draft<'_>, ruled: Option<Kind>) {
    let (kind, source) = match draft.claim {
        Some((rule, Work::Kind(kind))) => (kind, rule.source()),
        Some((_, Work::Tool)) => tool(draft, ruled),
        None => (Kind::Other, KindSource::Default),
    };
    draft.facts().kind = kind;
    draft.facts().kind_source = source;
}

fn tool(draft: &mut Draft<'_>, ruled: Option<Kind>) -> (Kind, KindSource) {
    if let Some(kind) = ruled {
        return (kind, KindSource::Rule);
    }
    let name = draft.step.facts.tool.clone().unwrap_or_default();
    if only_looks(&name) {
        return (Kind::Read, KindSource::Inferred);
    }
    // The inner span of a call that was instrumented twice has no name: the outer one is judged.
    if !name.is_empty() {
        draft
            .finding(Code::ToolUnclassified, format!("tool `{name}` is not classified; it counts as an act"));
    }
    (Kind::Act, KindSource::Default)
}

/// Whether the verb of a tool's name says that it only reads.
fn only_looks(tool: &str) -> bool {
    // An MCP tool's server (`mcp__orders__get_order`) and a plugin (`Orders-get_order`) come first.
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let name = name.rsplit(['.', '/', ':', '-']).find(|part| !part.is_empty()).unwrap_or(name);
    let whole = words(name);
    let first = words(tool.rsplit("__").next().unwrap_or(tool));
    let looks = |words: &[String]| words.first().is_some_and(|verb| READING.contains(&verb.as_str()));
    (looks(&whole) || looks(&first)) && !first.iter().any(|word| TURNING.contains(&word.as_str()))
}

fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
        } else {
            if letter.is_uppercase() && previous_lower {
                words.push(String::new());
            }
            match words.last_mut() {
                Some(word) => word.extend(letter.to_lowercase()),
                None => words.push(letter.to_lowercase().collect()),
            }
        }
        previous_lower = letter.is_lowercase();
        if words.len() > WORDS_MAX {
            break;
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_tell_reads_from_acts() {
        let reads = [
            "lookup_order",
            "getOrder",
            "list-refunds",
            "mcp__orders__lookup_order",
            "P-lookup_order",
            "Orders.get",
            "search",
            "check_stock",
            "get-refund-status",
            "read_file",
        ];
        reads.iter().for_each(|tool| assert!(only_looks(tool), "{tool}"));
        let acts = [
            "issue_refund",
            "get_or_create_user",
            "check_in_guest",
            "checkout",
            "find_and_replace",
            "mark_as_read",
            "mcp__search__delete_index",
            "",
            "getaway",
            "send_list",
        ];
        acts.iter().for_each(|tool| assert!(!only_looks(tool), "{tool}"));
    }
}
