//! What a server counts, read from `/metrics`, and the law that the counts obey.
use crate::support::binary::Serving;

/// The counts of one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    text: String,
}

impl Counts {
    pub(crate) fn of(serving: &Serving) -> Self {
        let (status, text) = serving.get("/metrics");
        assert_eq!(status, 200, "{text}");
        Self { text }
    }

    /// The sum of what a metric says, over all labels that hold this text.
    pub(crate) fn sum(&self, metric: &str, label: &str) -> u64 {
        let mut sum = 0;
        for line in self.text.lines().filter(|line| line.starts_with(metric) && line.contains(label)) {
            let name = line.split(['{', ' ']).next().unwrap();
            if name == metric {
                sum += line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
            }
        }
        sum
    }

    fn records(&self, state: &str) -> u64 {
        ["traces", "logs"]
            .iter()
            .map(|signal| {
                let label = format!("signal=\"{signal}\",state=\"{state}\"");
                self.sum("recount_ingest_records_total", &label)
            })
            .sum()
    }

    pub(crate) fn received(&self) -> u64 {
        self.records("received")
    }

    pub(crate) fn kept(&self) -> u64 {
        self.records("kept")
    }

    pub(crate) fn refused(&self) -> u64 {
        self.records("refused")
    }

    pub(crate) fn recovered(&self) -> u64 {
        self.sum("recount_records_recovered_total", "")
    }

    pub(crate) fn stored(&self) -> u64 {
        self.sum("recount_records_stored_total", "")
    }

    pub(crate) fn waiting(&self) -> u64 {
        self.sum("recount_records_waiting", "")
    }

    pub(crate) fn set_aside(&self) -> u64 {
        self.sum("recount_records_set_aside_total", "")
    }

    /// Nothing waits, in the log or for the lists.
    pub(crate) fn is_settled(&self) -> bool {
        self.waiting() == 0 && self.sum("recount_projection_waiting", "") == 0
    }

    /// What holds at any time, under any load: no record is unaccounted for.
    pub(crate) fn hold(&self) {
        assert_eq!(self.sum("recount_records_unaccounted", ""), 0, "{}", self.text);
        assert!(self.received() >= self.refused() + self.kept(), "{}", self.text);
    }

    /// What holds while nobody sends: received = refused + kept; kept + found = stored + waiting + set aside.
    pub(crate) fn hold_quietly(&self) {
        self.hold();
        assert_eq!(self.sum("recount_records_under_way", ""), 0, "{}", self.text);
        assert_eq!(self.received(), self.refused() + self.kept(), "{}", self.text);
        let placed = self.stored() + self.waiting() + self.set_aside();
        assert_eq!(self.kept() + self.recovered(), placed, "{}", self.text);
    }
}
