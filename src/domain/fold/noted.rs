//! A finding while the run is still taken apart.
use crate::domain::finding::Code;
use crate::domain::fold::arena::Arena;
use crate::domain::fold::scene::Scene;
use crate::domain::run::RunFinding;

/// Something noticed, with the steps and spans that show it.
#[derive(Debug, PartialEq)]
pub(super) struct Noted {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) drafts: Vec<usize>,
    pub(super) nodes: Vec<usize>,
    /// Since when it is so, where it goes on.
    pub(super) since_ns: Option<u64>,
}

impl Noted {
    /// About whole steps.
    pub(super) fn steps(code: Code, message: String, drafts: Vec<usize>) -> Self {
        Self { code, message, drafts, nodes: Vec::new(), since_ns: None }
    }

    /// About certain spans, hence their steps.
    pub(super) fn spans(scene: &Scene<'_>, code: Code, message: String, nodes: Vec<usize>) -> Self {
        let mut drafts: Vec<usize> = nodes.iter().map(|id| scene.draft_of[*id]).collect();
        drafts.dedup();
        Self { code, message, drafts, nodes, since_ns: None }
    }

    /// It has been so since then, and still is.
    pub(super) fn since(mut self, since_ns: u64) -> Self {
        self.since_ns = Some(since_ns);
        self
    }

    /// As the run shows it. Steps come in the order of the rail.
    pub(super) fn shown(mut self, scene: &Scene<'_>, places: &Arena<usize>) -> (RunFinding, Vec<usize>) {
        self.drafts.sort_by_key(|draft| places[*draft]);
        self.drafts.dedup();
        let finding = RunFinding {
            code: self.code,
            message: self.message,
            step_ids: self.drafts.iter().map(|draft| scene.drafts[*draft].step_id.clone()).collect(),
            spans: self.nodes.iter().map(|id| (scene.nodes[*id].trace, scene.nodes[*id].span)).collect(),
            since_ns: self.since_ns,
        };
        (finding, self.drafts)
    }
}
