//! The command line. Every flag is also `RECOUNT_<FLAG>` in the environment and a key in recount.toml.
use std::path::PathBuf;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::asking::{
    AccountArgs, FindingsArgs, McpArgs, RunArgs, RunsArgs, SearchArgs, TimeArgs, UnknownsArgs,
};
use crate::config::holding::{EraseArgs, ErasuresArgs, HoldArgs};
use crate::config::people::{KeyArgs, UserArgs};
use crate::config::serving::ServeArgs;

const DEMO_DATA: &str = "Where the log, the keys and the embedded store live [default: ./recount-demo]";
const DEMO_CONFIG: &str = "Settings file [default: the demo's own rules for its agents' tools]";

/// The version, and the commit of a release.
const VERSION: &str = env!("RECOUNT_VERSION");

/// Keeps what AI agents did, step by step, and shows whether it really happened.
#[derive(Debug, Parser)]
#[command(name = "recount", version = VERSION, about)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Take OTLP, keep it, show it.
    Serve(ServeArgs),
    /// Serve, and let the demo agents act; prints the address of each run.
    #[command(mut_arg("data_dir", |arg| arg.help(DEMO_DATA)))]
    #[command(mut_arg("config", |arg| arg.help(DEMO_CONFIG)))]
    Demo(DemoArgs),
    /// Send OTLP captures (protobuf, JSON, JSON lines; also gzip) through the same door as the network.
    Import(ImportArgs),
    /// Export what agents did on an entity as evidence: one ZIP that anybody can verify offline.
    Export(ExportArgs),
    /// Verify an evidence bundle, or the receipt of an erasure: without a server, trusting nothing
    /// inside it.
    Verify(VerifyArgs),
    /// Fold every run and action again from the records.
    Rebuild(ServeArgs),
    /// Try redaction rules, and keep the keys of pseudonyms.
    Redact(RedactArgs),
    /// Say who may sign in, and as what. Works on the server that runs, else in its store.
    User(UserArgs),
    /// Make, list and revoke API keys. Works on the server that runs, else in its store.
    Key(KeyArgs),
    /// Place, lift and list legal holds: what they are on is neither expired nor erased.
    Hold(HoldArgs),
    /// Erase the contents of what agents did on an account or another entity, for good, with a signed
    /// receipt.
    Erase(EraseArgs),
    /// List erasures (id, how far it is, of what, when it was asked for and by whom, why), or give the
    /// receipt of one again.
    Erasures(ErasuresArgs),
    /// Show the settings, which engine answers and in which version, and whether all is well.
    Check(ServeArgs),
    /// List runs of a running server, newest first.
    Runs(RunsArgs),
    /// Show one run: its steps with every attempt, and what was noticed.
    Run(RunArgs),
    /// List acts of which nobody knows what became of them, the most urgent first.
    Unknowns(UnknownsArgs),
    /// Show what agents did on an account or another entity.
    Account(AccountArgs),
    /// List what was noticed.
    Findings(FindingsArgs),
    /// Search words, phrases and ids in everything that was kept of runs.
    Search(SearchArgs),
    /// Serve the tools for agents (Model Context Protocol) over stdin and stdout, from a running server.
    Mcp(McpArgs),
}

/// As serve, and how much the agents do.
#[derive(Debug, Clone, Default, Args)]
pub struct DemoArgs {
    /// How and where to serve.
    #[command(flatten)]
    pub serve: ServeArgs,
    /// How many runs of the whole cast, spread over the last hours [default: 1]
    #[arg(long, env = "RECOUNT_RUNS", value_name = "N", default_value_t = 1)]
    pub runs: u32,
    /// Stop when the agents are done and their runs are shown, instead of serving on.
    #[arg(long)]
    pub once: bool,
}

/// What to do with rules and keys.
#[derive(Debug, Clone, Args)]
pub struct RedactArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RedactCommand,
}

/// What to do with rules and keys.
#[derive(Debug, Clone, Subcommand)]
pub enum RedactCommand {
    /// Print what the rules leave of a text. Exit code 1: it differs from what was expected; 2: bad
    /// rules.
    Test(RedactTestArgs),
    /// Make, list and rotate the keys that pseudonyms are made with.
    Key(RedactKeyArgs),
    /// Print the value behind an encrypted one. The reason and who asks are recorded in the store first.
    Reveal(RedactRevealArgs),
}

/// What to try, and on what.
#[derive(Debug, Clone, Args)]
pub struct RedactTestArgs {
    /// A recount.toml, or a file of rules [default: the built-in rules]
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// A text, a record as JSON, or an OTLP/JSON export
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// What should be left
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
}

/// What to do with the keys.
#[derive(Debug, Clone, Args)]
pub struct RedactKeyArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RedactKeyCommand,
}

/// What to do with the keys.
#[derive(Debug, Clone, Subcommand)]
pub enum RedactKeyCommand {
    /// Make the key file, where there is none.
    New(ServeArgs),
    /// Show the versions and fingerprints of the keys, never the keys.
    List(ServeArgs),
    /// Add a key: new pseudonyms are made with it from the next start on; searches try the older ones
    /// too.
    Rotate(ServeArgs),
}

/// What to reveal, to whom and why.
#[derive(Debug, Clone, Args)]
pub struct RedactRevealArgs {
    /// The encrypted value, such as mail(9):e1.x8Kd
    #[arg(value_name = "VALUE")]
    pub value: String,
    /// Who asks
    #[arg(long = "as", value_name = "NAME")]
    pub by: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Of which project [default: default]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Where the keys and the store are
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What to import, and where to.
#[derive(Debug, Clone, Default, Args)]
pub struct ImportArgs {
    /// Captures: OTLP requests as protobuf, JSON or JSON lines; also gzip.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// OTLP/HTTP endpoint of a running server; without it the files go into the data directory directly.
    #[arg(long, env = "RECOUNT_TO", value_name = "URL")]
    pub to: Option<String>,
    /// Where to keep.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What to export, and where to.
#[derive(Debug, Clone, Default, Args)]
pub struct ExportArgs {
    /// The entity: type:id, such as account:2291.
    #[arg(value_name = "ENTITY")]
    pub entity: String,
    /// From when until when.
    #[command(flatten)]
    pub time: TimeArgs,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// The pages' address of a running server; without it the server that runs over the data directory is
    /// asked, else one is started for the export.
    #[arg(long, alias = "server", env = "RECOUNT_URL", value_name = "URL")]
    pub url: Option<String>,
    /// The key to ask with, where the server wants one.
    #[arg(long, env = "RECOUNT_KEY", value_name = "KEY", hide_env_values = true)]
    pub key: Option<String>,
    /// The project [default: the first that may be read]
    #[arg(long, env = "RECOUNT_PROJECT", value_name = "NAME")]
    pub project: Option<String>,
    /// Where records are kept.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// What to verify, and against what.
#[derive(Debug, Clone, Default, Args)]
pub struct VerifyArgs {
    /// The bundle, or the file of a receipt.
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,
    /// Whom to trust: the public key, and checkpoints that were kept elsewhere (trust.json).
    #[arg(long, value_name = "FILE")]
    pub trust: PathBuf,
    /// Further checkpoints that were kept elsewhere: files of signed notes.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Vec<PathBuf>,
    /// Exit with 3 when there are warnings.
    #[arg(long)]
    pub strict: bool,
}

/// Parses the command line of this process. Errors are clap's own: they name the flag and the remedy.
pub fn parse<I, T>(arguments: I) -> Result<(Cli, ArgMatches), clap::Error>
where
    I: IntoIterator<Item = T>,
    T: Into<std::ffi::OsString> + Clone,
{
    let matches = Cli::command().try_get_matches_from(arguments)?;
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((cli, matches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_are_read() {
        let (cli, _) =
            parse(["recount", "serve", "--listen", "127.0.0.1:0", "--hosts", "a.test,b.test"]).unwrap();
        let Command::Serve(args) = cli.command else { panic!("serve was asked for") };
        assert_eq!(args.listen.unwrap().port(), 0);
        assert_eq!(args.hosts.unwrap(), ["a.test", "b.test"]);
    }

    #[test]
    fn times_and_servers_have_one_name_and_are_known_by_their_other() {
        for (since, until, url) in [("--since", "--until", "--url"), ("--from", "--to", "--server")] {
            let (cli, _) = parse([
                "recount",
                "export",
                "account:1",
                "--out",
                "x",
                since,
                "a",
                until,
                "b",
                url,
                "http://c",
            ])
            .unwrap();
            let Command::Export(args) = cli.command else { panic!("export was asked for") };
            assert_eq!((args.time.from.as_deref(), args.time.to.as_deref()), (Some("a"), Some("b")));
            assert_eq!(args.url.as_deref(), Some("http://c"));
            let (cli, _) = parse(["recount", "runs", since, "a", until, "b", url, "http://c"]).unwrap();
            let Command::Runs(args) = cli.command else { panic!("runs were asked for") };
            assert_eq!((args.time.from.as_deref(), args.time.to.as_deref()), (Some("a"), Some("b")));
            assert_eq!(args.ask.server.url, "http://c");
        }
    }

    #[test]
    fn a_wrong_address_names_the_flag() {
        let error = parse(["recount", "serve", "--listen", "nowhere"]).unwrap_err().to_string();
        assert!(error.contains("--listen"), "{error}");
    }
}
