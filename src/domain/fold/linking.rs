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
    pub(super) nodes: &'a Arena<Node>,
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

/// A rule and the value that both attempts must share.
type Key = (&'static str, String);

impl Linking<'_> {
    /// Every step of the run, in order of its first attempt.
    pub(super) fn steps(&self) -> Vec<Linked> {
        let mut order: Vec<usize> = self.nodes.ids().filter(|id| self.owners.is_step(*id)).collect();
        order.sort_by_key(|id| self.nodes[*id].order());
        let given = self.given(&order);
        let mut steps: Arena<Linked> = Arena::default();
        let mut by_id: HashMap<(&str, Class), usize> = HashMap::new();
        let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
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
        keys: &[Key],
        steps: &Arena<Linked>,
        by_key: &HashMap<Key, Vec<usize>>,
    ) -> Option<(usize, &'static str)> {
        keys.iter().find_map(|key| {
            let candidates = by_key.get(key)?.iter().rev().take(LINK_CANDIDATES_MAX);
            let step = candidates.copied().find(|step| self.follows(id, &steps[*step], key.0))?;
            Some((step, key.0))
        })
    }

    fn follows(&self, id: usize, step: &Linked, rule: &str) -> bool {
        let Some((last, _)) = step.tries.last().copied() else { return false };
        let (node, before) = (&self.nodes[id], &self.nodes[last]);
        if step.busy_until > node.start || before.start >= node.start {
            return false;
        }
        let numbers = (before.facts().attempt, node.facts().attempt);
        let counted = match numbers {
            (Some(before), Some(after)) if after <= before => return false,
            (Some(_), Some(_)) => true,
            (None, Some(1)) if rule != SAME_KEY => return false,
            (None | Some(_), None) | (None, Some(_)) => false,
        };
        let repeated = counted || rule == SAME_KEY || node.facts().gate.held();
        if step.succeeded && !repeated {
            return false;
        }
        let targets = (&before.facts().target, &node.facts().target);
        let other_target = matches!(targets, (Some(a), Some(b)) if a != b);
        let alike = match rule {
            SAME_ARGUMENTS => !other_target,
            SAME_INPUT => before.record.context == node.record.context && before.erred(),
            _ => true,
        };
        alike && class(before.kind) == class(node.kind)
    }

    /// The keys of a node, the surest rule first.
    fn keys(&self, id: usize) -> Vec<Key> {
        let node = &self.nodes[id];
        let facts = node.facts();
        let mut keys = Vec::new();
        if node.kind == Kind::Think {
            if let (Some(first), Some(last)) = (node.record.context.first(), node.record.context.last()) {
                let parent = self.tree.parent[id].map(|parent| parent.to_string()).unwrap_or_default();
                let size = node.record.context.len();
                keys.push((SAME_INPUT, format!("{parent}\0{size}\0{first}\0{last}")));
            }
            return keys;
        }
        let Some(tool) = facts.tool.as_deref().filter(|_| is_tool(node.kind)) else { return keys };
        let arguments = self.joined.arguments(self.nodes, id);
        if let Some(key) = &facts.key {
            keys.push((SAME_KEY, format!("{tool}\0{key}")));
        }
        if let Some(call) = &facts.tool_call_id {
            keys.push(("same call id", format!("{tool}\0{call}")));
        }
        for link_key in &facts.link_keys {
            keys.extend(convention_key(link_key, tool, arguments));
        }
        if let Some(target) = &facts.target {
            keys.push(("same tool and target", format!("{tool}\0{target}")));
        }
        if let Some(arguments) = arguments {
            keys.push((SAME_ARGUMENTS, format!("{tool}\0{arguments}")));
        }
        keys
    }
}

const SAME_KEY: &str = "same key";
const SAME_ARGUMENTS: &str = "same tool and arguments";
const SAME_INPUT: &str = "same model input";

fn convention_key(link_key: &str, tool: &str, arguments: Option<Digest>) -> Option<Key> {
    let (rule, value) = link_key.split_once('=')?;
    match rule {
        "langgraph" => {
            let arguments = arguments.map(|digest| digest.to_string()).unwrap_or_default();
            Some(("langgraph node", format!("{value}\0{tool}\0{arguments}")))
        }
        "temporal" => Some(("temporal activity", value.to_owned())),
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
