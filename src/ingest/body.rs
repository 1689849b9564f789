//! Reads a request's body within limits of size, memory and time, and undoes its compression.
use std::io::Read;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use flate2::bufread::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::Body as HyperBody;
use tokio::time::{Instant, timeout_at};

use crate::ingest::refusal::Refusal;
use crate::ingest::room::{Held, Room};

/// How much is read of a body that is refused anyway, so that its sender hears the answer instead of a
/// connection reset: this many times the limit of a request.
const DRAIN_TIMES: usize = 4;

/// What a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BodyLimits {
    /// Bytes as sent.
    pub(crate) bytes_max: usize,
    /// Between two pieces.
    pub(crate) idle_timeout: Duration,
    /// From the first byte to the last.
    pub(crate) timeout: Duration,
}

/// A body as it came. The memory it takes is held until this is dropped.
#[derive(Debug)]
pub struct Packed {
    pub(crate) bytes: Bytes,
    pub(crate) gzip: bool,
    bytes_max: usize,
    held: Held,
}

impl Packed {
    /// The body without its compression. Takes a while: not for a thread that serves connections.
    ///
    /// # Errors
    /// When it is no gzip, is larger than a request may be, or there is no memory for it now.
    pub fn unpack(&mut self) -> Result<Bytes, Refusal> {
        if !self.gzip {
            return Ok(self.bytes.clone());
        }
        let unpacked = gunzip(&self.bytes, self.bytes_max)?;
        self.held.at_least(self.bytes.len() + unpacked.len())?;
        Ok(unpacked.into())
    }
}

/// Reads the whole body.
pub(crate) async fn collect(body: &mut Body, limits: &BodyLimits, room: &Room) -> Result<Packed, Refusal> {
    let too_large = Refusal::TooLarge { limit: limits.bytes_max, how: "as sent" };
    let announced = body.size_hint().exact().unwrap_or_default();
    let announced = usize::try_from(announced).unwrap_or(usize::MAX);
    if announced > limits.bytes_max {
        return Err(too_large);
    }
    let mut held = room.hold(announced)?;
    let mut whole = BytesMut::new();
    let deadline = Instant::now() + limits.timeout;
    loop {
        let until = deadline.min(Instant::now() + limits.idle_timeout);
        let Ok(frame) = timeout_at(until, body.frame()).await else { return Err(Refusal::TooSlow) };
        let Some(frame) = frame else { break };
        let Ok(frame) = frame else { return Err(Refusal::CutOff) };
        let Ok(piece) = frame.into_data() else { continue };
        if whole.is_empty() && piece.len() == announced {
            return Ok(Packed { bytes: piece, gzip: false, bytes_max: limits.bytes_max, held });
        }
        let length = whole.len() + piece.len();
        if length > limits.bytes_max {
            return Err(too_large);
        }
        held.at_least(length)?;
        if whole.is_empty() {
            whole.reserve(announced);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(Packed { bytes: whole.freeze(), gzip: false, bytes_max: limits.bytes_max, held })
}

/// Reads on after a refusal, without keeping anything. There is nothing to wait for where the body itself did
/// not come.
pub(crate) async fn drain(body: &mut Body, limits: &BodyLimits, refusal: &Refusal) {
    if matches!(refusal, Refusal::TooSlow | Refusal::CutOff) {
        return;
    }
    let deadline = Instant::now() + limits.timeout;
    let mut left = limits.bytes_max.saturating_mul(DRAIN_TIMES);
    while left > 0 {
        let until = deadline.min(Instant::now() + limits.idle_timeout);
        let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await else { return };
        left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
    }
}

/// Undoes gzip, up to the limit.
fn gunzip(bytes: &[u8], bytes_max: usize) -> Result<Vec<u8>, Refusal> {
    let mut whole = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut whole).or(Err(Refusal::BadGzip))?;
    if whole.len() > bytes_max {
        return Err(Refusal::TooLarge { limit: bytes_max, how: "decompressed" });
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_is_undone_within_the_limit_or_refused() {
        let zipped = gzip(b"hello");
        assert_eq!(gunzip(&zipped, 5), Ok(b"hello".to_vec()));
        assert_eq!(gunzip(&[zipped.clone(), zipped.clone()].concat(), 10), Ok(b"hellohello".to_vec()));
        assert_eq!(gunzip(&zipped, 4), Err(Refusal::TooLarge { limit: 4, how: "decompressed" }));
        let garbage = [&zipped[..], b"garbage"].concat();
        for broken in [&zipped[..zipped.len() - 1], &zipped[..12], b"hello", b"", &garbage] {
            assert_eq!(gunzip(broken, 100), Err(Refusal::BadGzip), "{broken:?}");
        }
        let bomb = gzip(&vec![0; 50 << 20]);
        assert!(bomb.len() < 1 << 20);
        assert!(matches!(gunzip(&bomb, 1 << 20), Err(Refusal::TooLarge { .. })));
    }

    #[tokio::test]
    async fn a_body_is_read_within_its_limits() {
        let room = Room::new(1 << 20);
        let limits = BodyLimits {
            bytes_max: 10,
            idle_timeout: Duration::from_millis(30),
            timeout: Duration::from_millis(100),
        };
        let mut packed = collect(&mut Body::from("0123456789"), &limits, &room).await.unwrap();
        assert_eq!(packed.unpack().unwrap(), "0123456789");
        let too_large = collect(&mut Body::from("0123456789a"), &limits, &room).await;
        assert_eq!(too_large.unwrap_err(), Refusal::TooLarge { limit: 10, how: "as sent" });
        let pieces = |pieces: Vec<&'static str>, slow: bool| {
            Body::from_stream(futures_util::stream::unfold(pieces.into_iter(), move |mut rest| async move {
                if slow {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                rest.next().map(|piece| (Ok::<_, std::convert::Infallible>(piece), rest))
            }))
        };
        let mut packed = collect(&mut pieces(vec!["01", "23"], false), &limits, &room).await.unwrap();
        assert_eq!(packed.unpack().unwrap(), "0123");
        let too_large = collect(&mut pieces(vec!["0123456", "789a"], false), &limits, &room).await;
        assert!(matches!(too_large, Err(Refusal::TooLarge { .. })));
        let too_slow = collect(&mut pieces(vec!["0"; 9], true), &limits, &room).await;
        assert_eq!(too_slow.unwrap_err(), Refusal::TooSlow);
    }
}
