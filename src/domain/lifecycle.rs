//! What happened to the system itself: starts, stops, changes of its rules and keys, gaps.
use crate::domain::kind::words;

words! {
    /// What happened.
    LifecycleKind {
        /// The server takes traffic.
        Started = "started",
        /// The server stopped in order.
        Stopped = "stopped",
        /// The key file was made, or its fingerprint first seen.
        KeysMade = "keys_made",
        /// Other redaction rules than before are in force.
        RulesChanged = "rules_changed",
        /// A change of redaction rules was refused: the ones before stay in force.
        RulesRefused = "rules_refused",
        /// Settings differ from those of the last start.
        SettingsChanged = "settings_changed",
        /// A key was added to the key file.
        KeysRotated = "keys_rotated",
        /// Somebody had an encrypted value shown.
        Revealed = "revealed",
        /// Records whose time was over were dropped.
        Expired = "expired",
        /// A legal hold was placed: what it is on is neither expired nor erased.
        HoldPlaced = "hold_placed",
        /// A legal hold was lifted.
        HoldLifted = "hold_lifted",
        /// Contents were erased on request.
        Erased = "erased",
        /// Something is missing for a while or for good: a damaged log segment, rows set aside.
        Gap = "gap",
        /// What comes in is refused: the log has no room.
        Refusing = "refusing",
        /// What comes in is taken again.
        Taking = "taking",
        /// What is kept waits long for the store.
        Behind = "behind",
        /// It no longer does.
        CaughtUp = "caught_up",
        /// The store does not answer.
        StoreLost = "store_lost",
        /// It answers again.
        StoreBack = "store_back",
        /// Derived tables were made again from records.
        Rebuilt = "rebuilt",
    }
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleEvent {
    /// When, nanoseconds since 1970, by the server's clock.
    pub at_ns: u64,
    /// Its own id, for order among equals: whoever records it makes it unique.
    pub event_id: String,
    /// What.
    pub kind: LifecycleKind,
    /// Particulars, such as `version`, `fingerprint`, `segment`; never trace content or secrets.
    pub detail: Vec<(String, String)>,
}

impl LifecycleEvent {
    /// The particular of this name.
    pub fn detail(&self, name: &str) -> Option<&str> {
        self.detail.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}
