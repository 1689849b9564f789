//! How much is left of the time for which a provider keeps a key: in words, and as a length.
use crate::web::format;

/// Below this share of the window, in per cent, it is time to hurry.
const SHORT_PERCENT: u64 = 15;

/// The window of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Window {
    /// `plain` or `warn`.
    pub(in crate::web) tone: &'static str,
    /// What is left of it in per cent; `None` where there is nothing to draw.
    pub(in crate::web) left: Option<String>,
    /// In a few words: "2 h 12 m left".
    pub(in crate::web) text: String,
    /// The same as the beginning of a sentence.
    pub(in crate::web) head: String,
    /// What it means for who would send again.
    pub(in crate::web) meaning: String,
}

impl Window {
    /// The window of an act that was first sent at `started_ns`, under a key or without one.
    pub(in crate::web) fn of(has_key: bool, started_ns: u64, ends_ns: Option<u64>, now_ns: u64) -> Self {
        let Some(ends_ns) = ends_ns.filter(|_| has_key) else { return Self::untold(has_key) };
        match ends_ns.checked_sub(now_ns).filter(|left| *left > 0) {
            Some(left) => {
                let all = ends_ns.saturating_sub(started_ns).max(left);
                let short = u128::from(left) * 100 < u128::from(all) * u128::from(SHORT_PERCENT);
                let text = format!("{} left", format::duration(left));
                Self {
                    tone: if short { "warn" } else { "plain" },
                    left: Some(format::percent(left, all)),
                    head: format!("{text}."),
                    text,
                    meaning: format!(
                        "The provider keeps this key until {} UTC. Until then, sending again under the same \
                         key can't act twice. After that, only a look-up is safe.",
                        format::moment(ends_ns)
                    ),
                }
            }
            None => Self {
                tone: "warn",
                left: None,
                text: format!("over for {}", format::duration(now_ns.saturating_sub(ends_ns))),
                head: "The provider has forgotten this key.".to_owned(),
                meaning: format!(
                    "It kept it until {} UTC. Sending again now would count as new and may act a second \
                     time: only a look-up is safe.",
                    format::moment(ends_ns)
                ),
            },
        }
    }

    fn untold(has_key: bool) -> Self {
        let (text, head, meaning) = if has_key {
            (
                "not told for how long",
                "Nobody said how long the provider keeps this key.",
                "Until somebody does (recount.action.key_expires_at, or key_ttl in the tool's settings), \
                 treat sending again as unsafe.",
            )
        } else {
            (
                "no key was sent",
                "No key was sent.",
                "The provider can't recognise a repeat: sending again may act a second time. Only a look-up \
                 is safe.",
            )
        };
        Self {
            tone: if has_key { "plain" } else { "warn" },
            left: None,
            text: text.to_owned(),
            head: head.to_owned(),
            meaning: meaning.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn the_end_of_a_window_is_told_in_time() {
        for (has_key, ends, now, tone, left, text) in [
            (true, Some(24 * HOUR), 0, "plain", Some("100"), "1 d left"),
            (true, Some(24 * HOUR), 21 * HOUR, "warn", Some("12.50"), "3 h left"),
            (true, Some(24 * HOUR), 24 * HOUR, "warn", None, "over for 0 ms"),
            (true, Some(24 * HOUR), 26 * HOUR, "warn", None, "over for 2 h"),
            (true, None, HOUR, "plain", None, "not told for how long"),
            (false, Some(24 * HOUR), HOUR, "warn", None, "no key was sent"),
        ] {
            let window = Window::of(has_key, 0, ends, now);
            let found = (window.tone, window.left.as_deref(), window.text.as_str());
            assert_eq!(found, (tone, left, text), "{now}");
            assert!(window.head.ends_with('.') && window.meaning.ends_with('.'));
        }
    }
}
