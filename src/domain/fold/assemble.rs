//! From a run taken apart to the run as it is shown.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::case::CaseEvent;
use crate::domain::content::ContentRef;
use crate::domain::cost::Cost;
use crate::domain::entity::Entity;
use crate::domain::fold::arena::Arena;
use crate::domain::fold::completeness::completeness;
use crate::domain::fold::draft::Try;
use crate::domain::fold::effects::effects;
use crate::domain::fold::evidence::Owners;
use crate::domain::fold::findings;
use crate::domain::fold::identity::{Around, Part, RunIds};
use crate::domain::fold::node::Node;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::outcome::Told;
use crate::domain::fold::rail::{Rail, new_in_context};
use crate::domain::fold::scene::Scene;
use crate::domain::fold::verdict::verdict;
use crate::domain::fold::who::Who;
use crate::domain::ids::{Digest, RecordId, SpanId, TraceId};
use crate::domain::outcome::Outcome;
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run, RunFinding, RunState, RunStep, Slot};

impl Run {
    /// Folds the records of one run. Pure: the same records, in any order and any number of copies, with
    /// the same events and the same now, give the same run.
    ///
    /// Where a trace holds several runs, fold the parts of [`runs_of`](crate::domain::fold::runs_of)
    /// instead: they know about parents and identity outside the run.
    pub fn of(records: &[Record], events: &[CaseEvent], now_ns: u64) -> Self {
        let ids = RunIds::of(records);
        let mut votes: BTreeMap<&str, BTreeSet<RecordId>> = BTreeMap::new();
        let names: Arena<String> = ids.names.into();
        for (record, id) in records.iter().zip(ids.of) {
            votes.entry(&names[id]).or_default().insert(record.record_id);
        }
        let run_id = votes.iter().rev().max_by_key(|(_, votes)| votes.len());
        let run_id = run_id.map(|(id, _)| *id).unwrap_or_default();
        fold(run_id, records, Around::default(), events, now_ns)
    }

    /// Folds one part of a set of traces.
    pub fn of_part(part: &Part, events: &[CaseEvent], now_ns: u64) -> Self {
        fold(&part.run_id, &part.records, part.around.clone(), events, now_ns)
    }
}

fn fold(run_id: &str, records: &[Record], around: Around, events: &[CaseEvent], now_ns: u64) -> Run {
    let scene = Scene::of(run_id, records, around, events, now_ns);
    let rail = Rail::of(&scene);
    let effects = effects(&scene);
    let (findings, by_draft) = shown_findings(&scene, &rail, findings::all(&scene, &effects));
    let verdict = verdict(&scene, &effects, &findings);
    let record_count =
        records.iter().map(|record| record.record_id).collect::<BTreeSet<RecordId>>().len() as u64;
    let completeness = completeness(&scene, record_count);
    let who = Who::of(&scene);
    let state = scene.state();
    let received = || scene.received().map(|id| &scene.nodes[id]);
    let ends = received().filter_map(|node| node.end).max();
    Run {
        run_id: run_id.to_owned(),
        run_id_given: records.iter().any(|record| record.facts.run_id.as_deref() == Some(run_id)),
        session_id: who.session_id,
        user_id: who.user_id,
        agent: who.agent,
        agent_version: who.agent_version,
        name: who.name,
        service: who.service,
        environment: who.environment,
        started_ns: received().map(|node| node.start).min().unwrap_or_default(),
        ended_ns: ends.filter(|_| state != RunState::Running),
        state,
        findings,
        verdict,
        completeness,
        traces: traces(&scene),
        linked_traces: linked_traces(&scene),
        workers: who.workers,
        epochs: received()
            .filter_map(|node| node.facts().epoch)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        entities: entities(&scene),
        version: record_count + events.len() as u64,
        steps: steps(scene, &rail, by_draft),
    }
}

/// Findings, the gravest first, then in the order of the steps that show them; and their indexes by step.
fn shown_findings(
    scene: &Scene<'_>,
    rail: &Rail,
    noted: Vec<Noted>,
) -> (Vec<RunFinding>, BTreeMap<usize, Vec<usize>>) {
    let mut places = Arena::beside(&scene.drafts, 0);
    for (place, draft) in rail.order.iter().enumerate() {
        places[*draft] = place;
    }
    let mut shown: Vec<(RunFinding, Vec<usize>)> =
        noted.into_iter().map(|noted| noted.shown(scene, &places)).collect();
    shown.sort_by_cached_key(|(finding, drafts)| {
        let place = drafts.first().map(|draft| places[*draft]);
        (std::cmp::Reverse(finding.code.severity()), finding.code, place, finding.message.clone())
    });
    let mut by_draft: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, (_, drafts)) in shown.iter().enumerate() {
        for draft in drafts {
            by_draft.entry(*draft).or_default().push(index);
        }
    }
    (shown.into_iter().map(|(finding, _)| finding).collect(), by_draft)
}

fn steps(scene: Scene<'_>, rail: &Rail, mut findings: BTreeMap<usize, Vec<usize>>) -> Vec<RunStep> {
    let mut found = found(&scene);
    let mut steps: Vec<RunStep> = Vec::with_capacity(scene.drafts.len());
    for (place, id) in rail.order.iter().copied().enumerate() {
        steps.push(bare_step(&scene, rail, (place, id), findings.remove(&id).unwrap_or_default()));
    }
    let Scene { nodes, mut drafts, told, owners, .. } = scene;
    let nodes: Vec<Option<Node<'_>>> = nodes.into_vec().into_iter().map(Some).collect();
    let mut parts = Parts { nodes: nodes.into(), told, owners };
    for (step, id) in steps.iter_mut().zip(rail.order.iter().copied()) {
        let draft = &mut drafts[id];
        let missing = std::mem::take(&mut draft.missing).into_iter();
        let mut slots: Vec<(u32, Slot)> = missing.map(|number| (number, Slot::Missing(number))).collect();
        for attempt in std::mem::take(&mut draft.tries) {
            let found = std::mem::take(&mut found[attempt.node]);
            slots.push((attempt.number, parts.slot(attempt, found)));
        }
        if !draft.restarted {
            slots.sort_by_key(|(number, _)| *number);
        }
        step.attempts = slots.into_iter().map(|(_, slot)| slot).collect();
    }
    steps
}

/// What other records tell about an attempt.
#[derive(Clone, Default)]
struct Found {
    new_in_context: Vec<Digest>,
    proposed_by: Option<String>,
    arguments: Option<ContentRef>,
}

fn found(scene: &Scene<'_>) -> Arena<Found> {
    let mut found = Arena::beside(&scene.nodes, Found::default());
    for (id, fresh) in new_in_context(scene) {
        found[id].new_in_context = fresh;
    }
    for id in scene.received() {
        if let Some((think, _)) = scene.joined.by_node[id] {
            let proposal = scene.joined.proposal(&scene.nodes, id);
            found[id].proposed_by = Some(scene.drafts[scene.draft_of[think]].step_id.clone());
            found[id].arguments = proposal.and_then(|proposal| proposal.call.arguments.clone());
        }
    }
    found
}

fn bare_step(scene: &Scene<'_>, rail: &Rail, (place, id): (usize, usize), findings: Vec<usize>) -> RunStep {
    let draft = &scene.drafts[id];
    let step_id = |draft: usize| scene.drafts[draft].step_id.clone();
    let facts = || draft.tries.iter().map(|attempt| scene.node(attempt).facts());
    let proposed_by = draft.tries.iter().find_map(|attempt| scene.joined.by_node[attempt.node]);
    let verifies = || facts().find_map(|facts| facts.verifies.clone());
    let name = match scene.is_placeholder(id) {
        true => "Parent not received yet",
        false => facts().map(|facts| facts.name.as_str()).find(|name| !name.is_empty()).unwrap_or_default(),
    };
    RunStep {
        step_id: draft.step_id.clone(),
        number: u32::try_from(place + 1).unwrap_or(u32::MAX),
        kind: draft.kind,
        name: name.to_owned(),
        tool: facts().find_map(|facts| facts.tool.clone()),
        target: scene.target(id).map(str::to_owned),
        key: facts().rev().find_map(|facts| facts.key.clone()),
        outcome: draft.outcome,
        evidence: draft.evidence,
        attempts: Vec::new(),
        parent_step_id: rail.parent[id].map(step_id),
        depth: rail.depth[id],
        gap_before_ns: rail.gap[id],
        looks: draft.looks.clone(),
        verifies: draft.verifies.map(step_id).or_else(verifies),
        proposed_by: proposed_by.map(|(think, _)| step_id(scene.draft_of[think])),
        findings,
    }
}

/// What attempts are made of. Records are moved out: they are the bulk of a run.
struct Parts<'a> {
    nodes: Arena<Option<Node<'a>>>,
    told: Arena<Told>,
    owners: Owners,
}

impl Parts<'_> {
    /// One attempt with its evidence and what was found elsewhere.
    fn slot(&mut self, attempt: Try, found: Found) -> Slot {
        let Some(node) = self.nodes[attempt.node].take().filter(|node| !node.missing) else {
            return Slot::Missing(attempt.number);
        };
        let mut logs: Vec<Record> = node.logs.into_iter().cloned().collect();
        let mut transports = Vec::new();
        for call in self.owners.evidence(attempt.node) {
            let Some(call) = self.nodes[*call].take() else { continue };
            transports.push(call.record.into_owned());
            logs.extend(call.versions.into_iter().chain(call.logs).cloned());
        }
        let told = &mut self.told[attempt.node];
        let waits = attempt.effective() == Some(Outcome::Submitted);
        let record = node.record.into_owned();
        Slot::Attempt(Box::new(Attempt {
            number: attempt.number,
            given: attempt.given,
            link: attempt.link,
            outcome: attempt.outcome,
            evidence: told.evidence,
            now: attempt.now,
            path: attempt.path,
            reason: std::mem::take(&mut told.reason).into_owned(),
            transports,
            new_in_context: found.new_in_context,
            proposed_by: found.proposed_by,
            arguments: record.arguments.clone().or(found.arguments),
            result: record.result.clone(),
            versions: node.versions.into_iter().cloned().collect(),
            logs,
            unknown_at_ns: told.lapses_at.filter(|_| waits),
            cost: Cost::given(&record),
            record,
        }))
    }
}

fn traces(scene: &Scene<'_>) -> Vec<TraceId> {
    let mut starts: BTreeMap<TraceId, u64> = BTreeMap::new();
    for id in scene.received() {
        let node = &scene.nodes[id];
        let start = starts.entry(node.trace).or_insert(node.start);
        *start = (*start).min(node.start);
    }
    let mut traces: Vec<(u64, TraceId)> = starts.into_iter().map(|(trace, start)| (start, trace)).collect();
    traces.sort_unstable();
    traces.into_iter().map(|(_, trace)| trace).collect()
}

fn linked_traces(scene: &Scene<'_>) -> Vec<TraceId> {
    let own: BTreeSet<TraceId> = scene.nodes.iter().map(|node| node.trace).collect();
    let links = scene.nodes.iter().flat_map(|node| &node.facts().links).map(|link| link.trace_id);
    let linked: BTreeSet<TraceId> = links.filter(|trace| !trace.is_zero() && !own.contains(trace)).collect();
    linked.into_iter().collect()
}

fn entities(scene: &Scene<'_>) -> Vec<Entity> {
    let mut seen = BTreeSet::new();
    let all = scene.received().flat_map(|id| &scene.nodes[id].facts().entities);
    all.filter(|entity| seen.insert(*entity)).cloned().collect()
}

impl RunStep {
    /// Whether an attempt of this step, or evidence for one, has this span.
    pub fn has_span(&self, trace: TraceId, span: SpanId) -> bool {
        let is = |record: &Record| record.facts.trace_id == trace && record.facts.span_id == span;
        self.attempts().any(|attempt| is(&attempt.record) || attempt.transports.iter().any(is))
    }

    /// The attempts that have arrived.
    pub fn attempts(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter_map(|slot| match slot {
            Slot::Attempt(attempt) => Some(attempt.as_ref()),
            Slot::Missing(_) => None,
        })
    }
}
