//! Metrics in protobuf: counted, and the SDK's own counters of lost spans read.
use crate::otlp::error::{DecodeError, Look};
use crate::otlp::metrics::{Lost, MetricsTold, tells_of_loss};
use crate::otlp::protobuf::cursor::{Cursor, Field};

/// Reads an `ExportMetricsServiceRequest` as far as it is of use.
///
/// # Errors
/// When the body is not a readable protobuf message.
pub fn read_metrics_protobuf(body: &[u8]) -> Result<MetricsTold, DecodeError> {
    let mut told = MetricsTold::default();
    let whole = each(body, 1, |resource_metrics| {
        let mut service = String::new();
        each(resource_metrics, 1, |resource| {
            if let Some(name) = text_attribute(resource, 1, "service.name") {
                service = name;
            }
        });
        each(resource_metrics, 2, |scope_metrics| {
            each(scope_metrics, 2, |metric| read_metric(metric, &service, &mut told));
        });
    });
    if whole {
        return Ok(told);
    }
    Err(match Look::of(body) {
        Look::Json => DecodeError::LooksLikeJson,
        Look::Gzip => DecodeError::LooksLikeGzip,
        Look::Other => DecodeError::NotProtobuf,
    })
}

fn read_metric(metric: &[u8], service: &str, told: &mut MetricsTold) {
    let mut name = String::new();
    each(metric, 1, |bytes| name = String::from_utf8_lossy(bytes).into_owned());
    // Gauge, sum, histogram, exponential histogram, summary: each has its points in field 1.
    for kind in [5, 7, 9, 10, 11] {
        each(metric, kind, |data| {
            let cumulative = varint(data, 2) == Some(2);
            each(data, 1, |point| {
                let lost = if tells_of_loss(&name) { read_point(point) } else { Lost::default() };
                told.add(&name, Lost { service: service.to_owned(), cumulative, ..lost });
            });
        });
    }
}

/// A `NumberDataPoint` of a counter.
fn read_point(point: &[u8]) -> Lost {
    let mut lost =
        Lost { reason: text_attribute(point, 7, "error.type").unwrap_or_default(), ..Lost::default() };
    let mut cursor = Cursor::new(point);
    while let Ok(Some((number, field))) = cursor.next() {
        match (number, field) {
            (6, Field::Fixed64(int)) => lost.spans = u64::try_from(int.cast_signed()).unwrap_or_default(),
            (4, Field::Fixed64(bits)) => lost.spans = whole(f64::from_bits(bits)),
            _ => {}
        }
    }
    lost
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a double saturates")]
fn whole(double: f64) -> u64 {
    double as u64
}

/// The text under this key in the attributes at this field number.
fn text_attribute(message: &[u8], field: u32, key: &str) -> Option<String> {
    let mut found = None;
    each(message, field, |key_value| {
        let mut is_it = false;
        each(key_value, 1, |bytes| is_it = bytes == key.as_bytes());
        if is_it {
            each(key_value, 2, |value| {
                each(value, 1, |text| {
                    found = Some(String::from_utf8_lossy(text).chars().take(200).collect())
                });
            });
        }
    });
    found
}

fn varint(message: &[u8], field: u32) -> Option<u64> {
    let mut cursor = Cursor::new(message);
    while let Ok(Some((number, value))) = cursor.next() {
        if let (true, Field::Varint(value)) = (number == field, value) {
            return Some(value);
        }
    }
    None
}

/// Goes through the messages at this field number; false when the message around them is damaged.
fn each<'a>(message: &'a [u8], field: u32, mut visit: impl FnMut(&'a [u8])) -> bool {
    let mut cursor = Cursor::new(message);
    loop {
        match cursor.next() {
            Ok(None) => return true,
            Ok(Some((number, Field::Bytes(bytes)))) if number == field => visit(bytes),
            Ok(Some((_, Field::Short(_)))) | Err(_) => return false,
            Ok(Some(_)) => {}
        }
    }
}
