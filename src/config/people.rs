//! The commands about who may come in.
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::serving::ServeArgs;

/// `recount user …`.
#[derive(Debug, Clone, Args)]
pub struct UserArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: UserCommand,
}

/// What to do about people.
#[derive(Debug, Clone, Subcommand)]
pub enum UserCommand {
    /// Add a person who signs in with a password.
    Add {
        /// What they sign in with.
        name: String,
        /// A role in a project, such as `admin@*`, `viewer@shop` or `viewer@shop:account:2291,account:22*`
        #[arg(long = "role", required = true, value_name = "ROLE@PROJECT")]
        roles: Vec<String>,
        /// File whose first line is the password [default: one is made and shown]
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// List people: name, roles, how they sign in, whether they are kept out.
    List {
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// Change a person; what is not given stays.
    Set {
        /// Who.
        name: String,
        /// All their roles from now on
        #[arg(long = "role", value_name = "ROLE@PROJECT")]
        roles: Vec<String>,
        /// File whose first line is their new password
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
        /// Make a new password and show it
        #[arg(long)]
        new_password: bool,
        /// Let them in again
        #[arg(long)]
        enable: bool,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// Keep a person out; their sessions end at once.
    Disable {
        /// Who.
        name: String,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
}

/// `recount key …`.
#[derive(Debug, Clone, Args)]
pub struct KeyArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: KeyCommand,
}

/// What to do about keys.
#[derive(Debug, Clone, Subcommand)]
pub enum KeyCommand {
    /// Make a key and print it, this once.
    Create {
        /// What people call it.
        name: String,
        /// sender, viewer, operator, auditor, revealer or admin; or whole, as `viewer@shop:account:2291`
        #[arg(long, default_value = "sender", value_name = "ROLE")]
        role: String,
        /// The project it is for [default: default]
        #[arg(long, value_name = "PROJECT")]
        project: Option<String>,
        /// For a key that reads: only what is about these, such as account:2291 or account:22*
        #[arg(long, value_name = "TYPE:ID", value_delimiter = ',')]
        about: Vec<String>,
        /// Until when it works: 90d, 12h, a day or a moment [default: always]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// List keys: id, name, role, until when, whether revoked, last used.
    List {
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
    /// Take a key back.
    Revoke {
        /// Its id, as listed.
        id: String,
        /// Which Recount.
        #[command(flatten)]
        serve: ServeArgs,
    },
}

impl UserCommand {
    /// Which Recount it is about.
    pub fn serve(&self) -> &ServeArgs {
        match self {
            Self::Add { serve, .. }
            | Self::List { serve }
            | Self::Set { serve, .. }
            | Self::Disable { serve, .. } => serve,
        }
    }
}

impl KeyCommand {
    /// Which Recount it is about.
    pub fn serve(&self) -> &ServeArgs {
        match self {
            Self::Create { serve, .. } | Self::List { serve } | Self::Revoke { serve, .. } => serve,
        }
    }
}
