//! The protobuf wire format: fields by number, one after the other, without copying.
use crate::otlp::fault::Fault;

/// How deep deprecated groups may stand in one another; they are only ever skipped.
const GROUPS_MAX: usize = 64;

/// Goes through the fields of one message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Field<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2: text, bytes or a message.
    Bytes(&'a [u8]),
    /// Wire type 2 whose length goes beyond the end: what there is.
    Short(&'a [u8]),
    /// Wire type 5.
    Fixed32(u32),
    /// Wire types 3 and 4: skipped.
    Group,
}

/// The bytes are no protobuf from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damage<'a> {
    /// From the first field that could not be read.
    pub(crate) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// The fields of this message.
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The next field and its number; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(u32, Field<'a>)>, Damage<'a>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let start = self.rest;
        self.field().map(Some).ok_or(Damage { rest: start })
    }

    fn field(&mut self) -> Option<(u32, Field<'a>)> {
        let (number, wire_type) = self.tag()?;
        let field = match wire_type {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => self.length_delimited()?,
            3 => self.skip_group(number)?,
            5 => Field::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return None,
        };
        Some((number, field))
    }

    fn tag(&mut self) -> Option<(u32, u8)> {
        let tag = u32::try_from(self.varint()?).ok()?;
        let number = tag >> 3;
        (number > 0).then_some((number, u8::try_from(tag & 7).ok()?))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for (index, byte) in self.rest.iter().copied().take(10).enumerate() {
            if index == 9 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.rest = self.rest.get(index + 1..)?;
                return Some(value);
            }
        }
        None
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*array)
    }

    fn length_delimited(&mut self) -> Option<Field<'a>> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        match self.rest.split_at_checked(length) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Some(Field::Bytes(bytes))
            }
            None => Some(Field::Short(std::mem::take(&mut self.rest))),
        }
    }

    /// Skips to the end of a group that has just begun.
    fn skip_group(&mut self, number: u32) -> Option<Field<'a>> {
        let mut open = vec![number];
        while let Some(innermost) = open.last() {
            let (number, wire_type) = self.tag()?;
            match wire_type {
                0 => drop(self.varint()?),
                1 => drop(self.array::<8>()?),
                2 => match self.length_delimited()? {
                    Field::Short(_) => return None,
                    Field::Bytes(_)
                    | Field::Varint(_)
                    | Field::Fixed64(_)
                    | Field::Fixed32(_)
                    | Field::Group => {}
                },
                3 if open.len() < GROUPS_MAX => open.push(number),
                4 if *innermost == number => drop(open.pop()),
                5 => drop(self.array::<4>()?),
                _ => return None,
            }
        }
        Some(Field::Group)
    }
}

/// A field that is of another wire type than the schema says.
pub(crate) const WRONG_TYPE: Fault =
    Fault::Broken { what: "the record", how: "a field has another wire type than OTLP gives it" };

impl<'a> Field<'a> {
    /// Text, bytes or a message.
    pub(crate) fn bytes(self) -> Result<&'a [u8], Fault> {
        if let Self::Bytes(bytes) = self { Ok(bytes) } else { Err(WRONG_TYPE) }
    }

    /// A 64-bit number of fixed width.
    pub(crate) fn fixed64(self) -> Result<u64, Fault> {
        if let Self::Fixed64(number) = self { Ok(number) } else { Err(WRONG_TYPE) }
    }

    /// A varint.
    pub(crate) fn varint(self) -> Result<u64, Fault> {
        if let Self::Varint(number) = self { Ok(number) } else { Err(WRONG_TYPE) }
    }

    /// A 32-bit varint: the low half counts, as protobuf has it.
    #[expect(clippy::cast_possible_truncation, reason = "protobuf: a longer varint is cut to the low bits")]
    pub(crate) fn uint32(self) -> Result<u32, Fault> {
        self.varint().map(|number| number as u32)
    }

    /// An enum or an `int32`.
    pub(crate) fn int32(self) -> Result<i32, Fault> {
        self.uint32().map(u32::cast_signed)
    }
}

impl From<Damage<'_>> for Fault {
    fn from(_: Damage<'_>) -> Self {
        Self::Broken { what: "the record", how: "its protobuf ends early or is damaged" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<(u32, Field<'_>)>, Damage<'_>> {
        let mut cursor = Cursor::new(bytes);
        std::iter::from_fn(|| cursor.next().transpose()).collect()
    }

    #[test]
    fn reads_every_wire_type() {
        for (bytes, expected) in [
            (&b"\x08\x96\x01"[..], (1, Field::Varint(150))),
            (b"\x11\x01\0\0\0\0\0\0\0", (2, Field::Fixed64(1))),
            (b"\x1a\x02hi", (3, Field::Bytes(b"hi"))),
            (b"\x1a\x05hi", (3, Field::Short(b"hi"))),
            (b"\x25\x02\0\0\0", (4, Field::Fixed32(2))),
            (b"\x2b\x08\x01\x33\x34\x12\x01x\x2c", (5, Field::Group)),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", (1, Field::Varint(u64::MAX))),
        ] {
            assert_eq!(all(bytes), Ok(vec![expected]));
        }
    }

    #[test]
    fn tells_where_it_broke() {
        for bytes in [
            &b"\x08"[..],
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            b"\x11\x01",
            b"\x00\x01",
            b"\x2b\x08\x01",
            b"\x2b\x34",
            b"\x2c",
            b"\x0e",
            b"\x0f",
        ] {
            assert_eq!(all(bytes), Err(Damage { rest: bytes }), "{bytes:?}");
        }
    }
}
