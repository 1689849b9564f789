//! The list of rules: everything that is noticed about a run comes from one of these.
use crate::domain::fold::effects::Effect;
use crate::domain::fold::findings::attempts;
use crate::domain::fold::findings::fencing;
use crate::domain::fold::findings::keys;
use crate::domain::fold::findings::models;
use crate::domain::fold::findings::reading;
use crate::domain::fold::findings::repeats;
use crate::domain::fold::findings::settled;
use crate::domain::fold::findings::shape;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

/// Rules that need nothing but the run.
const RULES: &[fn(&Scene<'_>) -> Vec<Noted>] = &[
    attempts::missing,
    attempts::restarted,
    attempts::throttled_out,
    attempts::too_soon,
    fencing::stale_epoch,
    fencing::workers_interleave,
    keys::no_key,
    keys::arguments_changed,
    keys::expired,
    keys::intent_not_durable,
    models::changed,
    models::proposed_not_executed,
    models::executed_not_proposed,
    models::arguments_differ,
    models::proposal_incomplete,
    models::raw_error_shown,
    models::snapshot_missing,
    reading::of_records,
    reading::unclassified,
    reading::dropped,
    reading::failed_is_unknown,
    reading::paused,
    settled::unknown_open,
    settled::not_read_back,
    settled::contradicted,
    settled::partial,
    shape::parent_missing,
    shape::parent_loop,
    shape::root_missing,
    shape::never_ended,
    shape::steps_missing,
    shape::conflicting_versions,
    shape::conflicting_identity,
    shape::end_before_start,
    shape::clock_skew,
];

/// Everything that is noticed about a run.
pub(in crate::domain::fold) fn all(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let mut noted: Vec<Noted> = RULES.iter().flat_map(|rule| rule(scene)).collect();
    noted.extend(repeats::retried_while_unknown(scene, effects));
    noted.extend(repeats::double_effect(scene, effects));
    noted
}
