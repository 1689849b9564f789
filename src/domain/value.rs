//! A typed value as OTLP carries it: what attributes, log bodies and event fields are made of.

/// One value. Keys keep their order and may repeat: senders do both.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Value {
    /// No value was set.
    #[default]
    Empty,
    /// A truth value.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A double; may be NaN or infinite.
    Double(f64),
    /// Text.
    String(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// A list.
    Array(Vec<Value>),
    /// Keys and values, in the order they came.
    Map(Vec<(String, Value)>),
    /// Text whose bulk moved into the step's bodies; see [`Piece`].
    Framed(Vec<Piece>),
}

/// A part of a text that was moved out: putting the pieces together gives the text again, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Text that stayed in place.
    Text(String),
    /// The whole body with this index in [`Step::bodies`](crate::domain::step::Step::bodies).
    Body(usize),
    /// The JSON string found at this RFC 6901 pointer inside the body with this index, unquoted.
    Inside(usize, String),
    /// The JSON value found at this RFC 6901 pointer inside the body with this index, as it is written there.
    Json(usize, String),
}

impl Value {
    /// The text, when it is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The integer: an integer, a whole double, or a string that is one (senders use all three).
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(*int),
            #[expect(clippy::cast_possible_truncation, reason = "checked: whole and within 2^53")]
            Self::Double(double) if double.fract() == 0.0 && double.abs() < 9_007_199_254_740_992.0 => {
                Some(*double as i64)
            }
            Self::String(text) => text.trim().parse().ok(),
            Self::Empty
            | Self::Bool(_)
            | Self::Double(_)
            | Self::Bytes(_)
            | Self::Array(_)
            | Self::Map(_)
            | Self::Framed(_) => None,
        }
    }

    /// The truth value: a bool, or the strings `true` and `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            Self::String(text) => text.parse().ok(),
            Self::Empty
            | Self::Int(_)
            | Self::Double(_)
            | Self::Bytes(_)
            | Self::Array(_)
            | Self::Map(_)
            | Self::Framed(_) => None,
        }
    }

    /// The value under a key of a map; the last one when the key repeats.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Self::Map(entries) = self else { return None };
        entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

/// The value under a key of an attribute list; the last one when the key repeats.
pub fn attribute<'a>(attributes: &'a [(String, Value)], key: &str) -> Option<&'a Value> {
    attributes.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
}
