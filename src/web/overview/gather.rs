//! From a question to its figures: what the page, the CSV and the API read alike.
use futures_util::future::try_join_all;

use crate::domain::scope::Scope;
use crate::store::RunFilter;
use crate::store::queries::run_facets;
use crate::web::error::WebError;
use crate::web::list::facets::{Counts, OF_RUNS, chosen};
use crate::web::overview::asked::Asked;
use crate::web::overview::figures::{Figures, figures, stretch};
use crate::web::query::Query;
use crate::web::state::WebState;

/// The figures of a question, and what its runs have in common.
pub(in crate::web) async fn gather(
    state: &WebState,
    scope: &Scope,
    asked: &Asked,
    now_ns: u64,
) -> Result<(Figures, Counts), WebError> {
    let filter = |query: &Query| {
        let filter = RunFilter { prices: state.settings.prices.clone(), ..asked.filter(query) };
        state.desk.widened(&scope.project, filter)
    };
    let whole = filter(&asked.query);
    let all = run_facets(&state.store, scope, &whole, now_ns).await?;
    let stretch = stretch(asked, &all, now_ns);
    let fields = chosen(&OF_RUNS, &asked.query);
    let apart: Vec<RunFilter> =
        fields.iter().map(|field| filter(&asked.query.with_only(*field, None))).collect();
    let without = try_join_all(apart.iter().map(|filter| run_facets(&state.store, scope, filter, now_ns)));
    let figures = figures(&state.store, scope, (asked, &whole), stretch, now_ns);
    let (figures, without) = futures_util::future::try_join(figures, without).await?;
    Ok((figures, Counts { all, without: fields.into_iter().zip(without).collect() }))
}
