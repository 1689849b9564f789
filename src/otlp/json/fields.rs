//! Single fields of a record in JSON, in every spelling that has one meaning.
use std::borrow::Cow;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};

use crate::otlp::fault::Fault;
use crate::otlp::json::number::whole;
use crate::otlp::json::reader::{Reader, Scalar};
use crate::otlp::json::text::Unescaped;
use crate::otlp::reading::Reading;

/// A text field; `null` is empty, and numbers and truth values stand for their spelling.
pub(crate) fn text<'a>(
    reader: &mut Reader<'a>,
    reading: &mut Reading<'_>,
    field: &'static str,
) -> Result<Cow<'a, str>, Fault> {
    if matches!(reader.peek(), Some(b'{' | b'[')) {
        return Err(Fault::BadValue { field, expected: "a string" });
    }
    match reader.scalar()? {
        Scalar::Null => Ok(Cow::Borrowed("")),
        Scalar::Bool(truth) => Ok(Cow::Borrowed(if truth { "true" } else { "false" })),
        Scalar::Number(number) => Ok(Cow::Borrowed(number)),
        Scalar::Text(text) => from_utf8(text, reading, field),
    }
}

/// A text field that is short by nature.
pub(crate) fn name(
    reader: &mut Reader<'_>,
    reading: &mut Reading<'_>,
    field: &'static str,
) -> Result<String, Fault> {
    let text = text(reader, reading, field)?;
    let text = reading.name(text)?;
    reading.cuts_in(field);
    Ok(text)
}

/// A whole number within the type's range, as a number or a string; `null` and an empty string are 0.
pub(crate) fn number<N: TryFrom<i128> + Default>(
    reader: &mut Reader<'_>,
    field: &'static str,
) -> Result<N, Fault> {
    let wrong = Fault::BadValue { field, expected: "a whole number within its range" };
    let spelt = match reader.scalar()? {
        Scalar::Null => return Ok(N::default()),
        Scalar::Bool(_) => return Err(wrong),
        Scalar::Number(spelt) => Cow::Borrowed(spelt),
        Scalar::Text(text) => plain(text),
    };
    let spelt = spelt.trim();
    if spelt.is_empty() {
        return Ok(N::default());
    }
    whole(spelt).and_then(|number| N::try_from(number).ok()).ok_or(wrong)
}

/// An enum: its number, or its name with or without this prefix, in either case. An unknown name is 0.
pub(crate) fn word(
    reader: &mut Reader<'_>,
    field: &'static str,
    prefix: &str,
    names: &[&str],
) -> Result<i32, Fault> {
    let spelt = match reader.scalar()? {
        Scalar::Null => return Ok(0),
        Scalar::Bool(_) => return Err(Fault::BadValue { field, expected: "one of its names or numbers" }),
        Scalar::Number(spelt) => Cow::Borrowed(spelt),
        Scalar::Text(text) => plain(text),
    };
    if let Some(number) = whole(spelt.trim()) {
        return i32::try_from(number).or(Err(Fault::BadValue { field, expected: "within its range" }));
    }
    let upper = spelt.trim().to_ascii_uppercase();
    let name = upper.strip_prefix(prefix).unwrap_or(&upper);
    let at = names.iter().position(|known| *known == name);
    Ok(at.and_then(|at| i32::try_from(at).ok()).unwrap_or_default())
}

/// An id of this many bytes in hex, of either case; also in base64, which senders with a general
/// protobuf-JSON library write and which no hex id of the right length can be taken for. Empty is zero.
pub(crate) fn id<const N: usize>(
    reader: &mut Reader<'_>,
    reading: &mut Reading<'_>,
    field: &'static str,
) -> Result<[u8; N], Fault> {
    let spelt = text(reader, reading, field)?;
    let spelt = spelt.trim();
    if spelt.is_empty() {
        return Ok([0; N]);
    }
    let wrong = Fault::IdNotHex { field, digits: 2 * N };
    if spelt.len() == 2 * N {
        let bytes = data_encoding::HEXLOWER_PERMISSIVE.decode(spelt.as_bytes()).or(Err(wrong.clone()))?;
        return bytes.try_into().or(Err(wrong));
    }
    let bytes = base64(spelt).ok_or(wrong.clone())?;
    bytes.try_into().or(Err(wrong))
}

/// Bytes in base64, of either alphabet, padded or not.
pub(crate) fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    BASE64_NOPAD.decode(text).or_else(|_| BASE64URL_NOPAD.decode(text)).ok()
}

fn from_utf8<'a>(
    text: Unescaped<'a>,
    reading: &mut Reading<'_>,
    field: &'static str,
) -> Result<Cow<'a, str>, Fault> {
    if text.lone_surrogate {
        reading.remarks.insert("half of a surrogate pair was replaced by U+FFFD");
    }
    match text.bytes {
        Cow::Borrowed(bytes) => reading.utf8(bytes, field),
        Cow::Owned(bytes) => reading.utf8(&bytes, field).map(|text| Cow::Owned(text.into_owned())),
    }
}

/// Text that is compared, never kept.
fn plain(text: Unescaped<'_>) -> Cow<'_, str> {
    match text.bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
