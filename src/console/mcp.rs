//! `recount mcp`: the tools for agents over stdin and stdout, asking a running server.
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::McpArgs;
use crate::console::remote::Remote;
use crate::mcp::{Ask, Asking, serve_stdio};
use crate::server::complain;

/// Serves until stdin is closed.
pub async fn mcp_command(args: &McpArgs) -> ExitCode {
    let remote = match Remote::new(&args.server) {
        Ok(remote) => remote,
        Err(error) => {
            complain(&error.to_string());
            return ExitCode::from(error.exit_code());
        }
    };
    let ask: Ask = Arc::new(move |_, address| {
        let remote = remote.clone();
        let asking: Asking =
            Box::pin(async move { remote.ask(&address).await.map_err(|error| error.to_string()) });
        asking
    });
    match serve_stdio(ask).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("nobody speaks the Model Context Protocol here: {error}"));
            ExitCode::FAILURE
        }
    }
}
