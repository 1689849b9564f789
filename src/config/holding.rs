//! The commands about legal holds and erasures.
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::serving::ServeArgs;

/// `recount hold …`.
#[derive(Debug, Clone, Args)]
pub struct HoldArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: HoldCommand,
}

/// What to do about holds. Works on the server that runs, else opens the data directory.
#[derive(Debug, Clone, Subcommand)]
pub enum HoldCommand {
    /// Place a hold on an account or another entity, a run, or a whole project.
    Place {
        /// The entity: type:id, such as account:2291
        #[arg(value_name = "ENTITY", conflicts_with_all = ["run", "whole_project"])]
        entity: Option<String>,
        /// A run, by its id
        #[arg(long, value_name = "RUN", conflicts_with = "whole_project")]
        run: Option<String>,
        /// Everything of the project
        #[arg(long)]
        whole_project: bool,
        /// Why; it is recorded
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Of which project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// Lift a hold.
    Lift {
        /// Its id, as listed
        #[arg(value_name = "HOLD")]
        id: String,
        /// Why; it is recorded
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Of which project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// List holds: id, state, what it is on, how many records it keeps now, when it was placed and by whom,
    /// why.
    List {
        /// Of which project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
}

impl HoldCommand {
    /// Which Recount it is about.
    pub fn serve(&self) -> &ServeArgs {
        match self {
            Self::Place { serve, .. } | Self::Lift { serve, .. } | Self::List { serve, .. } => serve,
        }
    }
}

/// What to erase, and why.
#[derive(Debug, Clone, Args)]
pub struct EraseArgs {
    /// The entity: type:id, such as account:2291
    #[arg(value_name = "ENTITY")]
    pub entity: String,
    /// Why; it is recorded
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask whether it is meant
    #[arg(long)]
    pub yes: bool,
    /// Write the receipt with its list of records here; `recount verify` checks it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Of which project
    #[arg(long, default_value = "default", value_name = "NAME")]
    pub project: String,
    /// Which Recount.
    #[command(flatten)]
    pub serve: ServeArgs,
}

/// `recount erasures`.
#[derive(Debug, Clone, Args)]
pub struct ErasuresArgs {
    /// One of them, by its id: how far it is, and its receipt once it is done
    #[arg(value_name = "ERASURE")]
    pub id: Option<String>,
    /// Write its receipt with its list of records here; `recount verify` checks it
    #[arg(long, value_name = "FILE", requires = "id")]
    pub out: Option<PathBuf>,
    /// Of which project
    #[arg(long, default_value = "default", value_name = "NAME")]
    pub project: String,
    /// Which Recount.
    #[command(flatten)]
    pub serve: ServeArgs,
}
