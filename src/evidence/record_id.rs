//! Record ids: the keyed digest of a record as decoded, so that a re-sent record is recognised.
use std::sync::Arc;

use crate::domain::ids::RecordId;
use crate::domain::kind::Status;
use crate::domain::secret::SecretKey;
use crate::domain::step::ScopeInfo;
use crate::domain::value::Value;
use crate::evidence::canon::Canon;
use crate::otlp::{WireLog, WireSpan};

type Resource = Arc<Vec<(String, Value)>>;

/// Makes record ids under one key. Resource and scope are hashed once for all the spans that share them.
pub struct RecordIds {
    origin: Canon,
    span: Canon,
    log: Canon,
    last: Option<(Resource, Arc<ScopeInfo>, [u8; 32])>,
}

impl RecordIds {
    /// A maker of ids under the project's record key.
    pub fn new(key: &SecretKey) -> Self {
        Self {
            origin: Canon::new(key, "recount origin 1"),
            span: Canon::new(key, "recount span 1"),
            log: Canon::new(key, "recount log 1"),
            last: None,
        }
    }

    /// The id of a span: the same for the same span over every transport.
    pub fn of_span(&mut self, span: &WireSpan) -> RecordId {
        let mut canon = self.span.clone();
        canon.raw(&self.origin_of(&span.resource, &span.scope));
        canon.raw(&span.trace_id.0);
        canon.raw(&span.span_id.0);
        match span.parent_span_id {
            Some(parent) => {
                canon.tag(1);
                canon.raw(&parent.0);
            }
            None => canon.tag(0),
        }
        canon.text(&span.trace_state);
        canon.text(&span.name);
        canon.signed(i64::from(span.kind));
        canon.number(span.started_ns);
        canon.number(span.ended_ns);
        canon.pairs(&span.attributes);
        canon.count(span.events.len());
        for event in &span.events {
            canon.text(&event.name);
            canon.number(event.at_ns);
            canon.pairs(&event.attributes);
        }
        canon.count(span.links.len());
        for link in &span.links {
            canon.raw(&link.trace_id.0);
            canon.raw(&link.span_id.0);
            canon.pairs(&link.attributes);
        }
        canon.tag(match span.status {
            Status::Unset => 0,
            Status::Ok => 1,
            Status::Error => 2,
        });
        canon.text(&span.status_message);
        for dropped in [span.dropped.attributes, span.dropped.events, span.dropped.links] {
            canon.number(u64::from(dropped));
        }
        RecordId(canon.finish_half())
    }

    /// The id of a log record. The time of observation is not in it: a collector sets it anew on each try.
    pub fn of_log(&mut self, log: &WireLog) -> RecordId {
        let mut canon = self.log.clone();
        canon.raw(&self.origin_of(&log.resource, &log.scope));
        canon.raw(&log.trace_id.0);
        canon.raw(&log.span_id.0);
        canon.number(if log.at_ns == 0 { log.observed_ns } else { log.at_ns });
        canon.text(&log.event_name);
        canon.signed(i64::from(log.severity));
        canon.value(&log.body);
        canon.pairs(&log.attributes);
        canon.number(u64::from(log.dropped_attributes));
        RecordId(canon.finish_half())
    }

    fn origin_of(&mut self, resource: &Resource, scope: &Arc<ScopeInfo>) -> [u8; 32] {
        if let Some((last_resource, last_scope, hash)) = &self.last
            && Arc::ptr_eq(last_resource, resource)
            && Arc::ptr_eq(last_scope, scope)
        {
            return *hash;
        }
        let mut canon = self.origin.clone();
        canon.pairs(resource);
        canon.text(&scope.name);
        canon.text(&scope.version);
        canon.pairs(&scope.attributes);
        let hash = canon.finish();
        self.last = Some((Arc::clone(resource), Arc::clone(scope), hash));
        hash
    }
}

/// The id of one span; for many of one request use [`RecordIds`].
pub fn span_record_id(key: &SecretKey, span: &WireSpan) -> RecordId {
    RecordIds::new(key).of_span(span)
}

/// The id of one log record; for many of one request use [`RecordIds`].
pub fn log_record_id(key: &SecretKey, log: &WireLog) -> RecordId {
    RecordIds::new(key).of_log(log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SpanId, TraceId};
    use crate::domain::step::{Event, Link};

    fn key() -> SecretKey {
        SecretKey::new(1, [7; 32])
    }

    fn span() -> WireSpan {
        WireSpan {
            resource: Arc::new(vec![("service.name".to_owned(), Value::String("support".to_owned()))]),
            trace_id: TraceId([1; 16]),
            span_id: SpanId([2; 8]),
            name: "chat".to_owned(),
            started_ns: 5,
            ended_ns: 9,
            attributes: vec![
                ("a".to_owned(), Value::Int(1)),
                ("a".to_owned(), Value::Double(f64::NAN)),
                ("m".to_owned(), Value::Map(vec![("k".to_owned(), Value::Array(vec![Value::Empty]))])),
            ],
            events: vec![Event { name: "e".to_owned(), ..Event::default() }],
            links: vec![Link { trace_id: TraceId([3; 16]), ..Link::default() }],
            ..WireSpan::default()
        }
    }

    #[test]
    fn the_same_span_has_the_same_id_whoever_decoded_it() {
        let mut ids = RecordIds::new(&key());
        let first = ids.of_span(&span());
        assert_eq!(first, ids.of_span(&span()), "another Arc, the same resource");
        assert_eq!(first, span_record_id(&key(), &span()));
        let mut other_nan = span();
        other_nan.attributes[1].1 = Value::Double(-f64::NAN);
        assert_eq!(first, ids.of_span(&other_nan));
    }

    #[test]
    fn every_part_of_a_span_counts() {
        let changes: [fn(&mut WireSpan); 21] = [
            |span| span.resource = Arc::default(),
            |span| span.scope = Arc::new(ScopeInfo { name: "s".to_owned(), ..ScopeInfo::default() }),
            |span| span.scope = Arc::new(ScopeInfo { version: "s".to_owned(), ..ScopeInfo::default() }),
            |span| span.trace_id.0[0] = 9,
            |span| span.span_id.0[0] = 9,
            |span| span.parent_span_id = Some(SpanId([0; 8])),
            |span| span.trace_state = "a=b".to_owned(),
            |span| span.name = "cha".to_owned(),
            |span| span.kind = 3,
            |span| span.started_ns = 6,
            |span| span.ended_ns = 6,
            |span| span.attributes.swap(0, 1),
            |span| span.attributes[0].1 = Value::Double(1.0),
            |span| span.attributes[0].1 = Value::String("1".to_owned()),
            |span| span.attributes[2].1 = Value::Array(vec![]),
            |span| span.events[0].at_ns = 1,
            |span| span.events.clear(),
            |span| span.links[0].attributes = vec![(String::new(), Value::Empty)],
            |span| span.status = Status::Ok,
            |span| span.status_message = "no".to_owned(),
            |span| span.dropped.links = 1,
        ];
        let mut seen = vec![span_record_id(&key(), &span())];
        for change in changes {
            let mut changed = span();
            change(&mut changed);
            seen.push(span_record_id(&key(), &changed));
        }
        seen.push(span_record_id(&SecretKey::new(1, [8; 32]), &span()));
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn a_log_observed_again_is_the_same_log() {
        let log = WireLog { at_ns: 3, observed_ns: 4, ..WireLog::default() };
        let again = WireLog { observed_ns: 8, ..log.clone() };
        assert_eq!(log_record_id(&key(), &log), log_record_id(&key(), &again));
        let without = WireLog { at_ns: 0, ..log.clone() };
        assert_ne!(log_record_id(&key(), &log), log_record_id(&key(), &without));
        assert_ne!(log_record_id(&key(), &log), span_record_id(&key(), &WireSpan::default()));
    }
}
