//! The OTLP specification 1.11 as a table: what every signal over every transport must hear, case by case.
use std::fmt;

use axum::http::{Method, StatusCode};
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::metrics::v1::{
    Gauge, Metric, NumberDataPoint, ResourceMetrics, ScopeMetrics, metric,
};
use prost::Message;
use recount::ingest::{DoorSettings, Refusal, Signal};
use recount::server::ServeLimits;
use tonic::{Code, Status};
use tonic_types::{Status as RpcStatus, StatusExt};

use crate::wire::client::{Reply, call, frame, gzip, send};
use crate::wire::http::spans;
use crate::wire::server::{Server, start_with};

const WAYS: [Way; 3] = [Way::Grpc, Way::Protobuf, Way::Json];
const LIMIT: usize = 1 << 20;

/// How a request travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Grpc,
    Protobuf,
    Json,
}

/// What a sender hears, whichever way it asked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Heard {
    /// Everything was taken.
    Ok,
    /// So many were not.
    Partly(i64),
    /// Nothing was; trying again is of no use.
    Never(Code),
    /// Nothing was; try again after so many seconds.
    Later(Code, u64),
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Way {
    fn media(self) -> &'static str {
        match self {
            Self::Grpc => "application/grpc",
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }

    /// Sends a body: a message for gRPC is framed here.
    async fn send(self, server: &Server, signal: Signal, body: &[u8], encoding: &str) -> Reply {
        if self == Self::Grpc {
            let flag = u8::from(encoding != "identity");
            let headers = [("grpc-encoding", encoding)];
            return call(server.address, signal.grpc_path(), &headers, frame(flag, body)).await;
        }
        let headers = [("content-type", self.media()), ("content-encoding", encoding)];
        send(server.address, Method::POST, signal.path(), &headers, body.to_vec()).await
    }

    /// Reads the answer as its specification says, and no other way.
    fn heard(self, signal: Signal, reply: &Reply) -> Heard {
        // The type of the answer is that of the request.
        assert_eq!(reply.header("content-type"), self.media(), "{self} {signal:?} {}", reply.status);
        match self {
            Self::Grpc => heard_over_grpc(signal, reply),
            Self::Protobuf | Self::Json if reply.status == StatusCode::OK => told(self, signal, &reply.body),
            Self::Protobuf | Self::Json => heard_over_http(self, reply),
        }
    }
}

fn heard_over_grpc(signal: Signal, reply: &Reply) -> Heard {
    assert_eq!(reply.status, StatusCode::OK, "gRPC speaks in its own status");
    let status =
        Status::from_header_map(&reply.headers).or_else(|| Status::from_header_map(&reply.trailers)).unwrap();
    if status.code() == Code::Ok {
        let (head, message) = reply.body.split_at_checked(5).expect("a frame");
        assert_eq!(head.first(), Some(&0), "an answer is not compressed");
        return told(Way::Grpc, signal, message);
    }
    assert!(!status.message().is_empty());
    let delay = status.get_details_retry_info().and_then(|info| info.retry_delay);
    delay.map_or(Heard::Never(status.code()), |delay| Heard::Later(status.code(), delay.as_secs()))
}

fn heard_over_http(way: Way, reply: &Reply) -> Heard {
    // The body of an error is a Status, in the format of the request.
    let (code, message) = if way == Way::Json {
        let status: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        (status.get("code").unwrap().as_i64(), status.get("message").unwrap().as_str().unwrap().to_owned())
    } else {
        let status = RpcStatus::decode(reply.body.clone()).unwrap();
        (Some(i64::from(status.code)), status.message)
    };
    assert!(!message.is_empty() && code.is_some_and(|code| code > 0), "{}: {code:?} {message}", reply.status);
    let code = match reply.status {
        StatusCode::BAD_REQUEST => Code::InvalidArgument,
        StatusCode::PAYLOAD_TOO_LARGE => Code::ResourceExhausted,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::Unimplemented,
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        _ => Code::Unknown,
    };
    match reply.header("retry-after") {
        "" => Heard::Never(code),
        seconds => Heard::Later(code, seconds.parse().unwrap()),
    }
}

/// What a success says of what was not taken.
fn told(way: Way, signal: Signal, body: &[u8]) -> Heard {
    let rejected = if way == Way::Json {
        let answer: serde_json::Value = serde_json::from_slice(body).unwrap();
        let partial = answer.get("partialSuccess").and_then(serde_json::Value::as_object);
        // A 64-bit number is a text in JSON.
        partial.map(|partial| {
            let name = match signal {
                Signal::Traces => "rejectedSpans",
                Signal::Logs => "rejectedLogRecords",
                Signal::Metrics => "rejectedDataPoints",
            };
            partial.get(name).unwrap().as_str().unwrap().parse().unwrap()
        })
    } else {
        match signal {
            Signal::Traces => {
                let partial = ExportTraceServiceResponse::decode(body).unwrap().partial_success;
                partial.map(|partial| partial.rejected_spans)
            }
            Signal::Logs => {
                let partial = ExportLogsServiceResponse::decode(body).unwrap().partial_success;
                partial.map(|partial| partial.rejected_log_records)
            }
            Signal::Metrics => {
                let partial = ExportMetricsServiceResponse::decode(body).unwrap().partial_success;
                partial.map(|partial| partial.rejected_data_points)
            }
        }
    };
    // On a full success the field is not there at all.
    rejected.map_or(Heard::Ok, Heard::Partly)
}

/// A request of two records; the name of each is in it as text.
fn request(way: Way, signal: Signal) -> Vec<u8> {
    let names = ["record-0", "record-1"];
    let text = |name: &str| name.to_owned();
    match signal {
        Signal::Traces => encoded(way, &spans(&names)),
        Signal::Logs => {
            let record = |name: &&str| LogRecord { event_name: text(name), ..LogRecord::default() };
            let log_records = names.iter().map(record).collect();
            let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
            let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
            encoded(way, &ExportLogsServiceRequest { resource_logs })
        }
        Signal::Metrics => {
            let gauge = || Gauge { data_points: vec![NumberDataPoint::default()] };
            let metric = |name: &&str| Metric {
                name: text(name),
                data: Some(metric::Data::Gauge(gauge())),
                ..Metric::default()
            };
            let metrics = names.iter().map(metric).collect();
            let scope_metrics = vec![ScopeMetrics { metrics, ..ScopeMetrics::default() }];
            let resource_metrics = vec![ResourceMetrics { scope_metrics, ..ResourceMetrics::default() }];
            encoded(way, &ExportMetricsServiceRequest { resource_metrics })
        }
    }
}

fn encoded<M: Message + serde::Serialize>(way: Way, message: &M) -> Vec<u8> {
    match way {
        Way::Json => serde_json::to_vec(message).unwrap(),
        Way::Grpc | Way::Protobuf => message.encode_to_vec(),
    }
}

#[tokio::test]
async fn every_signal_hears_the_same_over_every_transport() {
    let door = DoorSettings { request_bytes_max: LIMIT, ..DoorSettings::default() };
    let server = start_with(door, ServeLimits::default()).await;
    let large = vec![b' '; LIMIT + 1];
    for signal in Signal::ALL {
        for way in WAYS {
            let good = request(way, signal);
            // Metrics are read for what they tell and not kept, and their sender hears that.
            let taken = if signal == Signal::Metrics { Heard::Partly(2) } else { Heard::Ok };
            let garbage: &[u8] = if way == Way::Json { b"[not json" } else { b"\xff\xff\xff" };
            for (case, body, encoding, expected) in [
                ("empty", Vec::new(), "identity", Heard::Ok),
                ("two records", good.clone(), "identity", taken.clone()),
                ("two records, gzip", gzip(&good), "gzip", taken),
                ("nothing, gzip", gzip(b""), "gzip", Heard::Ok),
                ("garbage", garbage.to_vec(), "identity", Heard::Never(Code::InvalidArgument)),
                ("no gzip", b"no gzip".to_vec(), "gzip", Heard::Never(Code::InvalidArgument)),
                ("cut off", gzip(&good)[..20].to_vec(), "gzip", Heard::Never(Code::InvalidArgument)),
                ("another coding", good.clone(), "zstd", Heard::Never(Code::Unimplemented)),
                ("huge", large.clone(), "identity", Heard::Never(Code::ResourceExhausted)),
                ("huge, once unpacked", gzip(&large), "gzip", Heard::Never(Code::ResourceExhausted)),
            ] {
                let heard = way.heard(signal, &way.send(&server, signal, &body, encoding).await);
                assert_eq!(heard, expected, "{case}: {signal:?} over {way}");
            }
        }
    }
    // Spans and records of logs came in twice each way; metrics are not kept.
    assert_eq!(server.names().len(), 2 * 2 * 2 * WAYS.len());
    server.refuse(Refusal::Full);
    for signal in Signal::ALL {
        for way in WAYS {
            let reply = way.send(&server, signal, &request(way, signal), "identity").await;
            assert_eq!(
                way.heard(signal, &reply),
                Heard::Later(Code::Unavailable, 5),
                "{signal:?} over {way}"
            );
        }
    }
}

#[tokio::test]
async fn one_bad_record_is_told_and_its_neighbour_is_taken() {
    let server = start_with(DoorSettings::default(), ServeLimits::default()).await;
    for signal in [Signal::Traces, Signal::Logs] {
        for way in [Way::Grpc, Way::Protobuf] {
            let mut body = request(way, signal);
            let at = body.windows(8).position(|window| window == b"record-0").unwrap();
            body[at] = 0xff;
            let heard = way.heard(signal, &way.send(&server, signal, &body, "identity").await);
            assert_eq!(heard, Heard::Partly(1), "{signal:?} over {way}");
        }
        let text = String::from_utf8(request(Way::Json, signal)).unwrap();
        let bad = text.replacen("\"record-0\"", "{}", 1);
        let heard =
            Way::Json.heard(signal, &Way::Json.send(&server, signal, bad.as_bytes(), "identity").await);
        assert_eq!(heard, Heard::Partly(1), "{signal:?} over JSON");
    }
    assert_eq!(server.names(), ["record-1"; 6]);
}
