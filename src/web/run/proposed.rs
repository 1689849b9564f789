//! What the model proposed: its words, its calls, what became of each, and what it could choose from.
use crate::domain::content::ContentKind;
use crate::domain::ids::Digest;
use crate::domain::kind::Kind;
use crate::domain::record::KeptProposal;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::format;
use crate::web::json::Fields;
use crate::web::link::Links;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Piece, Place, Wants};
use crate::web::run::view::{Look, View};
use crate::web::text::{Text, shortened};

/// Calls and output parts shown on one page.
const SHOWN_MAX: usize = 50;
/// Tools listed on one page.
const TOOLS_MAX: usize = 200;

/// The pane.
#[derive(Debug)]
pub(in crate::web) struct Proposed {
    /// Said first when the model call is another step's.
    pub(in crate::web) source: Option<(String, String)>,
    /// What the model said.
    pub(in crate::web) said: Vec<Piece>,
    /// The calls it asked for.
    pub(in crate::web) calls: Vec<Call>,
    /// Calls beyond the limit.
    pub(in crate::web) left_out: usize,
    /// The tools it could choose from.
    pub(in crate::web) tools: Vec<Tool>,
    /// Why it stopped.
    pub(in crate::web) finish: Option<Text>,
    /// There is no model call to show.
    pub(in crate::web) absent: bool,
}

/// A proposed call.
#[derive(Debug)]
pub(in crate::web) struct Call {
    pub(in crate::web) tool: Text,
    pub(in crate::web) call_id: Option<Text>,
    pub(in crate::web) arguments: Option<Piece>,
    /// The arguments were cut off in the stream.
    pub(in crate::web) incomplete: bool,
    /// What became of it: the step's words and address; `None` when it was never executed.
    pub(in crate::web) executed: Option<(String, String)>,
    /// The executed arguments are not these.
    pub(in crate::web) differs: bool,
    /// It is the call that is looked at.
    pub(in crate::web) here: bool,
}

/// A tool on offer.
#[derive(Debug)]
pub(in crate::web) struct Tool {
    pub(in crate::web) name: Text,
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) calls: String,
}

fn source<'a>(run: &'a Run, look: &Look<'a>) -> Option<(&'a RunStep, &'a Attempt)> {
    if look.step.kind == Kind::Think || !look.attempt.record.proposed.is_empty() {
        return Some((look.step, look.attempt));
    }
    look.proposer(run)
}

/// Which bodies the pane needs.
pub(in crate::web) fn wants(run: &Run, look: &Look<'_>) -> Wants {
    let mut wants = Wants::default();
    let Some((_, attempt)) = source(run, look) else { return wants };
    let record = &attempt.record;
    let place = |digest: Digest| (record.facts.trace_id, digest);
    let arguments = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
    wants.whole.extend(
        record.output.iter().chain(arguments).take(2 * SHOWN_MAX).map(|content| place(content.digest)),
    );
    wants.heads.extend(record.context.iter().take(2 * TOOLS_MAX).map(|digest| place(*digest)));
    wants
}

impl Proposed {
    /// The pane of what is looked at.
    pub(in crate::web) fn of(
        run: &Run,
        look: &Look<'_>,
        view: &View,
        bodies: &Bodies,
        links: &Links,
    ) -> Self {
        let Some((step, attempt)) = source(run, look) else {
            return Self {
                source: None,
                said: Vec::new(),
                calls: Vec::new(),
                left_out: 0,
                tools: Vec::new(),
                finish: None,
                absent: true,
            };
        };
        let record = &attempt.record;
        let trace = record.facts.trace_id;
        let call = |kept: &KeptProposal| {
            call(run, look, view, (step, kept), |content| Piece::of_ref(trace, content, bodies, links))
        };
        let said = record.output.iter().take(SHOWN_MAX);
        Self {
            source: (step.step_id != look.step.step_id).then(|| {
                (format!("step {}", step.number), format!("{}#step-{}", view.to(attempt), step.number))
            }),
            said: said.map(|content| Piece::of_ref(trace, content, bodies, links)).collect(),
            calls: record.proposed.iter().take(SHOWN_MAX).map(call).collect(),
            left_out: record.proposed.len().saturating_sub(SHOWN_MAX),
            tools: tools(run, attempt, bodies),
            finish: (!record.facts.finish_reasons.is_empty())
                .then(|| Text::new(shortened(&record.facts.finish_reasons.join(", "), 120))),
            absent: false,
        }
    }
}

fn call(
    run: &Run,
    look: &Look<'_>,
    view: &View,
    (proposer, kept): (&RunStep, &KeptProposal),
    piece: impl Fn(&crate::domain::content::ContentRef) -> Piece,
) -> Call {
    let executed = execution(run, proposer, kept);
    let differs = executed.is_some_and(|(_, attempt)| {
        let canonical = attempt.record.arguments_canonical;
        kept.arguments_canonical.is_some() && canonical.is_some() && kept.arguments_canonical != canonical
    });
    Call {
        tool: Text::new(shortened(&kept.call.tool, 120)),
        call_id: kept.call.call_id.as_deref().map(|id| Text::new(shortened(id, 80))),
        arguments: kept.call.arguments.as_ref().map(piece),
        incomplete: !kept.call.complete,
        here: executed.is_some_and(|(step, _)| step.step_id == look.step.step_id),
        executed: executed.map(|(step, attempt)| {
            (format!("step {}", step.number), format!("{}#step-{}", view.to(attempt), step.number))
        }),
        differs,
    }
}

/// The step that executed a proposed call: by call id, else the only step of that tool this call proposed.
fn execution<'a>(
    run: &'a Run,
    proposer: &RunStep,
    kept: &KeptProposal,
) -> Option<(&'a RunStep, &'a Attempt)> {
    let of_proposer = |step: &&RunStep| step.proposed_by.as_deref() == Some(proposer.step_id.as_str());
    let first = |step: &'a RunStep| attempts(step).next().map(|attempt| (step, attempt));
    let same_call = |attempt: &&Attempt| {
        kept.call.call_id.is_some() && attempt.record.facts.tool_call_id == kept.call.call_id
    };
    let by_id =
        run.steps.iter().find_map(|step| attempts(step).find(same_call).map(|attempt| (step, attempt)));
    by_id.or_else(|| {
        let same_tool = |step: &&RunStep| step.tool.as_deref() == Some(kept.call.tool.as_str());
        let mut found = run.steps.iter().filter(of_proposer).filter(same_tool);
        let only = found.next()?;
        found.next().is_none().then(|| first(only)).flatten()
    })
}

fn tools(run: &Run, attempt: &Attempt, bodies: &Bodies) -> Vec<Tool> {
    let place = |digest: &Digest| -> Place { (attempt.record.facts.trace_id, *digest) };
    let offered = attempt.record.context.iter().filter_map(|digest| bodies.get(&place(digest)));
    let definitions = offered.filter(|body| body.kind == ContentKind::ToolDefinition);
    definitions
        .filter_map(|body| tool_name(&body.text))
        .take(TOOLS_MAX)
        .map(|name| {
            let used: Vec<&RunStep> =
                run.steps.iter().filter(|step| step.tool.as_deref() == Some(name.as_str())).collect();
            let tries: usize = used.iter().map(|step| step.attempts.len()).sum();
            Tool {
                kind: used.first().map(|step| step.kind.word()).unwrap_or_default(),
                calls: match (used.len(), tries) {
                    (0, _) => "not called".to_owned(),
                    (steps, tries) if steps == tries => {
                        format::counted(format::length(steps), "call", "calls")
                    }
                    (steps, tries) => format!(
                        "{}, {}",
                        format::counted(format::length(steps), "call", "calls"),
                        format::counted(format::length(tries), "attempt", "attempts")
                    ),
                },
                name: Text::new(shortened(&name, 80)),
            }
        })
        .collect()
}

/// The name in a tool's definition; of a definition that was loaded in part, the first name in it.
pub(in crate::web) fn tool_name(definition: &str) -> Option<String> {
    if let Some(fields) = Fields::read(definition) {
        let function = fields.object("function");
        let name = fields.text("name").or_else(|| function.as_ref()?.text("name"));
        return name.map(|name| name.into_owned());
    }
    let (_, after) = definition.split_once("\"name\"")?;
    let text = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    text.split_once('"').map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_are_found_in_every_shape() {
        for text in [
            r#"{"name":"issue_refund","description":"x"}"#,
            r#"{"type":"function","function":{"name":"issue_refund"}}"#,
            r#"{"type":"function","description":"long","name" : "issue_refund","parameters":{"type":"obj"#,
        ] {
            assert_eq!(tool_name(text).as_deref(), Some("issue_refund"), "{text}");
        }
        assert_eq!(tool_name("{}"), None);
        assert_eq!(tool_name("cut off"), None);
    }
}
