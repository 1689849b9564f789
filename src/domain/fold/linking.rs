//! Which executions are attempts of one step: what the runtime gave, else by rule, each link naming its rule.
use std::collections::{BTreeMap, HashMap};

use crate::domain::fold::arena::Arena;
use crate::domain::fold::evidence::Owners;
use crate::domain::fold::limits::LINK_CANDIDATES_MAX;
use crate::domain::fold::node::{Node, is_tool};
use crate::domain::fold::outcome::Told;
use crate::domain::fold::proposals::Joined;
use crate::domain::fold::tree::Tree;
use crate::domain::ids::Digest;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;

/// What linking looks at.
pub(super) struct Linking<'a> {
    pub(super) nodes: &'a Arena<Node<'a>>,
    pub(super) tree: &'a Tree,
    pub(super) owners: &'a Owners,
    pub(super) joined: &'a Joined,
    pub(super) told: &'a Arena<Told>,
    pub(super) now_ns: u64,
}

/// Attempts of one step in order of start, each with the rule that linked it.
#[derive(Debug, Default)]
pub(super) struct Linked {
    /// The step id that the runtime gave.
    pub(super) given: Option<String>,
    /// The nodes, each with its rule; `None` on the first.
    pub(super) tries: Vec<(usize, Option<&'static str>)>,
    /// When the last attempt ends.
    busy_until: u64,
    /// An attempt that was sent succeeded.
    succeeded: bool,
}

/// Steps that may share a step id: calls of tools whatever their kind, others with their kind only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Class {
    Tool,
    Think,
    Wait,
    Agent,
    Transport,
    Other,
}

/// What both attempts must share, rule by rule, always with the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Alike<'a> {
    Key(&'a str, &'a str),
    Call(&'a str, &'a str),
    Langgraph(&'a str, &'a str, Option<Digest>),
    Temporal(&'a str),
    Target(&'a str, &'a str),
    Arguments(&'a str, Digest),
    /// The parent, and of the context its length, first and last body.
    Input(Option<usize>, usize, Digest, Digest),
}

impl Alike<'_> {
    /// The name of the rule.
    fn rule(self) -> &'static str {
        match self {
            Self::Key(..) => "same key",
            Self::Call(..) => "same call id",
            Self::Langgraph(..) => "langgraph node",
            Self::Temporal(..) => "temporal activity",
            Self::Target(..) => "same tool and target",
            Self::Arguments(..) => "same tool and arguments",
            Self::Input(..) => "same model input",
        }
    }
}

impl Linking<'_> {
    /// Every step of the run, in order of its first attempt.
    pub(super) fn steps(&self) -> Vec<Linked> {
        let mut order: Vec<usize> = self.nodes.ids().filter(|id| self.owners.is_step(*id)).collect();
        order.sort_by_key(|id| self.nodes[*id].order());
        let given = self.given(&order);
        let mut steps: Arena<Linked> = Arena::default();
        let mut by_id: HashMap<(&str, Class), usize> = HashMap::new();
        let mut by_key: HashMap<Alike<'_>, Vec<usize>> = HashMap::new();
        for id in order {
            let class = class(self.nodes[id].kind);
            let given_id = given[id].then(|| self.nodes[id].facts().step_id.as_deref()).flatten();
            let keys = self.keys(id);
            let (step, rule) = match given_id {
                Some(step_id) => {
                    let step = *by_id.entry((step_id, class)).or_insert_with(|| steps.add(Linked::default()));
                    steps[step].given = Some(step_id.to_owned());
                    (step, Some("given"))
                }
                None => match self.earlier(id, &keys, &steps, &by_key) {
                    Some((step, rule)) => (step, Some(rule)),
                    None => (steps.add(Linked::default()), None),
                },
            };
            self.append(&mut steps[step], id, rule);
            for key in keys {
                let found = by_key.entry(key).or_default();
                if found.last() != Some(&step) {
                    found.push(step);
                }
            }
        }
        steps.into_vec()
    }

    fn append(&self, step: &mut Linked, id: usize, rule: Option<&'static str>) {
        let node = &self.nodes[id];
        let rule = rule.filter(|_| !step.tries.is_empty());
        step.tries.push((id, rule));
        step.busy_until = step.busy_until.max(node.busy_until(self.now_ns));
        if !node.facts().gate.held() {
            step.succeeded = self.succeeded(id);
        }
    }

    fn succeeded(&self, id: usize) -> bool {
        let told = &self.told[id];
        match self.nodes[id].kind {
            Kind::Act => told.outcome == Some(Outcome::Confirmed),
            Kind::Think
            | Kind::Read
            | Kind::Reconcile
            | Kind::Wait
            | Kind::Agent
            | Kind::Transport
            | Kind::Other => !told.paused && !self.nodes[id].open && !self.nodes[id].erred(),
        }
    }

    /// Which nodes keep their given step id. Senders put the id of a step on everything below it as well:
    /// such a node is a part of the attempt, not another one.
    fn given(&self, order: &[usize]) -> Arena<bool> {
        let mut groups: BTreeMap<(&str, Class), Vec<usize>> = BTreeMap::new();
        for id in order {
            let node = &self.nodes[*id];
            if let Some(step_id) = node.facts().step_id.as_deref().filter(|_| !node.missing) {
                groups.entry((step_id, class(node.kind))).or_default().push(*id);
            }
        }
        let mut keeps = Arena::beside(self.nodes, false);
        for mut group in groups.into_values() {
            group.sort_by_key(|id| self.tree.place[*id]);
            let mut after = 0;
            for id in group {
                if self.tree.place[id] >= after {
                    after = self.tree.after[id];
                    keeps[id] = true;
                }
            }
        }
        keeps
    }

    /// The step that a node is a further attempt of, by the first rule that says so.
    fn earlier(
        &self,
        id: usize,
        keys: &[Alike<'_>],
        steps: &Arena<Linked>,
        by_key: &HashMap<Alike<'_>, Vec<usize>>,
    ) -> Option<(usize, &'static str)> {
        keys.iter().find_map(|key| {
            let candidates = by_key.get(key)?.iter().rev().take(LINK_CANDIDATES_MAX);
            let step = candidates.copied().find(|step| self.follows(id, &steps[*step], *key))?;
            Some((step, key.rule()))
        })
    }

    fn follows(&self, id: usize, step: &Linked, key: Alike<'_>) -> bool {
        let Some((last, _)) = step.tries.last().copied() else { return false };
        let (node, before) = (&self.nodes[id], &self.nodes[last]);
        if step.busy_until > node.start || before.start >= node.start {
            return false;
        }
        let same_key = matches!(key, Alike::Key(..));
        let numbers = (before.facts().attempt, node.facts().attempt);
        let counted = match numbers {
            (Some(before), Some(after)) if after <= before => return false,
            (Some(_), Some(_)) => true,
            (None, Some(1)) if !same_key => return false,
            (None | Some(_), None) | (None, Some(_)) => false,
        };
        let repeated = counted || same_key || node.facts().gate.held();
        if step.succeeded && !repeated {
            return false;
        }
        let targets = (&before.facts().target, &node.facts().target);
        let other_target = matches!(targets, (Some(a), Some(b)) if a != b);
        let alike = match key {
            Alike::Arguments(..) => !other_target,
            Alike::Input(..) => before.record.context == node.record.context && before.erred(),
            Alike::Key(..)
            | Alike::Call(..)
            | Alike::Langgraph(..)
            | Alike::Temporal(..)
            | Alike::Target(..) => true,
        };
        alike && class(before.kind) == class(node.kind)
    }

    /// The keys of a node, the surest rule first.
    fn keys(&self, id: usize) -> Vec<Alike<'_>> {
        let node = &self.nodes[id];
        let facts = node.facts();
        let mut keys = Vec::new();
        if node.kind == Kind::Think {
            let context = &node.record.context;
            if let (Some(first), Some(last)) = (context.first(), context.last()) {
                keys.push(Alike::Input(self.tree.parent[id], context.len(), *first, *last));
            }
            return keys;
        }
        let Some(tool) = facts.tool.as_deref().filter(|_| is_tool(node.kind)) else { return keys };
        let arguments = self.joined.arguments(self.nodes, id);
        keys.extend(facts.key.as_deref().map(|key| Alike::Key(tool, key)));
        keys.extend(facts.tool_call_id.as_deref().map(|call| Alike::Call(tool, call)));
        keys.extend(facts.link_keys.iter().filter_map(|key| convention_key(key, tool, arguments)));
        keys.extend(facts.target.as_deref().map(|target| Alike::Target(tool, target)));
        keys.extend(arguments.map(|arguments| Alike::Arguments(tool, arguments)));
        keys
    }
}

fn convention_key<'a>(link_key: &'a str, tool: &'a str, arguments: Option<Digest>) -> Option<Alike<'a>> {
    let (rule, value) = link_key.split_once('=')?;
    match rule {
        "langgraph" => Some(Alike::Langgraph(value, tool, arguments)),
        "temporal" => Some(Alike::Temporal(value)),
        _ => None,
    }
}

fn class(kind: Kind) -> Class {
    match kind {
        Kind::Read | Kind::Act | Kind::Reconcile => Class::Tool,
        Kind::Think => Class::Think,
        Kind::Wait => Class::Wait,
        Kind::Agent => Class::Agent,
        Kind::Transport => Class::Transport,
        Kind::Other => Class::Other,
    }
}
