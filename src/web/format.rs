//! Numbers and times in words: how the pages and their titles write them.
use jiff::Timestamp;

use crate::domain::counting;
use crate::domain::policy::Money;
use crate::web::text::shortened;

const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A duration in two figures of sense: `712 ms`, `1.7 s`, `4 m 10 s`, `2 h 12 m`, `3 d 4 h`.
pub(in crate::web) fn duration(ns: u64) -> String {
    match ns {
        0 => "0 ms".to_owned(),
        1..MICRO => format!("{ns} ns"),
        MICRO..MILLI => format!("{} µs", ns / MICRO),
        MILLI..SECOND => format!("{} ms", ns / MILLI),
        SECOND..MINUTE => format!("{}.{} s", ns / SECOND, ns % SECOND / (SECOND / 10)),
        MINUTE..HOUR => two(ns, (MINUTE, "m"), (SECOND, "s")),
        HOUR..DAY => two(ns, (HOUR, "h"), (MINUTE, "m")),
        DAY.. => two(ns, (DAY, "d"), (HOUR, "h")),
    }
}

fn two(ns: u64, (big, big_word): (u64, &str), (small, small_word): (u64, &str)) -> String {
    match ns % big / small {
        0 => format!("{} {big_word}", ns / big),
        rest => format!("{} {big_word} {rest} {small_word}", ns / big),
    }
}

/// `8,930`.
pub(in crate::web) fn count(number: impl Into<u64>) -> String {
    counting::grouped(number.into())
}

/// The length of a list, with its thousands marked.
pub(in crate::web) fn number(length_of: usize) -> String {
    count(length(length_of))
}

/// A length as the number that is written and sent.
pub(in crate::web) fn length(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// `1 retry`, `2 retries`: the number, and the word that goes with it.
pub(in crate::web) fn counted(number: impl Into<u64>, one: &str, many: &str) -> String {
    counting::counted(number.into(), one, many)
}

/// `512 B`, `3.1 KB`, `64 KB`, `20.0 MB`; 1 KB is 1,024 bytes.
pub(in crate::web) fn bytes(bytes: u64) -> String {
    const KB: u64 = 1 << 10;
    const MB: u64 = 1 << 20;
    const GB: u64 = 1 << 30;
    let tenths = |unit: u64| {
        let tenths = u128::from(bytes) * 10 / u128::from(unit);
        if tenths.is_multiple_of(10) || tenths >= 1_000 {
            (tenths / 10).to_string()
        } else {
            format!("{}.{}", tenths / 10, tenths % 10)
        }
    };
    match bytes {
        0..KB => format!("{bytes} B"),
        KB..MB => format!("{} KB", tenths(KB)),
        MB..GB => format!("{} MB", tenths(MB)),
        GB.. => format!("{} GB", tenths(GB)),
    }
}

/// `$0.041`, `$12.30`: three decimals below a dollar, two above; tiny sums keep their digits.
pub(in crate::web) fn dollars(usd: f64) -> String {
    if !usd.is_finite() {
        return "not a number".to_owned();
    }
    if usd != 0.0 && usd.abs() < 0.001 {
        format!("${usd:.5}")
    } else if usd.abs() < 1.0 {
        format!("${usd:.3}")
    } else {
        format!("${usd:.2}")
    }
}

/// An amount of money: `2,400.00`; more than two decimals stay.
pub(in crate::web) fn amount(number: f64) -> String {
    let text =
        if (number * 100.0).fract().abs() < 1e-6 { format!("{number:.2}") } else { number.to_string() };
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    match digits.split_once('.') {
        Some((whole, rest)) => match whole.parse::<u64>() {
            Ok(whole) => format!("{sign}{}.{rest}", count(whole)),
            Err(_huge) => text,
        },
        None => text,
    }
}

/// What is at stake in an act, as it was told; an amount of money in one form: `40.0 usd` is `40.00 USD`.
pub(in crate::web) fn stake(value: &str, most: usize) -> String {
    match Money::parse(value).filter(|money| !money.currency.is_empty()) {
        Some(money) => format!("{} {}", amount(money.amount), shortened(&money.currency, most)),
        None => shortened(value, most),
    }
}

/// A sentence in which amounts before a currency have the same form.
pub(in crate::web) fn with_amounts(sentence: &str) -> String {
    let mut words: Vec<String> = sentence.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        let (Some(number), Some(currency)) = (words.get(at - 1), words.get(at)) else { continue };
        let currency = currency.trim_end_matches(|char: char| char.is_ascii_punctuation());
        let is_currency = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_plain = number.starts_with(|char: char| char.is_ascii_digit());
        let number = number.parse().ok().filter(|number: &f64| is_currency && is_plain && number.is_finite());
        if let (Some(number), Some(word)) = (number, words.get_mut(at - 1)) {
            *word = amount(number);
        }
    }
    words.join(" ")
}

/// `Thu 12 Nov 2026, 16:02:11`, in UTC.
pub(in crate::web) fn moment(ns: u64) -> String {
    at(ns, "%a %-d %b %Y, %H:%M:%S")
}

/// `16:02:11`, in UTC.
pub(in crate::web) fn clock(ns: u64) -> String {
    at(ns, "%H:%M:%S")
}

/// `16:02`, in UTC.
pub(in crate::web) fn minute(ns: u64) -> String {
    at(ns, "%H:%M")
}

/// `16:02:11.310`, in UTC.
pub(in crate::web) fn clock_ms(ns: u64) -> String {
    at(ns, "%H:%M:%S%.3f")
}

/// `12 Nov`, with the year when it is not this one; empty when it is the same day as `now_ns`.
pub(in crate::web) fn day(ns: u64, now_ns: u64) -> String {
    if at(ns, "%F") == at(now_ns, "%F") {
        String::new()
    } else if at(ns, "%Y") == at(now_ns, "%Y") {
        at(ns, "%-d %b")
    } else {
        at(ns, "%-d %b %Y")
    }
}

/// `Friday 27 November 2026`; the year only when it is not this one.
pub(in crate::web) fn long_day(ns: u64, now_ns: u64) -> String {
    if at(ns, "%Y") == at(now_ns, "%Y") { at(ns, "%A %-d %B") } else { at(ns, "%A %-d %B %Y") }
}

/// RFC 3339 with nanoseconds, in UTC: `2026-11-12T16:02:11.310000000Z`.
pub(in crate::web) fn rfc3339(ns: u64) -> String {
    at(ns, "%Y-%m-%dT%H:%M:%S%.9fZ")
}

fn at(ns: u64, pattern: &str) -> String {
    // Every u64 of nanoseconds lies before the year 2555, well inside what a timestamp holds.
    Timestamp::from_nanosecond(i128::from(ns))
        .map(|time| time.strftime(pattern).to_string())
        .unwrap_or_default()
}

/// Now, nanoseconds since 1970.
pub(in crate::web) fn now_ns() -> u64 {
    u64::try_from(Timestamp::now().as_nanosecond()).unwrap_or_default()
}

/// A part of a whole in per cent with two decimals, for lengths in SVG: digits and a dot, nothing else.
pub(in crate::web) fn percent(part: u64, whole: u64) -> String {
    let hundredths = (u128::from(part) * 10_000 / u128::from(whole.max(1))).min(10_000);
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        for (ns, text) in [
            (0, "0 ms"),
            (45_600, "45 µs"),
            (712_400_000, "712 ms"),
            (1_700_000_000, "1.7 s"),
            (59_990_000_000, "59.9 s"),
            (250 * SECOND, "4 m 10 s"),
            (2 * HOUR + 12 * MINUTE, "2 h 12 m"),
            (3 * DAY, "3 d"),
        ] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(3_200), "3.1 KB");
        assert_eq!(bytes(65_536), "64 KB");
        assert_eq!(bytes(20 << 20), "20 MB");
        assert_eq!(dollars(0.0411), "$0.041");
        assert_eq!(dollars(0.00004), "$0.00004");
        assert_eq!(dollars(12.3), "$12.30");
        assert_eq!(dollars(f64::NAN), "not a number");
        assert_eq!(amount(2_400.0), "2,400.00");
        for (told, shown) in [
            ("40.0 USD", "40.00 USD"),
            ("eur 2400", "2,400.00 EUR"),
            ("40", "40"),
            ("shipped", "shipped"),
            ("1.2.3 USD", "1.2.3 USD"),
        ] {
            assert_eq!(stake(told, 40), shown);
        }
        for (told, shown) in [
            ("refunded 40.0 USD, at once", "refunded 40.00 USD, at once"),
            ("refunded 40.5 EUR.", "refunded 40.50 EUR."),
            ("set order 4812 to USD", "set order 4812 to USD"),
            ("moved 12 pcs", "moved 12 pcs"),
            ("inf USD", "inf USD"),
        ] {
            assert_eq!(with_amounts(told), shown);
        }
        assert_eq!(amount(-0.125), "-0.125");
        assert_eq!(amount(1e300), format!("{:.2}", 1e300));
    }

    #[test]
    fn times_are_utc_and_survive_lying_clocks() {
        let ns = 1_794_499_331_310_000_000;
        assert_eq!(moment(ns), "Thu 12 Nov 2026, 16:02:11");
        assert_eq!(clock_ms(ns), "16:02:11.310");
        assert_eq!(rfc3339(ns), "2026-11-12T16:02:11.310000000Z");
        assert_eq!(day(ns, ns + DAY), "12 Nov");
        assert_eq!(day(ns, ns), "");
        assert_eq!(moment(0), "Thu 1 Jan 1970, 00:00:00");
        assert_eq!(rfc3339(u64::MAX), "2554-07-21T23:34:33.709551615Z");
    }

    #[test]
    fn lengths_are_digits_only() {
        assert_eq!(percent(0, 50), "0");
        assert_eq!(percent(25, 50), "50");
        assert_eq!(percent(1, 3), "33.33");
        assert_eq!(percent(5, 0), "100");
        assert_eq!(percent(u64::MAX, 1), "100");
    }
}
