//! `/readiness`: the six questions, answered by what was recorded and what is configured.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::domain::readiness::{Decided, Proof, QUESTIONS, Reply, ToolSheet, overall};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::Links;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::readiness::{Asked, DAYS, class, decided, said};
use crate::web::state::WebState;
use crate::web::text::{Text, shortened};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/readiness.html")]
pub(in crate::web) struct ReadinessPage {
    shell: Shell,
    /// Days back: the number, and whether it is chosen.
    days: Vec<(u64, bool)>,
    /// From when to when, where that was asked for.
    times: String,
    /// The same, for the form to send again.
    hidden: Vec<(&'static str, String)>,
    /// Agents to choose from: the name, what it is called, whether it is chosen.
    agents: Vec<(Text, Text, bool)>,
    /// The tool that is looked at, and the address of all tools.
    tool: Option<(Text, String)>,
    heads: Vec<(u8, &'static str)>,
    groups: Vec<Group>,
    replies: Vec<Shown>,
    csv: String,
}

/// The tools of an agent.
struct Group {
    agent: Text,
    rows: Vec<Row>,
}

/// A tool: its name and address, whether it acts, and the class and word of each answer.
struct Row {
    tool: Text,
    href: String,
    kind: &'static str,
    answers: Vec<(&'static str, &'static str)>,
}

/// A reply in full.
struct Shown {
    number: u8,
    text: &'static str,
    class: &'static str,
    said: &'static str,
    why: Text,
    change: &'static str,
    proofs: Vec<Seen>,
}

/// What a reply rests on, with one place that shows it.
struct Seen {
    line: String,
    href: Option<String>,
}

/// Answers `/readiness`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &[])?;
    let now_ns = format::now_ns();
    let sheets = asked.sheets(&state, &viewer.scope, now_ns).await?;
    let everyone = Asked { agent: None, tool: None, ..asked.clone() };
    let names = match asked.agent.is_some() || asked.tool.is_some() {
        true => everyone.sheets(&state, &viewer.scope, now_ns).await?,
        false => sheets.clone(),
    };
    let shell = Shell::of(&state, &viewer, "Readiness");
    let decided = &decided(&state, &viewer.scope.project);
    let replies = QUESTIONS.iter().map(|question| {
        let reply = overall(question, &sheets, decided);
        Shown::of((question.number, question.text), reply, &shell.links)
    });
    let page = ReadinessPage {
        days: DAYS.map(|days| (days, asked.by_days() && days == asked.days)).to_vec(),
        times: asked.times(),
        hidden: asked.bounds(),
        agents: agents(&names, &asked),
        tool: asked
            .tool
            .as_deref()
            .map(|tool| (Text::new(shortened(tool, 80)), asked.of(asked.agent.as_deref(), None))),
        heads: QUESTIONS.iter().map(|question| (question.number, question.short)).collect(),
        replies: if sheets.is_empty() { Vec::new() } else { replies.collect() },
        groups: groups(&sheets, decided, &asked),
        csv: format!(
            "{}{}&format=csv",
            shell.links.to("/api/v1/readiness"),
            asked.of(asked.agent.as_deref(), asked.tool.as_deref())
        ),
        shell,
    };
    Ok(Page(page).into_response())
}

fn agents(sheets: &[ToolSheet], asked: &Asked) -> Vec<(Text, Text, bool)> {
    let mut names: Vec<&str> =
        sheets.iter().map(|sheet| sheet.agent.as_str()).filter(|agent| !agent.is_empty()).collect();
    names.dedup();
    let on = |name: &str| asked.agent.as_deref() == Some(name);
    names.into_iter().map(|name| (Text::new(name), Text::new(shortened(name, 60)), on(name))).collect()
}

fn groups(sheets: &[ToolSheet], decided: &Decided, asked: &Asked) -> Vec<Group> {
    let by_agent = sheets.chunk_by(|one, other| one.agent == other.agent);
    by_agent
        .map(|tools| {
            let version = tools.first().map(|sheet| sheet.agent_version.as_str()).unwrap_or_default();
            let name = tools.first().map(|sheet| sheet.agent.as_str()).filter(|agent| !agent.is_empty());
            let agent = format!("{} {version}", name.unwrap_or("No agent named"));
            Group {
                agent: Text::new(shortened(agent.trim(), 120)),
                rows: tools.iter().map(|sheet| row(sheet, decided, asked)).collect(),
            }
        })
        .collect()
}

fn row(sheet: &ToolSheet, decided: &Decided, asked: &Asked) -> Row {
    let agent = Some(sheet.agent.as_str()).filter(|agent| !agent.is_empty());
    let answers = QUESTIONS.iter().map(|question| (question.ask)(sheet, decided).answer);
    Row {
        tool: Text::new(shortened(&sheet.tool, 60)),
        href: asked.of(agent, Some(&sheet.tool)),
        kind: if sheet.acts() { "act" } else { "read" },
        answers: answers.map(|answer| (class(answer), said(answer))).collect(),
    }
}

impl Shown {
    fn of((number, text): (u8, &'static str), reply: Reply, links: &Links) -> Self {
        Self {
            number,
            text,
            class: class(reply.answer),
            said: said(reply.answer),
            why: Text::new(shortened(&reply.why, 400)),
            change: reply.change,
            proofs: reply.proofs.iter().map(|proof| seen(proof, links)).collect(),
        }
    }
}

fn seen(proof: &Proof, links: &Links) -> Seen {
    let example = proof.example.as_ref();
    Seen {
        line: format!("{}: {}", proof.what, format::count(proof.count)),
        href: example.map(|seen| links.step(&seen.run_id, seen.number, &seen.span_id)),
    }
}
