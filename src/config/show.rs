//! The settings as `recount check` prints them.
use std::fmt::Write;

use crate::config::settings::Setting;

/// One line a setting: name, value, where it came from. Secrets are masked already.
pub fn show(settings: &[Setting]) -> String {
    let width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Setting { name, value, source } in settings {
        let value = if value.is_empty() { "-" } else { value };
        // Writing to a String cannot fail.
        if writeln!(text, "{name:width$}  {value}  ({})", source.word()).is_err() {
            break;
        }
    }
    text
}
