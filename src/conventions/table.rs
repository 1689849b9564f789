//! Every dialect and its precedence: the only file that knows them all.
use std::sync::LazyLock;

use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::dialects::{gen_ai, http, mcp, openinference, otel, plain, recount};

/// Dialects in the order in which they are heard: what an earlier one said stays. At most 64.
pub(in crate::conventions) const DIALECTS: &[Dialect] = &[
    recount::DIALECT,
    gen_ai::DIALECT,
    otel::DIALECT,
    mcp::DIALECT,
    openinference::DIALECT,
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
}
