//! The first words of a body, for lists: of a message's text rather than of the JSON around it.
use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::domain::content::Content;

/// How many characters a preview has at most.
pub const PREVIEW_CHARS_MAX: usize = 160;
/// How far into a body its text is looked for: what begins later is not worth the search.
const SEARCH_BYTES_MAX: usize = 2048;
/// Keys whose string is what a message says, in every convention we know.
static SAYING: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| ["\"content\"", "\"text\"", "\"response\"", "\"result\""].map(Finder::new));

/// The preview of a body.
pub(in crate::store) fn preview(content: &Content) -> Cow<'_, str> {
    if content.is_json
        && content.body.starts_with(['{', '['])
        && let Some(text) = said(content.body.get(..SEARCH_BYTES_MAX).unwrap_or(&content.body))
    {
        return Cow::Owned(text);
    }
    Cow::Borrowed(first_characters(&content.body))
}

fn first_characters(text: &str) -> &str {
    match text.char_indices().nth(PREVIEW_CHARS_MAX) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// The first string under one of the keys, read only as far as it is shown.
fn said(json: &str) -> Option<String> {
    let starts = SAYING.iter().filter_map(|key| {
        let at = key.find(json.as_bytes())? + key.needle().len();
        let value = json.get(at..)?.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        (!value.starts_with('"')).then_some((at, value))
    });
    let (_, value) = starts.min_by_key(|(at, _)| *at)?;
    let mut text = String::new();
    let mut rest = value.chars();
    for _ in 0..PREVIEW_CHARS_MAX {
        match rest.next()? {
            '"' => break,
            '\\' => text.push(unescaped(&mut rest)?),
            plain => text.push(plain),
        }
    }
    Some(text)
}

fn unescaped(rest: &mut std::str::Chars<'_>) -> Option<char> {
    match rest.next()? {
        'n' | 'r' | 't' | 'b' | 'f' => Some(' '),
        'u' => {
            let digits: String = rest.by_ref().take(4).collect();
            // Half of a pair is shown as the replacement mark: a preview need not be exact.
            Some(char::from_u32(u32::from_str_radix(&digits, 16).ok()?).unwrap_or('\u{fffd}'))
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::content::ContentKind;

    #[test]
    fn previews_show_what_was_said() {
        let long = "ä".repeat(200);
        for (is_json, body, shown) in [
            (false, "plain text", "plain text"),
            (false, long.as_str(), &"ä".repeat(160)),
            (true, r#"{"role":"user","content":"Refund \"4812\"\nplease"}"#, "Refund \"4812\" please"),
            (true, r#"{"role":"a","parts":[{"type":"text", "content" : "caf\u00e9"}]}"#, "café"),
            (
                true,
                r#"{"parts":[{"type":"tool_call","name":"x","arguments":{}}]}"#,
                r#"{"parts":[{"type":"tool_call","name":"x","arguments":{}}]}"#,
            ),
            (true, r#"{"content":[{"text":"first"},{"text":"second"}]}"#, "first"),
            (true, r#"{"content":"","order_id":"4812"}"#, r#"{"content":"","order_id":"4812"}"#),
            (true, "4812", "4812"),
            (true, r#"{"content":"cut in the midd"#, r#"{"content":"cut in the midd"#),
        ] {
            let content = Content {
                kind: ContentKind::Message,
                role: String::new(),
                is_json,
                body: body.to_owned(),
                cut_from: None,
            };
            assert_eq!(preview(&content), shown, "{body}");
        }
    }
}
