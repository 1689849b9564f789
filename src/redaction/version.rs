//! Which rules a record went through, as a short text that is stored with it.
use sha2::{Digest, Sha256};

use crate::redaction::pack::PACK_VERSION;
use crate::redaction::settings::{Finds, Method, Mode, Settings};

/// The version of the packs, and a digest of every setting that could change a result.
pub(crate) fn version(settings: &Settings) -> String {
    let mut hash = Sha256::new();
    let mut say = |kind: &str, text: &str| hash.update(format!("{kind} {} {text};", text.len()));
    for (kind, list) in [("pack", &settings.packs), ("off", &settings.off)] {
        let mut list = list.clone();
        list.sort();
        list.dedup();
        list.iter().for_each(|one| say(kind, one));
    }
    match &settings.mode {
        Mode::Deny => say("mode", "deny"),
        Mode::Allow(listed) => {
            say("mode", "allow");
            listed.iter().for_each(|selector| say("listed", selector));
        }
    }
    for rule in &settings.rules {
        say("rule", &rule.id);
        say("version", &rule.version.to_string());
        say("where", rule.selector.as_deref().unwrap_or("-"));
        match &rule.finds {
            Finds::Builtin(name) => say("builtin", name),
            Finds::Pattern { pattern, groups } => {
                say("pattern", pattern);
                groups.iter().for_each(|group| say("group", &group.to_string()));
            }
            Finds::Key(names) => names.iter().for_each(|name| say("key", name)),
            Finds::Anything => say("anything", ""),
        }
        say("method", rule.method.word());
        match &rule.method {
            Method::Mask(shown) => say("shows", &shown.to_string()),
            Method::Replace(Some(with)) => say("with", with),
            Method::Remove | Method::Replace(None) | Method::Hash | Method::Encrypt => {}
        }
    }
    let hash: [u8; 32] = hash.finalize().into();
    format!("{PACK_VERSION}-{}", data_encoding::HEXLOWER.encode(hash.get(..6).unwrap_or_default()))
}
