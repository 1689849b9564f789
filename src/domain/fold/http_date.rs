//! Dates as HTTP writes them: `Sun, 29 Nov 2026 16:34:21 GMT`.

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Nanoseconds since 1970; `None` for anything else, and for dates before 1970.
pub(super) fn http_date_ns(text: &str) -> Option<u64> {
    let (_, date) = text.trim().split_once(", ")?;
    let mut parts = date.split_ascii_whitespace();
    let day: u64 = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = MONTHS.iter().zip(1_u64..).find(|(name, _)| **name == month)?.1;
    let year: u64 = parts.next()?.parse().ok()?;
    let mut clock = parts.next()?.split(':').map(str::parse::<u64>);
    let [hour, minute, second] = [clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?];
    let real = parts.next() == Some("GMT") && (1970..10_000).contains(&year) && (1..=31).contains(&day);
    if !real || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days(year, month, day)? * 86_400 + hour * 3_600 + minute * 60 + second;
    seconds.checked_mul(1_000_000_000)
}

/// Days since 1970, counted in years that begin in March, so that the leap day is the last.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    (year * 365 + leaps + (month * 153 + 2) / 5 + day - 1).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_read_and_nothing_else() {
        let cases = [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199)),
            ("Sun, 29 Nov 2026 16:34:21 GMT", Some(1_795_970_061)),
            ("Sun, 29 Nov 2026 16:34:21 CET", None),
            ("Sun, 29 Foo 2026 16:34:21 GMT", None),
            ("Sun, 29 Nov 2026 25:34:21 GMT", None),
            ("Sun, 29 Nov 1926 16:34:21 GMT", None),
            ("10", None),
            ("soon, please", None),
            ("", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(http_date_ns(text), seconds.map(|seconds: u64| seconds * 1_000_000_000), "{text}");
        }
    }
}
