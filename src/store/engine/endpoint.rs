//! The HTTP interface of ClickHouse over the embedded engine: what its official client needs of it, no more.
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use data_encoding::BASE64;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::store::engine::connection::Parameter;
use crate::store::engine::exception::Exception;
use crate::store::engine::joining::Joining;
use crate::store::engine::pool::{Lease, Pool};
use crate::store::engine::reply::{Piece, Reply, of_pieces, refusal, whole};
use crate::store::engine::request::{Asked, Statement, names_format, read};
use crate::store::engine::written::Written;
use crate::store::password::Password;

/// How many pieces wait between the engine and the wire, either way.
const PIECES_WAITING_MAX: usize = 2;

/// Who may use the engine over a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The user.
    pub user: String,
    /// The user's password.
    pub password: Password,
}

/// Answers requests with one engine.
#[derive(Clone)]
pub(super) struct Endpoint {
    pool: Arc<Pool>,
    credentials: Option<Arc<Credentials>>,
}

impl Endpoint {
    pub(super) fn new(pool: Arc<Pool>, credentials: Option<Credentials>) -> Self {
        Self { pool, credentials: credentials.map(Arc::new) }
    }

    /// Serves one connection to its end.
    pub(super) async fn serve(self, io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let service = service_fn(move |request| {
            let endpoint = self.clone();
            async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
        });
        // An error here is a client that went away; its statement is stopped by what was dropped.
        if let Err(error) =
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(io), service).await
        {
            tracing::debug!(%error, "a connection to the embedded engine broke off");
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Reply> {
        let (parts, body) = request.into_parts();
        if matches!(parts.uri.path(), "/ping") {
            return whole("Ok.\n");
        }
        if !self.admits(&parts.headers) {
            let exception = Exception::new(
                516,
                "AUTHENTICATION_FAILED",
                "Authentication failed: wrong user or password.",
            );
            return refusal(StatusCode::FORBIDDEN, &exception);
        }
        match read(&parts, body).await {
            Ok(asked) => self.run(asked).await,
            Err(exception) => refusal(StatusCode::BAD_REQUEST, &exception),
        }
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let Some(credentials) = &self.credentials else { return true };
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let basic = format!("{}:{}", credentials.user, credentials.password.0);
        (header("X-ClickHouse-User") == credentials.user
            && header("X-ClickHouse-Key") == credentials.password.0)
            || header(AUTHORIZATION.as_str()) == format!("Basic {}", BASE64.encode(basic.as_bytes()))
    }

    async fn run(&self, asked: Asked) -> Response<Reply> {
        let reads = matches!(asked.statement, Statement::Select(_));
        let lease = match self.pool.lease(asked.session, reads).await {
            Ok(lease) => lease,
            Err(exception) => return refusal(StatusCode::SERVICE_UNAVAILABLE, &exception),
        };
        match asked.statement {
            Statement::Select(sql) => select(lease, sql, asked.format, asked.parameters).await,
            Statement::Insert { sql, format, rows } => insert(lease, sql, format, rows).await,
            Statement::Command { sql, session } => {
                command(lease, sql, session, asked.format, asked.parameters).await
            }
        }
    }
}

async fn select(
    mut lease: Lease,
    sql: String,
    format: String,
    parameters: Vec<Parameter>,
) -> Response<Reply> {
    let (sender, pieces) = mpsc::channel(PIECES_WAITING_MAX);
    let cancel = lease.cancel_on_drop();
    let work = spawn_blocking(move || {
        let last = match fetch(&mut lease, &sql, &format, &parameters, &sender) {
            Ok(()) => Piece::End,
            Err(exception) => {
                lease.spoil();
                Piece::Failed(exception)
            }
        };
        // The connection is free before the last word is said, for the next statement of the same client.
        drop(lease);
        sender.blocking_send(last).unwrap_or_default();
    });
    drop(work);
    of_pieces(pieces, cancel).await
}

fn fetch(
    lease: &mut Lease,
    sql: &str,
    format: &str,
    parameters: &[Parameter],
    sender: &mpsc::Sender<Piece>,
) -> Result<(), Exception> {
    let send = |rows| sender.blocking_send(Piece::Rows(rows)).map_err(|_gone| Exception::cancelled());
    let file = lease.scratch();
    let connection = lease.connection()?;
    // A format in the statement overrides the one beside it.
    if names_format(sql) {
        return send(connection.run(sql, format, parameters)?);
    }
    let Some(mut joining) = Joining::of(format) else {
        let mut written = Written::of(connection, sql, format, parameters, &file)?;
        while let Some(piece) = written.next()? {
            send(piece)?;
        }
        return Ok(());
    };
    let mut select = connection.select(sql, format, parameters)?;
    while let Some(piece) = select.next()? {
        send(joining.rows(piece)?)?;
    }
    Ok(())
}

async fn command(
    mut lease: Lease,
    sql: String,
    session: bool,
    format: String,
    parameters: Vec<Parameter>,
) -> Response<Reply> {
    let cancel = lease.cancel_on_drop();
    let work = spawn_blocking(move || {
        let answer = lease.connection().and_then(|connection| connection.run(&sql, &format, &parameters));
        if session || answer.is_err() {
            lease.spoil();
        }
        answer
    });
    let answer = work.await;
    drop(cancel);
    match answer {
        Ok(Ok(result)) => whole(result),
        Ok(Err(exception)) => refusal(StatusCode::INTERNAL_SERVER_ERROR, &exception),
        Err(_panicked) => broken(),
    }
}

/// The next part of an insert's rows, or the word that there are no more.
enum Part {
    Rows(Bytes),
    End,
}

async fn insert(mut lease: Lease, sql: String, format: String, mut body: Incoming) -> Response<Reply> {
    let (sender, mut parts) = mpsc::channel(PIECES_WAITING_MAX);
    let cancel = lease.cancel_on_drop();
    let work = spawn_blocking(move || {
        let answer = store(&mut lease, &sql, &format, &mut parts);
        if answer.is_err() {
            lease.spoil();
        }
        answer
    });
    let mut wanted = true;
    loop {
        match body.frame().await {
            Some(Ok(frame)) => {
                // After a failure the rest is read and thrown away, so that the client gets to read why.
                if let (true, Ok(rows)) = (wanted, frame.into_data()) {
                    wanted = sender.send(Part::Rows(rows)).await.is_ok();
                }
            }
            Some(Err(_)) => break,
            None => {
                sender.send(Part::End).await.unwrap_or_default();
                break;
            }
        }
    }
    drop(sender);
    let answer = work.await;
    drop(cancel);
    match answer {
        Ok(Ok(())) => whole(Bytes::new()),
        Ok(Err(exception)) => refusal(StatusCode::INTERNAL_SERVER_ERROR, &exception),
        Err(_panicked) => broken(),
    }
}

fn store(
    lease: &mut Lease,
    sql: &str,
    format: &str,
    parts: &mut mpsc::Receiver<Part>,
) -> Result<(), Exception> {
    let mut insert = lease.connection()?.insert(sql, format)?;
    while let Some(part) = parts.blocking_recv() {
        match part {
            Part::Rows(rows) => insert.append(&rows)?,
            Part::End => return insert.finish(),
        }
    }
    // The client went away before the end of the rows: none of them is wanted.
    Err(Exception::cancelled())
}

fn broken() -> Response<Reply> {
    refusal(StatusCode::INTERNAL_SERVER_ERROR, &Exception::of("the statement broke off"))
}
