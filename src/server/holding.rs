//! `recount hold`: legal holds, through the server that runs, else through one started for it.
use std::net::SocketAddr;
use std::process::ExitCode;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::config::{HoldCommand, Settings};
use crate::server::commands::{complain, failed, say};
use crate::server::local::Local;
use crate::server::start::Server;

/// Runs `recount hold …`.
pub async fn hold_command(settings: &Settings, command: HoldCommand) -> ExitCode {
    let (path, project, body) = match command {
        HoldCommand::Place { entity, run, whole_project, reason, project, .. } => {
            let body = json!({
                "entity": entity.unwrap_or_default(), "run": run.unwrap_or_default(),
                "whole_project": whole_project, "reason": reason,
            });
            ("/api/v1/holds/place", project, Some(body))
        }
        HoldCommand::Lift { id, reason, project, .. } => {
            ("/api/v1/holds/lift", project, Some(json!({"hold_id": id, "reason": reason})))
        }
        HoldCommand::List { project, .. } => ("/api/v1/holds", project, None),
    };
    let answer = match asked(settings, path, &project, body).await {
        Ok(answer) => answer,
        Err(code) => return code,
    };
    match answer.get("holds").and_then(Value::as_array) {
        Some(holds) => holds.iter().for_each(|hold| say(&line(hold))),
        None => say(&line(&answer)),
    }
    ExitCode::SUCCESS
}

/// Asks the API about a project; what it refuses is said.
pub(in crate::server) async fn asked(
    settings: &Settings,
    path: &str,
    project: &str,
    body: Option<Value>,
) -> Result<Value, ExitCode> {
    let project: String = url::form_urlencoded::byte_serialize(project.as_bytes()).collect();
    let body = body.map(|body| body.to_string().into_bytes());
    let (status, answer) = ask_any(settings, &format!("{path}?project={project}"), body).await?;
    let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
    if status < 400 {
        return Ok(answer);
    }
    complain(answer.get("detail").and_then(Value::as_str).unwrap_or("the server gave no reason"));
    Err(ExitCode::FAILURE)
}

/// Asks the server that runs over the data directory, else one that is started for the question.
async fn ask_any(settings: &Settings, path: &str, body: Option<Vec<u8>>) -> Result<(u16, Bytes), ExitCode> {
    if let Some(local) = Local::find(&settings.data_dir)
        && let Some(answer) = local.ask(path, body.clone()).await
    {
        return Ok(answer);
    }
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = Settings { listen: free, otlp_grpc: free, otlp_http: free, ..settings.clone() };
    let server = Server::start(&settings).await.map_err(|error| failed(&error))?;
    let answer = match Local::find(&settings.data_dir) {
        Some(local) => local.ask(path, body).await,
        None => None,
    };
    server.stop().await;
    answer.ok_or_else(|| {
        complain("the server that was started for this did not answer; its log says why");
        ExitCode::FAILURE
    })
}

/// One line, fields apart by tabs.
fn line(hold: &Value) -> String {
    let field = |name: &str| {
        let text = hold.get(name).and_then(Value::as_str).unwrap_or("-");
        text.chars().filter(|c| !c.is_control()).collect::<String>()
    };
    ["hold_id", "state", "about", "placed_at", "placed_by", "reason"].map(field).join("\t")
}
