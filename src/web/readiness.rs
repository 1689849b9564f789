//! Readiness as pages and answers need it: what was asked for, the sheets of the tools, the words of answers.
use crate::domain::ids::Project;
use crate::domain::readiness::{Answer, Decided, Decision, Ruled, ToolSheet};
use crate::domain::scope::Scope;
use crate::redaction::{Mode, Settings};
use crate::store::StoreError;
use crate::store::queries::{MarkFilter, tool_marks};
use crate::web::error::WebError;
use crate::web::format::{self, rfc3339};
use crate::web::link::encoded;
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::text::{cut, plain};

const DAY_NS: u64 = 86_400_000_000_000;

/// How far back an answer looks, in days.
pub(in crate::web) const DAYS: [u64; 3] = [7, 30, 90];

/// What was asked for.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Asked {
    /// So many days back, where no time is given.
    pub(in crate::web) days: u64,
    /// Calls of runs from this time on, nanoseconds since 1970.
    pub(in crate::web) from_ns: Option<u64>,
    /// Calls of runs before this time.
    pub(in crate::web) to_ns: Option<u64>,
    /// This agent.
    pub(in crate::web) agent: Option<String>,
    /// This tool.
    pub(in crate::web) tool: Option<String>,
}

impl Asked {
    /// Reads parameters; `more` are the names that the caller reads itself.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, WebError> {
        let known: Vec<&str> = ["days", "from", "to", "agent", "tool"].iter().chain(more).copied().collect();
        params.only(&known)?;
        let days = match params.get("days") {
            None => 30,
            Some(text) => text.parse().ok().filter(|days| DAYS.contains(days)).ok_or_else(|| {
                let word = plain(cut(text, 20));
                WebError::Invalid(format!("`days` can't be `{word}`: it is 7, 30 or 90"))
            })?,
        };
        let (from_ns, to_ns) = (params.moment("from")?, params.moment("to")?);
        if params.get("days").is_some() && (from_ns.is_some() || to_ns.is_some()) {
            let said = "`days` counts back from now: leave it out, or give it without `from` and `to`";
            return Err(WebError::Invalid(said.to_owned()));
        }
        if from_ns.zip(to_ns).is_some_and(|(from, to)| from >= to) {
            return Err(WebError::Invalid("`from` is not before `to`".to_owned()));
        }
        let owned = |name| params.get(name).map(str::to_owned);
        Ok(Self { days, from_ns, to_ns, agent: owned("agent"), tool: owned("tool") })
    }

    /// Whether it is asked for so many days back, rather than from one time to another.
    pub(in crate::web) fn by_days(&self) -> bool {
        self.from_ns.is_none() && self.to_ns.is_none()
    }

    /// From when to when, as of now; until now where no end is given.
    pub(in crate::web) fn span(&self, now_ns: u64) -> (u64, Option<u64>) {
        let from_ns =
            if self.by_days() { Some(now_ns.saturating_sub(self.days * DAY_NS)) } else { self.from_ns };
        (from_ns.unwrap_or_default(), self.to_ns)
    }

    /// The same as words; none where it is asked for so many days back.
    pub(in crate::web) fn times(&self) -> String {
        self.bounds().iter().map(|(name, at)| format!("{name} {at}")).collect::<Vec<_>>().join(" ")
    }

    /// The parameters `from` and `to`, as far as they are given.
    pub(in crate::web) fn bounds(&self) -> Vec<(&'static str, String)> {
        let bounds = [("from", self.from_ns), ("to", self.to_ns)];
        bounds.into_iter().filter_map(|(name, at)| Some((name, rfc3339(at?)))).collect()
    }

    /// The query string for one agent and tool, over the same time.
    pub(in crate::web) fn of(&self, agent: Option<&str>, tool: Option<&str>) -> String {
        let owned = |word: Option<&str>| word.map(str::to_owned);
        let days = ("days", self.by_days().then(|| self.days.to_string()));
        let times = self.bounds().into_iter().map(|(name, at)| (name, Some(at)));
        let pairs = [days].into_iter().chain(times).chain([("agent", owned(agent)), ("tool", owned(tool))]);
        let pairs = pairs.filter_map(|(name, word)| Some(format!("{name}={}", encoded(&word?))));
        format!("?{}", pairs.collect::<Vec<_>>().join("&"))
    }

    /// The sheets of the tools that were called, with what is configured for each.
    pub(in crate::web) async fn sheets(
        &self,
        state: &WebState,
        scope: &Scope,
        now_ns: u64,
    ) -> Result<Vec<ToolSheet>, StoreError> {
        let (from_ns, to_ns) = self.span(now_ns);
        let filter = MarkFilter { from_ns, to_ns, agent: self.agent.clone(), tool: self.tool.clone() };
        let mut sheets = tool_marks(&state.store, scope, &filter).await?;
        for sheet in &mut sheets {
            let rule = state.settings.tools.for_tool(&sheet.tool);
            let on_unknown = rule.and_then(|rule| rule.on_unknown).map(|decision| decision.word());
            sheet.ruled = Ruled { on_unknown };
        }
        Ok(sheets)
    }
}

/// What is in force now for the records of a project, and whether somebody decided it.
pub(in crate::web) fn decided(state: &WebState, project: &Project) -> Decided {
    let settings = &state.settings;
    let kept = settings.retention.of(project);
    let set = settings.retention_set || settings.retention.projects.contains_key(project);
    let book = state.desk.rules.book();
    Decided {
        retention: Decision {
            said: format!(
                "Acts are kept for {}, reads for {}, bodies for {}, the record of activity for {}{}.",
                format::counted(kept.acts_days, "day", "days"),
                format::number(kept.reads_days.into()),
                format::number(kept.contents_days.into()),
                format::number(kept.activity_days.into()),
                if set { "" } else { ", which is the default" }
            ),
            by_somebody: set,
        },
        redaction: redaction(book.settings().of(project)),
    }
}

fn redaction(rules: &Settings) -> Decision {
    let set = *rules != Settings::default();
    let own = match rules.rules.len() {
        0 => String::new(),
        1 => ", and 1 rule of your own".to_owned(),
        n => format!(", and {} rules of your own", format::number(n)),
    };
    let allow = match rules.mode {
        Mode::Deny => "",
        Mode::Allow(_) => " Of content only what is listed is kept.",
    };
    let default = if set { "" } else { ", which are the default" };
    let said = format!(
        "Before anything is kept redaction applies the packs {}{own}{default}.{allow}",
        rules.packs.join(", ")
    );
    Decision { said, by_somebody: set }
}

/// The class of an answer; also names its glyph.
pub(in crate::web) fn class(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::Partly => "partly",
        Answer::No => "no",
        Answer::NotVisible => "thin",
        Answer::DoesNotApply => "na",
    }
}

/// An answer in words.
pub(in crate::web) fn said(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "Yes",
        Answer::Partly => "Partly",
        Answer::No => "No",
        Answer::NotVisible => "Not visible",
        Answer::DoesNotApply => "Does not apply",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_asked_is_named() {
        assert_eq!(Asked::read(&Params::read(""), &[]).unwrap().days, 30);
        assert_eq!(
            Asked::read(&Params::read("days=7"), &[]).unwrap().of(Some("a b"), None),
            "?days=7&agent=a%20b"
        );
        let between =
            Asked::read(&Params::read("from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z"), &[]).unwrap();
        assert_eq!(between.span(9), (1_793_491_200_000_000_000, Some(1_793_577_600_000_000_000)));
        let same =
            Asked::read(&Params::read(between.of(None, Some("x")).trim_start_matches('?')), &[]).unwrap();
        assert_eq!((same.span(9), same.tool.as_deref()), (between.span(9), Some("x")));
        let backwards = "from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z";
        let both = "days=7&from=2026-11-01T00:00:00Z";
        for query in ["days=8", "days=x", "colour=red", "from=soon", backwards, both] {
            assert!(Asked::read(&Params::read(query), &[]).is_err(), "{query}");
        }
    }
}
