//! The time zone that a list is read in, and times in both readings: by the clock and by how long ago.
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::web::error::WebError;
use crate::web::format;
use crate::web::params::Params;

/// Zones that are offered; any other of the IANA database is taken as well.
pub(in crate::web) const OFFERED: [&str; 24] = [
    "UTC",
    "Africa/Johannesburg",
    "Africa/Lagos",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Dubai",
    "Asia/Hong_Kong",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Europe/Amsterdam",
    "Europe/Berlin",
    "Europe/Istanbul",
    "Europe/London",
    "Europe/Madrid",
    "Europe/Paris",
    "Europe/Warsaw",
    "Europe/Zurich",
    "Pacific/Auckland",
];
/// Longest name that is looked up.
const NAME_MAX: usize = 64;

/// A time zone.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::web) struct Zone {
    name: String,
    zone: TimeZone,
}

impl Default for Zone {
    fn default() -> Self {
        Self { name: "UTC".to_owned(), zone: TimeZone::UTC }
    }
}

impl Zone {
    /// The zone of the parameter `tz`; UTC when there is none.
    ///
    /// # Errors
    /// Names the parameter when there is no such zone.
    pub(in crate::web) fn read(params: &Params) -> Result<Self, WebError> {
        let Some(name) = params.get("tz") else { return Ok(Self::default()) };
        if name.eq_ignore_ascii_case("utc") {
            return Ok(Self::default());
        }
        let zone = (name.len() <= NAME_MAX).then(|| TimeZone::get(name).ok()).flatten();
        let wrong = || {
            WebError::Invalid(
                "`tz` takes a time zone of the IANA database, such as Europe/Berlin, or UTC".to_owned(),
            )
        };
        let zone = zone.ok_or_else(wrong)?;
        Ok(Self { name: zone.iana_name().unwrap_or(name).to_owned(), zone })
    }

    /// Its name.
    pub(in crate::web) fn name(&self) -> &str {
        &self.name
    }

    /// Its word in an address; `None` for UTC.
    pub(in crate::web) fn word(&self) -> Option<&str> {
        Some(self.name.as_str()).filter(|name| *name != "UTC")
    }

    /// `Thu 12 Nov 2026, 17:02:11`, by its clocks.
    pub(in crate::web) fn moment(&self, ns: u64) -> String {
        self.at(ns, "%a %-d %b %Y, %H:%M:%S")
    }

    /// `17:02`, by its clocks.
    pub(in crate::web) fn minute(&self, ns: u64) -> String {
        self.at(ns, "%H:%M")
    }

    /// `12 Nov`, with the year when it is not this one; empty when it is the same day as `now_ns`.
    pub(in crate::web) fn day(&self, ns: u64, now_ns: u64) -> String {
        if self.at(ns, "%F") == self.at(now_ns, "%F") {
            String::new()
        } else if self.at(ns, "%Y") == self.at(now_ns, "%Y") {
            self.at(ns, "%-d %b")
        } else {
            self.at(ns, "%-d %b %Y")
        }
    }

    /// A moment, in both readings.
    pub(in crate::web) fn when(&self, ns: u64, now_ns: u64) -> When {
        When {
            datetime: format::rfc3339(ns),
            at: self.at(ns, "%H:%M:%S"),
            day: self.day(ns, now_ns),
            ago: ago(ns, now_ns),
            whole: format!("{} {}", self.moment(ns), self.name),
        }
    }

    fn at(&self, ns: u64, pattern: &str) -> String {
        Timestamp::from_nanosecond(i128::from(ns))
            .map(|time| time.to_zoned_datetime(self.zone.clone()).strftime(pattern).to_string())
            .unwrap_or_default()
    }
}

/// A moment as it is shown: the clock's reading, and how long ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct When {
    /// For machines, in UTC.
    pub(in crate::web) datetime: String,
    /// `17:02:11`.
    pub(in crate::web) at: String,
    /// `12 Nov`; empty for today.
    pub(in crate::web) day: String,
    /// `3 h ago`.
    pub(in crate::web) ago: String,
    /// Day, time and zone.
    pub(in crate::web) whole: String,
}

/// `3 h ago`, in one unit; `in 3 h` for what a client's clock puts ahead. The script keeps it up to date.
fn ago(ns: u64, now_ns: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    let apart = now_ns.abs_diff(ns) / SECOND;
    let (number, unit) = match apart {
        0..5 => return "just now".to_owned(),
        5..60 => (apart, "s"),
        60..3_600 => (apart / 60, "m"),
        3_600..86_400 => (apart / 3_600, "h"),
        86_400.. => (apart / 86_400, "d"),
    };
    let number = format::count(number);
    if ns > now_ns { format!("in {number} {unit}") } else { format!("{number} {unit} ago") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u64 = 1_794_499_331_000_000_000;
    const HOUR: u64 = 3_600_000_000_000;

    fn zone(query: &str) -> Zone {
        Zone::read(&Params::read(query)).unwrap()
    }

    #[test]
    fn clocks_follow_the_zone_and_its_summer() {
        assert_eq!(zone("").moment(AT), "Thu 12 Nov 2026, 16:02:11");
        assert_eq!(zone("tz=Europe/Berlin").moment(AT), "Thu 12 Nov 2026, 17:02:11");
        // 16 October is still summer time.
        assert_eq!(zone("tz=Europe/Berlin").minute(AT - 27 * 24 * HOUR), "18:02");
        assert_eq!(zone("tz=asia/kolkata").moment(AT), "Thu 12 Nov 2026, 21:32:11");
        assert_eq!(zone("tz=asia/kolkata").word(), Some("Asia/Kolkata"));
        assert_eq!((zone("tz=UTC").word(), zone("tz=utc").name()), (None, "UTC"));
        // The day is that of the zone.
        assert_eq!(zone("tz=Pacific/Auckland").day(AT, AT - 10 * HOUR), "13 Nov");
    }

    #[test]
    fn both_readings_stand_beside_the_machines() {
        let when = zone("tz=Europe/Berlin").when(AT, AT + 3 * HOUR);
        assert_eq!((when.at.as_str(), when.day.as_str(), when.ago.as_str()), ("17:02:11", "", "3 h ago"));
        assert_eq!(when.whole, "Thu 12 Nov 2026, 17:02:11 Europe/Berlin");
        assert_eq!(when.datetime, "2026-11-12T16:02:11.000000000Z");
        assert_eq!(ago(AT, AT + 2_000_000_000), "just now");
        assert_eq!(ago(AT + HOUR, AT), "in 1 h");
        assert_eq!(ago(0, AT), "20,769 d ago");
    }

    #[test]
    fn what_is_no_zone_is_refused() {
        for name in ["Mars/Olympus", "../../etc/passwd", "+01:00", &"a".repeat(500)] {
            let error = Zone::read(&Params::read(&format!("tz={name}"))).unwrap_err().to_string();
            assert!(error.contains("`tz`"), "{error}");
        }
        for name in OFFERED {
            assert_eq!(zone(&format!("tz={name}")).name(), name);
        }
    }
}
