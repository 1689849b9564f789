//! How a query is asked where texts stand in some traces.
use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::read::Read;
use crate::store::texts::{TextFilter, folded};

/// The most bodies or records of one trace.
const HITS_MAX: u64 = 200;

/// The query with what must hold and what is marked, and what it binds: `traces`, `mark`, `rows_max` and what
/// the conditions name.
pub(in crate::store) fn hits(
    store: &Store,
    scope: &Scope,
    texts: &TextFilter,
    (sql, holds): (&str, &str),
    traces: &[TraceId],
) -> Read {
    let sql = sql.replace("$holds", holds).replace("$mark", &folded("{mark:String}"));
    let traces: Vec<String> = traces.iter().map(ToString::to_string).collect();
    let read = texts.bind(store.read(scope, &sql));
    read.bind("traces", traces).bind("mark", texts.mark()).bind("rows_max", HITS_MAX)
}
