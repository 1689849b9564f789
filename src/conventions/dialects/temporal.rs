//! Temporal: activities are tool calls; attempts of one activity share its ids.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Read, Text, code, count, text};
use crate::conventions::fill;
use crate::conventions::identity;
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "temporal",
        title: "Temporal",
        about: "Spans of its SDKs carry the ids of workflow, run and activity, but neither an \
                attempt number nor arguments; attempts are linked by the activity's ids.",
        reads: READS,
    },
    scopes: &["temporalio*", "temporal-sdk-go", "io.temporal*"],
    events: &[],
    code: read_span,
};

const WORKFLOW: &str = "temporalWorkflowID";
const RUN: &str = "temporalRunID";
const ACTIVITY: &str = "temporalActivityID";

const READS: &[Read] = &[
    text(RUN, Text::Run),
    code(WORKFLOW, "links attempts of one activity"),
    code(ACTIVITY, "links attempts of one activity"),
    count("temporalActivityAttempt", Count::Attempt),
];

fn read_span(draft: &mut Draft<'_>) -> Option<()> {
    let name = draft.source.name;
    let (what, of) = name.split_once(':').unwrap_or((name, ""));
    match what {
        "RunActivity" => {
            draft.claim(KindRule::Temporal, Work::Tool);
            let activity = draft.get(ACTIVITY).and_then(fill::text);
            let tool = if of.is_empty() { name } else { of };
            let facts = draft.facts();
            facts.tool.get_or_insert_with(|| tool.to_owned());
            if let Some(activity) = activity {
                let id = |key: &str| draft.get(key).and_then(fill::text).unwrap_or_default();
                let link = format!("{}/{}/{activity}", id(WORKFLOW), id(RUN));
                identity::link(draft, "temporal", &link);
            }
        }
        "RunWorkflow" => draft.claim(KindRule::Temporal, Work::Kind(Kind::Agent)),
        _ => draft.claim(KindRule::Temporal, Work::Kind(Kind::Other)),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{read, span};

    #[test]
    fn b32_activities_share_their_ids() {
        let ids = || {
            vec![
                ("temporalWorkflowID", "w".into()),
                ("temporalRunID", "r".into()),
                ("temporalActivityID", "1".into()),
            ]
        };
        let step = read(&span("RunActivity:issue_refund", ids()));
        let facts = &step.facts;
        assert_eq!((facts.kind, facts.tool.as_deref()), (Kind::Act, Some("issue_refund")));
        assert_eq!(
            (facts.link_keys.as_slice(), facts.run_id.as_deref()),
            (&["temporal=w/r/1".to_owned()][..], Some("r"))
        );
        assert_eq!(read(&span("StartActivity:issue_refund", ids())).facts.kind, Kind::Other);
        let given = read(&span(
            "RunActivity",
            vec![("temporalActivityID", "a1".into()), ("temporalActivityAttempt", 2.into())],
        ));
        assert_eq!(
            (given.facts.attempt, given.facts.link_keys.as_slice()),
            (Some(2), &["temporal=//a1".to_owned()][..])
        );
    }
}
