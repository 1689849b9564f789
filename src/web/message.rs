//! A kept body read for people: who speaks, what is said, which tools are called; unknown shapes as received.
use crate::domain::content::ContentKind;
use crate::web::folded::FOLDS_MAX;
use crate::web::format;
use crate::web::json::{self, Fields};
use crate::web::text::{Text, cut, plain};

/// At most this much of one text is put into a page; the whole is one link away.
pub(in crate::web) const TEXT_BYTES_MAX: usize = 64 << 10;
/// At most this much of all texts of one message, and so many blocks.
const MESSAGE_BYTES_MAX: usize = 256 << 10;
const BLOCKS_MAX: usize = 1_000;
/// Parts within parts that are read as such; what is deeper is shown as JSON.
const DEPTH_MAX: usize = 16;

/// A body, in blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Message {
    /// The class: `system`, `user`, `assistant`, `tool` or `other`.
    pub(in crate::web) role: &'static str,
    /// Who speaks, in a word.
    pub(in crate::web) who: Text,
    /// The tool whose answer this is, where told.
    pub(in crate::web) tool: Option<Text>,
    /// What it consists of, in order.
    pub(in crate::web) blocks: Vec<Block>,
    /// The body looks like JSON and is not: shown as received.
    pub(in crate::web) broken: bool,
    /// Something was too long to show here.
    pub(in crate::web) cut: bool,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Block {
    /// Prose.
    Said(Text),
    /// What the model thought before it spoke.
    Thought(Text),
    /// A proposed tool call: its name and arguments.
    Call(Text, Text),
    /// JSON or program text.
    Code(Text),
    /// Something that is not shown, such as an image: what it is.
    Media(String),
}

impl Message {
    /// Reads a kept body.
    pub(in crate::web) fn of(kind: ContentKind, role: &str, body: &str) -> Self {
        let mut reader = Reader::default();
        let mut role = role.to_owned();
        match kind {
            ContentKind::System | ContentKind::Message | ContentKind::Output => {
                if let Some(told) = reader.body(body) {
                    role = told;
                }
            }
            ContentKind::ToolDefinition
            | ContentKind::Arguments
            | ContentKind::Result
            | ContentKind::Attribute => reader.value(body),
        }
        if kind == ContentKind::System && role.is_empty() {
            "system".clone_into(&mut role);
        }
        let (class, who) = speaker(&role, kind);
        Self {
            role: class,
            who,
            tool: reader.tool,
            blocks: reader.blocks,
            broken: reader.broken,
            cut: reader.cut,
        }
    }
}

impl Message {
    /// A body of which only the first words are known.
    pub(in crate::web) fn beginning(kind: ContentKind, role: &str, words: &str) -> Self {
        let (class, who) = speaker(role, kind);
        let blocks = vec![Block::Said(Text::new(words))];
        Self { role: class, who, tool: None, blocks, broken: false, cut: true }
    }

    /// About how many bytes it takes on a page.
    pub(in crate::web) fn drawn_bytes(&self) -> usize {
        let drawn = |block: &Block| match block {
            Block::Said(text) | Block::Thought(text) => text.drawn_bytes(),
            Block::Code(text) => text.drawn_bytes() + folds(text),
            Block::Call(tool, arguments) => tool.drawn_bytes() + arguments.drawn_bytes() + folds(arguments),
            Block::Media(what) => what.len(),
        };
        self.blocks.iter().map(|block| drawn(block) + 60).sum()
    }

    /// The first words of it on one line, for lists.
    pub(in crate::web) fn first_words(&self) -> String {
        let first = self.blocks.first().map(|block| match block {
            Block::Said(text) | Block::Thought(text) | Block::Code(text) => text.beginning(200),
            Block::Call(tool, arguments) => format!("{}({})", tool.beginning(60), arguments.beginning(120)),
            Block::Media(what) => what.clone(),
        });
        first.unwrap_or_default().replace(['\n', '\t'], " ")
    }
}

/// About how many bytes the folds of a laid-out text take.
fn folds(text: &Text) -> usize {
    100 * text.as_str().matches('\n').count().min(FOLDS_MAX)
}

fn speaker(role: &str, kind: ContentKind) -> (&'static str, Text) {
    let word = |class, word: &str| (class, Text::from(word));
    match role.to_ascii_lowercase().as_str() {
        "system" => word("system", "System"),
        "developer" => word("system", "Developer"),
        "user" | "human" => word("user", "User"),
        "assistant" | "ai" | "model" => word("assistant", "Assistant"),
        "tool" | "function" => word("tool", "Tool result"),
        "" => match kind {
            ContentKind::System => word("system", "System"),
            ContentKind::Message => word("other", "Message"),
            ContentKind::ToolDefinition => word("other", "Tool offered"),
            ContentKind::Output => word("assistant", "Assistant"),
            ContentKind::Arguments => word("other", "Arguments"),
            ContentKind::Result => word("tool", "Tool result"),
            ContentKind::Attribute => word("other", "Attribute"),
        },
        _ => ("other", Text::new(plain(role))),
    }
}

#[derive(Debug, Default)]
struct Reader {
    blocks: Vec<Block>,
    tool: Option<Text>,
    broken: bool,
    cut: bool,
    depth: usize,
    /// How many bytes of texts were taken.
    taken: usize,
}

impl Reader {
    /// One level further in, unless that is too deep: then the text is shown as it is.
    fn deeper<T>(&mut self, raw: &str, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH_MAX {
            self.value(raw);
            return None;
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        Some(read)
    }

    /// Reads a whole message, and gives the role that it tells.
    fn body(&mut self, body: &str) -> Option<String> {
        let trimmed = body.trim_start();
        if let Some(fields) = Fields::read(body) {
            return self.message(&fields, body);
        }
        if let Some(text) = trimmed.starts_with('"').then(|| json::string(body)).flatten() {
            // Some senders encode twice; the inner text is the message.
            return if text.trim_start().starts_with(['{', '[']) {
                self.deeper(&text, |reader| reader.body(&text)).flatten()
            } else {
                self.said(&text)
            };
        }
        match json::list(body) {
            Some(parts) if is_parts(&parts) => self.parts(&parts),
            Some(_) => self.value(body),
            None => {
                self.broken = looks_like_json(trimmed);
                self.said(body);
            }
        }
        None
    }

    fn message(&mut self, fields: &Fields<'_>, whole: &str) -> Option<String> {
        let before = self.blocks.len();
        if let Some(thought) = fields.text_of(&["reasoning_content", "reasoning"]) {
            self.thought(&thought);
        }
        let role = fields.text("role").map(|role| role.into_owned());
        let is_tool = matches!(role.as_deref(), Some("tool" | "function"));
        for member in ["parts", "content", "message", "refusal"] {
            match fields.raw_of(&[member]) {
                Some(raw) if is_tool => self.value_or_parts(raw),
                Some(raw) => self.content(raw),
                None => {}
            }
        }
        for call in fields.raw_of(&["tool_calls"]).and_then(json::list).unwrap_or_default() {
            self.part(call);
        }
        if is_tool {
            self.tool = fields.text_of(&["name", "tool_name", "tool_call_id", "id"]).map(Text::new);
        }
        if self.blocks.len() == before && !self.part_of(fields) {
            self.value(whole);
        }
        role
    }

    /// The content of a message: a text, a list of parts, or one part.
    fn content(&mut self, raw: &str) {
        if let Some(text) = json::string(raw) {
            self.said(&text);
        } else if let Some(parts) = json::list(raw) {
            self.parts(&parts);
        } else {
            self.part(raw);
        }
    }

    fn value_or_parts(&mut self, raw: &str) {
        match json::list(raw) {
            Some(parts) if is_parts(&parts) => self.parts(&parts),
            _ => self.value(raw),
        }
    }

    fn parts(&mut self, parts: &[&str]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, raw: &str) {
        self.deeper(raw, |reader| reader.shallow_part(raw));
    }

    fn shallow_part(&mut self, raw: &str) {
        let Some(fields) = Fields::read(raw) else {
            match json::string(raw) {
                Some(text) => {
                    self.said(&text);
                }
                None => self.value(raw),
            }
            return;
        };
        if !self.part_of(&fields) {
            self.value(raw);
        }
    }

    /// Reads one part in any of the shapes met; `false` when it is none of them.
    fn part_of(&mut self, fields: &Fields<'_>) -> bool {
        let kind = fields.text("type").unwrap_or_default().replace('-', "_");
        let call = ["function", "tool_call", "functionCall", "function_call"];
        let answer = ["functionResponse", "function_response"];
        match kind.as_str() {
            "thinking" | "reasoning" | "redacted_thinking" => {
                match fields.text_of(&["thinking", "content", "text", "reasoning"]) {
                    Some(text) => self.thought(&text),
                    None => return false,
                }
            }
            "tool_call" | "tool_use" | "server_tool_use" | "function_call" | "function" => {
                self.call(fields.object("function").as_ref().unwrap_or(fields));
            }
            "tool_call_response" | "tool_result" | "function_call_output" => self.answer(fields),
            "text" | "input_text" | "output_text" | "refusal" | "" if self.text_part(fields) => {}
            "blob" | "uri" | "file" | "image" | "image_url" | "input_image" | "audio" | "input_audio"
            | "video" | "document" | "media" => self.media(&kind, fields),
            _ => {
                if let Some(inner) = call.iter().find_map(|name| fields.object(name)) {
                    // OpenInference wraps the function once more.
                    self.call(inner.object("function").as_ref().unwrap_or(&inner));
                } else if let Some(inner) = answer.iter().find_map(|name| fields.object(name)) {
                    self.answer(&inner);
                } else {
                    return false;
                }
            }
        }
        true
    }

    fn text_part(&mut self, fields: &Fields<'_>) -> bool {
        match fields.text_of(&["text", "content", "refusal"]) {
            Some(text) => {
                self.said(&text);
                true
            }
            None => false,
        }
    }

    fn call(&mut self, fields: &Fields<'_>) {
        let name = fields.text_of(&["name", "toolName", "tool_name"]).unwrap_or_default();
        let raw = fields.raw_of(&["arguments", "args", "input"]).unwrap_or_default();
        let arguments = self.code(raw);
        self.push(Block::Call(Text::new(name), arguments));
    }

    fn answer(&mut self, fields: &Fields<'_>) {
        let of = fields.text_of(&[
            "name",
            "toolName",
            "tool_call_id",
            "toolCallId",
            "tool_use_id",
            "id",
            "call_id",
        ]);
        self.tool = self.tool.take().or(of.map(Text::new));
        match fields.raw_of(&["response", "result", "output", "content"]) {
            Some(raw) => self.value_or_parts(raw),
            None => self.push(Block::Media("empty result".to_owned())),
        }
    }

    fn media(&mut self, kind: &str, fields: &Fields<'_>) {
        let inner = fields.object("source").or_else(|| fields.object("image_url"));
        let within = inner.as_ref().unwrap_or(fields);
        let media = within.text_of(&["mime_type", "media_type", "mimeType", "mediaType"]);
        let body = within.text_of(&["content", "data", "url", "uri", "image", "image_url", "file_id"]);
        let body = body.unwrap_or_default();
        let told = body.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
        let what = media.as_deref().or(told).unwrap_or(kind);
        let size =
            if body.len() > 512 { format!(", {} as sent", format::bytes(len(&body))) } else { String::new() };
        self.push(Block::Media(format!("{}{size}, not shown", plain(cut(what, 80)))));
    }

    fn said(&mut self, text: &str) -> Option<String> {
        if let Some(media) = text.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next())
            && text.len() > 512
        {
            self.push(Block::Media(format!(
                "{}, {}, not shown",
                plain(cut(media, 80)),
                format::bytes(len(text))
            )));
        } else if !text.is_empty() {
            let text = self.capped(text);
            self.push(Block::Said(text));
        }
        None
    }

    fn thought(&mut self, text: &str) {
        let text = self.capped(text);
        self.push(Block::Thought(text));
    }

    /// A value as code: JSON laid out, a JSON string by its text (and laid out when that is JSON again).
    fn value(&mut self, raw: &str) {
        let code = self.code(raw);
        let prose = !looks_like_json(raw.trim_start())
            || json::string(raw).is_some_and(|s| !looks_like_json(s.trim_start()));
        let block = if raw.is_empty() {
            Block::Media("empty".to_owned())
        } else if prose && code.is_long() {
            Block::Said(code)
        } else {
            Block::Code(code)
        };
        self.push(block);
    }

    fn code(&mut self, raw: &str) -> Text {
        let inner = json::string(raw);
        let text = inner.as_deref().unwrap_or(raw);
        if !looks_like_json(text.trim_start()) {
            return self.capped(text);
        }
        let fits = text.len() <= TEXT_BYTES_MAX && self.taken + text.len() <= MESSAGE_BYTES_MAX;
        match fits.then(|| json::laid_out(text)) {
            Some(Some(laid_out)) => {
                self.taken += laid_out.len();
                Text::new(laid_out)
            }
            Some(None) => {
                self.broken |= !json::is_whole(text);
                self.capped(text)
            }
            None => self.capped(text),
        }
    }

    fn push(&mut self, block: Block) {
        if self.blocks.len() < BLOCKS_MAX {
            self.blocks.push(block);
        } else {
            self.cut = true;
        }
    }

    fn capped(&mut self, text: &str) -> Text {
        let shown = cut(text, TEXT_BYTES_MAX.min(MESSAGE_BYTES_MAX.saturating_sub(self.taken)));
        self.cut |= shown.len() < text.len();
        self.taken += shown.len();
        Text::new(shown)
    }
}

fn looks_like_json(text: &str) -> bool {
    text.starts_with(['{', '['])
}

/// Whether list elements are parts of one message.
fn is_parts(parts: &[&str]) -> bool {
    !parts.is_empty()
        && parts.iter().all(|part| {
            Fields::read(part)
                .is_some_and(|fields| fields.raw("type").is_some() || fields.raw("text").is_some())
        })
}

fn len(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
