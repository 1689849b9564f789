//! The pages and the JSON API.
mod admit;
mod alerting;
mod api;
mod assets;
mod badge;
mod case;
mod casework;
mod changing;
mod compare;
mod credential;
mod cursor;
#[cfg(test)]
mod described;
mod desk;
mod documents;
mod dry_run;
mod entity;
mod error;
mod export;
mod filter;
mod finding;
mod folded;
mod follow;
mod forgery;
mod form;
mod format;
#[cfg(test)]
mod gallery;
mod health;
mod holding;
mod host;
mod json;
mod kept_for;
mod key;
mod link;
mod list;
mod live;
#[cfg(test)]
mod looks;
mod machines;
mod message;
mod noticed;
mod older;
mod open_count;
mod openapi;
mod origin;
mod overview;
mod page;
mod pages;
mod params;
mod provider;
mod query;
mod readiness;
mod reading;
mod refusal;
mod revealing;
mod routes;
mod run;
#[cfg(test)]
mod sample;
mod saved;
mod search;
mod seen;
mod state;
mod text;
#[cfg(test)]
mod trial;
mod value;
mod viewer;
#[cfg(test)]
mod walk;
mod words;
mod zone;

pub use alerting::{AlertDesk, Hook, Ruled, Test, Tried};
pub use api::entity::RUNS_MAX as ENTITY_RUNS_MAX;
pub use desk::{Desk, PseudonymKeys, ReadRules};
pub use entity::tools::EntityTools;
pub use live::Live;
pub use open_count::OpenCount;
pub use provider::{Provider, ProviderSettings};
pub use routes::{addresses, routes};
pub use search::asked::RUNS_MAX as SEARCH_RUNS_MAX;
pub use state::{
    IngestStatus, LogStatus, NotRecorded, ProjectionStatus, ProxySettings, Record, ServerStatus, Touch,
    Touched, WebSettings, WebState,
};
