//! The commands: each asks the API and prints its answer as text or as JSON.
use std::process::ExitCode;

use serde_json::Value;

use crate::config::{AccountArgs, AskArgs, FindingsArgs, RunArgs, RunsArgs, SearchArgs, UnknownsArgs};
use crate::console::account;
use crate::console::answer::Object;
use crate::console::findings;
use crate::console::remote::{Remote, RemoteError};
use crate::console::run;
use crate::console::runs;
use crate::console::search;
use crate::console::unknowns;
use crate::domain::address::{encoded, segment};
use crate::domain::hidden::escaped_json;
use crate::server::{complain, say};

/// How an answer is told.
type Lines = fn(Object<'_>) -> Vec<String>;

/// `recount runs`.
pub async fn runs_command(args: &RunsArgs) -> ExitCode {
    let words = args.words.join(" ");
    let mut pairs = args.pairs();
    pairs.push(("q", &words));
    tell(&args.ask, &address("/api/v1/runs", &pairs, args.part.limit), runs::lines).await
}

/// `recount run ID`.
pub async fn run_command(args: &RunArgs) -> ExitCode {
    tell(&args.ask, &format!("/api/v1/runs/{}", segment(&args.run_id)), run::lines).await
}

/// `recount unknowns`.
pub async fn unknowns_command(args: &UnknownsArgs) -> ExitCode {
    tell(&args.ask, &address("/api/v1/cases", &args.pairs(), args.part.limit), unknowns::lines).await
}

/// `recount account ID`.
pub async fn account_command(args: &AccountArgs) -> ExitCode {
    let path = format!("/api/v1/entities/{}/{}", segment(&args.kind), segment(&args.id));
    tell(&args.ask, &address(&path, &args.pairs(), args.part.limit), account::lines).await
}

/// `recount findings`.
pub async fn findings_command(args: &FindingsArgs) -> ExitCode {
    tell(&args.ask, &address("/api/v1/findings", &args.pairs(), args.part.limit), findings::lines).await
}

/// `recount search WORDS`.
pub async fn search_command(args: &SearchArgs) -> ExitCode {
    let words: Vec<String> = args.words.iter().map(|word| phrase(word)).collect();
    let words = words.join(" ");
    let mut pairs = args.pairs();
    pairs.push(("q", &words));
    tell(&args.ask, &address("/api/v1/search", &pairs, args.part.limit), search::lines).await
}

/// An argument as the box on the page would have it. One of several words was quoted for the shell: it is a
/// phrase, unless it has something that only a whole search has: a condition, a word that may not be there,
/// quotes of its own.
fn phrase(argument: &str) -> String {
    let is_search = |word: &str| word.contains([':', '"']) || (word.len() > 1 && word.starts_with('-'));
    if !argument.trim().contains(char::is_whitespace) || argument.split_whitespace().any(is_search) {
        return argument.to_owned();
    }
    format!("\"{}\"", argument.replace('\\', "\\\\"))
}

fn address(path: &str, pairs: &[(&'static str, &str)], limit: Option<u16>) -> String {
    let limit = limit.map(|limit| format!("limit={limit}"));
    let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
    let query: Vec<String> =
        pairs.map(|(name, value)| format!("{name}={}", encoded(value))).chain(limit).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

async fn tell(ask: &AskArgs, path: &str, lines: Lines) -> ExitCode {
    match told(ask, path, lines).await {
        Ok(text) => {
            say(&text);
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(error.exit_code())
        }
    }
}

async fn told(ask: &AskArgs, path: &str, lines: Lines) -> Result<String, RemoteError> {
    let body = Remote::new(&ask.server)?.good(path).await?;
    let not_ours = || {
        let what = "what answers there is no Recount of this version: its answer can't be read";
        RemoteError::Unreadable(what.to_owned())
    };
    let text = std::str::from_utf8(&body).map_err(|_not_text| not_ours())?;
    let answer: Value = serde_json::from_str(text).map_err(|_no_json| not_ours())?;
    if !answer.is_object() {
        return Err(not_ours());
    }
    if ask.json {
        return Ok(escaped_json(text));
    }
    Ok(lines(Object(&answer)).join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_several_words_are_phrases_unless_they_are_a_search() {
        for (typed, q) in [
            ("refund", "refund"),
            ("desk lamp", "\"desk lamp\""),
            ("C:\\new files", "C:\\new files"),
            ("a\\b c", "\"a\\\\b c\""),
            ("lamp retries:>1", "lamp retries:>1"),
            ("lamp -desk", "lamp -desk"),
            ("\"desk lamp\" refund", "\"desk lamp\" refund"),
            ("this - that", "\"this - that\""),
            (" lamp ", " lamp "),
        ] {
            assert_eq!(phrase(typed), q);
        }
    }
}
