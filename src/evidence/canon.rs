//! One unambiguous byte form of decoded values, written straight into a keyed hash.
//!
//! Every piece is prefixed with its length or its kind, so that no two different values give the same bytes.
//! Nothing of the transport is in it: a span gives the same bytes over gRPC, HTTP/protobuf and HTTP/JSON.
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::domain::secret::SecretKey;
use crate::domain::value::{Piece, Value};

/// Small pieces gather here, since handing them to the hash one by one costs more than hashing them.
const GATHER_BYTES: usize = 4096;

/// A keyed hash being fed.
#[derive(Clone)]
pub(crate) struct Canon {
    mac: Hmac<Sha256>,
    gathered: Vec<u8>,
}

impl Canon {
    /// Starts a hash under a key, for one purpose: equal bytes of two purposes never give equal hashes.
    pub(crate) fn new(key: &SecretKey, purpose: &str) -> Self {
        let mut canon = Self { mac: mac(key.expose()), gathered: Vec::new() };
        canon.text(purpose);
        canon.flush();
        canon
    }

    /// Text: its length in bytes, then the bytes.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Bytes: their length, then they.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.raw(bytes);
    }

    /// Bytes of a length that is always the same, such as an id.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        if self.gathered.len() + bytes.len() > GATHER_BYTES {
            self.flush();
        }
        if bytes.len() > GATHER_BYTES {
            self.mac.update(bytes);
        } else {
            self.gathered.extend_from_slice(bytes);
        }
    }

    /// One byte that says what follows.
    pub(crate) fn tag(&mut self, tag: u8) {
        self.raw(&[tag]);
    }

    /// A number, 8 bytes.
    pub(crate) fn number(&mut self, number: u64) {
        self.raw(&number.to_le_bytes());
    }

    /// A signed number, 8 bytes.
    pub(crate) fn signed(&mut self, number: i64) {
        self.raw(&number.to_le_bytes());
    }

    /// How many pieces follow.
    pub(crate) fn count(&mut self, count: usize) {
        self.number(u64::try_from(count).unwrap_or(u64::MAX));
    }

    /// A list of keys and values: order and repeats count.
    pub(crate) fn pairs(&mut self, pairs: &[(String, Value)]) {
        self.count(pairs.len());
        for (key, value) in pairs {
            self.text(key);
            self.value(value);
        }
    }

    /// A value with its type. Every NaN is the same NaN, since JSON can't carry its payload.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Empty => self.tag(0),
            Value::Bool(truth) => {
                self.tag(1);
                self.tag(u8::from(*truth));
            }
            Value::Int(int) => {
                self.tag(2);
                self.signed(*int);
            }
            Value::Double(double) => {
                self.tag(3);
                let double = if double.is_nan() { f64::NAN } else { *double };
                self.number(double.to_bits());
            }
            Value::String(text) => {
                self.tag(4);
                self.text(text);
            }
            Value::Bytes(bytes) => {
                self.tag(5);
                self.bytes(bytes);
            }
            Value::Array(values) => {
                self.tag(6);
                self.count(values.len());
                values.iter().for_each(|value| self.value(value));
            }
            Value::Map(pairs) => {
                self.tag(7);
                self.pairs(pairs);
            }
            Value::Framed(pieces) => {
                self.tag(8);
                self.count(pieces.len());
                pieces.iter().for_each(|piece| self.piece(piece));
            }
        }
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(text) => {
                self.tag(0);
                self.text(text);
            }
            Piece::Body(body) => {
                self.tag(1);
                self.count(*body);
            }
            Piece::Inside(body, pointer) => {
                self.tag(2);
                self.count(*body);
                self.text(pointer);
            }
            Piece::Json(body, pointer) => {
                self.tag(3);
                self.count(*body);
                self.text(pointer);
            }
        }
    }

    fn flush(&mut self) {
        self.mac.update(&self.gathered);
        self.gathered.clear();
    }

    /// The hash.
    pub(crate) fn finish(mut self) -> [u8; 32] {
        self.flush();
        self.mac.finalize().into_bytes().into()
    }

    /// The first half of the hash.
    pub(crate) fn finish_half(self) -> [u8; 16] {
        let mut half = [0; 16];
        half.iter_mut().zip(self.finish()).for_each(|(to, from)| *to = from);
        half
    }
}

/// HMAC-SHA256 under a key of the hash's own length, which it always accepts.
pub(crate) fn mac(key: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = [0; 64];
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    Hmac::new(&block.into())
}
