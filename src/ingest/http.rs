//! OTLP over HTTP: protobuf and JSON on one path a signal.
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::Response;

use crate::ingest::admit;
use crate::ingest::asked::{Asked, taken};
use crate::ingest::body::drain;
use crate::ingest::door::{Door, Export};
use crate::ingest::refusal::Refusal;
use crate::ingest::signal::{Answer, Signal};

const TRANSPORT: &str = "http";

/// Takes one request.
pub(crate) async fn export(door: Arc<Door>, signal: Signal, request: Request) -> Response {
    let start = Instant::now();
    let (parts, mut body) = request.into_parts();
    let asked = Asked::of(&parts.headers);
    let response = match (asked, take(&door, signal, asked, &parts, &mut body).await) {
        (Asked::Http(format, media), Ok(answer)) => taken(&answer, signal, format, media),
        (Asked::Grpc | Asked::Other, Ok(_)) => asked.refused(&Refusal::Fault),
        (_, Err(refusal)) => {
            drain(&mut body, &door.limits, &refusal).await;
            asked.refused(&refusal)
        }
    };
    let code = response.status().as_u16().to_string();
    door.meters.answered(TRANSPORT, signal.word(), code, start.elapsed());
    response
}

async fn take(
    door: &Door,
    signal: Signal,
    asked: Asked,
    parts: &Parts,
    body: &mut Body,
) -> Result<Answer, Refusal> {
    let sender = admit::sender(&door.access, parts);
    let read = async {
        let sender = sender.clone()?;
        let Asked::Http(format, _) = asked else { return Err(Refusal::WrongType) };
        let gzip = is_gzip(&parts.headers)?;
        let mut packed = door.read(body, TRANSPORT).await?;
        packed.gzip = gzip;
        Ok(Export { signal, format, transport: TRANSPORT, sender, packed })
    };
    door.pass(read.await, signal, TRANSPORT, sender.ok().map(|sender| sender.project)).await
}

/// Whether the body is compressed; anything but gzip once is refused.
fn is_gzip(headers: &HeaderMap) -> Result<bool, Refusal> {
    let mut gzip = false;
    for value in headers.get_all(header::CONTENT_ENCODING) {
        let value = value.to_str().or(Err(Refusal::WrongEncoding))?;
        for coding in value.split(',').map(str::trim) {
            match coding.to_ascii_lowercase().as_str() {
                "" | "identity" => {}
                "gzip" | "x-gzip" if !gzip => gzip = true,
                _ => return Err(Refusal::WrongEncoding),
            }
        }
    }
    Ok(gzip)
}

/// The answer on a path that is not one of OTLP, naming the one that was probably meant.
pub(crate) async fn wrong_path(door: Arc<Door>, request: Request) -> Response {
    let refusal = Refusal::WrongPath(right_path(request.uri().path()));
    refuse(&door, request, &refusal).await
}

/// The answer to another method than POST.
pub(crate) async fn wrong_method(door: Arc<Door>, request: Request) -> Response {
    refuse(&door, request, &Refusal::WrongMethod).await
}

async fn refuse(door: &Door, request: Request, refusal: &Refusal) -> Response {
    let asked = Asked::of(request.headers());
    drain(&mut request.into_body(), &door.limits, refusal).await;
    let response = asked.refused(refusal);
    let code = response.status().as_u16().to_string();
    door.meters.answered(TRANSPORT, "none", code, Duration::ZERO);
    response
}

fn right_path(path: &str) -> String {
    let meant = Signal::ALL.into_iter().find(|signal| path.trim_end_matches('/').ends_with(signal.path()));
    match meant {
        Some(signal) => format!(
            "unknown path; {} go to {}: exporters append that themselves, the endpoint must not end with it",
            signal.word(),
            signal.path(),
        ),
        None => "unknown path; OTLP/HTTP traces go to /v1/traces, logs to /v1/logs, metrics to /v1/metrics; \
                 the pages are on the port of the web interface"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn gzip_counts_once_and_nothing_else_counts() {
        for (values, expected) in [
            (&[][..], Ok(false)),
            (&["identity"], Ok(false)),
            (&["GZIP"], Ok(true)),
            (&["identity, gzip"], Ok(true)),
            (&["gzip, gzip"], Err(Refusal::WrongEncoding)),
            (&["gzip", "gzip"], Err(Refusal::WrongEncoding)),
            (&["zstd"], Err(Refusal::WrongEncoding)),
            (&["br"], Err(Refusal::WrongEncoding)),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::CONTENT_ENCODING, HeaderValue::from_static(value));
            }
            assert_eq!(is_gzip(&headers), expected, "{values:?}");
        }
    }

    #[test]
    fn the_right_path_is_named() {
        assert!(right_path("/v1/traces/v1/traces").contains("traces go to /v1/traces: exporters append"));
        assert!(right_path("/v1/logs/v1/logs/").contains("logs go to /v1/logs:"));
        assert!(right_path("/").contains("/v1/metrics"));
    }
}
