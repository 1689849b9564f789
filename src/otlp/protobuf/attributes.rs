//! Values, attribute lists, resources and scopes in protobuf.
use crate::domain::step::ScopeInfo;
use crate::domain::value::Value;
use crate::otlp::fault::Fault;
use crate::otlp::limits::NESTING_MAX;
use crate::otlp::protobuf::cursor::{Cursor, Field};
use crate::otlp::reading::Reading;

/// A `KeyValue`, added to the list.
pub(crate) fn read_attribute(
    message: &[u8],
    reading: &mut Reading<'_>,
    list: &mut Vec<(String, Value)>,
) -> Result<(), Fault> {
    let (key, value) = key_value(message, reading, 1)?;
    reading.attribute(list, key, value);
    Ok(())
}

/// An `AnyValue`; the last of its fields counts. `depth` is 1 for an attribute's own value.
pub(crate) fn read_value(message: &[u8], reading: &mut Reading<'_>, depth: u32) -> Result<Value, Fault> {
    if depth > NESTING_MAX {
        return Err(Fault::TooDeep);
    }
    let mut value = Value::Empty;
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        value = match number {
            1 => {
                let text = reading.utf8(field.bytes()?, "string_value")?;
                Value::String(reading.text(text)?)
            }
            2 => Value::Bool(field.varint()? != 0),
            3 => Value::Int(field.varint()?.cast_signed()),
            4 => Value::Double(f64::from_bits(field.fixed64()?)),
            5 => array(field.bytes()?, reading, depth)?,
            6 => map(field.bytes()?, reading, depth)?,
            7 => Value::Bytes(reading.bytes(field.bytes()?)?),
            _ => {
                reading.remarks.insert("a value of a kind unknown here was left empty");
                Value::Empty
            }
        };
    }
    Ok(value)
}

fn array(message: &[u8], reading: &mut Reading<'_>, depth: u32) -> Result<Value, Fault> {
    let mut values = Vec::new();
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        if number == 1 {
            reading.budget.value(0)?;
            values.push(read_value(field.bytes()?, reading, depth + 1)?);
        }
    }
    Ok(Value::Array(values))
}

fn map(message: &[u8], reading: &mut Reading<'_>, depth: u32) -> Result<Value, Fault> {
    let mut entries = Vec::new();
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        if number == 1 {
            entries.push(key_value(field.bytes()?, reading, depth + 1)?);
        }
    }
    Ok(Value::Map(entries))
}

fn key_value(message: &[u8], reading: &mut Reading<'_>, depth: u32) -> Result<(String, Value), Fault> {
    reading.budget.value(0)?;
    let (mut key, mut value) = (String::new(), Value::Empty);
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = cursor.next()? {
        match number {
            1 => {
                let text = reading.utf8(field.bytes()?, "attributes.key")?;
                key = reading.name(text)?;
            }
            2 => value = read_value(field.bytes()?, reading, depth)?,
            _ => {}
        }
    }
    Ok((key, value))
}

/// The attributes of a `Resource`, added to the list: as many as can be read.
pub(crate) fn read_resource(message: &[u8], reading: &mut Reading<'_>, list: &mut Vec<(String, Value)>) {
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = framed(&mut cursor, reading) {
        let Field::Bytes(bytes) = field else { continue };
        if number == 1 && read_attribute(bytes, reading, list).is_err() {
            reading.remarks.insert(UNREADABLE);
        }
    }
}

/// An `InstrumentationScope`, over what an earlier one of the same message said: as much as can be read.
pub(crate) fn read_scope(message: &[u8], reading: &mut Reading<'_>, scope: &mut ScopeInfo) {
    let mut cursor = Cursor::new(message);
    while let Some((number, field)) = framed(&mut cursor, reading) {
        let Field::Bytes(bytes) = field else { continue };
        let read = match number {
            1 => text(bytes, reading, "scope.name").map(|text| scope.name = text),
            2 => text(bytes, reading, "scope.version").map(|text| scope.version = text),
            3 => read_attribute(bytes, reading, &mut scope.attributes),
            _ => Ok(()),
        };
        if read.is_err() {
            reading.remarks.insert(UNREADABLE);
        }
    }
}

/// A short text field.
pub(crate) fn text(bytes: &[u8], reading: &mut Reading<'_>, field: &'static str) -> Result<String, Fault> {
    let text = reading.utf8(bytes, field)?;
    let text = reading.name(text)?;
    reading.cuts_in(field);
    Ok(text)
}

const UNREADABLE: &str = "a resource or scope could not be read whole; its records are kept";

/// The next field of a resource or scope; damage ends it and is remarked upon.
fn framed<'a>(cursor: &mut Cursor<'a>, reading: &mut Reading<'_>) -> Option<(u32, Field<'a>)> {
    cursor.next().unwrap_or_else(|_damage| {
        reading.remarks.insert(UNREADABLE);
        None
    })
}
