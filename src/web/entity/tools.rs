//! What answering about entities takes beside the store: aliases, phrases, how long records are kept.
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conventions::ToolRules;
use crate::domain::entity::Entity;
use crate::projection::{Eraser, Sequencer};

/// What the answers about entities are made with.
#[derive(Debug, Clone, Default)]
pub struct EntityTools {
    /// Names of one entity, as the operator declares them; all names of a group are of one type.
    pub aliases: Arc<Vec<BTreeSet<Entity>>>,
    /// How tools are told of.
    pub rules: Arc<ToolRules>,
    /// Gives records their places in the signed log; without it no evidence is made.
    pub sequencer: Option<Sequencer>,
    /// Carries erasures out; without it nothing is erased.
    pub eraser: Option<Eraser>,
}
