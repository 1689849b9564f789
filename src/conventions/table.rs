//! Every dialect and its precedence: the only file that knows them all.
use std::sync::LazyLock;

use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::dialects::autogen;
use crate::conventions::dialects::claude_code;
use crate::conventions::dialects::crewai;
use crate::conventions::dialects::gen_ai;
use crate::conventions::dialects::google_adk;
use crate::conventions::dialects::http;
use crate::conventions::dialects::langfuse;
use crate::conventions::dialects::langgraph;
use crate::conventions::dialects::langsmith;
use crate::conventions::dialects::mcp;
use crate::conventions::dialects::mlflow;
use crate::conventions::dialects::ms_agent_framework;
use crate::conventions::dialects::openai_agents;
use crate::conventions::dialects::openinference;
use crate::conventions::dialects::openllmetry;
use crate::conventions::dialects::otel;
use crate::conventions::dialects::plain;
use crate::conventions::dialects::pydantic_ai;
use crate::conventions::dialects::recount;
use crate::conventions::dialects::semantic_kernel;
use crate::conventions::dialects::strands;
use crate::conventions::dialects::temporal;
use crate::conventions::dialects::vercel_ai;

/// Dialects in the order in which they are heard: what an earlier one said stays. At most 64.
pub(in crate::conventions) const DIALECTS: &[Dialect] = &[
    recount::DIALECT,
    gen_ai::DIALECT,
    otel::DIALECT,
    mcp::DIALECT,
    pydantic_ai::DIALECT,
    vercel_ai::DIALECT,
    openinference::DIALECT,
    openllmetry::DIALECT,
    langfuse::DIALECT,
    mlflow::DIALECT,
    google_adk::DIALECT,
    langsmith::DIALECT,
    strands::DIALECT,
    crewai::DIALECT,
    autogen::DIALECT,
    semantic_kernel::DIALECT,
    ms_agent_framework::DIALECT,
    openai_agents::DIALECT,
    claude_code::DIALECT,
    langgraph::DIALECT,
    temporal::DIALECT,
    http::DIALECT,
    plain::DIALECT,
];

/// What each dialect reads, in order of precedence: the page of conventions is made from it.
pub fn dialects() -> &'static [DialectInfo] {
    static INFOS: LazyLock<Vec<DialectInfo>> =
        LazyLock::new(|| DIALECTS.iter().map(|dialect| dialect.info).collect());
    &INFOS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tables_are_sound() {
        assert!(DIALECTS.len() <= 64);
        for dialect in DIALECTS {
            let mut keys = BTreeSet::new();
            for row in dialect.info.reads {
                assert!(keys.insert(row.key), "{}: {} twice", dialect.info.name, row.key);
                assert!(!row.field.meaning().is_empty());
            }
            assert!(dialect.info.about.ends_with('.'), "{}", dialect.info.name);
        }
    }

    #[test]
    fn every_dialect_has_its_section_in_the_document_of_senders() {
        let document = include_str!("../../docs/sending.md");
        let sections: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let titles = DIALECTS.iter().map(|dialect| dialect.info.title);
        // The first section is for all; each other one is named as `/about/conventions` names it.
        assert_eq!(sections.first(), Some(&"What no runtime tells"));
        let missing: Vec<_> = titles.clone().filter(|title| !sections.contains(title)).collect();
        assert_eq!(missing, Vec::<&str>::new(), "dialects without a section");
        let unknown: Vec<_> =
            sections.iter().skip(1).filter(|name| !titles.clone().any(|t| t == **name)).collect();
        assert_eq!(unknown, Vec::<&&str>::new(), "sections without a dialect");
    }
}
