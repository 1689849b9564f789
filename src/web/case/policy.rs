//! What a tool's policy asks for when nobody knows what became of an act, in words.
use crate::domain::policy::{OnUnknown, ToolPolicy};

/// A policy, shortly and at length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) struct PolicyWords {
    /// For a list.
    pub(in crate::web) short: &'static str,
    /// A sentence.
    pub(in crate::web) long: &'static str,
    /// The icon's name in the sprite.
    pub(in crate::web) icon: &'static str,
}

/// What the policy says about a case of this value.
pub(in crate::web) fn words(policy: &ToolPolicy, value: Option<&str>) -> PolicyWords {
    match policy.on_unknown {
        OnUnknown::Escalate => PolicyWords {
            short: "A person decides",
            long: "This tool's unknowns are for people: no job may close one.",
            icon: "i-human",
        },
        OnUnknown::Reconcile | OnUnknown::Replay if policy.people_only(value) => PolicyWords {
            short: "A person decides",
            long: "What is at stake is over this tool's limit, so no job may close it.",
            icon: "i-human",
        },
        OnUnknown::Reconcile => PolicyWords {
            short: "Look it up",
            long: "A person or a job asks the provider what happened.",
            icon: "i-reconcile",
        },
        OnUnknown::Replay => PolicyWords {
            short: "Same key again",
            long: "It may be sent again under the same key, while the provider keeps it.",
            icon: "i-key",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_amounts_are_for_people_whatever_the_tool_does_otherwise() {
        let policy =
            ToolPolicy { on_unknown: OnUnknown::Replay, escalate_over: Some(100.0), ..ToolPolicy::default() };
        assert_eq!(words(&policy, Some("40 EUR")).short, "Same key again");
        assert_eq!(words(&policy, Some("140 EUR")).short, "A person decides");
        assert_eq!(words(&ToolPolicy::default(), None).short, "Look it up");
    }
}
