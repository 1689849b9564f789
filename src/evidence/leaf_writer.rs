//! Writes canonical JSON (RFC 8785) piece by piece; the caller gives the keys of an object in their order.

/// JSON being written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    out: String,
}

impl Writer {
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

    /// A key; its value has to follow.
    pub(crate) fn key(&mut self, key: &str) {
        self.item(key);
        self.out.push(':');
    }

    /// Text as a value of its own.
    pub(crate) fn item(&mut self, text: &str) {
        self.comma();
        self.out.push('"');
        let mut clean_from = 0;
        for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| matches!(byte, 0..=31 | b'"' | b'\\')) {
            self.out.push_str(text.get(clean_from..at).unwrap_or_default());
            clean_from = at + 1;
            match byte {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                8 => self.out.push_str("\\b"),
                9 => self.out.push_str("\\t"),
                10 => self.out.push_str("\\n"),
                12 => self.out.push_str("\\f"),
                13 => self.out.push_str("\\r"),
                control => self.out.push_str(&format!("\\u{control:04x}")),
            }
        }
        self.out.push_str(text.get(clean_from..).unwrap_or_default());
        self.out.push('"');
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
