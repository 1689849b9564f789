//! Who looked at what, and who changed what: one entry for each answer that holds records, made before it
//! leaves.
use crate::domain::ids::Project;
use crate::domain::kind::words;

words! {
    /// What somebody did.
    #[derive(Default)]
    ActivityKind {
        /// Looked at records.
        #[default]
        Looked = "looked",
        /// Searched among records.
        Searched = "searched",
        /// Took records away.
        Exported = "exported",
        /// Brought back what redaction had encrypted.
        Revealed = "revealed",
        /// Claimed, commented, resolved or reopened a case.
        Settled = "settled",
        /// Changed who may what, or how the system works.
        Changed = "changed",
        /// Signed in.
        SignedIn = "signed_in",
        /// Signed out.
        SignedOut = "signed_out",
        /// Tried to, and was not let in.
        Refused = "refused",
    }
}

/// One thing that somebody did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// When, nanoseconds since 1970, by the server's clock.
    pub at_ns: u64,
    /// Its own id, for order among equals.
    pub id: String,
    /// In which project; empty where it is about none.
    pub project: Project,
    /// Who.
    pub who: String,
    /// From which network address.
    pub address: String,
    /// What they did.
    pub kind: ActivityKind,
    /// To what: the address asked for, without its query, or a sentence about a change.
    pub what: String,
    /// What was asked for, as it stood in the query.
    pub query: String,
    /// The run it was about, where it was about one.
    pub run_id: String,
    /// The entities it was about, written `type:id`.
    pub entities: Vec<String>,
    /// The status of the answer; 0 where there was none.
    pub status: u16,
    /// How many rows were given out, where that was counted.
    pub rows: Option<u64>,
}
