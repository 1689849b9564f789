//! Parts of a run's line: what was noticed about it, what it shows about its tools, and what it did.
use crate::domain::finding::Code;
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::listing::{ListedFinding, ListedStep};
use crate::domain::readiness::{Mark, ToolMark};
use crate::domain::work::Work;
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

impl Cell for ListedStep {
    fn sql_type() -> String {
        format!("Tuple(number UInt32, trace_id {}, span_id {})", TraceId::sql_type(), SpanId::sql_type())
    }
    fn write(&self, out: &mut Writer) {
        out.u32(self.number);
        self.trace_id.write(out);
        self.span_id.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self { number: Cell::read(from)?, trace_id: Cell::read(from)?, span_id: Cell::read(from)? })
    }
}

impl Cell for ListedFinding {
    fn sql_type() -> String {
        format!(
            "Tuple(code String, message String, since_ns UInt64, from_ns UInt64, until_ns UInt64, \
             step_count UInt32, steps {}, tools Array(String))",
            Vec::<ListedStep>::sql_type()
        )
    }
    fn write(&self, out: &mut Writer) {
        out.text(self.code.word());
        out.text(&self.message);
        out.u64(self.since_ns.unwrap_or_default());
        out.u64(self.from_ns);
        out.u64(self.until_ns);
        out.u32(self.step_count);
        self.steps.write(out);
        self.tools.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            code: Code::from_word(&from.text()?).ok_or(ReadError::UNKNOWN)?,
            message: from.text()?,
            since_ns: Some(from.u64()?).filter(|since| *since != 0),
            from_ns: from.u64()?,
            until_ns: from.u64()?,
            step_count: Cell::read(from)?,
            steps: Cell::read(from)?,
            tools: Cell::read(from)?,
        })
    }
}

impl Cell for ToolMark {
    fn sql_type() -> String {
        format!(
            "Tuple(tool String, mark String, count UInt32, number UInt32, trace_id {}, span_id {})",
            TraceId::sql_type(),
            SpanId::sql_type()
        )
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.tool);
        out.text(self.mark.word());
        out.u32(self.count);
        out.u32(self.number);
        self.trace_id.write(out);
        self.span_id.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            tool: from.text()?,
            mark: Mark::from_word(&from.text()?).ok_or(ReadError::UNKNOWN)?,
            count: Cell::read(from)?,
            number: Cell::read(from)?,
            trace_id: Cell::read(from)?,
            span_id: Cell::read(from)?,
        })
    }
}

impl Cell for Work {
    fn sql_type() -> String {
        format!(
            "Tuple(kind {}, name String, parameters Array(String), steps UInt32, retried UInt32, recovered \
             UInt32, attempts UInt32, throttled UInt32, confirmed UInt32, failed UInt32, unknown UInt32, \
             waiting Array(UInt64), tokens_in Nullable(UInt64), tokens_out Nullable(UInt64), cost_usd \
             Nullable(Float64), took_us Array(UInt64))",
            Kind::sql_type()
        )
    }
    fn write(&self, out: &mut Writer) {
        self.kind.write(out);
        out.text(&self.name);
        self.parameters.write(out);
        for count in [self.steps, self.retried, self.recovered, self.attempts] {
            out.u32(count);
        }
        for count in [self.throttled, self.confirmed, self.failed, self.unknown] {
            out.u32(count);
        }
        self.waiting.write(out);
        self.tokens_in.write(out);
        self.tokens_out.write(out);
        self.cost_usd.write(out);
        self.took_us.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            kind: Cell::read(from)?,
            name: from.text()?,
            parameters: Cell::read(from)?,
            steps: Cell::read(from)?,
            retried: Cell::read(from)?,
            recovered: Cell::read(from)?,
            attempts: Cell::read(from)?,
            throttled: Cell::read(from)?,
            confirmed: Cell::read(from)?,
            failed: Cell::read(from)?,
            unknown: Cell::read(from)?,
            waiting: Cell::read(from)?,
            tokens_in: Cell::read(from)?,
            tokens_out: Cell::read(from)?,
            cost_usd: Cell::read(from)?,
            took_us: Cell::read(from)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noticed_comes_back() {
        let found = ListedFinding {
            code: Code::UnknownOpen,
            message: "refund is unknown".to_owned(),
            since_ns: Some(7),
            from_ns: 0,
            until_ns: 9,
            step_count: 1,
            steps: vec![ListedStep { number: 3, trace_id: TraceId([1; 16]), span_id: SpanId([2; 8]) }],
            tools: vec!["refund".to_owned()],
        };
        let mark = ToolMark {
            tool: "refund".to_owned(),
            mark: Mark::Keyed,
            count: 2,
            number: 3,
            trace_id: TraceId([1; 16]),
            span_id: SpanId([2; 8]),
        };
        let work = Work {
            parameters: vec!["temperature=0.2".to_owned()],
            steps: 1,
            attempts: 2,
            waiting: vec![0, 7],
            tokens_out: Some(0),
            cost_usd: Some(0.25),
            took_us: vec![1, 2],
            ..Work::none(Kind::Think, "m", &[])
        };
        let mut out = Writer::default();
        found.write(&mut out);
        mark.write(&mut out);
        work.write(&mut out);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        assert_eq!(ListedFinding::read(&mut from).unwrap(), found);
        assert_eq!(ToolMark::read(&mut from).unwrap(), mark);
        assert_eq!(Work::read(&mut from).unwrap(), work);
        assert_eq!(from.left(), 0);
    }
}
