//! What has been read of a request so far: sound records, refused ones, and what their sender should hear.
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::step::ScopeInfo;
use crate::domain::value::{Value, attribute};
use crate::otlp::budget::Budget;
use crate::otlp::fault::Fault;
use crate::otlp::limits::{ITEMS_MAX, cut, sha256};
use crate::otlp::reading::{Reading, Utf8};
use crate::otlp::span::{Decoded, Refused};

/// Bytes of the service's name beside a refused record.
const SERVICE_BYTES_MAX: usize = 200;

/// The resource and the scope above a record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    /// Attributes of the resource.
    pub(crate) resource: Arc<Vec<(String, Value)>>,
    /// The scope.
    pub(crate) scope: Arc<ScopeInfo>,
    /// What both take in memory, in bytes.
    pub(crate) bytes: u64,
}

impl Frame {
    /// The name of the service, when the resource has one.
    fn service(&self) -> Option<String> {
        let name = attribute(&self.resource, "service.name").and_then(Value::as_str)?;
        Some(cut(name, SERVICE_BYTES_MAX).0)
    }
}

/// Gathers the records of one request.
#[derive(Debug)]
pub(crate) struct Gather<T> {
    items: Vec<T>,
    refused: Vec<Refused>,
    remarks: BTreeSet<&'static str>,
    budget: Budget,
    seen: u64,
    over: u64,
    damaged: bool,
}

impl<T> Gather<T> {
    /// Nothing read yet.
    pub(crate) fn new() -> Self {
        Self {
            items: Vec::new(),
            refused: Vec::new(),
            remarks: BTreeSet::new(),
            budget: Budget::new(),
            seen: 0,
            over: 0,
            damaged: false,
        }
    }

    /// Reads a resource or a scope with this function, which keeps what it can and cannot fail. The second
    /// part is what it takes in memory, in bytes.
    pub(crate) fn frame<F>(&mut self, read: impl FnOnce(&mut Reading<'_>) -> F) -> (F, u64) {
        let before = self.budget.spent();
        let mut reading = Reading::new(&mut self.budget, &mut self.remarks, Utf8::Lossy);
        let part = read(&mut reading);
        let (cut, left_out) = (!reading.cut.is_empty(), reading.attributes_left_out > 0);
        if cut || left_out {
            self.remarks.insert("a resource or scope was over the limits and is kept in part");
        }
        (part, self.budget.spent() - before)
    }

    /// Reads one record from its bytes with this function; on a fault only this record is refused.
    pub(crate) fn item(
        &mut self,
        bytes: &[u8],
        frame: &Frame,
        read: impl FnOnce(&mut Reading<'_>) -> Result<T, Fault>,
    ) {
        self.seen += 1;
        if self.seen > ITEMS_MAX {
            self.over += 1;
            return;
        }
        let mut reading = Reading::new(&mut self.budget, &mut self.remarks, Utf8::Strict);
        let item = reading.budget.item(frame.bytes).and_then(|()| read(&mut reading));
        match item {
            Ok(item) => self.items.push(item),
            Err(fault) => self.refuse(&fault, bytes, frame),
        }
    }

    /// Notes that the envelope itself is damaged from these bytes on: what they held is refused as one.
    pub(crate) fn damage(&mut self, rest: &[u8], frame: &Frame) {
        self.damaged = true;
        self.seen += 1;
        if self.seen > ITEMS_MAX {
            self.over += 1;
            return;
        }
        let fault = Fault::Broken { what: "the request", how: "it ends early or its framing is damaged" };
        self.refuse(&fault, rest, frame);
    }

    /// Something the sender should hear.
    pub(crate) fn remark(&mut self, remark: &'static str) {
        self.remarks.insert(remark);
    }

    /// How many records, sound or not, and damaged stretches were met so far.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// How many records and stretches were refused so far.
    pub(crate) fn refused(&self) -> usize {
        self.refused.len()
    }

    /// Whether damage of the envelope was noted.
    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// The result; `None` when the envelope is damaged and nothing could be saved.
    pub(crate) fn finish(mut self) -> Option<Decoded<T>> {
        if self.damaged && self.items.is_empty() {
            return None;
        }
        if self.over > 0 {
            self.refuse(&Fault::TooMany, &[], &Frame::default());
            if let Some(last) = self.refused.last_mut() {
                last.items = self.over;
            }
        }
        let warning = self.remarks.into_iter().collect::<Vec<_>>().join("; ");
        let warning = (!warning.is_empty()).then_some(warning);
        Some(Decoded { items: self.items, refused: self.refused, warning })
    }

    fn refuse(&mut self, fault: &Fault, bytes: &[u8], frame: &Frame) {
        self.refused.push(Refused {
            reason: fault.to_string(),
            class: fault.class(),
            items: 1,
            service: frame.service(),
            bytes: bytes.len() as u64,
            sha256: if bytes.is_empty() { String::new() } else { sha256(bytes) },
        });
    }
}
