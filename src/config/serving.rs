//! The flags of every command that needs to know which Recount it is about.
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// Where to listen, where to keep, what to read.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeArgs {
    /// Settings file [default: none]
    #[arg(long, env = "RECOUNT_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where the log, the keys and the embedded store live [default: ./recount-data]
    #[arg(long, env = "RECOUNT_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// A ClickHouse server instead of the embedded engine: http(s)://user:password@host:8123/database
    #[arg(long, env = "RECOUNT_CLICKHOUSE_URL", value_name = "URL", hide_env_values = true)]
    pub clickhouse_url: Option<String>,
    /// The cluster's name on that server: replicated and distributed tables [default: one node]
    #[arg(long, env = "RECOUNT_CLUSTER", value_name = "NAME")]
    pub cluster: Option<String>,
    /// The embedded engine's library [default: the per-user cache that `make engine` fills]
    #[arg(long, env = "RECOUNT_ENGINE", value_name = "FILE")]
    pub engine: Option<PathBuf>,
    /// Pages and API [default: 127.0.0.1:4319]
    #[arg(long, env = "RECOUNT_LISTEN", value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// OTLP over gRPC [default: 127.0.0.1:4317]
    #[arg(long, env = "RECOUNT_OTLP_GRPC", value_name = "ADDR")]
    pub otlp_grpc: Option<SocketAddr>,
    /// OTLP over HTTP [default: 127.0.0.1:4318]
    #[arg(long, env = "RECOUNT_OTLP_HTTP", value_name = "ADDR")]
    pub otlp_http: Option<SocketAddr>,
    /// When a sender hears OK: `log` (after fsync) or `store` (after the insert) [default: log]
    #[arg(long, env = "RECOUNT_ACK", value_name = "log|store")]
    pub ack: Option<String>,
    /// Most bytes the log may hold [default: 4 GiB, at most a quarter of the free disk]
    #[arg(long, env = "RECOUNT_LOG_BYTES_MAX", value_name = "BYTES")]
    pub log_bytes_max: Option<u64>,
    /// Host names that requests may be addressed to, beside loopback; separated by commas
    #[arg(long, env = "RECOUNT_HOSTS", value_name = "NAMES", value_delimiter = ',')]
    pub hosts: Option<Vec<String>>,
    /// Origins of web pages that may send, scheme and host each; separated by commas
    #[arg(long, env = "RECOUNT_CORS_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub cors_origins: Option<Vec<String>>,
    /// The path below which a proxy serves the pages, such as /recount [default: none]
    #[arg(long, env = "RECOUNT_BASE_PATH", value_name = "PATH")]
    pub base_path: Option<String>,
}
