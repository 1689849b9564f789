//! What an answer shows, for the record of who looked at what.
use axum::response::Response;

/// What an answer shows. A handler that knows attaches it.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Seen {
    /// The entities it is about, written `type:id`.
    pub(in crate::web) entities: Vec<String>,
    /// How many rows it gives out.
    pub(in crate::web) rows: Option<u64>,
    /// What was changed, in a sentence.
    pub(in crate::web) changed: Option<String>,
}

impl Seen {
    /// So many rows.
    pub(in crate::web) fn rows(count: usize) -> Self {
        Self { rows: u64::try_from(count).ok(), ..Self::default() }
    }

    /// About these entities.
    pub(in crate::web) fn about(entities: &[String]) -> Self {
        Self { entities: entities.to_vec(), ..Self::default() }
    }

    /// A change that was made.
    pub(in crate::web) fn changed(sentence: String) -> Self {
        Self { changed: Some(sentence), ..Self::default() }
    }

    /// The answer, with this attached.
    pub(in crate::web) fn on(self, mut response: Response) -> Response {
        response.extensions_mut().insert(self);
        response
    }
}

/// Marks an answer that shows nothing but what was recorded already, while it was made.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct AlreadyRecorded;
