//! Places and lifts legal holds, for pages and the API; each is recorded before the answer leaves.
use crate::access::random_id;
use crate::domain::entity::Entity;
use crate::domain::hold::{HeldKind, Hold};
use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::store::queries::{entity_names, held_records, holds, keep_hold, record_lifecycle};
use crate::web::credential::now_ns;
use crate::web::entity::names::Names;
use crate::web::error::WebError;
use crate::web::format::moment;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Longer reasons are nobody's.
const REASON_BYTES_MAX: usize = 500;
/// Longer ids of runs are nobody's.
const RUN_BYTES_MAX: usize = 1_000;

/// Holds whose records are counted for one answer; those after them say nothing.
const COUNTED_MAX: usize = 100;

/// What a hold is to be on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Matter {
    /// An entity, written `type:id`.
    Entity(String),
    /// A run, by its id.
    Run(String),
    /// The project that the viewer looks at.
    Project,
}

impl Matter {
    /// The one thing that is named.
    pub(in crate::web) fn of(entity: &str, run: &str, whole_project: bool) -> Result<Self, WebError> {
        match (entity.trim(), run.trim(), whole_project) {
            (entity, "", false) if !entity.is_empty() => Ok(Self::Entity(entity.to_owned())),
            ("", run, false) if !run.is_empty() => Ok(Self::Run(run.to_owned())),
            ("", "", true) => Ok(Self::Project),
            _ => Err(WebError::Invalid(
                "a hold is on one thing: an `entity` such as account:2291, a `run`, or the `whole_project`"
                    .to_owned(),
            )),
        }
    }
}

/// A reason, as it may be kept.
pub(in crate::web) fn reason(state: &WebState, viewer: &Viewer, typed: &str) -> Result<String, WebError> {
    let typed = typed.trim();
    if typed.is_empty() || typed.len() > REASON_BYTES_MAX {
        return Err(WebError::Field("reason", "must say why, in 1 to 500 bytes: it is recorded".to_owned()));
    }
    Ok(state.desk.clean(&viewer.scope.project, typed))
}

/// The names under which records may keep an entity, the shown one first. A name that a rule hides is never
/// written down, unless records have it from before that rule.
pub(in crate::web) async fn kept_names(
    state: &WebState,
    viewer: &Viewer,
    names: &Names,
) -> Result<Vec<String>, WebError> {
    let project = &viewer.scope.project;
    let mut kept = vec![state.desk.shown(project, &names.asked).to_string()];
    for name in &names.all {
        let shown = state.desk.shown(project, name);
        let as_asked = shown == *name
            || entity_names(&state.store, &viewer.scope, &name.kind, std::slice::from_ref(&name.id))
                .await?
                .contains(&name.to_string());
        kept.push(shown.to_string());
        kept.extend(as_asked.then(|| name.to_string()));
    }
    let mut seen = std::collections::BTreeSet::new();
    kept.retain(|name| seen.insert(name.clone()));
    Ok(kept)
}

/// Places a hold.
pub(in crate::web) async fn place(
    state: &WebState,
    viewer: &Viewer,
    matter: &Matter,
    typed: &str,
) -> Result<Hold, WebError> {
    let why = reason(state, viewer, typed)?;
    let (kind, names) = named(state, viewer, matter).await?;
    let now = now_ns();
    let hold = Hold {
        id: random_id().map_err(|_no_random| WebError::Broken)?,
        at_ns: now,
        project: viewer.scope.project.clone(),
        kind,
        names,
        reason: why,
        placed_ns: now,
        placed_by: viewer.name(),
        lifted: None,
        changed_by: viewer.name(),
    };
    keep_hold(&state.store, &hold).await?;
    told(state, LifecycleKind::HoldPlaced, &hold).await?;
    Ok(hold)
}

async fn named(
    state: &WebState,
    viewer: &Viewer,
    matter: &Matter,
) -> Result<(HeldKind, Vec<String>), WebError> {
    match matter {
        Matter::Entity(typed) => {
            let wrong = || WebError::Field("entity", "is a type and an id, such as account:2291".to_owned());
            let entity = Entity::parse(typed).ok_or_else(wrong)?;
            viewer.may_ask(&entity.to_string())?;
            let names = Names::of(state, &viewer.scope, (&entity.kind, &entity.id)).await?;
            Ok((HeldKind::Entity, kept_names(state, viewer, &names).await?))
        }
        Matter::Run(_) | Matter::Project if viewer.scope.is_limited() => Err(WebError::Invalid(
            "whose role is limited to entities can hold these entities only".to_owned(),
        )),
        Matter::Run(id) if id.len() > RUN_BYTES_MAX => {
            Err(WebError::Field("run", "is longer than 1,000 bytes".to_owned()))
        }
        Matter::Run(id) => {
            let mut names = vec![state.desk.shown_run(&viewer.scope.project, id)];
            names.extend(state.desk.spellings(&viewer.scope.project, false, id));
            Ok((HeldKind::Run, names))
        }
        Matter::Project => Ok((HeldKind::Project, Vec::new())),
    }
}

/// Lifts a hold. Of two who lift it at once, both have lifted it.
pub(in crate::web) async fn lift(
    state: &WebState,
    viewer: &Viewer,
    id: &str,
    typed: &str,
) -> Result<Hold, WebError> {
    let why = reason(state, viewer, typed)?;
    let all = visible(state, viewer).await?;
    let hold = all.into_iter().find(|hold| hold.id == id.trim());
    let hold = hold.ok_or_else(|| WebError::NotFound("There is no such hold.".to_owned()))?;
    if !hold.is_in_force() {
        return Err(WebError::Invalid("this hold was lifted already".to_owned()));
    }
    let lifted =
        Hold { at_ns: now_ns().max(hold.at_ns + 1), lifted: Some(why), changed_by: viewer.name(), ..hold };
    keep_hold(&state.store, &lifted).await?;
    told(state, LifecycleKind::HoldLifted, &lifted).await?;
    Ok(lifted)
}

/// The holds that somebody may know of, the latest placed first.
pub(in crate::web) async fn visible(state: &WebState, viewer: &Viewer) -> Result<Vec<Hold>, WebError> {
    let mut all = holds(&state.store, Some(&viewer.scope.project)).await?;
    all.retain(|hold| match hold.kind {
        HeldKind::Entity => hold.names.iter().all(|name| viewer.scope.allows(name)),
        HeldKind::Run | HeldKind::Project => !viewer.scope.is_limited(),
    });
    Ok(all)
}

/// How many records each of these holds keeps now; `None` for those that were lifted.
pub(in crate::web) async fn counts(
    state: &WebState,
    viewer: &Viewer,
    all: &[Hold],
) -> Result<Vec<Option<u64>>, WebError> {
    let mut counts = Vec::with_capacity(all.len());
    let mut left = COUNTED_MAX;
    for hold in all {
        let is_counted = hold.is_in_force() && left > 0;
        left -= usize::from(is_counted);
        counts.push(match is_counted {
            true => Some(held_records(&state.store, &viewer.scope, hold).await?),
            false => None,
        });
    }
    Ok(counts)
}

/// What should be known of a hold that keeps no record yet.
pub(in crate::web) fn warning(hold: &Hold, records: Option<u64>) -> Option<String> {
    (records == Some(0)).then(|| {
        format!(
            "Nothing is kept of {} yet: the hold is in force for what will come. Check how it is written.",
            hold.about()
        )
    })
}

/// A sentence for each hold in force that an entity is under.
pub(in crate::web) async fn on(
    state: &WebState,
    viewer: &Viewer,
    names: &Names,
) -> Result<Vec<String>, WebError> {
    let names: Vec<String> = names.all.iter().map(ToString::to_string).collect();
    let mut all = holds(&state.store, Some(&viewer.scope.project)).await?;
    all.retain(|hold| match hold.kind {
        HeldKind::Entity => hold.names.iter().any(|name| names.contains(name)),
        HeldKind::Run => false,
        HeldKind::Project => true,
    });
    let in_force = all.iter().filter(|hold| hold.is_in_force());
    let said = |hold: &Hold| {
        let what = if hold.kind == HeldKind::Project { "with the whole project, " } else { "" };
        let since = moment(hold.placed_ns);
        format!(
            "Held since {since} UTC, {what}by the hold {}: it does not expire and can’t be erased.",
            hold.id
        )
    };
    Ok(in_force.map(said).collect())
}

/// What is recorded about a hold that was placed.
pub(in crate::web) fn placed_sentence(hold: &Hold) -> String {
    format!("placed the hold {} on {} because: {}", hold.id, hold.about(), hold.reason)
}

/// What is recorded about a hold that was lifted.
pub(in crate::web) fn lifted_sentence(hold: &Hold) -> String {
    let why = hold.lifted.as_deref().unwrap_or_default();
    format!("lifted the hold {} on {} because: {why}", hold.id, hold.about())
}

async fn told(state: &WebState, kind: LifecycleKind, hold: &Hold) -> Result<(), WebError> {
    let why = hold.lifted.as_ref().unwrap_or(&hold.reason);
    let detail = [
        ("hold", hold.id.clone()),
        ("project", hold.project.0.clone()),
        ("about", hold.about()),
        ("reason", why.clone()),
        ("by", hold.changed_by.clone()),
    ];
    let detail = detail.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let event_id = format!("{}-{}", hold.id, kind.word());
    record_lifecycle(&state.store, &LifecycleEvent { at_ns: hold.at_ns, event_id, kind, detail }).await?;
    Ok(())
}
