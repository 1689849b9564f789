//! Lengths of time as settings write them.

/// A whole number with a unit, as nanoseconds.
pub(super) fn span_ns(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit_s: u64 = match text.get(digits.len()..)? {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit_s)?.checked_mul(1_000_000_000)
}
