//! How one value of ours stands in a row: its ClickHouse type, written and read back.
use crate::domain::case::CaseState;
use crate::domain::content::ContentKind;
use crate::domain::cost::Usage;
use crate::domain::entity::Entity;
use crate::domain::ids::{Digest, Project, RecordId, SpanId, TraceId};
use crate::domain::kind::{Carrier, Kind, KindSource, Status};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// A value that fits a column. `LowCardinality` and codecs do not show in RowBinary, so no type here has
/// them.
pub(in crate::store) trait Cell: Sized {
    /// The column's type as `DESCRIBE TABLE` says it, without `LowCardinality`.
    fn sql_type() -> String;
    /// Appends it.
    fn write(&self, out: &mut Writer);
    /// Reads it back.
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError>;
}

macro_rules! number_cells {
    ($($rust:ty, $sql:literal, $method:ident;)+) => {$(
        impl Cell for $rust {
            fn sql_type() -> String {
                $sql.to_owned()
            }
            fn write(&self, out: &mut Writer) {
                out.$method(*self);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                from.$method()
            }
        }

        /// Absent is not zero.
        impl Cell for Option<$rust> {
            fn sql_type() -> String {
                concat!("Nullable(", $sql, ")").to_owned()
            }
            fn write(&self, out: &mut Writer) {
                out.u8(u8::from(self.is_none()));
                if let Some(number) = self {
                    out.$method(*number);
                }
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                if from.u8()? == 0 { Ok(Some(from.$method()?)) } else { Ok(None) }
            }
        }
    )+};
}
number_cells! {
    u8, "UInt8", u8;
    u16, "UInt16", u16;
    u32, "UInt32", u32;
    u64, "UInt64", u64;
    f64, "Float64", f64;
}

macro_rules! id_cells {
    ($($rust:ident, $sql:literal;)+) => {$(
        impl Cell for $rust {
            fn sql_type() -> String {
                $sql.to_owned()
            }
            fn write(&self, out: &mut Writer) {
                out.raw(&self.0);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                Ok(Self(from.fixed()?))
            }
        }

        /// Absent is all zeros, which is no valid id.
        impl Cell for Option<$rust> {
            fn sql_type() -> String {
                $sql.to_owned()
            }
            fn write(&self, out: &mut Writer) {
                self.unwrap_or_default().write(out);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                Ok(Some($rust::read(from)?).filter(|id| !id.is_zero()))
            }
        }
    )+};
}
id_cells! {
    TraceId, "FixedString(16)";
    SpanId, "FixedString(8)";
    Digest, "FixedString(16)";
    RecordId, "FixedString(16)";
}

/// Codes are places in the list of all values, from 1; 0 is "absent" where a value may be.
macro_rules! word_cells {
    ($($rust:ident),+) => {$(
        impl Cell for $rust {
            fn sql_type() -> String {
                enum_type(None, $rust::ALL.iter().map(|value| value.word()))
            }
            fn write(&self, out: &mut Writer) {
                out.u8(code(&$rust::ALL, self));
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                Option::<Self>::read(from)?.ok_or(ReadError::UNKNOWN)
            }
        }

        impl Cell for Option<$rust> {
            fn sql_type() -> String {
                enum_type(Some(""), $rust::ALL.iter().map(|value| value.word()))
            }
            fn write(&self, out: &mut Writer) {
                out.u8(self.as_ref().map_or(0, |value| code(&$rust::ALL, value)));
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                match from.u8()?.checked_sub(1) {
                    None => Ok(None),
                    Some(place) => {
                        $rust::ALL.get(usize::from(place)).copied().map(Some).ok_or(ReadError::UNKNOWN)
                    }
                }
            }
        }
    )+};
}
word_cells!(CaseState, Carrier, ContentKind, Evidence, Gate, Kind, KindSource, Outcome, Status);

fn code<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|other| other == value).and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(0)
}

/// `Enum8('a' = 1, …)`, with the word for code 0 in front where there is one.
pub(in crate::store) fn enum_type<'a>(zero: Option<&str>, words: impl Iterator<Item = &'a str>) -> String {
    let zero = zero.map(|word| format!("'{word}' = 0"));
    let coded = words.zip(1..).map(|(word, code): (&str, u8)| format!("'{word}' = {code}"));
    format!("Enum8({})", zero.into_iter().chain(coded).collect::<Vec<_>>().join(", "))
}

impl Cell for bool {
    fn sql_type() -> String {
        "Bool".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.u8(u8::from(*self));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(from.u8()? != 0)
    }
}

impl Cell for String {
    fn sql_type() -> String {
        "String".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(self);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.text()
    }
}

/// Absent and empty are one: a sender that sends an empty id has sent none.
impl Cell for Option<String> {
    fn sql_type() -> String {
        "String".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(self.as_deref().unwrap_or_default());
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Some(from.text()?).filter(|text| !text.is_empty()))
    }
}

/// A `Date`: days since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::store) struct Day(pub(in crate::store) u16);

impl Day {
    /// The day of a time in nanoseconds since 1970, and this many days later. Ends in 2149, as the type
    /// does.
    pub(in crate::store) fn after(at_ns: u64, days: u16) -> Self {
        let day = u16::try_from(at_ns / 86_400_000_000_000).unwrap_or(u16::MAX);
        Self(day.saturating_add(days))
    }

    /// The week by which partitions are cut, from Monday to Sunday.
    pub(in crate::store) fn week(self) -> u16 {
        // 1970-01-01 was a Thursday.
        self.0.saturating_add(3) / 7
    }
}

impl Cell for Day {
    fn sql_type() -> String {
        "Date".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.u16(self.0);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.u16().map(Self)
    }
}

impl Cell for Project {
    fn sql_type() -> String {
        String::sql_type()
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.0);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.text().map(Self)
    }
}

impl Cell for Entity {
    fn sql_type() -> String {
        "Tuple(kind String, id String)".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.kind);
        out.text(&self.id);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self { kind: from.text()?, id: from.text()? })
    }
}

impl Cell for Usage {
    fn sql_type() -> String {
        let numbers = ["input", "output", "cache_read", "cache_write"].map(|name| format!("{name} UInt64"));
        format!("Tuple(model String, day UInt32, {})", numbers.join(", "))
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.model);
        out.u32(self.day);
        for number in [self.input, self.output, self.cache_read, self.cache_write] {
            out.u64(number);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            model: from.text()?,
            day: from.u32()?,
            input: from.u64()?,
            output: from.u64()?,
            cache_read: from.u64()?,
            cache_write: from.u64()?,
        })
    }
}

impl<T: Cell> Cell for Vec<T> {
    fn sql_type() -> String {
        format!("Array({})", T::sql_type())
    }
    fn write(&self, out: &mut Writer) {
        out.length(self.len());
        self.iter().for_each(|item| item.write(out));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let length = from.length()?;
        // A length that the bytes cannot hold must not reserve the memory for it.
        let mut items = Self::with_capacity(length.min(4096));
        for _ in 0..length {
            items.push(T::read(from)?);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<T: Cell + PartialEq + std::fmt::Debug>(value: T) {
        let mut out = Writer::default();
        value.write(&mut out);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        assert_eq!(T::read(&mut from).unwrap(), value);
        assert_eq!(from.left(), 0);
    }

    #[test]
    fn every_form_comes_back() {
        there_and_back(Some(0u64));
        there_and_back(None::<u32>);
        there_and_back(Some(Kind::Other));
        there_and_back(None::<Outcome>);
        there_and_back(Gate::None);
        there_and_back(Some(SpanId([7; 8])));
        there_and_back(None::<Digest>);
        there_and_back(vec![Entity::account("2291"), Entity { kind: String::new(), id: "ü".to_owned() }]);
        there_and_back(vec![vec![1.5f64], vec![]]);
    }

    #[test]
    fn types_are_spelt_as_describe_spells_them() {
        assert_eq!(Carrier::sql_type(), "Enum8('span' = 1, 'event' = 2, 'log' = 3)");
        assert_eq!(
            Option::<Outcome>::sql_type(),
            "Enum8('' = 0, 'submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4)"
        );
        assert_eq!(Vec::<Entity>::sql_type(), "Array(Tuple(kind String, id String))");
    }

    #[test]
    fn an_unknown_code_is_an_error() {
        assert_eq!(Kind::read(&mut Reader::new(&[0])), Err(ReadError::UNKNOWN));
        assert_eq!(Option::<Kind>::read(&mut Reader::new(&[99])), Err(ReadError::UNKNOWN));
    }
}
