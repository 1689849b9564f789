//! Refusals on their way to the rejects: few rows however many records a request has.
use std::collections::BTreeMap;

use crate::domain::counting::counted;
use crate::ingest::refusal::Refusal;
use crate::otlp::{Refused, sha256};

/// Rows for single records in one request; further ones of one class become one row together.
const SINGLE_MAX: usize = 100;

/// The first refusals one by one, the others as one for each class.
pub(crate) fn aggregated(refused: Vec<Refused>) -> Vec<Refused> {
    let mut rest: BTreeMap<&'static str, Refused> = BTreeMap::new();
    let mut rows = Vec::new();
    for one in refused {
        if rows.len() < SINGLE_MAX {
            rows.push(one);
            continue;
        }
        match rest.get_mut(one.class) {
            Some(sum) => {
                sum.items += one.items;
                sum.bytes += one.bytes;
            }
            None => {
                rest.insert(one.class, Refused { sha256: String::new(), service: None, ..one });
            }
        }
    }
    for mut sum in rest.into_values() {
        if sum.items > 1 {
            sum.reason = format!(
                "{} of one request; the first: {}",
                counted(sum.items, "record", "records"),
                sum.reason
            );
        }
        rows.push(sum);
    }
    rows
}

/// A whole request that was refused, as a row.
pub(crate) fn whole(refusal: &Refusal, body: &[u8]) -> Refused {
    Refused {
        reason: refusal.text(),
        class: refusal.class(),
        items: 1,
        service: None,
        bytes: body.len() as u64,
        sha256: if body.is_empty() { String::new() } else { sha256(body) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_refusals_become_few_rows_and_none_is_lost() {
        let one = |class| Refused {
            reason: "why".to_owned(),
            class,
            items: 1,
            service: Some("s".to_owned()),
            bytes: 3,
            sha256: "ab".to_owned(),
        };
        let refused: Vec<_> =
            (0..5_000).map(|at| one(if at % 2 == 0 { "bad-id" } else { "broken" })).collect();
        let rows = aggregated(refused);
        assert_eq!(rows.len(), SINGLE_MAX + 2);
        assert_eq!(rows.iter().map(|row| row.items).sum::<u64>(), 5_000);
        assert_eq!(rows.iter().map(|row| row.bytes).sum::<u64>(), 15_000);
        assert_eq!(rows[SINGLE_MAX].reason, "2,450 records of one request; the first: why");
        assert_eq!(aggregated(vec![one("broken")]), [one("broken")]);
    }
}
