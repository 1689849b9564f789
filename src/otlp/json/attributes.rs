//! Values, attribute lists, resources and scopes in JSON.
use crate::domain::step::ScopeInfo;
use crate::domain::value::Value;
use crate::otlp::fault::Fault;
use crate::otlp::json::fields::{base64, name, text};
use crate::otlp::json::number::whole;
use crate::otlp::json::reader::{BROKEN, Reader, Scalar};
use crate::otlp::limits::NESTING_MAX;
use crate::otlp::reading::Reading;

/// A list of `{"key": …, "value": {…}}`, added to the list.
pub(crate) fn read_attributes(
    reader: &mut Reader<'_>,
    reading: &mut Reading<'_>,
    list: &mut Vec<(String, Value)>,
) -> Result<(), Fault> {
    reader.array(|reader| {
        let (key, value) = key_value(reader, reading, 1)?;
        reading.attribute(list, key, value);
        Ok(())
    })
}

/// An `AnyValue`; the last of its members counts. `depth` is 1 for an attribute's own value.
pub(crate) fn read_value(
    reader: &mut Reader<'_>,
    reading: &mut Reading<'_>,
    depth: u32,
) -> Result<Value, Fault> {
    if depth > NESTING_MAX {
        return Err(Fault::TooDeep);
    }
    if !matches!(reader.peek(), Some(b'{' | b'n')) {
        return Err(Fault::BadValue { field: "value", expected: "an object such as {\"stringValue\": …}" });
    }
    let mut value = Value::Empty;
    reader.object(|reader, key| {
        if reader.null() {
            return Ok(());
        }
        value = match key {
            "stringValue" | "string_value" => {
                let text = text(reader, reading, "stringValue")?;
                Value::String(reading.text(text)?)
            }
            "boolValue" | "bool_value" => bool_value(reader)?,
            "intValue" | "int_value" => int_value(reader)?,
            "doubleValue" | "double_value" => double_value(reader)?,
            "arrayValue" | "array_value" => array(reader, reading, depth)?,
            "kvlistValue" | "kvlist_value" => map(reader, reading, depth)?,
            "bytesValue" | "bytes_value" => bytes_value(reader, reading)?,
            _ => {
                reader.skip();
                reading.remarks.insert("a value of a kind unknown here was left empty");
                Value::Empty
            }
        };
        Ok(())
    })?;
    Ok(value)
}

fn bool_value(reader: &mut Reader<'_>) -> Result<Value, Fault> {
    let wrong = Fault::BadValue { field: "boolValue", expected: "true or false" };
    match reader.scalar()? {
        Scalar::Bool(truth) => Ok(Value::Bool(truth)),
        Scalar::Text(text) if text.bytes.eq_ignore_ascii_case(b"true") => Ok(Value::Bool(true)),
        Scalar::Text(text) if text.bytes.eq_ignore_ascii_case(b"false") => Ok(Value::Bool(false)),
        Scalar::Text(_) | Scalar::Number(_) | Scalar::Null => Err(wrong),
    }
}

/// An integer; a number that is none stays what it is, a double, rather than costing its record.
fn int_value(reader: &mut Reader<'_>) -> Result<Value, Fault> {
    let spelt = spelt(reader, "intValue")?;
    if let Some(int) = whole(&spelt).and_then(|number| i64::try_from(number).ok()) {
        return Ok(Value::Int(int));
    }
    let double = spelt.parse::<f64>().ok().filter(|double| double.is_finite());
    double.map(Value::Double).ok_or(Fault::BadValue { field: "intValue", expected: "a number" })
}

/// A double; also `"NaN"`, `"Infinity"` and `"-Infinity"`, as proto3 JSON writes them.
fn double_value(reader: &mut Reader<'_>) -> Result<Value, Fault> {
    let spelt = spelt(reader, "doubleValue")?;
    let double = spelt.parse().or(Err(Fault::BadValue { field: "doubleValue", expected: "a number" }))?;
    Ok(Value::Double(double))
}

fn spelt(reader: &mut Reader<'_>, field: &'static str) -> Result<String, Fault> {
    match reader.scalar()? {
        Scalar::Number(spelt) => Ok(spelt.to_owned()),
        Scalar::Text(text) => Ok(String::from_utf8_lossy(&text.bytes).trim().to_owned()),
        Scalar::Bool(_) | Scalar::Null => Err(Fault::BadValue { field, expected: "a number" }),
    }
}

fn bytes_value(reader: &mut Reader<'_>, reading: &mut Reading<'_>) -> Result<Value, Fault> {
    let text = text(reader, reading, "bytesValue")?;
    let bytes = base64(&text).ok_or(Fault::BadValue { field: "bytesValue", expected: "base64" })?;
    Ok(Value::Bytes(reading.bytes(&bytes)?))
}

fn array(reader: &mut Reader<'_>, reading: &mut Reading<'_>, depth: u32) -> Result<Value, Fault> {
    let mut values = Vec::new();
    reader.object(|reader, key| {
        if key != "values" {
            reader.skip();
            return Ok(());
        }
        reader.array(|reader| {
            reading.budget.value(0)?;
            values.push(read_value(reader, reading, depth + 1)?);
            Ok(())
        })
    })?;
    Ok(Value::Array(values))
}

fn map(reader: &mut Reader<'_>, reading: &mut Reading<'_>, depth: u32) -> Result<Value, Fault> {
    let mut entries = Vec::new();
    reader.object(|reader, key| {
        if key != "values" {
            reader.skip();
            return Ok(());
        }
        reader.array(|reader| {
            entries.push(key_value(reader, reading, depth + 1)?);
            Ok(())
        })
    })?;
    Ok(Value::Map(entries))
}

fn key_value(
    reader: &mut Reader<'_>,
    reading: &mut Reading<'_>,
    depth: u32,
) -> Result<(String, Value), Fault> {
    reading.budget.value(0)?;
    if !matches!(reader.peek(), Some(b'{' | b'n')) {
        return Err(Fault::BadValue {
            field: "attributes",
            expected: "a list of {\"key\": …, \"value\": {…}}",
        });
    }
    let (mut key, mut value) = (String::new(), Value::Empty);
    reader.object(|reader, member| {
        match member {
            "key" => {
                let text = text(reader, reading, "attributes.key")?;
                key = reading.name(text)?;
            }
            "value" => value = read_value(reader, reading, depth)?,
            _ => drop(reader.skip()),
        }
        Ok(())
    })?;
    Ok((key, value))
}

const UNREADABLE: &str = "a resource or scope could not be read whole; its records are kept";

/// The attributes of a resource, added to the list: as many as can be read.
pub(crate) fn read_resource(json: &[u8], reading: &mut Reading<'_>, list: &mut Vec<(String, Value)>) {
    let read = Reader::new(json).object(|reader, key| match key {
        "attributes" => lenient_attributes(reader, reading, list),
        _ => {
            reader.skip();
            Ok(())
        }
    });
    if read.is_err() {
        reading.remarks.insert(UNREADABLE);
    }
}

/// An instrumentation scope: as much as can be read.
pub(crate) fn read_scope(json: &[u8], reading: &mut Reading<'_>, scope: &mut ScopeInfo) {
    let read = Reader::new(json).object(|reader, key| {
        match key {
            "name" => scope.name = name(reader, reading, "scope.name")?,
            "version" => scope.version = name(reader, reading, "scope.version")?,
            "attributes" => lenient_attributes(reader, reading, &mut scope.attributes)?,
            _ => drop(reader.skip()),
        }
        Ok(())
    });
    if read.is_err() {
        reading.remarks.insert(UNREADABLE);
    }
}

/// A list of attributes of which an unreadable one costs only itself.
fn lenient_attributes(
    reader: &mut Reader<'_>,
    reading: &mut Reading<'_>,
    list: &mut Vec<(String, Value)>,
) -> Result<(), Fault> {
    reader.array(|reader| {
        let raw = reader.skip();
        if !raw.whole {
            return Err(BROKEN);
        }
        match key_value(&mut Reader::new(raw.text), reading, 1) {
            Ok((key, value)) => reading.attribute(list, key, value),
            Err(_) => drop(reading.remarks.insert(UNREADABLE)),
        }
        Ok(())
    })
}
