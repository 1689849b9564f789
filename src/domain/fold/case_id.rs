//! The id of a case: it never moves when late records arrive.
use sha2::{Digest as _, Sha256};

use crate::domain::ids::{Project, SpanId, TraceId};

/// The case of an act with an idempotency key: the same for every run and attempt under that key.
pub fn of_key(project: &Project, tool: &str, key: &str) -> String {
    digest(&["key", &project.0, tool, key])
}

/// The case of an unknown attempt without a key: that of its span.
pub fn of_span(project: &Project, trace: TraceId, span: SpanId) -> String {
    digest(&["span", &project.0, &trace.to_string(), &span.to_string()])
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep `a, bc` and `ab, c` apart.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_different_projects_tools_and_keys_differ() {
        let project = Project::default();
        let id = of_key(&project, "refund", "k1");
        assert_eq!(id.len(), 32);
        assert_eq!(id, of_key(&project, "refund", "k1"));
        assert_ne!(id, of_key(&project, "refun", "dk1"));
        assert_ne!(id, of_key(&Project("other".to_owned()), "refund", "k1"));
        assert_ne!(id, of_span(&project, TraceId::default(), SpanId::default()));
    }
}
