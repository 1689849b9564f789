//! Metrics in JSON: counted, and the SDK's own counters of lost spans read.
use crate::domain::value::{Value, attribute};
use crate::otlp::budget::Budget;
use crate::otlp::error::{DecodeError, Look};
use crate::otlp::fault::Fault;
use crate::otlp::json::attributes::read_attributes;
use crate::otlp::json::fields::{number, word};
use crate::otlp::json::reader::{Reader, Scalar};
use crate::otlp::metrics::{Lost, MetricsTold};
use crate::otlp::reading::{Reading, Utf8};

/// Reads an `ExportMetricsServiceRequest` in OTLP/JSON as far as it is of use.
///
/// # Errors
/// When the body is not readable JSON.
pub fn read_metrics_json(body: &[u8]) -> Result<MetricsTold, DecodeError> {
    let mut told = MetricsTold::default();
    let mut reader = Reader::new(body);
    if reader.peek().is_none() {
        return Ok(told);
    }
    let read = reader.object(|reader, key| match key {
        "resourceMetrics" | "resource_metrics" => reader.array(|reader| in_resource(reader, &mut told)),
        _ => skip(reader),
    });
    if read.is_ok() && reader.rest().is_empty() {
        return Ok(told);
    }
    Err(match Look::of(body) {
        Look::Gzip => DecodeError::LooksLikeGzip,
        Look::Json | Look::Other => DecodeError::NotJson { expected: "resourceMetrics" },
    })
}

fn in_resource(reader: &mut Reader<'_>, told: &mut MetricsTold) -> Result<(), Fault> {
    let mut inside = MetricsTold::default();
    let mut service = String::new();
    reader.object(|reader, key| match key {
        "resource" => reader.object(|reader, key| match key {
            "attributes" => {
                service = text_attribute(reader, "service.name")?;
                Ok(())
            }
            _ => skip(reader),
        }),
        "scopeMetrics" | "scope_metrics" => reader.array(|reader| {
            reader.object(|reader, key| match key {
                "metrics" => reader.array(|reader| read_metric(reader, &mut inside)),
                _ => skip(reader),
            })
        }),
        _ => skip(reader),
    })?;
    told.data_points += inside.data_points;
    told.lost.extend(inside.lost.into_iter().map(|lost| Lost { service: service.clone(), ..lost }));
    told.lost.truncate(crate::otlp::metrics::LOST_MAX);
    Ok(())
}

/// A metric; its name may stand behind its points.
fn read_metric(reader: &mut Reader<'_>, told: &mut MetricsTold) -> Result<(), Fault> {
    let (mut name, mut points) = (String::new(), Vec::new());
    reader.object(|reader, key| match key {
        "name" => {
            if let Scalar::Text(text) = reader.scalar()? {
                name = String::from_utf8_lossy(&text.bytes).into_owned();
            }
            Ok(())
        }
        "gauge" | "sum" | "histogram" | "exponentialHistogram" | "exponential_histogram" | "summary" => {
            let (start, mut cumulative) = (points.len(), false);
            reader.object(|reader, key| match key {
                "dataPoints" | "data_points" => reader.array(|reader| {
                    points.push(read_point(reader)?);
                    Ok(())
                }),
                "aggregationTemporality" | "aggregation_temporality" => {
                    let names = ["UNSPECIFIED", "DELTA", "CUMULATIVE"];
                    let prefix = "AGGREGATION_TEMPORALITY_";
                    cumulative = word(reader, "aggregationTemporality", prefix, &names)? == 2;
                    Ok(())
                }
                _ => skip(reader),
            })?;
            points.iter_mut().skip(start).for_each(|point: &mut Lost| point.cumulative = cumulative);
            Ok(())
        }
        _ => skip(reader),
    })?;
    points.into_iter().for_each(|point| told.add(&name, point));
    Ok(())
}

fn read_point(reader: &mut Reader<'_>) -> Result<Lost, Fault> {
    let mut lost = Lost::default();
    reader.object(|reader, key| {
        match key {
            "asInt" | "as_int" => lost.spans = number::<i64>(reader, "asInt")?.try_into().unwrap_or_default(),
            "attributes" => lost.reason = text_attribute(reader, "error.type")?,
            _ => drop(reader.skip()),
        }
        Ok(())
    })?;
    Ok(lost)
}

fn text_attribute(reader: &mut Reader<'_>, key: &str) -> Result<String, Fault> {
    let (mut budget, mut remarks) = (Budget::new(), Default::default());
    let mut list = Vec::new();
    read_attributes(reader, &mut Reading::new(&mut budget, &mut remarks, Utf8::Lossy), &mut list)?;
    let text = attribute(&list, key).and_then(Value::as_str).unwrap_or_default();
    Ok(text.chars().take(200).collect())
}

fn skip(reader: &mut Reader<'_>) -> Result<(), Fault> {
    reader.skip();
    Ok(())
}
