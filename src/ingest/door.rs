//! What both listeners share: the limits, the memory for requests, the counters, and the way inside.
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;

use crate::access::{Access, Hosts, Origins};
use crate::domain::ids::Project;
use crate::ingest::body::{BodyLimits, Packed, collect};
use crate::ingest::meters::Meters;
use crate::ingest::refusal::Refusal;
use crate::ingest::room::Room;
use crate::ingest::signal::{Answer, Format, Signal};
use crate::otlp::REQUEST_BYTES_MAX;

/// What an operator may set about the listeners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoorSettings {
    /// Bytes of one request, as sent and decompressed, on both transports.
    pub request_bytes_max: usize,
    /// Bytes of all requests together while they are read and kept.
    pub memory_bytes_max: usize,
    /// How long the next piece of a body may take.
    pub body_idle_timeout: Duration,
    /// How long a whole body may take.
    pub body_timeout: Duration,
    /// Names, beside loopback ones, under which this server may be addressed.
    pub hosts: Vec<String>,
    /// Origins, such as `https://app.example`, whose web pages may send.
    pub cors_origins: Vec<String>,
}

impl Default for DoorSettings {
    fn default() -> Self {
        Self {
            request_bytes_max: REQUEST_BYTES_MAX,
            memory_bytes_max: 512 << 20,
            body_idle_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(120),
            hosts: Vec::new(),
            cors_origins: Vec::new(),
        }
    }
}

/// Who sends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sender {
    /// The project of its key: nothing in what it sends says another.
    pub project: Project,
    /// The key's id; `None` in development mode.
    pub key: Option<String>,
}

/// A request's body, read and admitted.
#[derive(Debug)]
pub struct Export {
    /// What it carries.
    pub signal: Signal,
    /// How it is written.
    pub format: Format,
    /// Over which transport it came: `grpc` or `http`.
    pub transport: &'static str,
    /// Whose it is: from the credential, never from the payload.
    pub sender: Sender,
    /// The body.
    pub packed: Packed,
}

/// A request that was refused at the door, before its body was read.
#[derive(Debug, Clone)]
pub struct TurnedAway {
    /// What it would have carried.
    pub signal: Signal,
    /// Over which transport it came.
    pub transport: &'static str,
    /// Whose it is; `None` when the sender is a stranger.
    pub project: Option<Project>,
    /// What the sender hears.
    pub refusal: Refusal,
}

/// The way inside: decodes, cleans and keeps an export, and answers once it is kept.
pub trait Intake: Send + Sync + 'static {
    /// Whether it makes sense to read a body now: work on what cannot be kept only makes an overload worse.
    ///
    /// # Errors
    /// What the sender hears instead.
    fn ready(&self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Takes one export.
    fn take(&self, export: Export) -> Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send + '_>>;

    /// Hears of a request that was refused before its body was read.
    fn turned_away(&self, away: TurnedAway) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The door that both listeners open onto.
pub(crate) struct Door {
    pub(crate) limits: BodyLimits,
    pub(crate) access: Access,
    pub(crate) hosts: Hosts,
    pub(crate) origins: Origins,
    pub(crate) meters: Arc<Meters>,
    pub(crate) intake: Arc<dyn Intake>,
    room: Room,
}

impl Door {
    /// A door with these settings onto this intake.
    pub(crate) fn new(
        settings: &DoorSettings,
        access: Access,
        meters: Arc<Meters>,
        intake: Arc<dyn Intake>,
    ) -> Self {
        Self {
            limits: BodyLimits {
                bytes_max: settings.request_bytes_max,
                idle_timeout: settings.body_idle_timeout,
                timeout: settings.body_timeout,
            },
            access,
            hosts: Hosts::new(&settings.hosts),
            origins: Origins::new(&settings.cors_origins),
            room: Room::new(settings.memory_bytes_max),
            meters,
            intake,
        }
    }

    /// Reads a body.
    pub(crate) async fn read(&self, body: &mut Body, transport: &'static str) -> Result<Packed, Refusal> {
        self.intake.ready()?;
        let packed = collect(body, &self.limits, &self.room).await?;
        self.meters.read(transport, packed.bytes.len());
        Ok(packed)
    }

    /// Takes what was read, or notes why it was not.
    pub(crate) async fn pass(
        &self,
        read: Result<Export, Refusal>,
        signal: Signal,
        transport: &'static str,
        project: Option<Project>,
    ) -> Result<Answer, Refusal> {
        match read {
            Ok(export) => self.intake.take(export).await,
            Err(refusal) => {
                let away = TurnedAway { signal, transport, project, refusal: refusal.clone() };
                self.intake.turned_away(away).await;
                Err(refusal)
            }
        }
    }
}
