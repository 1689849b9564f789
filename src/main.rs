//! The command line: reads the arguments, runs the command, returns the exit code.
use std::process::ExitCode;

use recount::config::{Command, ConfigError, ServeArgs, Settings, parse, parse_file, resolve};
use recount::server::{
    check_command, complain, import_command, rebuild_command, serve_command, start_logging,
};

fn main() -> ExitCode {
    let (cli, matches) = match parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => error.exit(),
    };
    start_logging(&recount::config::log_filter());
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("threads can't be started: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let settings = |args: ServeArgs| -> Result<Settings, ConfigError> {
        let file = parse_file(args.config.as_deref())?;
        resolve(args, matches.subcommand().map_or(&matches, |(_, matches)| matches), file)
    };
    let run = |args: ServeArgs, command: &dyn Fn(&Settings) -> ExitCode| match settings(args) {
        Ok(settings) => command(&settings),
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(2)
        }
    };
    match cli.command {
        Command::Serve(args) => run(args, &|settings| runtime.block_on(serve_command(settings))),
        Command::Check(args) => run(args, &|settings| runtime.block_on(check_command(settings))),
        Command::Rebuild(args) => run(args, &|settings| runtime.block_on(rebuild_command(settings))),
        Command::Import(args) => run(args.serve, &|settings| {
            runtime.block_on(import_command(settings, &args.files, args.to.as_deref()))
        }),
        Command::Demo(_) => ExitCode::FAILURE,
    }
}
