//! Runs of one session together: what stands above them, and what is left out below.
use crate::domain::outcome::Outcome;
use crate::store::queries::SessionLine;
use crate::web::badge::Badge;
use crate::web::format;
use crate::web::list::columns::At;
use crate::web::list::line::Line;
use crate::web::query::Field;
use crate::web::text::{Text, shortened};
use crate::web::zone::When;

/// Runs of a session that are listed below it.
pub(in crate::web) const EACH_MAX: u16 = 5;

/// Lines that stand together.
#[derive(Debug)]
pub(in crate::web) struct Group {
    /// What stands above them; nothing in a list without groups, and for a run that is of no session.
    pub(in crate::web) head: Option<Head>,
    pub(in crate::web) lines: Vec<Line>,
    /// Such as "3 more runs of this session", and the address that lists all.
    pub(in crate::web) more: Option<(String, String)>,
}

/// A session.
#[derive(Debug)]
pub(in crate::web) struct Head {
    pub(in crate::web) name: Text,
    pub(in crate::web) href: String,
    /// Such as "3 runs, 12,400 tokens".
    pub(in crate::web) said: String,
    pub(in crate::web) badge: Option<Badge>,
    /// The newest of its runs.
    pub(in crate::web) last: When,
}

impl Group {
    /// A list without groups.
    pub(in crate::web) fn all(lines: Vec<Line>) -> Self {
        Self { head: None, lines, more: None }
    }

    /// The group of a session, or of a run that is of none.
    pub(in crate::web) fn of(session: &SessionLine, lines: Vec<Line>, at: &At<'_>) -> Self {
        let Some(id) = session.session() else { return Self::all(lines) };
        let href = at.address.shown(&at.query.with_only(Field::Session, Some(id)), "group", None);
        let mut said = vec![format::counted(session.runs, "run", "runs")];
        if session.tokens > 0 {
            said.push(format::counted(session.tokens, "token", "tokens"));
        }
        let took = session.last_ns.saturating_sub(session.first_ns);
        if session.runs > 1 {
            said.push(format!("begun over {}", format::duration(took)));
        }
        let left = session.runs.saturating_sub(format::length(lines.len()));
        let more = (left > 0).then(|| {
            (format!("{} of this session", format::counted(left, "more run", "more runs")), href.clone())
        });
        let head = Head {
            name: Text::new(shortened(id, 60)),
            href,
            said: said.join(", "),
            // Of one run the row below says it.
            badge: badge(session).filter(|_| session.runs > 1),
            last: at.zone.when(session.last_ns, at.now_ns),
        };
        Self { head: Some(head), lines, more }
    }
}

/// The worst outcome that stands open in it.
fn badge(session: &SessionLine) -> Option<Badge> {
    let counted = [
        (Outcome::Unknown, session.unknown),
        (Outcome::Failed, session.failed),
        (Outcome::Submitted, session.submitted),
        (Outcome::Confirmed, session.confirmed),
    ];
    let (outcome, runs) = counted.into_iter().find(|(_, runs)| *runs > 0)?;
    Some(Badge::saying(outcome, format!("{} in {}", outcome.word(), format::counted(runs, "run", "runs"))))
}
