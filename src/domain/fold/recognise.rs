//! Reads answers off statuses, error types and, last, error texts. What no table knows stays unclear.
use crate::domain::fold::answer::Answer::{
    self, Accepted, Broken, Fine, Lost, NeverSent, Refused, Throttled, Unclear,
};
use crate::domain::fold::answer::Loss::{Broke, Cancelled, Timeout};
use crate::domain::fold::answer::Why::{Denied, Invalid, NoConnection};
use crate::domain::step::{Failure, Http};

/// Reads a status code.
pub(super) fn of_status(code: u16) -> Answer {
    match code {
        202 => Accepted,
        408 | 499 => Lost(Timeout),
        429 => Throttled,
        400..=498 => Refused(Some(code)),
        500.. => Broken(code),
        0..=399 => Fine,
    }
}

/// Reads an HTTP exchange: the status, else the error. `None` when it tells neither.
pub(super) fn of_http(http: Option<&Http>, error: Option<&Failure>, erred: bool) -> Option<Answer> {
    if let Some(code) = http.and_then(|http| http.status_code) {
        return Some(of_status(code));
    }
    match error {
        Some(failure) => Some(of_failure(failure)),
        None => erred.then_some(Unclear),
    }
}

/// Reads an error: its type first, then its text.
pub(super) fn of_failure(failure: &Failure) -> Answer {
    let kind = failure.kind.to_ascii_lowercase();
    let text = failure.message.to_ascii_lowercase();
    let by_kind = of_code(&kind).or_else(|| first_in(KINDS, &kind)).filter(|answer| *answer != Unclear);
    by_kind
        .or_else(|| status_in(&text).map(of_status).filter(|answer| *answer != Fine))
        .or_else(|| first_in(TEXTS, &text))
        .unwrap_or(Unclear)
}

/// An error type that is a status code, such as `429`.
fn of_code(kind: &str) -> Option<Answer> {
    let code = kind.trim_start_matches("http").trim_matches([' ', '_', '-']).parse().ok()?;
    (400..600).contains(&code).then(|| of_status(code))
}

fn first_in(table: &[(&str, Answer)], text: &str) -> Option<Answer> {
    table.iter().find(|(word, _)| text.contains(word)).map(|(_, answer)| *answer)
}

/// A status code told in prose: `Client error '404 Not Found'`, `Error code: 400`, `status code 503`.
fn status_in(text: &str) -> Option<u16> {
    let before =
        ["client error '", "server error '", "error code: ", "status code ", "status code: ", "status "];
    let more = ["status: ", "status=", "http ", "http/1.1 ", "http error ", "refused with ", "answered "];
    before.into_iter().chain(more).find_map(|words| {
        let digits: String = text.split_once(words)?.1.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|code| digits.len() == 3 && (400..600).contains(code))
    })
}

/// Error types of the runtimes and clients we know, lower-case; the first that is contained counts.
const KINDS: &[(&str, Answer)] = &[
    ("connecttimeout", NeverSent(NoConnection)),
    ("connect_timeout", NeverSent(NoConnection)),
    ("connecttimeouterror", NeverSent(NoConnection)),
    ("pooltimeout", NeverSent(NoConnection)),
    ("connecterror", NeverSent(NoConnection)),
    ("clientconnectorerror", NeverSent(NoConnection)),
    ("connectionrefused", NeverSent(NoConnection)),
    ("connection_refused", NeverSent(NoConnection)),
    ("econnrefused", NeverSent(NoConnection)),
    ("enotfound", NeverSent(NoConnection)),
    ("eai_again", NeverSent(NoConnection)),
    ("gaierror", NeverSent(NoConnection)),
    ("nameresolution", NeverSent(NoConnection)),
    ("newconnectionerror", NeverSent(NoConnection)),
    ("unsupportedprotocol", NeverSent(Invalid)),
    ("invalidurl", NeverSent(Invalid)),
    ("invalidtoolarguments", NeverSent(Invalid)),
    ("invalidtoolinput", NeverSent(Invalid)),
    ("toolargsvalidation", NeverSent(Invalid)),
    ("nosuchtool", NeverSent(Invalid)),
    ("toolnotfound", NeverSent(Invalid)),
    ("unknowntool", NeverSent(Invalid)),
    ("approvaldenied", NeverSent(Denied)),
    ("toolcalldenied", NeverSent(Denied)),
    ("toolcallrejected", NeverSent(Denied)),
    ("tooldenied", NeverSent(Denied)),
    ("ratelimit", Throttled),
    ("rate_limit", Throttled),
    ("toomanyrequests", Throttled),
    ("too_many_requests", Throttled),
    ("resource_exhausted", Throttled),
    ("throttl", Throttled),
    ("deadline", Lost(Timeout)),
    ("timedout", Lost(Timeout)),
    ("timed_out", Lost(Timeout)),
    ("etimedout", Lost(Timeout)),
    ("timeout", Lost(Timeout)),
    ("cancel", Lost(Cancelled)),
    ("abort", Lost(Cancelled)),
    ("econnreset", Lost(Broke)),
    ("epipe", Lost(Broke)),
    ("connectionreset", Lost(Broke)),
    ("connection_reset", Lost(Broke)),
    ("brokenpipe", Lost(Broke)),
    ("remoteprotocolerror", Lost(Broke)),
    ("remotedisconnected", Lost(Broke)),
    ("serverdisconnected", Lost(Broke)),
    ("incompleteread", Lost(Broke)),
    ("readerror", Lost(Broke)),
    ("writeerror", Lost(Broke)),
    ("closeerror", Lost(Broke)),
    ("und_err_socket", Lost(Broke)),
    ("unexpectedeof", Lost(Broke)),
    ("unavailable", Lost(Broke)),
    ("badrequest", Refused(Some(400))),
    ("invalid_argument", Refused(Some(400))),
    ("unauthenticated", Refused(Some(401))),
    ("unauthorized", Refused(Some(401))),
    ("permission_denied", Refused(Some(403))),
    ("permissiondenied", Refused(Some(403))),
    ("forbidden", Refused(Some(403))),
    ("notfounderror", Refused(Some(404))),
    ("not_found", Refused(Some(404))),
    ("already_exists", Refused(Some(409))),
    ("alreadyexists", Refused(Some(409))),
    ("conflicterror", Refused(Some(409))),
    ("failed_precondition", Refused(None)),
    ("unprocessable", Refused(Some(422))),
    ("out_of_range", Refused(None)),
    ("unimplemented", Refused(None)),
];

/// What error texts say, lower-case; the first that is contained counts.
const TEXTS: &[(&str, Answer)] = &[
    ("connect timeout", NeverSent(NoConnection)),
    ("connecttimeout", NeverSent(NoConnection)),
    ("connect etimedout", NeverSent(NoConnection)),
    ("econnrefused", NeverSent(NoConnection)),
    ("connection refused", NeverSent(NoConnection)),
    ("failed to establish a new connection", NeverSent(NoConnection)),
    ("all connection attempts failed", NeverSent(NoConnection)),
    ("name or service not known", NeverSent(NoConnection)),
    ("nodename nor servname", NeverSent(NoConnection)),
    ("enotfound", NeverSent(NoConnection)),
    ("getaddrinfo", NeverSent(NoConnection)),
    ("deadline exceeded", Lost(Timeout)),
    ("timed out", Lost(Timeout)),
    ("timeout", Lost(Timeout)),
    ("etimedout", Lost(Timeout)),
    ("econnreset", Lost(Broke)),
    ("connection reset", Lost(Broke)),
    ("connection aborted", Lost(Broke)),
    ("socket hang up", Lost(Broke)),
    ("broken pipe", Lost(Broke)),
    ("server disconnected", Lost(Broke)),
    ("fetch failed", Lost(Broke)),
    ("unexpected eof", Lost(Broke)),
    ("end of file", Lost(Broke)),
    ("service unavailable", Lost(Broke)),
    ("bad gateway", Lost(Broke)),
    ("cancelled", Lost(Cancelled)),
    ("canceled", Lost(Cancelled)),
    ("aborted", Lost(Cancelled)),
    ("too many requests", Throttled),
    ("rate limit", Throttled),
    ("rejected by user", NeverSent(Denied)),
    ("denied by user", NeverSent(Denied)),
    ("not approved", NeverSent(Denied)),
    ("tool call denied", NeverSent(Denied)),
    ("unprocessable entity", Refused(Some(422))),
    ("permission denied", Refused(Some(403))),
    ("unauthorized", Refused(Some(401))),
    ("forbidden", Refused(Some(403))),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_no_and_a_lost_answer_is_not() {
        let cases = [
            ("ReadTimeout", "", Lost(Timeout)),
            ("httpx.ReadTimeout", "timed out", Lost(Timeout)),
            ("timeout", "", Lost(Timeout)),
            ("ConnectTimeout", "timed out", NeverSent(NoConnection)),
            ("UND_ERR_CONNECT_TIMEOUT", "", NeverSent(NoConnection)),
            ("ECONNRESET", "", Lost(Broke)),
            ("ECONNREFUSED", "", NeverSent(NoConnection)),
            ("AbortError", "This operation was aborted", Lost(Cancelled)),
            ("CancelledError", "", Lost(Cancelled)),
            ("DEADLINE_EXCEEDED", "", Lost(Timeout)),
            ("429", "", Throttled),
            ("503", "", Broken(503)),
            ("422", "", Refused(Some(422))),
            ("TypeError", "fetch failed", Lost(Broke)),
            ("pydantic_ai.exceptions.ToolRetryError", "timeout: ReadTimeout: timed out", Lost(Timeout)),
            ("HTTPStatusError", "Client error '409 Conflict' for url", Refused(Some(409))),
            ("APIStatusError", "Error code: 500 - oops", Broken(500)),
            ("tool_error", "MCP error -32001: Request timed out after 30s", Lost(Timeout)),
            ("requests.ConnectionError", "Failed to establish a new connection", NeverSent(NoConnection)),
            ("_OTHER", "Tool execution failed. Error details are redacted.", Unclear),
            ("TOOL_ERROR", "", Unclear),
            ("", "Error: Function failed.", Unclear),
            ("ValueError", "order 404 is closed", Unclear),
        ];
        for (kind, message, expected) in cases {
            let failure = Failure { kind: kind.to_owned(), message: message.to_owned() };
            assert_eq!(of_failure(&failure), expected, "{kind} {message}");
        }
        assert_eq!(of_status(202), Accepted);
        assert_eq!(of_status(504), Broken(504));
        assert_eq!(of_status(409), Refused(Some(409)));
        assert_eq!(of_status(201), Fine);
    }
}
