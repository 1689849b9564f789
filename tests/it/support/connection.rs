//! One connection that requests go over one after the other, as an exporter keeps it.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// As little HTTP as it takes: one request at a time on one connection.
pub(crate) struct Connection {
    host: String,
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Connects to a host and port.
    pub(crate) fn open(host: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { host: host.to_owned(), stream: BufReader::new(stream) })
    }

    /// Sends a request and reads its answer.
    pub(crate) fn send(&mut self, what: &str, body: &str) -> std::io::Result<(u16, String)> {
        let head = format!(
            "{what} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = rest[..3].parse().unwrap();
            } else if let Some(rest) = line.strip_prefix("content-length:") {
                length = rest.trim().parse().unwrap();
            } else if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status, String::from_utf8(body).unwrap()))
    }
}
