//! The command line: reads the arguments, runs the command, returns the exit code.
use std::process::ExitCode;

use recount::config::{
    Command, ConfigError, DemoArgs, File, HoldArgs, KeyArgs, RedactCommand, RedactKeyCommand, ServeArgs,
    Settings, UserArgs, parse, parse_file, resolve,
};
use recount::console::{
    account_command, findings_command, mcp_command, run_command, runs_command, search_command,
    unknowns_command,
};
use recount::demo::{SETTINGS_TOML, demo_command};
use recount::server::{
    check_command, complain, erase_command, erasures_command, export_command, hold_command, import_command,
    key_command, rebuild_command, redact_key_list_command, redact_key_new_command, redact_key_rotate_command,
    redact_reveal_command, redact_test_command, serve_command, start_logging, user_command, verify_command,
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
    let mut below = &matches;
    while let Some((_, deeper)) = below.subcommand() {
        below = deeper;
    }
    let run = |args: ServeArgs, command: &dyn Fn(&Settings) -> ExitCode| {
        let settings = parse_file(args.config.as_deref()).and_then(|file| resolve(args, below, file));
        with(settings, command)
    };
    match cli.command {
        Command::Serve(args) => run(args, &|settings| runtime.block_on(serve_command(settings))),
        Command::Check(args) => run(args, &|settings| runtime.block_on(check_command(settings))),
        Command::Rebuild(args) => run(args, &|settings| runtime.block_on(rebuild_command(settings))),
        Command::Export(args) => {
            run(args.serve.clone(), &|settings| runtime.block_on(export_command(settings, &args)))
        }
        Command::Verify(args) => verify_command(&args),
        Command::Import(args) => run(args.serve, &|settings| {
            runtime.block_on(import_command(settings, &args.files, args.to.as_deref()))
        }),
        Command::Redact(redact) => match redact.command {
            RedactCommand::Test(args) => redact_test_command(&args),
            RedactCommand::Key(key) => match key.command {
                RedactKeyCommand::New(args) => run(args, &redact_key_new_command),
                RedactKeyCommand::List(args) => run(args, &redact_key_list_command),
                RedactKeyCommand::Rotate(args) => run(args, &redact_key_rotate_command),
            },
            RedactCommand::Reveal(args) => run(args.serve.clone(), &|settings| {
                let (what, who) = (
                    (args.value.as_str(), args.project.as_deref()),
                    (args.by.as_str(), args.reason.as_str()),
                );
                runtime.block_on(redact_reveal_command(settings, what, who))
            }),
        },
        Command::User(UserArgs { command }) => run(command.serve().clone(), &|settings| {
            runtime.block_on(user_command(settings, command.clone()))
        }),
        Command::Key(KeyArgs { command }) => {
            run(command.serve().clone(), &|settings| runtime.block_on(key_command(settings, command.clone())))
        }
        Command::Hold(HoldArgs { command }) => run(command.serve().clone(), &|settings| {
            runtime.block_on(hold_command(settings, command.clone()))
        }),
        Command::Erase(args) => {
            run(args.serve.clone(), &|settings| runtime.block_on(erase_command(settings, &args)))
        }
        Command::Erasures(args) => {
            run(args.serve.clone(), &|settings| runtime.block_on(erasures_command(settings, &args)))
        }
        Command::Runs(args) => runtime.block_on(runs_command(&args)),
        Command::Run(args) => runtime.block_on(run_command(&args)),
        Command::Unknowns(args) => runtime.block_on(unknowns_command(&args)),
        Command::Account(args) => runtime.block_on(account_command(&args)),
        Command::Findings(args) => runtime.block_on(findings_command(&args)),
        Command::Search(args) => runtime.block_on(search_command(&args)),
        Command::Mcp(args) => runtime.block_on(mcp_command(&args)),
        Command::Demo(args) => demo(args, &runtime, below),
    }
}

/// Serves with the demo's own settings and directory, unless others are given.
fn demo(args: DemoArgs, runtime: &tokio::runtime::Runtime, below: &clap::ArgMatches) -> ExitCode {
    let DemoArgs { mut serve, runs, once } = args;
    let file = match &serve.config {
        Some(path) => parse_file(Some(path)),
        None => File::built_in(SETTINGS_TOML),
    };
    serve.data_dir.get_or_insert_with(|| "./recount-demo".into());
    let settings = file.and_then(|file| resolve(serve, below, file));
    with(settings, &|settings| runtime.block_on(demo_command(settings, runs, once)))
}

fn with(settings: Result<Settings, ConfigError>, command: &dyn Fn(&Settings) -> ExitCode) -> ExitCode {
    match settings {
        Ok(settings) => command(&settings),
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}
