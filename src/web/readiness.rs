//! Readiness as pages and answers need it: what was asked for, the sheets of the tools, the words of answers.
use crate::domain::readiness::{Answer, Ruled, ToolSheet};
use crate::domain::scope::Scope;
use crate::store::StoreError;
use crate::store::queries::{MarkFilter, tool_marks};
use crate::web::error::WebError;
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
    /// So many days back.
    pub(in crate::web) days: u64,
    /// This agent.
    pub(in crate::web) agent: Option<String>,
    /// This tool.
    pub(in crate::web) tool: Option<String>,
}

impl Asked {
    /// Reads parameters; `more` are the names that the caller reads itself.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, WebError> {
        let known: Vec<&str> = ["days", "agent", "tool"].iter().chain(more).copied().collect();
        params.only(&known)?;
        let days = match params.get("days") {
            None => 30,
            Some(text) => text.parse().ok().filter(|days| DAYS.contains(days)).ok_or_else(|| {
                let word = plain(cut(text, 20));
                WebError::Invalid(format!("`days` can't be `{word}`: it is 7, 30 or 90"))
            })?,
        };
        let owned = |name| params.get(name).map(str::to_owned);
        Ok(Self { days, agent: owned("agent"), tool: owned("tool") })
    }

    /// The query string for one agent and tool, over the same time.
    pub(in crate::web) fn of(&self, agent: Option<&str>, tool: Option<&str>) -> String {
        let pairs = [("agent", agent), ("tool", tool)];
        let pairs = pairs.into_iter().filter_map(|(name, word)| Some(format!("&{name}={}", encoded(word?))));
        format!("?days={}{}", self.days, pairs.collect::<String>())
    }

    /// The sheets of the tools that were called, with what is configured for each.
    pub(in crate::web) async fn sheets(
        &self,
        state: &WebState,
        scope: &Scope,
        now_ns: u64,
    ) -> Result<Vec<ToolSheet>, StoreError> {
        let filter = MarkFilter {
            from_ns: now_ns.saturating_sub(self.days * DAY_NS),
            to_ns: None,
            agent: self.agent.clone(),
            tool: self.tool.clone(),
        };
        let mut sheets = tool_marks(&state.store, scope, &filter).await?;
        for sheet in &mut sheets {
            let rule = state.settings.tools.for_tool(&sheet.tool);
            let on_unknown = rule.and_then(|rule| rule.on_unknown).map(|decision| decision.word());
            sheet.ruled = Ruled { on_unknown };
        }
        Ok(sheets)
    }
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
        for query in ["days=8", "days=x", "colour=red"] {
            assert!(Asked::read(&Params::read(query), &[]).is_err(), "{query}");
        }
    }
}
