//! Writes canonical JSON (RFC 8785) piece by piece; the caller gives the keys of an object in their order.

/// JSON being written.
#[derive(Debug)]
pub(crate) struct Writer {
    out: String,
}

impl Writer {
    /// Nothing yet, with room for this many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes) }
    }

    /// The JSON.
    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// `{` or `[`, as a value of its own.
    pub(crate) fn open(&mut self, bracket: char) {
        self.comma();
        self.out.push(bracket);
    }

    /// `}` or `]`.
    pub(crate) fn close(&mut self, bracket: char) {
        self.out.push(bracket);
    }

    /// A key of ours, which needs no escapes; its value has to follow.
    pub(crate) fn key(&mut self, key: &str) {
        self.comma();
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    /// Text as a value of its own.
    pub(crate) fn item(&mut self, text: &str) {
        self.comma();
        self.out.push('"');
        if needs_escapes(text) {
            self.escaped(text)
        } else {
            self.out.push_str(text)
        }
        self.out.push('"');
    }

    fn escaped(&mut self, text: &str) {
        for char in text.chars() {
            match char {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\u{8}' => self.out.push_str("\\b"),
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\u{c}' => self.out.push_str("\\f"),
                '\r' => self.out.push_str("\\r"),
                '\0'..='\u{1f}' => self.out.push_str(&format!("\\u{:04x}", u32::from(char))),
                other => self.out.push(other),
            }
        }
    }

    /// A key with text.
    pub(crate) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.item(text);
    }

    /// A key with text, when there is one.
    pub(crate) fn maybe(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// A key with a list of texts, when it has any.
    pub(crate) fn texts(&mut self, key: &str, texts: impl ExactSizeIterator<Item = impl AsRef<str>>) {
        if texts.len() == 0 {
            return;
        }
        self.key(key);
        self.open('[');
        texts.for_each(|text| self.item(text.as_ref()));
        self.close(']');
    }

    /// A key with a truth value.
    pub(crate) fn truth(&mut self, key: &str, truth: bool) {
        self.key(key);
        self.out.push_str(if truth { "true" } else { "false" });
    }

    /// A key with a number that every JSON reader can hold, when there is one.
    pub(crate) fn number(&mut self, key: &str, number: Option<u32>) {
        if let Some(number) = number {
            self.key(key);
            self.out.push_str(&number.to_string());
        }
    }

    /// A key with a number that not every JSON reader can hold, as text, when there is one.
    pub(crate) fn large(&mut self, key: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.text(key, &number.to_string());
        }
    }

    /// A double as a value of its own; what JSON has no number for is spelt as protobuf's JSON does.
    pub(crate) fn double(&mut self, double: f64) {
        let spelt = match double {
            _ if double.is_nan() => "\"NaN\"".to_owned(),
            _ if double.is_infinite() && double > 0.0 => "\"Infinity\"".to_owned(),
            _ if double.is_infinite() => "\"-Infinity\"".to_owned(),
            _ => serde_json_canonicalizer::to_string(&double).unwrap_or_else(|_| "null".to_owned()),
        };
        self.out.push_str(&spelt);
    }

    /// A comma, unless this is the first of its kind: no value ends in an opening bracket or a colon.
    fn comma(&mut self) {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
    }
}

/// Looked at in blocks without a way out, which the compiler turns into a few wide instructions.
fn needs_escapes(text: &str) -> bool {
    let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    text.as_bytes().chunks(64).any(|block| block.iter().fold(false, |found, byte| found | special(byte)))
}
