//! `recount hold`: legal holds, through the server that runs, else through one started for it.
use std::net::SocketAddr;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::config::{HoldCommand, Settings};
use crate::domain::address::encoded;
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
    let asking = match Asking::open(settings).await {
        Ok(asking) => asking,
        Err(code) => return code,
    };
    let answer = asking.ask(path, &project, body).await;
    asking.close().await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(code) => return code,
    };
    match answer.get("holds").and_then(Value::as_array) {
        Some(holds) if holds.is_empty() => complain(&format!("there are no holds in the project {project}")),
        Some(holds) => holds.iter().for_each(|hold| say(&line(hold))),
        None => {
            say(&line(&answer));
            if let Some(warning) = answer.get("warning").and_then(Value::as_str) {
                complain(warning);
            }
        }
    }
    ExitCode::SUCCESS
}

/// Asks the API, of the server that runs over a data directory, else of one that is started for the
/// questions.
pub(in crate::server) struct Asking {
    local: Local,
    started: Option<Server>,
}

impl Asking {
    /// Finds the server or starts one.
    ///
    /// # Errors
    /// The exit code, after saying why no server can be asked.
    pub(in crate::server) async fn open(settings: &Settings) -> Result<Self, ExitCode> {
        if let Some(local) = Local::find(&settings.data_dir)
            && local.ask("/healthz", None).await.is_some()
        {
            return Ok(Self { local, started: None });
        }
        if !settings.data_dir.exists() {
            complain(&format!(
                "there is no data directory {}: say with --data-dir where the server keeps its data",
                settings.data_dir.display()
            ));
            return Err(ExitCode::from(2));
        }
        let free = SocketAddr::from(([127, 0, 0, 1], 0));
        let settings = Settings { listen: free, otlp_grpc: free, otlp_http: free, ..settings.clone() };
        let server = Server::start(&settings).await.map_err(|error| failed(&error))?;
        match Local::find(&settings.data_dir) {
            Some(local) => Ok(Self { local, started: Some(server) }),
            None => {
                server.stop().await;
                complain("the server that was started for this can't be asked; its log says why");
                Err(ExitCode::FAILURE)
            }
        }
    }

    /// Asks about a project; what is refused is said.
    ///
    /// # Errors
    /// The exit code, after saying why.
    pub(in crate::server) async fn ask(
        &self,
        path: &str,
        project: &str,
        body: Option<Value>,
    ) -> Result<Value, ExitCode> {
        let body = body.map(|body| body.to_string().into_bytes());
        let Some((status, answer)) =
            self.local.ask(&format!("{path}?project={}", encoded(project)), body).await
        else {
            complain("the server does not answer any more");
            return Err(ExitCode::FAILURE);
        };
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        if status < 400 {
            return Ok(answer);
        }
        complain(answer.get("detail").and_then(Value::as_str).unwrap_or("the server gave no reason"));
        Err(ExitCode::FAILURE)
    }

    /// The address of the API, and the header that lets in.
    pub(in crate::server) fn door(&self) -> (String, (&'static str, String)) {
        self.local.door()
    }

    /// Stops the server, if it was started for this.
    pub(in crate::server) async fn close(self) {
        if let Some(server) = self.started {
            server.stop().await;
        }
    }
}

/// One line, fields apart by tabs.
fn line(hold: &Value) -> String {
    let field = |name: &str| {
        let text = match hold.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(_) | None => "-".to_owned(),
        };
        text.chars().filter(|c| !c.is_control()).collect::<String>()
    };
    ["hold_id", "state", "about", "records", "placed_at", "placed_by", "reason"].map(field).join("\t")
}
