//! What the settings mean: flag over environment over file over default, checked as a whole.
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::config::alerts::alerts;
use crate::config::aliases::aliases;
use crate::config::error::ConfigError;
use crate::config::file::{File, ProjectTable, redaction_of};
use crate::config::prices::prices;
use crate::config::quota::QuotaTable;
use crate::config::retention::RetentionTable;
use crate::config::sampling::SamplingTable;
use crate::config::serving::ServeArgs;
use crate::config::tools::tool_rules;
use crate::config::vouching::{OidcTable, ProxyTable};
use crate::config::webhooks::webhooks;
use crate::conventions::ToolRules;
use crate::domain::entity::Entity;
use crate::domain::ids::Project;
use crate::domain::price::Prices;
use crate::ingest::{Quota, QuotaSettings, Sampling};
use crate::notices::{Endpoint, Rule};
use crate::redaction::AllSettings;
use crate::store::rows::{Retention, Retentions};
use crate::web::{ProviderSettings, ProxySettings};

/// Everything that serving needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the log, the keys and the embedded store live.
    pub data_dir: PathBuf,
    /// Where the SQL runs.
    pub store: StoreSetting,
    /// Pages and API.
    pub listen: SocketAddr,
    /// OTLP over gRPC.
    pub otlp_grpc: SocketAddr,
    /// OTLP over HTTP.
    pub otlp_http: SocketAddr,
    /// Whether OK waits for the insert.
    pub ack_after_store: bool,
    /// Most bytes the log may hold; `None` for the default.
    pub log_bytes_max: Option<u64>,
    /// Host names that requests may be addressed to, beside loopback.
    pub hosts: Vec<String>,
    /// Origins of web pages that may send.
    pub cors_origins: Vec<String>,
    /// The path below which a proxy serves the pages: empty, or `/x` without a trailing slash.
    pub base_path: String,
    /// What is redacted, for every project.
    pub redaction: AllSettings,
    /// How long what is received is kept.
    pub retention: Retentions,
    /// Which share of runs keeps its reads.
    pub sampling: Sampling,
    /// How much a key may send.
    pub quotas: QuotaSettings,
    /// The settings file, when there is one: its redaction rules are read again at a SIGHUP.
    pub config: Option<PathBuf>,
    /// Names of one entity, as the operator declares them.
    pub aliases: Vec<BTreeSet<Entity>>,
    /// Browsers reach it over TLS, at a proxy.
    pub https: bool,
    /// A provider that says who somebody is.
    pub oidc: Option<ProviderSettings>,
    /// A proxy that does.
    pub proxy: Option<ProxySettings>,
    /// What the operator says of tools.
    pub tools: ToolRules,
    /// What the tokens of models cost.
    pub prices: Prices,
    /// Who is told of unknowns.
    pub webhooks: Vec<Endpoint>,
    /// What is counted, and above how many somebody is told.
    pub alerts: Vec<Rule>,
    /// Each setting as shown by `recount check`, with where it came from.
    pub shown: Vec<Setting>,
}

/// Where the SQL runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreSetting {
    /// In this process.
    Embedded {
        /// The engine's library.
        engine: PathBuf,
    },
    /// On a ClickHouse server.
    Server {
        /// With user, password and database.
        url: String,
        /// The cluster's name, when there is one.
        cluster: Option<String>,
    },
}

/// One setting, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its key in recount.toml.
    pub name: &'static str,
    /// Its value; a password in a URL is masked.
    pub value: String,
    /// Where it came from.
    pub source: Source,
}

/// Where a setting came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The command line.
    Flag,
    /// The environment.
    Environment,
    /// recount.toml.
    File,
    /// Nobody said.
    Default,
}

impl Source {
    /// The word that `recount check` prints.
    pub fn word(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::File => "file",
            Self::Default => "default",
        }
    }
}

const UI: SocketAddr = loopback(4319);
const GRPC: SocketAddr = loopback(4317);
const HTTP: SocketAddr = loopback(4318);

const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), port)
}

/// Joins flags and environment (clap has merged them), the file and the defaults.
pub fn resolve(args: ServeArgs, matches: &ArgMatches, file: File) -> Result<Settings, ConfigError> {
    let (redaction, book) = redaction_of(&file)?;
    let mut picks = Picks { matches, shown: Vec::new() };
    let data_dir = picks.one("data_dir", [args.data_dir, file.data_dir], "./recount-data".into(), |p| {
        p.display().to_string()
    });
    let url = picks.maybe("clickhouse_url", [args.clickhouse_url, file.clickhouse_url], |url| masked(url));
    let cluster = picks.maybe("cluster", [args.cluster, file.cluster], Clone::clone);
    let engine =
        picks.one("engine", [args.engine, file.engine], default_engine(), |p| p.display().to_string());
    let listen = picks.one("listen", [args.listen, file.listen], UI, SocketAddr::to_string);
    let otlp_grpc = picks.one("otlp_grpc", [args.otlp_grpc, file.otlp_grpc], GRPC, SocketAddr::to_string);
    let otlp_http = picks.one("otlp_http", [args.otlp_http, file.otlp_http], HTTP, SocketAddr::to_string);
    let ack = picks.one("ack", [args.ack, file.ack], "log".to_owned(), Clone::clone);
    let log_bytes_max =
        picks.maybe("log_bytes_max", [args.log_bytes_max, file.log_bytes_max], u64::to_string);
    let hosts = picks.one("hosts", [args.hosts, file.hosts], Vec::new(), |hosts| hosts.join(", "));
    let cors_origins =
        picks.one("cors_origins", [args.cors_origins, file.cors_origins], Vec::new(), |list| list.join(", "));
    let base_path = picks.one("base_path", [args.base_path, file.base_path], String::new(), Clone::clone);
    picks.one("redaction.emails", [None, file.redaction.emails], false, bool::to_string);
    let version = book.versions().first().map_or_else(String::new, |(_, version)| (*version).to_owned());
    let is_own = file.written.is_some().then(|| version.clone());
    picks.one("redaction (rules version)", [None, is_own], version, Clone::clone);
    let retention = retentions(&file.retention, &file.projects)?;
    let written = |class: &Option<String>| class.is_some().then(String::new);
    for (name, given, days) in [
        ("retention.acts", written(&file.retention.acts), retention.general.acts_days),
        ("retention.reads", written(&file.retention.reads), retention.general.reads_days),
        ("retention.contents", written(&file.retention.contents), retention.general.contents_days),
        ("retention.activity", written(&file.retention.activity), retention.general.activity_days),
    ] {
        picks.one(name, [None, given], String::new(), |_| format!("{days}d"));
    }
    let sampling = sampling_of(&file.sampling, &file.projects)?;
    picks.one("sampling.reads", [None, file.sampling.reads], 1.0, f64::to_string);
    let quotas = quotas_of(&file.quota, &file.projects)?;
    picks.maybe("quota.spans_per_minute", [None, file.quota.spans_per_minute], u64::to_string);
    picks.maybe("quota.bytes_per_minute", [None, file.quota.bytes_per_minute], u64::to_string);
    let https = picks.one("https", [None, file.https], false, bool::to_string);
    let oidc = file.oidc.map(OidcTable::checked).transpose()?;
    let proxy = file.proxy.map(ProxyTable::checked).transpose()?;
    picks.maybe("oidc.issuer", [None, oidc.as_ref().map(|oidc| oidc.issuer.clone())], Clone::clone);
    picks.maybe("proxy.header", [None, proxy.as_ref().map(|proxy| proxy.header.clone())], Clone::clone);
    let hooks = webhooks(file.webhooks)?;
    Ok(Settings {
        data_dir,
        store: store_setting(url, cluster, engine)?,
        listen,
        otlp_grpc,
        otlp_http,
        ack_after_store: ack_after_store(&ack)?,
        log_bytes_max,
        hosts,
        cors_origins,
        base_path: checked_base_path(base_path)?,
        redaction,
        retention,
        sampling,
        quotas,
        config: file.written.map(|(path, _)| path),
        aliases: aliases(file.aliases)?,
        https,
        oidc,
        proxy,
        tools: tool_rules(file.tools)?,
        prices: prices(file.prices)?,
        alerts: alerts(file.alerts, &hooks)?,
        webhooks: hooks,
        shown: picks.shown,
    })
}

fn retentions(
    general: &RetentionTable,
    projects: &BTreeMap<String, ProjectTable>,
) -> Result<Retentions, ConfigError> {
    let general = general.over(Retention::default())?;
    let mut own = BTreeMap::new();
    for (name, project) in projects {
        let kept = project.retention.over(general)?;
        if kept != general {
            own.insert(Project(name.clone()), kept);
        }
    }
    Ok(Retentions { general, projects: own })
}

fn sampling_of(
    general: &SamplingTable,
    projects: &BTreeMap<String, ProjectTable>,
) -> Result<Sampling, ConfigError> {
    let mut sampling = Sampling { general: general.rate()?, projects: BTreeMap::new() };
    for (name, project) in projects {
        if let Some(rate) = project.sampling.rate()? {
            sampling.projects.insert(Project(name.clone()), Some(rate));
        }
    }
    Ok(sampling)
}

fn quotas_of(
    general: &QuotaTable,
    projects: &BTreeMap<String, ProjectTable>,
) -> Result<QuotaSettings, ConfigError> {
    let general = general.over(Quota::default())?;
    let mut own = BTreeMap::new();
    for (name, project) in projects {
        let quota = project.quota.over(general)?;
        if quota != general {
            own.insert(Project(name.clone()), quota);
        }
    }
    Ok(QuotaSettings { general, projects: own })
}

/// Collects each setting with where it came from while it is picked.
struct Picks<'a> {
    matches: &'a ArgMatches,
    shown: Vec<Setting>,
}

impl Picks<'_> {
    fn one<T>(
        &mut self,
        name: &'static str,
        [given, file]: [Option<T>; 2],
        default: T,
        show: impl Fn(&T) -> String,
    ) -> T {
        let (value, source) = match (given, file) {
            (Some(value), _) => (value, self.given_source(name)),
            (None, Some(value)) => (value, Source::File),
            (None, None) => (default, Source::Default),
        };
        self.shown.push(Setting { name, value: show(&value), source });
        value
    }

    fn maybe<T>(
        &mut self,
        name: &'static str,
        candidates: [Option<T>; 2],
        show: impl Fn(&T) -> String,
    ) -> Option<T> {
        let show = |value: &Option<T>| value.as_ref().map_or_else(String::new, &show);
        self.one(name, candidates.map(|candidate| candidate.map(Some)), None, show)
    }

    fn given_source(&self, name: &str) -> Source {
        match self.matches.value_source(name) {
            Some(ValueSource::EnvVariable) => Source::Environment,
            _ => Source::Flag,
        }
    }
}

fn store_setting(
    url: Option<String>,
    cluster: Option<String>,
    engine: PathBuf,
) -> Result<StoreSetting, ConfigError> {
    match (url, cluster) {
        (Some(url), cluster) => Ok(StoreSetting::Server { url, cluster }),
        (None, None) => Ok(StoreSetting::Embedded { engine }),
        (None, Some(cluster)) => Err(ConfigError::Value {
            setting: "cluster",
            value: cluster,
            reason: "only a ClickHouse server can have one; set clickhouse_url too".to_owned(),
        }),
    }
}

fn ack_after_store(word: &str) -> Result<bool, ConfigError> {
    match word {
        "log" => Ok(false),
        "store" => Ok(true),
        other => Err(ConfigError::Value {
            setting: "ack",
            value: other.to_owned(),
            reason: "it is `log` (after fsync) or `store` (after the insert)".to_owned(),
        }),
    }
}

fn checked_base_path(path: String) -> Result<String, ConfigError> {
    let trimmed = path.trim_end_matches('/');
    let plain = trimmed.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.'));
    if trimmed.is_empty() || (trimmed.starts_with('/') && plain && !trimmed.contains("//")) {
        return Ok(trimmed.to_owned());
    }
    Err(ConfigError::Value {
        setting: "base_path",
        value: path,
        reason: "it begins with / and has letters, digits and - _ . only, such as /recount".to_owned(),
    })
}

/// What to log: `RECOUNT_LOG`, in the syntax of `RUST_LOG`; `info` by default.
#[expect(clippy::disallowed_methods, reason = "config is the one reader of the environment")]
pub fn log_filter() -> String {
    std::env::var("RECOUNT_LOG").unwrap_or_else(|_unset| "info".to_owned())
}

/// Where `make engine` puts the library.
#[expect(clippy::disallowed_methods, reason = "config is the one reader of the environment")]
fn default_engine() -> PathBuf {
    let cache = std::env::var("XDG_CACHE_HOME").ok().filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let home = || PathBuf::from(std::env::var("HOME").unwrap_or_default()).join(".cache");
    cache.unwrap_or_else(home).join("recount/engine/26.7.3/libchdb.so")
}

/// A URL with its password hidden.
fn masked(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut parsed) if parsed.password().is_some() => match parsed.set_password(Some("***")) {
            Ok(()) => parsed.to_string(),
            Err(()) => "(hidden)".to_owned(),
        },
        Ok(parsed) => parsed.to_string(),
        Err(_) => "(not a URL)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::args::{Cli, Command, parse};

    fn settings(arguments: &[&str], file: &str) -> Result<Settings, ConfigError> {
        let (Cli { command }, matches) = parse([&["recount", "serve"], arguments].concat()).unwrap();
        let Command::Serve(args) = command else { panic!("serve was asked for") };
        let (_, matches) = matches.subcommand().unwrap();
        resolve(args, matches, File::parse(file).unwrap())
    }

    #[test]
    fn flag_beats_file_beats_default() {
        let found =
            settings(&["--listen", "127.0.0.1:1"], "listen = \"127.0.0.1:2\"\nack = \"store\"").unwrap();
        assert_eq!(found.listen.port(), 1);
        assert!(found.ack_after_store);
        assert_eq!(found.otlp_grpc.port(), 4317);
        let sources: Vec<_> = found.shown.iter().map(|s| (s.name, s.source)).collect();
        assert!(sources.contains(&("listen", Source::Flag)), "{sources:?}");
        assert!(sources.contains(&("ack", Source::File)));
        assert!(sources.contains(&("otlp_grpc", Source::Default)));
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (arguments, file, named) in [
            (vec!["--ack", "memory"], "", "ack can't be \"memory\""),
            (vec!["--base-path", "recount"], "", "base_path"),
            (vec!["--cluster", "main"], "", "clickhouse_url"),
        ] {
            let error = settings(&arguments, file).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let found = settings(&["--clickhouse-url", "https://me:hunter2@ch.test:8443/recount"], "").unwrap();
        let shown = &found.shown.iter().find(|s| s.name == "clickhouse_url").unwrap().value;
        assert!(shown.contains("me:***@ch.test"), "{shown}");
        assert!(!format!("{:?}", found.shown).contains("hunter2"));
    }
}
