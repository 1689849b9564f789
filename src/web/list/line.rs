//! One run as a line of the list.
use crate::domain::cost::Cost;
use crate::domain::summary::RunSummary;
use crate::web::list::columns::{At, Cell};
use crate::web::text::{Text, plain, shortened};

/// The line.
#[derive(Debug)]
pub(in crate::web) struct Line {
    pub(in crate::web) href: String,
    pub(in crate::web) title: Text,
    pub(in crate::web) id: Text,
    /// The whole id, for choosing the run; `None` where it holds what can't be seen.
    pub(in crate::web) pick: Option<String>,
    /// What stands in the columns.
    pub(in crate::web) cells: Vec<Cell>,
}

impl Line {
    /// The line of a run.
    pub(in crate::web) fn of(run: &RunSummary, cost: Option<Cost>, at: &At<'_>) -> Self {
        let title = if run.name.is_empty() { &run.run_id } else { &run.name };
        Self {
            href: at.run(&run.run_id),
            title: Text::new(shortened(title, 120)),
            id: Text::new(shortened(&run.run_id, 40)),
            pick: (plain(&run.run_id) == run.run_id).then(|| run.run_id.clone()),
            cells: at.columns.iter().map(|column| column.cell(run, cost, at)).collect(),
        }
    }
}
