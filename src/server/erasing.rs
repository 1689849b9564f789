//! `recount erase`: contents that go for good, through the server that runs, else through one started
//! for it.
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use crate::config::{EraseArgs, ErasuresArgs, Settings};
use crate::domain::address::segment;
use crate::domain::counting::counted;
use crate::server::commands::{complain, say};
use crate::server::holding::Asking;

/// Between two looks whether it is done.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// It goes on after that; only the command does not wait longer.
const WAIT_MAX: Duration = Duration::from_secs(3600);

/// What is said between the tables and the disk.
const WAITING: &str =
    "the tables hold nothing of it any more; files that held it wait to be removed from the disk";

/// Runs `recount erase …`.
pub async fn erase_command(settings: &Settings, args: &EraseArgs) -> ExitCode {
    let Some((kind, id)) =
        args.entity.split_once(':').filter(|(kind, id)| !kind.is_empty() && !id.is_empty())
    else {
        complain(&format!("{:?} is no entity; write it as type:id, such as account:2291", args.entity));
        return ExitCode::from(2);
    };
    let asking = match Asking::open(settings).await {
        Ok(asking) => asking,
        Err(code) => return code,
    };
    let code = erase(&asking, args, (kind, id)).await;
    asking.close().await;
    code.unwrap_or_else(|code| code)
}

async fn erase(asking: &Asking, args: &EraseArgs, (kind, id): (&str, &str)) -> Result<ExitCode, ExitCode> {
    let place = format!("/api/v1/entities/{}/{}", segment(kind), segment(id));
    let plan = asking.ask(&format!("{place}/erasure"), &args.project, None).await?;
    let number = |name: &str| plan.get(name).and_then(Value::as_u64).unwrap_or_default();
    say(&format!(
        "would go: {} in {}, {}; {} about others too, {} open, {} erased before",
        counted(number("records"), "record", "records"),
        counted(number("runs"), "run", "runs"),
        counted(number("bodies"), "body", "bodies"),
        counted(number("shared_runs"), "run is", "runs are"),
        counted(number("open_cases"), "unknown is", "unknowns are"),
        counted(number("erased_before"), "record was", "records were")
    ));
    if let Some(said) = plan.get("in_the_way").and_then(Value::as_str) {
        complain(said);
        return Err(ExitCode::FAILURE);
    }
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !is_meant(id) {
        complain("nothing was erased");
        return Err(ExitCode::FAILURE);
    }
    let body = json!({"reason": args.reason});
    let asked = asking.ask(&format!("{place}/erase"), &args.project, Some(body)).await?;
    let erasure = asked.get("erasure_id").and_then(Value::as_str).unwrap_or_default();
    complain(&format!("erasing under {erasure}; nothing of it comes in again from now on"));
    let file = receipt(asking, args, erasure).await?;
    give(&file, args.out.as_deref())
}

/// Prints a receipt, and writes it where that was asked for.
fn give(file: &Value, out: Option<&Path>) -> Result<ExitCode, ExitCode> {
    say(text(file, "receipt").trim_end());
    if let Some(out) = out {
        let text = serde_json::to_string_pretty(file).unwrap_or_default();
        if let Err(error) = std::fs::write(out, text) {
            complain(&format!("{} can't be written: {error}", out.display()));
            return Err(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Runs `recount erasures …`.
pub async fn erasures_command(settings: &Settings, args: &ErasuresArgs) -> ExitCode {
    let asking = match Asking::open(settings).await {
        Ok(asking) => asking,
        Err(code) => return code,
    };
    let code = match &args.id {
        Some(id) => one(&asking, args, id).await,
        None => all(&asking, args).await,
    };
    asking.close().await;
    code.unwrap_or_else(|code| code)
}

async fn all(asking: &Asking, args: &ErasuresArgs) -> Result<ExitCode, ExitCode> {
    let found = asking.ask("/api/v1/erasures", &args.project, None).await?;
    let all = found.get("erasures").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if all.is_empty() {
        complain(&format!("there are no erasures in the project {}", args.project));
    }
    for erasure in all {
        let fields = ["erasure_id", "state", "about", "asked_at", "asked_by", "reason"];
        let plain = |name| text(erasure, name).chars().filter(|c| !c.is_control()).collect::<String>();
        say(&fields.map(plain).join("\t"));
    }
    Ok(ExitCode::SUCCESS)
}

async fn one(asking: &Asking, args: &ErasuresArgs, id: &str) -> Result<ExitCode, ExitCode> {
    let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    let found = asking.ask(&format!("/api/v1/erasures/{id}"), &args.project, None).await?;
    match found.get("receipt_file").filter(|file| !file.is_null()) {
        Some(file) => give(file, args.out.as_deref()),
        None => {
            complain(match text(&found, "state") {
                "erased" => WAITING,
                _ => "it is under way; the receipt is signed when it is done",
            });
            Err(ExitCode::FAILURE)
        }
    }
}

/// Somebody at a terminal types the id once more; a script says `--yes`.
fn is_meant(id: &str) -> bool {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        complain("nobody is there to be asked: `--yes` says that it is meant");
        return false;
    }
    complain("what goes can't be brought back; type the id once more to go on:");
    let mut typed = String::new();
    stdin.lock().read_line(&mut typed).is_ok() && typed.trim() == id
}

async fn receipt(asking: &Asking, args: &EraseArgs, erasure: &str) -> Result<Value, ExitCode> {
    let begun = tokio::time::Instant::now();
    let mut told = false;
    loop {
        let found = asking.ask(&format!("/api/v1/erasures/{erasure}"), &args.project, None).await?;
        match found.get("receipt_file") {
            Some(file) if !file.is_null() => return Ok(file.clone()),
            Some(_) | None => {}
        }
        if text(&found, "state") == "erased" && !std::mem::replace(&mut told, true) {
            complain(WAITING);
        }
        if begun.elapsed() > WAIT_MAX {
            complain("it is not done yet; a server that runs over this data goes on with it");
            return Err(ExitCode::FAILURE);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
