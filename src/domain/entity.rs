//! Something acted upon or for: `account:2291`, `order:4812`.
use std::fmt;

/// A typed id. Written `type:id`; the type has no colon.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entity {
    /// Lower-case type, such as `account` or `order`.
    pub kind: String,
    /// The id, as the sender spells it (or its pseudonym).
    pub id: String,
}

impl Entity {
    /// The account with this id.
    pub fn account(id: impl Into<String>) -> Self {
        Self { kind: "account".to_owned(), id: id.into() }
    }

    /// Reads `type:id`; `None` when either part is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':')?;
        (!kind.is_empty() && !id.is_empty())
            .then(|| Self { kind: kind.to_ascii_lowercase(), id: id.to_owned() })
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.id)
    }
}
