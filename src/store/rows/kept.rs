//! One step on its way into the store: what redaction passed, with digests in the place of bodies.
use crate::domain::content::ContentRef;
use crate::domain::ids::{Digest, Project, RecordId};
use crate::domain::record::{KeptProposal, Redaction};
use crate::domain::step::{Proposal, Step};
use crate::evidence::LeafSalt;
use crate::store::rows::cell::Day;
use crate::store::rows::preview::preview;

/// A step and everything its row says beyond it.
#[derive(Debug)]
pub(in crate::store) struct Kept<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) record_id: RecordId,
    pub(in crate::store) received_ns: u64,
    pub(in crate::store) expires: Day,
    pub(in crate::store) step: &'a Step,
    /// The digests of the step's bodies, in their order.
    pub(in crate::store) bodies: &'a [Digest],
    pub(in crate::store) arguments_canonical: Option<Digest>,
    /// One for each proposal.
    pub(in crate::store) proposed_canonical: Vec<Option<Digest>>,
    pub(in crate::store) redactions: &'a [Redaction],
    pub(in crate::store) rules_version: &'a str,
    pub(in crate::store) salt: LeafSalt,
}

impl Kept<'_> {
    /// What stands for a body; `None` for an index that names none.
    pub(in crate::store) fn content(&self, body: usize) -> Option<ContentRef> {
        let (content, digest) = (self.step.bodies.get(body)?, self.bodies.get(body)?);
        Some(ContentRef {
            digest: *digest,
            kind: content.kind,
            role: content.role.clone(),
            bytes: u64::try_from(content.body.len()).unwrap_or(u64::MAX),
            preview: preview(content).into_owned(),
        })
    }

    /// The proposed calls, with what stands for their arguments.
    pub(in crate::store) fn proposed(&self) -> Vec<KeptProposal> {
        let canonical = self.proposed_canonical.iter().copied().chain(std::iter::repeat(None));
        let calls = self.step.proposed.iter().zip(canonical);
        calls
            .map(|(call, arguments_canonical)| KeptProposal {
                call: self.proposal(call),
                arguments_canonical,
            })
            .collect()
    }

    fn proposal(&self, call: &Proposal<usize>) -> Proposal<ContentRef> {
        Proposal {
            call_id: call.call_id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.and_then(|body| self.content(body)),
            complete: call.complete,
        }
    }
}
