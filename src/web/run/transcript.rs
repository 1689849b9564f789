//! A run read as a transcript: what was said and done, in order, without times and bars.
use crate::domain::content::{ContentKind, ContentRef};
use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, RunStep};
use crate::web::badge::{self, Badge};
use crate::web::message::Message;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Place, Wants};
use crate::web::run::thread::attempt_badge;
use crate::web::run::verdict::title;
use crate::web::run::view::View;
use crate::web::text::{Text, sentence, shortened};

/// Messages of which the first words are loaded.
const MESSAGES_MAX: usize = 600;
/// The longest text of one line, in characters.
const CHARS_MAX: usize = 600;

/// Something that was said or done.
#[derive(Debug)]
pub(in crate::web) struct Line {
    /// The step's number, for its first line only.
    pub(in crate::web) number: Option<u32>,
    /// The kind of step, or who speaks: `user`.
    pub(in crate::web) kind: &'static str,
    pub(in crate::web) who: Text,
    pub(in crate::web) text: Text,
    /// What came back or what is known of it.
    pub(in crate::web) after: Text,
    pub(in crate::web) badge: Option<Badge>,
    pub(in crate::web) href: String,
    /// Whether the text is what a machine wrote.
    pub(in crate::web) code: bool,
}

/// Which messages the lines of these steps begin with.
pub(in crate::web) fn wants(steps: &[RunStep]) -> Wants {
    let calls = steps.iter().filter(|step| step.kind == Kind::Think).flat_map(attempts);
    let new = calls.flat_map(|attempt| attempt.new_in_context.iter().map(|digest| place(attempt, digest)));
    Wants { heads: new.take(MESSAGES_MAX).collect(), ..Wants::default() }
}

fn place(attempt: &Attempt, digest: &crate::domain::ids::Digest) -> Place {
    (attempt.record.facts.trace_id, *digest)
}

/// The lines of these steps.
pub(in crate::web) fn lines(steps: &[&RunStep], view: &View, bodies: &Bodies) -> Vec<Line> {
    steps.iter().flat_map(|step| of_step(step, view, bodies)).collect()
}

fn of_step(step: &RunStep, view: &View, bodies: &Bodies) -> Vec<Line> {
    let mut lines = Vec::new();
    for attempt in attempts(step) {
        if step.kind == Kind::Think {
            lines.extend(asked(attempt, view, bodies));
        }
        lines.push(done(step, attempt, view));
    }
    if let Some(first) = lines.iter_mut().find(|line| line.kind != "human") {
        first.number = Some(step.number);
    }
    lines
}

/// What people and the system told a model call that no call before had heard.
fn asked<'a>(attempt: &'a Attempt, view: &'a View, bodies: &'a Bodies) -> impl Iterator<Item = Line> + 'a {
    attempt.new_in_context.iter().filter_map(move |digest| {
        let body = bodies.get(&place(attempt, digest))?;
        let message = match body.kind {
            ContentKind::Message => Message::of(body.kind, &body.role, &body.text),
            ContentKind::System
            | ContentKind::ToolDefinition
            | ContentKind::Output
            | ContentKind::Arguments
            | ContentKind::Result
            | ContentKind::Attribute => return None,
        };
        (message.role == "user").then(|| Line {
            number: None,
            kind: "human",
            who: message.who.clone(),
            text: Text::new(shortened(&message.first_words(), CHARS_MAX)),
            after: Text::default(),
            badge: None,
            href: view.to(attempt),
            code: false,
        })
    })
}

fn done(step: &RunStep, attempt: &Attempt, view: &View) -> Line {
    let record = &attempt.record;
    let preview = |content: Option<&ContentRef>| {
        content.map(|content| shortened(&content.preview, CHARS_MAX)).unwrap_or_default()
    };
    let (text, code) = match step.kind {
        Kind::Think => {
            let said: Vec<String> = record.output.iter().take(10).map(said).collect();
            let calls: Vec<&str> = record.proposed.iter().map(|kept| kept.call.tool.as_str()).collect();
            match (said.join(" ").trim(), calls.as_slice()) {
                ("", []) => ("said nothing that was recorded".to_owned(), false),
                ("", calls) => (format!("asked for {}", shortened(&calls.join(", "), 200)), false),
                (said, _) => (shortened(said, CHARS_MAX), false),
            }
        }
        Kind::Read | Kind::Act | Kind::Reconcile => {
            (preview(record.arguments.as_ref().or(attempt.arguments.as_ref())), true)
        }
        Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other => (String::new(), false),
    };
    let result = preview(record.result.as_ref().or(attempt.result.as_ref()));
    let known = sentence(&shortened(&attempt.reason, 200));
    let tries = if step.attempts.len() > 1 { format!(", attempt {}", attempt.number) } else { String::new() };
    let name = title(step);
    Line {
        number: None,
        kind: badge::kind(step.kind),
        who: Text::new(format!("{}{tries}", shortened(&name, 120))),
        text: Text::new(text),
        after: Text::new(if result.is_empty() || step.kind == Kind::Act { known } else { result }),
        badge: attempt_badge(attempt),
        href: format!("{}#step-{}", view.to(attempt), step.number),
        code,
    }
}

/// The words of a part of an answer, as far as its first words tell.
fn said(content: &ContentRef) -> String {
    let message = Message::of(content.kind, &content.role, &content.preview);
    if message.broken { content.preview.clone() } else { message.first_words() }
}
