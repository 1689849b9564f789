//! What two model calls saw, held against each other: by digest first, then word by word.
use similar::DiffOp;

use crate::domain::content::ContentKind;
use crate::domain::ids::Digest;
use crate::domain::run::Attempt;
use crate::web::compare::words::{Fragment, Words, differences};
use crate::web::format;
use crate::web::link::Links;
use crate::web::message::{Block, Message};
use crate::web::run::bodies::{Bodies, Piece, Place, Wants};
use crate::web::run::proposed::tool_name;
use crate::web::text::{Text, shortened};

/// Messages compared on each side; what comes after is counted only.
const MESSAGES_MAX: usize = 2_000;
/// Messages that differ and are shown, on each side.
const SHOWN_MAX: usize = 60;
/// Messages that are the same and can be unfolded.
const FOLDED_MAX: usize = 400;
/// Texts that share less than this are two messages rather than one that changed, in per cent.
const ALIKE_MIN: usize = 30;
/// Tools named in one line.
const TOOLS_MAX: usize = 20;

/// What both saw.
#[derive(Debug, Default)]
pub(in crate::web) struct Context {
    /// Such as "2 messages more".
    pub(in crate::web) line: String,
    /// Whether anything differs.
    pub(in crate::web) changed: bool,
    /// How many messages only the second saw, only the first saw, and both saw in other words.
    pub(in crate::web) counts: Counts,
    /// The messages in order.
    pub(in crate::web) stretches: Vec<Stretch>,
    /// What differs in the tools on offer.
    pub(in crate::web) tools: Offered,
    /// Messages that differ and are not shown.
    pub(in crate::web) left_out: usize,
}

/// How many messages differ, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::web) struct Counts {
    pub(in crate::web) added: usize,
    pub(in crate::web) removed: usize,
    pub(in crate::web) changed: usize,
}

/// Names of tools that were not offered alike.
#[derive(Debug, Default)]
pub(in crate::web) struct Offered {
    pub(in crate::web) first: Vec<String>,
    pub(in crate::web) second: Vec<String>,
    /// Offered to both, described differently.
    pub(in crate::web) altered: Vec<String>,
}

/// Messages next to each other.
#[derive(Debug)]
pub(in crate::web) enum Stretch {
    /// In both: how many, a line about them, and they themselves for unfolding.
    Same(usize, String, Vec<Piece>),
    /// Different: what each side has; `None` where it has nothing.
    Pair(Option<Box<Said>>, Option<Box<Said>>),
}

/// A message of one side.
#[derive(Debug)]
pub(in crate::web) struct Said {
    pub(in crate::web) place: Place,
    pub(in crate::web) piece: Piece,
    /// Its words, where the other side has nearly the same.
    pub(in crate::web) words: Option<Vec<Fragment>>,
}

/// Which bodies are needed.
pub(in crate::web) fn wants(before: &Attempt, after: &Attempt) -> Wants {
    let mut wants = Wants::default();
    let (mut old_left, mut new_left) = (2 * SHOWN_MAX, 2 * SHOWN_MAX);
    for op in ops(before, after) {
        let same = matches!(op, DiffOp::Equal { .. });
        for (attempt, range, left) in
            [(before, op.old_range(), &mut old_left), (after, op.new_range(), &mut new_left)]
        {
            for digest in attempt.record.context.get(range).unwrap_or_default() {
                let list = if same || *left == 0 { &mut wants.heads } else { &mut wants.whole };
                *left = left.saturating_sub(usize::from(!same));
                list.push(place(attempt, digest));
            }
        }
    }
    wants
}

fn place(attempt: &Attempt, digest: &Digest) -> Place {
    (attempt.record.facts.trace_id, *digest)
}

fn ops(before: &Attempt, after: &Attempt) -> Vec<DiffOp> {
    let first = |attempt: &Attempt| -> Vec<Digest> {
        attempt.record.context.iter().take(MESSAGES_MAX).copied().collect()
    };
    differences(&first(before), &first(after))
}

impl Context {
    /// What two model calls saw.
    pub(in crate::web) fn of(before: &Attempt, after: &Attempt, bodies: &Bodies, links: &Links) -> Self {
        let mut context = Self::default();
        let mut folded = 0;
        for op in ops(before, after) {
            let old = messages(before, op.old_range(), bodies);
            let new = messages(after, op.new_range(), bodies);
            if matches!(op, DiffOp::Equal { .. }) {
                context.fold(&new, &mut folded, bodies, links);
                continue;
            }
            for at in 0..old.len().max(new.len()) {
                let sides = (old.get(at), new.get(at));
                let pairs = Pair::of(sides, bodies, links);
                for pair in pairs {
                    context.counts.count(&pair);
                    if context.counts.all() <= SHOWN_MAX {
                        context.stretches.push(pair);
                    } else {
                        context.left_out += 1;
                    }
                }
            }
        }
        context.tools = tools(before, after, bodies);
        context.changed = context.counts.all() > 0 || !context.tools.lines().is_empty();
        context.line = context.counts.line();
        context
    }

    fn fold(&mut self, places: &[Place], folded: &mut usize, bodies: &Bodies, links: &Links) {
        if places.is_empty() {
            return;
        }
        let count = format::counted(format::length(places.len()), "message", "messages");
        let room = FOLDED_MAX.saturating_sub(*folded);
        *folded += places.len();
        let pieces = places.iter().take(room).map(|place| Piece::folded(place, bodies, links)).collect();
        self.stretches.push(Stretch::Same(places.len(), format!("{count} unchanged"), pieces));
    }
}

struct Pair;

impl Pair {
    /// One message that changed, or up to two that stand alone.
    fn of(sides: (Option<&Place>, Option<&Place>), bodies: &Bodies, links: &Links) -> Vec<Stretch> {
        let said =
            |place: &Place| Said { place: *place, piece: Piece::of(place, bodies, links), words: None };
        let (old, new) = (sides.0.map(said), sides.1.map(said));
        match (old, new) {
            (Some(mut old), Some(mut new)) => {
                let texts = whole(&old).zip(whole(&new)).filter(|(old, new)| old.0 == new.0);
                let words = texts.map(|((_, old), (_, new))| Words::of(&old, &new));
                match words.filter(|words| words.alike >= ALIKE_MIN) {
                    Some(words) => {
                        (old.words, new.words) = (Some(words.before), Some(words.after));
                        vec![Stretch::Pair(Some(Box::new(old)), Some(Box::new(new)))]
                    }
                    None => {
                        vec![
                            Stretch::Pair(Some(Box::new(old)), None),
                            Stretch::Pair(None, Some(Box::new(new))),
                        ]
                    }
                }
            }
            (old, new) => vec![Stretch::Pair(old.map(Box::new), new.map(Box::new))],
        }
    }
}

/// The role and the text of a message that is there whole.
fn whole(said: &Said) -> Option<(&'static str, String)> {
    let message = said.piece.message.as_ref().filter(|_| !said.piece.cut)?;
    Some((message.role, text_of(message)))
}

/// All that a message says, as one text.
fn text_of(message: &Message) -> String {
    let blocks = message.blocks.iter().map(|block| match block {
        Block::Said(text) | Block::Thought(text) | Block::Code(text) => text.as_str().to_owned(),
        Block::Call(tool, arguments) => format!("{}({})", tool.as_str(), arguments.as_str()),
        Block::Media(what) => what.clone(),
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// The messages of a stretch, without the tools on offer.
fn messages(attempt: &Attempt, range: std::ops::Range<usize>, bodies: &Bodies) -> Vec<Place> {
    let digests = attempt.record.context.get(range).unwrap_or_default();
    digests.iter().map(|digest| place(attempt, digest)).filter(|place| !is_tool(place, bodies)).collect()
}

fn is_tool(place: &Place, bodies: &Bodies) -> bool {
    bodies.get(place).is_some_and(|body| body.kind == ContentKind::ToolDefinition)
}

/// What differs in the tools on offer.
fn tools(before: &Attempt, after: &Attempt, bodies: &Bodies) -> Offered {
    let offered = |attempt: &Attempt| -> Vec<(String, Digest)> {
        let digests = attempt.record.context.iter().take(MESSAGES_MAX);
        let tools = digests.map(|digest| place(attempt, digest)).filter(|place| is_tool(place, bodies));
        let named = tools.filter_map(|place| Some((tool_name(&bodies.get(&place)?.text)?, place.1)));
        named.collect()
    };
    let (old, new) = (offered(before), offered(after));
    let only = |these: &[(String, Digest)], others: &[(String, Digest)]| -> Vec<String> {
        let missing = |(name, _): &&(String, Digest)| !others.iter().any(|(other, _)| other == name);
        these.iter().filter(missing).map(|(name, _)| name.clone()).collect()
    };
    let altered = |(name, digest): &&(String, Digest)| {
        new.iter().any(|(other, described)| other == name && described != digest)
    };
    Offered {
        first: only(&old, &new),
        second: only(&new, &old),
        altered: old.iter().filter(altered).map(|(name, _)| name.clone()).collect(),
    }
}

impl Offered {
    /// In sentences; none where the tools are the same.
    pub(in crate::web) fn lines(&self) -> Vec<Text> {
        let line = |(what, names): (&str, &[String])| {
            let more = names.len().saturating_sub(TOOLS_MAX);
            let shown: Vec<String> = names.iter().take(TOOLS_MAX).map(|name| shortened(name, 60)).collect();
            let shown = shown.join(", ");
            Text::new(if more > 0 {
                format!("{what}: {shown} and {more} more")
            } else {
                format!("{what}: {shown}")
            })
        };
        [
            ("Offered to the first only", self.first.as_slice()),
            ("Offered to the second only", &self.second),
            ("Offered to both, described differently", &self.altered),
        ]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(line)
        .collect()
    }
}

impl Counts {
    fn count(&mut self, stretch: &Stretch) {
        match stretch {
            Stretch::Pair(Some(_), Some(_)) => self.changed += 1,
            Stretch::Pair(Some(_), None) => self.removed += 1,
            Stretch::Pair(None, Some(_)) => self.added += 1,
            Stretch::Pair(None, None) | Stretch::Same(..) => {}
        }
    }

    fn all(self) -> usize {
        self.added + self.removed + self.changed
    }

    fn line(self) -> String {
        let count = |(n, word): (usize, &str)| {
            let messages = format::counted(format::length(n), "message", "messages");
            (n > 0).then(|| format!("{messages} {word}"))
        };
        let all = [(self.added, "more"), (self.removed, "gone"), (self.changed, "changed")];
        let parts: Vec<String> = all.into_iter().filter_map(count).collect();
        if parts.is_empty() { "the same".to_owned() } else { parts.join(", ") }
    }
}
