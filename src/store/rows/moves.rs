//! Moves of a state and attempts at an action, as cells of rows.
use crate::domain::action::ActionUse;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::path::{Move, Origin};
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

impl Cell for Move {
    fn sql_type() -> String {
        format!(
            "Tuple(state {}, at_ns UInt64, by String, evidence {}, run_id String, trace_id {}, span_id {}, \
             event_id String)",
            Outcome::sql_type(),
            Evidence::sql_type(),
            TraceId::sql_type(),
            SpanId::sql_type()
        )
    }

    fn write(&self, out: &mut Writer) {
        let (run_id, trace_id, span_id, event_id) = match &self.origin {
            Origin::Span { run_id, trace_id, span_id } => (run_id.as_str(), *trace_id, *span_id, ""),
            Origin::Event(event_id) => ("", TraceId::default(), SpanId::default(), event_id.as_str()),
            Origin::Deadline => ("", TraceId::default(), SpanId::default(), ""),
        };
        self.state.write(out);
        out.u64(self.at_ns);
        out.text(&self.by);
        self.evidence.write(out);
        out.text(run_id);
        trace_id.write(out);
        span_id.write(out);
        out.text(event_id);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (state, at_ns, by, evidence) = (Cell::read(from)?, from.u64()?, from.text()?, Cell::read(from)?);
        let (run_id, trace_id, span_id) = (from.text()?, TraceId::read(from)?, SpanId::read(from)?);
        let event_id = from.text()?;
        let origin = match (event_id.is_empty(), span_id.is_zero()) {
            (false, _) => Origin::Event(event_id),
            (true, true) => Origin::Deadline,
            (true, false) => Origin::Span { run_id, trace_id, span_id },
        };
        Ok(Self { state, at_ns, by, evidence, origin })
    }
}

impl Cell for ActionUse {
    fn sql_type() -> String {
        format!(
            "Tuple(run_id String, step_id String, number UInt32, trace_id {}, span_id {}, started_ns UInt64, \
             ended_ns UInt64, worker String, epoch Nullable(UInt64), gate {}, outcome {}, reason String)",
            TraceId::sql_type(),
            SpanId::sql_type(),
            Gate::sql_type(),
            Option::<Outcome>::sql_type()
        )
    }

    fn write(&self, out: &mut Writer) {
        out.text(&self.run_id);
        out.text(&self.step_id);
        out.u32(self.number);
        self.trace_id.write(out);
        self.span_id.write(out);
        out.u64(self.started_ns);
        out.u64(self.ended_ns.unwrap_or_default());
        self.worker.write(out);
        self.epoch.write(out);
        self.gate.write(out);
        self.outcome.write(out);
        out.text(&self.reason);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            run_id: from.text()?,
            step_id: from.text()?,
            number: from.u32()?,
            trace_id: Cell::read(from)?,
            span_id: Cell::read(from)?,
            started_ns: from.u64()?,
            ended_ns: Some(from.u64()?).filter(|at| *at != 0),
            worker: Cell::read(from)?,
            epoch: Cell::read(from)?,
            gate: Cell::read(from)?,
            outcome: Cell::read(from)?,
            reason: from.text()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_come_back() {
        let span =
            Origin::Span { run_id: "r".to_owned(), trace_id: TraceId([1; 16]), span_id: SpanId([2; 8]) };
        for origin in [span, Origin::Event("e".to_owned()), Origin::Deadline] {
            let moved = Move {
                state: Outcome::Unknown,
                at_ns: 7,
                by: "w-1".to_owned(),
                evidence: Evidence::Timeout,
                origin,
            };
            let mut out = Writer::default();
            moved.write(&mut out);
            assert_eq!(Move::read(&mut Reader::new(&out.into_bytes())).unwrap(), moved);
        }
    }
}
