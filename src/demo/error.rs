//! Why the demo could not be played.

/// Why the demo could not be played.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The small service has no port to listen on, or stopped.
    #[error("the demo's payments and mail service cannot listen on loopback: {0}")]
    Service(#[from] std::io::Error),
    /// The agents' own notes can't be kept.
    #[error("the demo's intent store cannot be used: {0}")]
    Intents(#[from] rusqlite::Error),
    /// What an agent wrote down does not read back.
    #[error("the demo's intent store holds something unreadable: {0}")]
    Notes(#[from] serde_json::Error),
    /// The exporter can't be built.
    #[error("the OpenTelemetry exporter for {endpoint} cannot be built: {reason}")]
    Exporter {
        /// Where to.
        endpoint: String,
        /// In the SDK's words.
        reason: String,
    },
    /// Something was not taken by the server.
    #[error("the OpenTelemetry SDK could not send to {endpoint}: {reason}")]
    NotSent {
        /// Where to.
        endpoint: String,
        /// In the SDK's words.
        reason: String,
    },
    /// A run of the demo was stopped.
    #[error("a demo run was stopped: {0}")]
    Stopped(#[from] tokio::task::JoinError),
}
