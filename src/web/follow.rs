//! Pages that follow: whoever listens hears which runs changed, as long as they may still see them.
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::response::sse::Event;
use futures_util::stream::{Stream, unfold};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use crate::access::{allow, scope};
use crate::domain::summary::RunSummary;
use crate::projection::Changed;
use crate::store::queries::run_line;
use crate::web::credential::still;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::state::WebState;
use crate::web::viewer::{Permission, Viewer};

/// Between two looks at whether somebody may still see, and between two events.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// After so many looks a run is read again though nobody told of it: another server may have written it.
const READ_AFTER: u32 = 10;
/// A stream ends after this; browsers open the next one by themselves.
const LASTS: Duration = Duration::from_secs(3_600);
/// Runs named in one event, and looked up for who sees a part only.
const NAMED_MAX: usize = 50;

/// What somebody listens to.
#[derive(Debug)]
pub(in crate::web) enum About {
    /// All runs of the project.
    Runs,
    /// One run.
    Run(String),
}

/// Somebody who listens.
pub(in crate::web) struct Follower {
    state: WebState,
    viewer: Viewer,
    /// What they showed when they came: it must go on being enough.
    parts: Parts,
    about: About,
    changes: broadcast::Receiver<Arc<Changed>>,
    look: Interval,
    looks: u32,
    until: Instant,
    noted: BTreeSet<String>,
    /// Changes went by unheard.
    missed: bool,
    /// How the run stood when it was told last.
    told: Option<String>,
    _permit: OwnedSemaphorePermit,
}

impl Follower {
    /// Begins to listen.
    ///
    /// # Errors
    /// [`WebError::Full`] when too many do.
    pub(in crate::web) fn new(
        state: WebState,
        viewer: Viewer,
        parts: Parts,
        about: About,
    ) -> Result<Self, WebError> {
        let (permit, changes) = (state.live.join()?, state.live.changes());
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            state,
            viewer,
            parts,
            about,
            changes,
            look,
            looks: 0,
            until: Instant::now() + LASTS,
            noted: BTreeSet::new(),
            missed: false,
            told: None,
            _permit: permit,
        })
    }

    /// What they hear.
    pub(in crate::web) fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        unfold(self, |mut follower| async move {
            let event = follower.next().await?;
            Some((Ok(event), follower))
        })
    }

    /// The next event; `None` at the end.
    async fn next(&mut self) -> Option<Event> {
        let stop = self.state.live.ended();
        loop {
            tokio::select! {
                () = stop.cancelled() => return None,
                _ = self.look.tick() => {
                    if Instant::now() > self.until || !self.may_still() {
                        return None;
                    }
                    let first = self.looks == 0;
                    self.looks = self.looks.saturating_add(1);
                    if first {
                        let event = Event::default().event("following").data("{}");
                        return Some(event.retry(Duration::from_secs(3)));
                    }
                    let told = tokio::select! {
                        () = stop.cancelled() => return None,
                        told = self.tell() => told,
                    };
                    match told {
                        Told::Event(event) => return Some(event),
                        Told::Nothing => {}
                        Told::Gone => return None,
                    }
                }
                heard = self.changes.recv() => match heard {
                    Ok(changed) => self.note(&changed),
                    Err(RecvError::Lagged(_)) => self.missed = true,
                    Err(RecvError::Closed) => return None,
                }
            }
        }
    }

    /// Whether what they showed still lets them see what they saw at first.
    fn may_still(&self) -> bool {
        let Ok(identified) = still(&self.state, &self.parts) else { return false };
        let (grants, project) = (&identified.account.grants, &self.viewer.scope.project);
        allow(grants, project, Permission::SeeRecords)
            && scope(grants, project, Permission::SeeRecords).as_ref() == Some(&self.viewer.scope)
    }

    fn note(&mut self, changed: &Changed) {
        if changed.project != self.viewer.scope.project {
            return;
        }
        match &self.about {
            About::Run(run_id) if !changed.run_ids.contains(run_id) => {}
            About::Run(run_id) => drop(self.noted.insert(run_id.clone())),
            About::Runs => {
                let room = (20 * NAMED_MAX).saturating_sub(self.noted.len());
                self.missed |= changed.run_ids.len() > room;
                self.noted.extend(changed.run_ids.iter().take(room).cloned());
            }
        }
    }

    async fn tell(&mut self) -> Told {
        match &self.about {
            About::Run(run_id) => {
                let run_id = run_id.clone();
                self.tell_of_run(&run_id).await
            }
            About::Runs => self.tell_of_runs().await,
        }
    }

    async fn tell_of_run(&mut self, run_id: &str) -> Told {
        let asked = !self.noted.is_empty() || self.missed;
        if !asked && !self.looks.is_multiple_of(READ_AFTER) {
            return Told::Nothing;
        }
        let line = run_line(&self.state.store, &self.viewer.scope, run_id, format::now_ns()).await;
        // A store that does not answer now is asked again at the next look.
        let Ok(line) = line else { return Told::Nothing };
        let Some(line) = line else { return Told::Gone };
        self.noted.clear();
        self.missed = false;
        let said = said_of(&line.summary);
        let before = self.told.replace(said.clone());
        if !asked && before.as_ref().is_none_or(|before| *before == said) {
            return Told::Nothing;
        }
        Told::Event(Event::default().event("changed").data(said))
    }

    async fn tell_of_runs(&mut self) -> Told {
        let mut named = Vec::new();
        let missed = std::mem::take(&mut self.missed);
        for run_id in std::iter::from_fn(|| self.noted.pop_first()).take(NAMED_MAX).collect::<Vec<_>>() {
            // Who sees a part of the project hears of that part only.
            let is_seen = !self.viewer.scope.is_limited()
                || run_line(&self.state.store, &self.viewer.scope, &run_id, format::now_ns())
                    .await
                    .is_ok_and(|line| line.is_some());
            if is_seen {
                named.push(run_id);
            }
        }
        let more = missed && !self.viewer.scope.is_limited();
        if named.is_empty() && !more {
            return Told::Nothing;
        }
        let data = serde_json::json!({"run_ids": named, "more": more});
        Told::Event(Event::default().event("changed").data(data.to_string()))
    }
}

enum Told {
    Event(Event),
    Nothing,
    Gone,
}

fn said_of(run: &RunSummary) -> String {
    serde_json::json!({
        "run_id": run.run_id,
        "state": run.state.word(),
        "outcome": run.outcome,
        "step_count": run.step_count,
        "attempt_count": run.attempt_count,
        "unknown_count": run.acts_unknown,
        "error_count": run.error_count,
        "ended": run.ended_ns.is_some(),
    })
    .to_string()
}
