//! What the model saw: its messages in order, what is new since its call before marked, the rest folded.
use crate::domain::content::ContentKind;
use crate::domain::ids::Digest;
use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::format;
use crate::web::link::Links;
use crate::web::run::bodies::{Bodies, Piece, Place, Wants};
use crate::web::run::proposed::tool_name;
use crate::web::run::view::{Look, View};
use crate::web::text::{Text, shortened};

/// Messages opened on one page; more stay folded.
const OPEN_MAX: usize = 100;
/// Messages listed on one page.
const LISTED_MAX: usize = 1_000;

/// The pane.
#[derive(Debug)]
pub(in crate::web) struct Saw {
    /// Said first when the model call is another step's.
    pub(in crate::web) source: Option<(String, String)>,
    /// How many are new.
    pub(in crate::web) new_count: usize,
    /// How many there are.
    pub(in crate::web) total: usize,
    /// Tokens and tools, quietly.
    pub(in crate::web) more: String,
    /// The address that opens all, and the one that folds again.
    pub(in crate::web) all_href: String,
    pub(in crate::web) new_href: String,
    pub(in crate::web) all: bool,
    /// The messages, in runs of unchanged and new ones.
    pub(in crate::web) groups: Vec<Group>,
    /// Messages beyond the limit.
    pub(in crate::web) left_out: usize,
    /// The tools it could choose from.
    pub(in crate::web) tools: Vec<Offered>,
    /// How many of them were called.
    pub(in crate::web) used: usize,
    /// The runtime's own name for the snapshot.
    pub(in crate::web) snapshot: Option<Text>,
    /// Why there is nothing to show.
    pub(in crate::web) absent: Option<Absent>,
}

/// A tool that the model was offered.
#[derive(Debug)]
pub(in crate::web) struct Offered {
    pub(in crate::web) name: Text,
    /// What it was called in this run, such as "2 calls".
    pub(in crate::web) calls: String,
    /// It was proposed in this very call.
    pub(in crate::web) here: bool,
    /// Its definition.
    pub(in crate::web) piece: Piece,
}

/// Consecutive messages that are all new, or all unchanged.
#[derive(Debug)]
pub(in crate::web) struct Group {
    /// Such as "4 messages unchanged since the call before"; `None` when they are open.
    pub(in crate::web) folded: Option<String>,
    pub(in crate::web) pieces: Vec<Piece>,
}

/// Why nothing can be shown.
#[derive(Debug)]
pub(in crate::web) struct Absent {
    pub(in crate::web) head: &'static str,
    pub(in crate::web) text: &'static str,
}

/// The model call whose snapshot is shown: the attempt itself, or the call that proposed it.
fn source<'a>(run: &'a Run, look: &Look<'a>) -> Option<(&'a RunStep, &'a Attempt)> {
    if !look.attempt.record.context.is_empty() || look.step.kind == Kind::Think {
        return Some((look.step, look.attempt));
    }
    look.proposer(run)
}

fn place(attempt: &Attempt, digest: &Digest) -> Place {
    (attempt.record.facts.trace_id, *digest)
}

/// Which bodies the pane needs.
pub(in crate::web) fn wants(run: &Run, look: &Look<'_>, view: &View) -> Wants {
    let mut wants = Wants::default();
    let Some((_, attempt)) = source(run, look) else { return wants };
    for digest in attempt.record.context.iter().take(LISTED_MAX) {
        let open = view.all_messages || attempt.new_in_context.contains(digest);
        let list = if open && wants.whole.len() < OPEN_MAX { &mut wants.whole } else { &mut wants.heads };
        list.push(place(attempt, digest));
    }
    wants
}

impl Saw {
    /// The pane of what is looked at.
    pub(in crate::web) fn of(
        run: &Run,
        look: &Look<'_>,
        view: &View,
        bodies: &Bodies,
        links: &Links,
    ) -> Self {
        let found = source(run, look);
        let query = |all_messages| View {
            span: Some(look.attempt.record.facts.span_id),
            tab: Some(look.tab),
            all_messages,
            ..view.clone()
        };
        let mut saw = Self {
            source: found.filter(|(step, _)| step.step_id != look.step.step_id).map(|(step, attempt)| {
                (format!("step {}", step.number), format!("{}#step-{}", view.to(attempt), step.number))
            }),
            new_count: 0,
            total: 0,
            more: String::new(),
            all_href: query(true).query(),
            new_href: query(false).query(),
            all: view.all_messages,
            groups: Vec::new(),
            left_out: 0,
            tools: Vec::new(),
            used: 0,
            snapshot: None,
            absent: None,
        };
        match found {
            Some((_, attempt)) => saw.fill(run, attempt, bodies, links),
            None => saw.absent = Some(nothing_for(look.step.kind)),
        }
        saw
    }

    fn fill(&mut self, run: &Run, attempt: &Attempt, bodies: &Bodies, links: &Links) {
        let facts = &attempt.record.facts;
        self.snapshot = facts.context_ref.clone().map(Text::new);
        let context = &attempt.record.context;
        if context.is_empty() {
            self.absent = Some(Absent {
                head: "No snapshot was sent",
                text: "The runtime did not record what the model saw. Turn on content capture in the \
                       instrumentation, and the next run shows it here.",
            });
            return;
        }
        let mut open = 0;
        for digest in context.iter().take(LISTED_MAX) {
            let place = place(attempt, digest);
            if let Some(body) = bodies.get(&place).filter(|body| body.kind == ContentKind::ToolDefinition) {
                self.tools.extend(offered(run, attempt, &body.text, || Piece::of(&place, bodies, links)));
                continue;
            }
            let is_new = attempt.new_in_context.contains(digest);
            self.total += 1;
            self.new_count += usize::from(is_new);
            let shown = (self.all || is_new) && open < OPEN_MAX;
            open += usize::from(shown);
            let mut piece =
                if shown { Piece::of(&place, bodies, links) } else { Piece::folded(&place, bodies, links) };
            piece.is_new = is_new;
            self.push(shown, piece);
        }
        self.left_out = context.len().saturating_sub(LISTED_MAX);
        let mut more = Vec::new();
        more.extend(facts.tokens.input.map(|tokens| format::counted(tokens, "token", "tokens")));
        if !self.tools.is_empty() {
            let tools = format::counted(format::length(self.tools.len()), "tool", "tools");
            more.push(format!("{tools} offered"));
        }
        self.used = self.tools.iter().filter(|tool| tool.here || !tool.calls.is_empty()).count();
        self.more = more.join(", ");
        for group in &mut self.groups {
            if group.folded.is_some() {
                let count = format::counted(format::length(group.pieces.len()), "message", "messages");
                // New ones are folded only where the page is full.
                let is_new = group.pieces.iter().any(|piece| piece.is_new);
                let why = if is_new {
                    "more, folded to keep the page small"
                } else {
                    "unchanged since the call before"
                };
                group.folded = Some(format!("{count} {why}"));
            }
        }
    }

    fn push(&mut self, open: bool, piece: Piece) {
        match self.groups.last_mut() {
            Some(group) if group.folded.is_none() == open => group.pieces.push(piece),
            _ => {
                let folded = (!open).then(String::new);
                self.groups.push(Group { folded, pieces: vec![piece] });
            }
        }
    }
}

fn offered(run: &Run, attempt: &Attempt, definition: &str, piece: impl FnOnce() -> Piece) -> Option<Offered> {
    let name = tool_name(definition).unwrap_or_else(|| "a tool without a name".to_owned());
    let calls = run.steps.iter().filter(|step| step.tool.as_deref() == Some(name.as_str())).count();
    Some(Offered {
        calls: match calls {
            0 => String::new(),
            n => format!("{} in this run", format::counted(format::length(n), "call", "calls")),
        },
        here: attempt.record.proposed.iter().any(|kept| kept.call.tool == name),
        name: Text::new(shortened(&name, 80)),
        piece: piece(),
    })
}

fn nothing_for(kind: Kind) -> Absent {
    match kind {
        Kind::Read | Kind::Act | Kind::Reconcile => Absent {
            head: "No model call is known to have proposed this",
            text: "So there is no snapshot to show. The executor may have called it by itself, or the model \
                   call was not recorded.",
        },
        Kind::Think | Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other => Absent {
            head: "No model was asked here",
            text: "This step is not a model call. The steps under it show what each call saw.",
        },
    }
}
