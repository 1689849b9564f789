//! Every address the pages write: one place that knows the base path and how to encode what others named.
use std::sync::Arc;

pub(in crate::web) use crate::domain::address::{encoded, segment, undotted};
use crate::domain::entity::Entity;
use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::web::assets;

/// Writes addresses under the base path that the server is reached by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Links {
    base: Arc<str>,
}

impl Links {
    /// `base` is empty or starts with a slash and does not end with one.
    pub(in crate::web) fn new(base: &str) -> Self {
        Self { base: base.into() }
    }

    /// The address of a path of ours, such as `/runs`.
    pub(in crate::web) fn to(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The list of runs.
    pub(in crate::web) fn runs(&self) -> String {
        self.to("/runs")
    }

    /// The list of runs that a filter finds.
    pub(in crate::web) fn runs_with(&self, q: &str) -> String {
        format!("{}/runs?q={}", self.base, encoded(q))
    }

    /// A run.
    pub(in crate::web) fn run(&self, run_id: &str) -> String {
        format!("{}/runs/{}", self.base, segment(run_id))
    }

    /// What tells of changes to a run.
    pub(in crate::web) fn stream(&self, run_id: &str) -> String {
        format!("{}/api/v1/stream/runs/{}", self.base, segment(run_id))
    }

    /// What agents did on or for an entity.
    pub(in crate::web) fn entity(&self, entity: &Entity) -> String {
        format!("{}/entities/{}/{}", self.base, encoded(&entity.kind), encoded(&entity.id))
    }

    /// The queue of unknowns.
    pub(in crate::web) fn unknowns(&self) -> String {
        self.to("/unknowns")
    }

    /// A case.
    pub(in crate::web) fn case(&self, case_id: &str) -> String {
        format!("{}/cases/{}", self.base, segment(case_id))
    }

    /// An idempotency key.
    pub(in crate::web) fn key(&self, key: &str) -> String {
        format!("{}/keys/{}", self.base, segment(key))
    }

    /// An attempt on the page of its run.
    pub(in crate::web) fn attempt(&self, run_id: &str, span: &SpanId) -> String {
        format!("{}?span={span}", self.run(run_id))
    }

    /// A step of a run, seen by one of its attempts.
    pub(in crate::web) fn step(&self, run_id: &str, number: u32, span: &SpanId) -> String {
        format!("{}?span={span}#step-{number}", self.run(run_id))
    }

    /// The body of a content, as kept.
    pub(in crate::web) fn content(&self, trace: &TraceId, digest: &Digest) -> String {
        format!("{}/api/v1/contents/{trace}/{digest}", self.base)
    }

    /// The same body as a piece of HTML, for loading it into a page.
    pub(in crate::web) fn content_part(&self, trace: &TraceId, digest: &Digest) -> String {
        format!("{}/contents/{trace}/{digest}", self.base)
    }

    /// A span as kept, as OTLP/JSON.
    pub(in crate::web) fn otlp(&self, trace: &TraceId, span: &SpanId) -> String {
        format!("{}/api/v1/spans/{trace}/{span}?format=otlp", self.base)
    }

    /// A file of ours, under the name that changes with its content.
    pub(in crate::web) fn asset(&self, name: &str) -> String {
        format!("{}/static/{}", self.base, assets::hashed(name))
    }
}

/// Brings a configured base path into the form that [`Links`] takes: `recount/` becomes `/recount`.
pub(in crate::web) fn base_of(configured: &str) -> String {
    let trimmed = configured.trim().trim_matches('/');
    if trimmed.is_empty() { String::new() } else { format!("/{trimmed}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_under_the_base_and_encode_names() {
        let links = Links::new(&base_of("recount/"));
        assert_eq!(links.run("a/b?c#d\"<é"), "/recount/runs/a%2Fb%3Fc%23d%22%3C%C3%A9");
        assert_eq!(links.runs_with("outcome:unknown"), "/recount/runs?q=outcome%3Aunknown");
        assert_eq!(Links::new(&base_of("/")).runs(), "/runs");
        assert_eq!(base_of("/a/b/"), "/a/b");
        assert_eq!(links.run(".."), "/recount/runs/%252E%252E");
        assert_eq!(links.run("..."), "/recount/runs/...");
    }
}
