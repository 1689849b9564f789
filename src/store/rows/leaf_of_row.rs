//! From a row back to the canonical JSON of its leaf.
use crate::domain::content::ContentRef;
use crate::domain::ids::Digest;
use crate::domain::step::{Proposal, Step};
use crate::evidence::{Leaf, leaf_json};
use crate::store::rows::steps::StepRow;

impl StepRow {
    /// The canonical JSON that the record's leaf is the hash of, as far as the row is what it was.
    pub fn leaf_json(&self) -> String {
        let record = &self.record;
        // Frames count the first bodies; all others follow.
        let mut bodies: Vec<Digest> = self.bodies.clone();
        let mut place = |digest: Digest| {
            bodies.push(digest);
            bodies.len() - 1
        };
        let mut of = |content: &ContentRef| place(content.digest);
        let output: Vec<usize> = record.output.iter().map(&mut of).collect();
        let arguments = record.arguments.as_ref().map(&mut of);
        let result = record.result.as_ref().map(&mut of);
        let proposed = record
            .proposed
            .iter()
            .map(|kept| Proposal {
                call_id: kept.call.call_id.clone(),
                tool: kept.call.tool.clone(),
                arguments: kept.call.arguments.as_ref().map(&mut of),
                complete: kept.call.complete,
            })
            .collect();
        let context: Vec<usize> = record.context.iter().map(|digest| place(*digest)).collect();
        let step = Step {
            facts: record.facts.clone(),
            bodies: Vec::new(),
            context,
            output,
            arguments,
            result,
            proposed,
            attributes: self.attributes.clone(),
            events: self.events.clone(),
            resource: self.resource.clone(),
            scope: self.scope.clone(),
        };
        leaf_json(&Leaf {
            record_id: record.record_id,
            step: &step,
            bodies: &bodies,
            redactions: &record.redactions,
            rules_version: &record.rules_version,
            salt: &self.salt,
        })
    }
}
