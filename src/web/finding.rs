//! Every finding in words: its title beside a flag, and what `/about/findings` says of it.
use crate::domain::finding::{Code, Severity};
use crate::domain::fold::about;
use crate::web::format;
use crate::web::text::shortened;

/// The title of a finding.
pub(in crate::web) fn title(code: Code) -> &'static str {
    about(code).title
}

/// How a severity reads.
pub(in crate::web) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Danger => "Somebody may have been harmed",
        Severity::Warn => "Look at it",
        Severity::Info => "Good to know",
    }
}

/// What was noticed, and since when it goes on.
pub(in crate::web) fn said(message: &str, since_ns: Option<u64>) -> String {
    let message = shortened(message, 300);
    match since_ns {
        Some(since) => format!("{message}, since {} UTC", format::moment(since)),
        None => message,
    }
}
