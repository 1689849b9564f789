//! The answer: whole when it is small, piece by piece when it is not, and an exception where there is one.
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;
use tokio::time::Sleep;

use crate::store::engine::exception::Exception;
use crate::store::engine::pool::Cancel;

/// Results up to this size are answered whole, with their length.
const WHOLE_BYTES_MAX: usize = 256 << 10;
/// The client finds an exception only if it reads it in one piece, so it is sent twice, apart from what went
/// before.
const EXCEPTION_TIMES: u32 = 2;
const EXCEPTION_EVERY: Duration = Duration::from_millis(30);
/// A client that found it leaves at once. One that did not must not take the cut result for a whole one:
/// after this the connection is broken. What is still on its way to a slow reader would be lost by breaking
/// it earlier.
const EXCEPTION_LINGER: Duration = Duration::from_secs(10);

/// The body of every answer.
pub(super) type Reply = Either<Full<Bytes>, Pieces>;

/// What the thread that runs a statement sends.
pub(super) enum Piece {
    /// More of the result.
    Rows(Bytes),
    /// The statement failed.
    Failed(Exception),
    /// The result is complete.
    End,
}

/// A complete answer.
pub(super) fn whole(body: impl Into<Bytes>) -> Response<Reply> {
    Response::new(Either::Left(Full::new(body.into())))
}

/// An exception, before anything else was sent.
pub(super) fn refusal(status: StatusCode, exception: &Exception) -> Response<Reply> {
    let mut response = whole(format!("{exception}\n"));
    *response.status_mut() = status;
    response.headers_mut().insert("X-ClickHouse-Exception-Code", exception.code().into());
    response
}

/// Waits for the first pieces and answers with what there is.
pub(super) async fn of_pieces(mut pieces: mpsc::Receiver<Piece>, cancel: Cancel) -> Response<Reply> {
    let mut first = VecDeque::new();
    let mut bytes = 0;
    while bytes <= WHOLE_BYTES_MAX {
        match pieces.recv().await {
            Some(Piece::Rows(rows)) => {
                bytes += rows.len();
                first.push_back(rows);
            }
            Some(Piece::Failed(exception)) => return refusal(StatusCode::INTERNAL_SERVER_ERROR, &exception),
            Some(Piece::End) => return whole(joined(first, bytes)),
            None => {
                return refusal(StatusCode::INTERNAL_SERVER_ERROR, &Exception::of("the statement broke off"));
            }
        }
    }
    let mut tag = [0; 16];
    getrandom::fill(&mut tag).unwrap_or_default();
    let tag: String = tag.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
    let mut response = Response::builder().header("X-ClickHouse-Exception-Tag", &tag);
    if let Some(headers) = response.headers_mut() {
        headers.insert(hyper::header::CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    }
    let pieces = Pieces { first, rest: pieces, tag, broken: None, _cancel: cancel };
    response.body(Either::Right(pieces)).unwrap_or_else(|_| whole(Bytes::new()))
}

fn joined(pieces: VecDeque<Bytes>, bytes: usize) -> Bytes {
    if pieces.len() == 1 {
        return pieces.into_iter().next().unwrap_or_default();
    }
    let mut whole = Vec::with_capacity(bytes);
    pieces.iter().for_each(|piece| whole.extend_from_slice(piece));
    whole.into()
}

/// A long result. Dropped before its end, its statement is stopped.
pub(super) struct Pieces {
    first: VecDeque<Bytes>,
    rest: mpsc::Receiver<Piece>,
    tag: String,
    broken: Option<Broken>,
    _cancel: Cancel,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(broken) = &mut self.broken {
            return broken.poll_tail(context).map(Some);
        }
        if let Some(piece) = self.first.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let exception = match std::task::ready!(self.rest.poll_recv(context)) {
            Some(Piece::Rows(rows)) => return Poll::Ready(Some(Ok(Frame::data(rows)))),
            Some(Piece::End) => return Poll::Ready(None),
            Some(Piece::Failed(exception)) => exception,
            None => Exception::of("the statement broke off"),
        };
        let tail = tail(&exception, &self.tag).into();
        let wait = Box::pin(tokio::time::sleep(EXCEPTION_EVERY));
        self.broken.insert(Broken { tail, left: EXCEPTION_TIMES, wait }).poll_tail(context).map(Some)
    }
}

/// The end of an answer that broke off.
struct Broken {
    tail: Bytes,
    left: u32,
    wait: Pin<Box<Sleep>>,
}

impl Broken {
    fn poll_tail(&mut self, context: &mut Context<'_>) -> Poll<Result<Frame<Bytes>, io::Error>> {
        std::task::ready!(self.wait.as_mut().poll(context));
        let Some(left) = self.left.checked_sub(1) else {
            return Poll::Ready(Err(io::Error::other("the statement failed")));
        };
        self.left = left;
        let wait = if left == 0 { EXCEPTION_LINGER } else { EXCEPTION_EVERY };
        self.wait.as_mut().reset(tokio::time::Instant::now() + wait);
        Poll::Ready(Ok(Frame::data(self.tail.clone())))
    }
}

/// How ClickHouse ends an answer that broke off after its headers were sent.
fn tail(exception: &Exception, tag: &str) -> String {
    let message = format!("{exception}\n");
    let length = message.len();
    format!("\r\n__exception__\r\n{tag}\r\n{message}{length} {tag}\r\n__exception__\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_answer_ends_as_clickhouse_ends_it() {
        let tail = tail(&Exception::new(159, "TIMEOUT_EXCEEDED", "too slow."), "rnywyenlaeqynhmu");
        assert_eq!(
            tail,
            "\r\n__exception__\r\nrnywyenlaeqynhmu\r\n\
             Code: 159. DB::Exception: too slow. (TIMEOUT_EXCEEDED)\n\
             55 rnywyenlaeqynhmu\r\n__exception__\r\n"
        );
    }
}
