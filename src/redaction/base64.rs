//! Base64 in texts: a big blob is replaced by what it was; a short one is opened, for secrets hide in it.
use std::ops::Range;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};

/// From this length on a run is a blob: an image, a file, something encrypted.
const BIG_MIN: usize = 1024;
/// A shorter run hides nothing that a rule would find.
const SHORT_MIN: usize = 24;
/// Nobody wraps at less; and the deepest indentation of such lines.
const WIDTH_MIN: usize = 48;
const INDENT_MAX: usize = 40;

/// What blobs begin with, and what they are then.
const KINDS: &[(&[u8], &str)] = &[
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"<svg", "image/svg+xml"),
];

/// A run of base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Run {
    /// A blob, with the `data:` before it where there is one.
    Big(Range<usize>),
    /// A short run that is a text behind its encoding.
    Text(Range<usize>, String),
}

impl Run {
    fn range(&self) -> &Range<usize> {
        match self {
            Self::Big(range) | Self::Text(range, _) => range,
        }
    }
}

/// The runs in a text, in order.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    if bytes.len() < SHORT_MIN {
        return found;
    }
    // A run of 24 has a whole block of 12 that begins at a multiple of 12: looking at two of its bytes first
    // skips most texts, which have a space or a sign among any few letters.
    let mut at = 0;
    while at + SHORT_MIN / 2 <= bytes.len() {
        let block = bytes.get(at..at + SHORT_MIN / 2).unwrap_or_default();
        if !block.iter().rev().all(in_alphabet) {
            at += SHORT_MIN / 2;
            continue;
        }
        let start =
            bytes.get(..at).unwrap_or_default().iter().rev().take_while(|byte| in_alphabet(byte)).count();
        let after = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| in_alphabet(byte)).count();
        let range = at - start..at + after;
        let run = wrapped(text, &range).or_else(|| run(text, range.clone()));
        let end = run.as_ref().map_or(range.end, |run| run.range().end);
        // To the next block that begins after the run.
        at = (end / (SHORT_MIN / 2) + 1) * (SHORT_MIN / 2);
        found.extend(run);
    }
    found
}

fn run(text: &str, range: Range<usize>) -> Option<Run> {
    if range.len() < SHORT_MIN {
        return None;
    }
    let run = text.get(range.clone())?;
    if range.len() >= BIG_MIN {
        decoded(run)?;
        let padded = text.get(range.end..)?.bytes().take(2).take_while(|byte| *byte == b'=').count();
        return Some(Run::Big(prefix_start(text, range.start)..range.end + padded));
    }
    // Most long words and ids fall at once: what they stand for is no text.
    let head = decoded(run.get(..8)?)?;
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    if !head.iter().all(plain) {
        return None;
    }
    let whole = String::from_utf8(decoded(run)?).ok()?;
    let padded = text.get(range.end..)?.bytes().take(2).take_while(|byte| *byte == b'=').count();
    Some(Run::Text(range.start..range.end + padded, whole))
}

/// A run that goes on over lines of one width, as mail and key files wrap it. Lists of ids look so too: they
/// have letters of one case, or do not decode.
fn wrapped(text: &str, first: &Range<usize>) -> Option<Run> {
    let end = last_line(text, first)?;
    let whole: String = text.get(first.start..end)?.split_ascii_whitespace().collect();
    let padded = text.get(end..)?.bytes().take(2).take_while(|byte| *byte == b'=').count();
    if whole.len() >= BIG_MIN {
        let has = |test: fn(&u8) -> bool| whole.as_bytes().iter().any(test);
        let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
        decoded(&whole).filter(|_| mixed)?;
        return Some(Run::Big(prefix_start(text, first.start)..end + padded));
    }
    let plain = String::from_utf8(decoded(&whole)?).ok()?;
    let is_text = plain.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    is_text.then(|| Run::Text(first.start..end + padded, plain))
}

/// Where the last line of a wrapped run ends; `None` when it has one line only.
fn last_line(text: &str, first: &Range<usize>) -> Option<usize> {
    let (mut end, mut width) = (first.end, None);
    loop {
        let rest = text.as_bytes().get(end..).unwrap_or_default();
        let Some(gap) = line_break(rest) else { break };
        let line = rest.iter().skip(gap).take_while(|byte| in_alphabet(byte)).count();
        let widest = width.unwrap_or(line.max(first.len()));
        let after = rest.get(gap + line);
        let is_over = after.is_none_or(|byte| matches!(byte, b'=' | b'\n' | b'\r' | b'"' | b'\'' | b' '));
        if line == 0 || widest < WIDTH_MIN || line > widest || (line < widest && !is_over) {
            break;
        }
        end += gap + line;
        if line < widest {
            break;
        }
        width = Some(widest);
    }
    (end > first.end).then_some(end)
}

/// How long a line break is, with the indentation after it.
fn line_break(bytes: &[u8]) -> Option<usize> {
    let breaks = if bytes.starts_with(b"\r\n") { 2 } else { usize::from(bytes.starts_with(b"\n")) };
    let indent = bytes.iter().skip(breaks).take(INDENT_MAX).take_while(|byte| matches!(byte, b' ' | b'\t'));
    (breaks > 0).then(|| breaks + indent.count())
}

/// Where `data:image/png;base64,` begins, when it stands before the run.
fn prefix_start(text: &str, run: usize) -> usize {
    let before = text.get(..run).unwrap_or_default();
    let Some(rest) = before.strip_suffix(";base64,") else { return run };
    rest.rfind("data:").filter(|at| rest.len() - at < 100).unwrap_or(run)
}

/// What is written in the place of a blob: its type, its length and its digest, so that two can be compared.
pub(crate) fn described(blob: &str) -> String {
    let (prefix, run) = blob.split_once(";base64,").unwrap_or(("", blob));
    let run: String = run.split_ascii_whitespace().collect();
    let bytes = decoded(run.trim_end_matches('=')).unwrap_or_default();
    let told = prefix.strip_prefix("data:").map(|kind| kind.split(';').next().unwrap_or_default());
    let known = |kind: &str| {
        kind.len() < 60 && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/+.-".contains(&byte))
    };
    let seen = || KINDS.iter().find(|(head, _)| bytes.starts_with(head)).map_or("data", |(_, kind)| kind);
    let kind = told.filter(|kind| !kind.is_empty() && known(kind)).unwrap_or_else(seen);
    format!("[base64:{kind} {} bytes sha256:{}]", bytes.len(), HEXLOWER.encode(&Sha256::digest(&bytes)))
}

/// The bytes behind a run. Where it was cut, what does not fill a group of four at its end is left out.
fn decoded(run: &str) -> Option<Vec<u8>> {
    let whole_groups = run.get(..run.len() - run.len() % 4)?;
    let decode = |text: &str| {
        let text = text.as_bytes();
        BASE64_NOPAD.decode(text).or_else(|_| BASE64URL_NOPAD.decode(text)).ok()
    };
    decode(run).or_else(|| decode(whole_groups))
}

fn in_alphabet(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::BASE64;

    #[test]
    fn blobs_are_described_and_texts_are_opened() {
        let image = [b"\x89PNG".as_slice(), &[7; 2000]].concat();
        let blob = BASE64.encode(&image);
        for (before, kind) in [("see ", "image/png"), ("see data:image/x-own;base64,", "image/x-own")] {
            let text = format!("{before}{blob} there");
            let [Run::Big(range)] = &runs(&text)[..] else { panic!("no blob in {text}") };
            assert!(text[range.end..].starts_with(" there"));
            let described = described(&text[range.clone()]);
            assert!(described.starts_with(&format!("[base64:{kind} 2004 bytes sha256:")), "{described}");
        }
        for length in [24, 25, 26, 40, 700] {
            let secret = "api_key = hunter2 ".repeat(length)[..length].to_owned();
            let text = format!("x={};", BASE64.encode(secret.as_bytes()));
            let [Run::Text(range, found)] = &runs(&text)[..] else { panic!("nothing in {text}") };
            assert!(secret.starts_with(found.as_str()) && found.len() + 3 > secret.len());
            assert_eq!(&text[range.end..], ";");
        }
    }

    fn lines(text: &str, width: usize, between: &str) -> String {
        let lines: Vec<&str> =
            text.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap()).collect();
        lines.join(between)
    }

    #[test]
    fn wrapped_blobs_and_texts_are_one_run() {
        let image: Vec<u8> = b"\x89PNG".iter().copied().chain((0..=u8::MAX).cycle().take(2000)).collect();
        for (width, between) in [(76, "\r\n"), (64, "\n"), (60, "\n    ")] {
            let wrapped = lines(&BASE64.encode(&image), width, between);
            for (before, after) in [("see\n", "\nthere"), ("data:image/png;base64,", "\""), ("", "")] {
                let text = format!("{before}{wrapped}{after}");
                let [Run::Big(range)] = &runs(&text)[..] else { panic!("no one blob in {text}") };
                assert_eq!(&text[range.end..], after, "{width}");
                assert!(described(&text[range.clone()]).starts_with("[base64:image/png 2004 bytes"));
            }
            let secret =
                "the first line, and api_key = hunter2 hunter2 at the end of the second line of it all";
            let wrapped = lines(&BASE64.encode(secret.as_bytes()), width, between);
            let text = format!("{wrapped}\nthat was it");
            let [Run::Text(range, found)] = &runs(&text)[..] else { panic!("nothing in {text}") };
            assert_eq!((found.as_str(), &text[range.end..]), (secret, "\nthat was it"));
        }
    }

    #[test]
    fn lists_of_hashes_are_not_base64() {
        let hash = |n: u8| HEXLOWER.encode(&Sha256::digest([n]));
        let list: Vec<String> = (0..60).map(hash).collect();
        assert_eq!(runs(&list.join("\n")), []);
    }

    #[test]
    fn ids_and_words_are_not_base64() {
        for text in [
            "5b8efff798038103d269b633813fc60c",
            "claude_code_internal_event_names_are_long",
            "/usr/local/lib/python3/site-packages/x",
            "short",
            "Donaudampfschifffahrtsgesellschaft",
        ] {
            assert_eq!(runs(text), [], "{text}");
        }
    }
}
