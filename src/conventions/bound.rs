//! Ids are short: a longer one is kept under its digest, so that it fits into addresses and still joins the
//! same records.
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::conventions::draft::Draft;
use crate::domain::finding::Code;
use crate::domain::step::Facts;

/// Bytes of a value that identifies something. The attribute it was read from stays whole.
const ID_BYTES_MAX: usize = 512;
/// Hex digits of the digest that stands for a longer one.
const DIGITS: usize = 32;

/// Puts the digest in the place of every id that is too long, and says so.
///
/// Nothing of the text is left over: a part of it could be the half of a secret that no rule finds any more.
pub(in crate::conventions) fn ids(draft: &mut Draft<'_>) {
    let mut long = Vec::new();
    let facts = &mut draft.step.facts;
    for (name, slot) in named(facts) {
        long.extend(slot.as_mut().and_then(shorten).map(|bytes| (name, bytes)));
    }
    for link_key in &mut facts.link_keys {
        let Some((rule, value)) = link_key.split_once('=') else { continue };
        let (rule, mut value) = (rule.to_owned(), value.to_owned());
        if let Some(bytes) = shorten(&mut value) {
            *link_key = format!("{rule}={value}");
            long.push(("link key", bytes));
        }
    }
    for call_id in &mut facts.errors_shown {
        long.extend(shorten(call_id).map(|bytes| ("call id", bytes)));
    }
    for entity in &mut facts.entities {
        long.extend(shorten(&mut entity.id).map(|bytes| ("entity", bytes)));
    }
    for proposal in &mut draft.step.proposed {
        long.extend(proposal.call_id.as_mut().and_then(shorten).map(|bytes| ("proposed call id", bytes)));
        long.extend(shorten(&mut proposal.tool).map(|bytes| ("proposed tool", bytes)));
    }
    long.sort_unstable();
    long.dedup();
    for (name, bytes) in long {
        draft.finding(
            Code::ValueCut,
            format!("the {name} had {bytes} bytes, more than {ID_BYTES_MAX}; it is known by its digest"),
        );
    }
}

/// The length it had when it was too long.
fn shorten(text: &mut String) -> Option<usize> {
    let bytes = text.len();
    if bytes <= ID_BYTES_MAX {
        return None;
    }
    let digest = HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    *text = format!("sha256-{}-of-{bytes}-bytes", digest.get(..DIGITS).unwrap_or(&digest));
    Some(bytes)
}

/// What identifies something, or is looked for by its whole name.
fn named(facts: &mut Facts) -> [(&'static str, &mut Option<String>); 22] {
    [
        ("run id", &mut facts.run_id),
        ("step id", &mut facts.step_id),
        ("session", &mut facts.session_id),
        ("user", &mut facts.user_id),
        ("agent", &mut facts.agent),
        ("agent version", &mut facts.agent_version),
        ("worker", &mut facts.worker),
        ("service", &mut facts.service),
        ("environment", &mut facts.environment),
        ("model", &mut facts.model),
        ("requested model", &mut facts.model_requested),
        ("provider", &mut facts.provider),
        ("tool", &mut facts.tool),
        ("call id", &mut facts.tool_call_id),
        ("target", &mut facts.target),
        ("key", &mut facts.key),
        ("downstream id", &mut facts.downstream_id),
        ("verified step", &mut facts.verifies),
        ("compensated action", &mut facts.compensates),
        ("approver", &mut facts.approver),
        ("policy version", &mut facts.policy_version),
        ("context reference", &mut facts.context_ref),
    ]
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{codes, read, span};
    use crate::domain::finding::Code;
    use crate::domain::value::Value;

    #[test]
    fn long_ids_become_digests_that_still_join() {
        let long = "r".repeat(100_000);
        let sent = |key: &'static str| {
            let ids = vec![("recount.run.id", Value::from(long.as_str())), (key, long.as_str().into())];
            read(&span("refund", ids))
        };
        let (one, other) = (sent("recount.step.id"), sent("recount.step.verifies"));
        let run = one.facts.run_id.clone().unwrap();
        assert!(run.len() < 100 && run.ends_with("-of-100000-bytes"), "{run}");
        assert_eq!(one.facts.run_id, other.facts.run_id);
        assert_eq!(one.facts.step_id, other.facts.verifies);
        assert!(codes(&one).contains(&Code::ValueCut));
        let near = format!("{}x", "r".repeat(99_999));
        assert_ne!(read(&span("x", vec![("run_id", near.as_str().into())])).facts.run_id, Some(run));
        let fits = "r".repeat(512);
        let kept = read(&span("x", vec![("run_id", fits.as_str().into())])).facts;
        assert_eq!((kept.run_id, kept.findings.len()), (Some(fits), 0));
    }
}
