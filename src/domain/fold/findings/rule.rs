//! A rule: what it notices, what that means, why it matters and what to do about it.
use crate::domain::finding::Code;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

/// What is said about a finding wherever it is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Its name for people.
    pub title: &'static str,
    /// What was seen.
    pub means: &'static str,
    /// Why anybody should care.
    pub matters: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub(in crate::domain::fold) struct Rule {
    pub(in crate::domain::fold) code: Code,
    pub(in crate::domain::fold) about: About,
    pub(in crate::domain::fold) find: Find,
}

/// How it is found.
#[derive(Debug, Clone, Copy)]
pub(in crate::domain::fold) enum Find {
    /// In the run.
    Run(fn(&Scene<'_>) -> Vec<Noted>),
    /// In the run and the effects that its acts had.
    Effects(fn(&Scene<'_>, &[Effect]) -> Vec<Noted>),
    /// It was noticed while a single record was read.
    Records,
}
