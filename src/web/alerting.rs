//! What the page of alerts needs of the settings: the rules, the webhooks, and a way to try them.
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A rule, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    /// Its name.
    pub name: String,
    /// What it says.
    pub sentence: String,
    /// The webhooks that hear of it; empty for all.
    pub to: Vec<String>,
}

/// A webhook, without its address and secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Its name, or its host.
    pub name: String,
    /// What its messages look like.
    pub shape: &'static str,
}

/// What became of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The webhook.
    pub name: String,
    /// Why it was not taken; empty where it was.
    pub wrong: String,
}

/// Sends every webhook a message that only shows that messages arrive.
pub type Test = Arc<dyn Fn() -> Testing + Send + Sync>;
type Testing = Pin<Box<dyn Future<Output = Vec<Tried>> + Send>>;

/// All of it.
#[derive(Clone)]
pub struct AlertDesk {
    /// The rules.
    pub rules: Vec<Ruled>,
    /// The webhooks.
    pub hooks: Vec<Hook>,
    /// Tries the webhooks.
    pub test: Test,
}

impl Default for AlertDesk {
    fn default() -> Self {
        Self { rules: Vec::new(), hooks: Vec::new(), test: Arc::new(|| Box::pin(async { Vec::new() })) }
    }
}

impl fmt::Debug for AlertDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlertDesk").field("rules", &self.rules).finish_non_exhaustive()
    }
}
