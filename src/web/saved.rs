//! Saved views beside a list: which there are, which of them is shown, and what is kept when one is saved.
use sha2::{Digest, Sha256};

use crate::store::{SavedView, saved_views};
use crate::web::error::WebError;
use crate::web::link::Links;
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, shortened};
use crate::web::viewer::{Permission, Viewer};

/// The longest name, in characters.
pub(in crate::web) const NAME_CHARS_MAX: usize = 80;
/// The longest state of a list that is kept, in bytes.
const QUERY_BYTES_MAX: usize = 6 << 10;
/// Most views that one person keeps in a project.
pub(in crate::web) const VIEWS_MAX: usize = 200;

/// A list that views are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Listed {
    /// `/runs`.
    Runs,
    /// `/unknowns`.
    Unknowns,
    /// `/findings`.
    Findings,
}

impl Listed {
    /// Every one.
    pub(in crate::web) const ALL: [Self; 3] = [Self::Runs, Self::Unknowns, Self::Findings];

    /// Its word, which is also its path.
    pub(in crate::web) fn word(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Unknowns => "unknowns",
            Self::Findings => "findings",
        }
    }

    /// Its name.
    pub(in crate::web) fn name(self) -> &'static str {
        match self {
            Self::Runs => "Runs",
            Self::Unknowns => "Unknowns",
            Self::Findings => "Findings",
        }
    }

    /// Reads its word.
    pub(in crate::web) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|listed| listed.word() == word)
    }

    /// The address of the list in this state.
    pub(in crate::web) fn href(self, links: &Links, query: &str) -> String {
        let path = links.to(&format!("/{}", self.word()));
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }
}

/// The menu of views beside a list.
#[derive(Debug, Default)]
pub(in crate::web) struct Menu {
    pub(in crate::web) page: &'static str,
    /// The state that would be saved.
    pub(in crate::web) query: String,
    pub(in crate::web) views: Vec<Entry>,
    /// Whether a view can be shown to everybody.
    pub(in crate::web) may_share: bool,
}

/// A view in it.
#[derive(Debug)]
pub(in crate::web) struct Entry {
    pub(in crate::web) name: Text,
    pub(in crate::web) href: String,
    /// It is what the list shows now.
    pub(in crate::web) here: bool,
    /// Who shares it, when it is somebody else's.
    pub(in crate::web) by: Option<Text>,
}

/// The menu of a list in this state.
///
/// # Errors
/// As for any read.
pub(in crate::web) async fn menu(
    state: &WebState,
    viewer: &Viewer,
    (listed, query): (Listed, &str),
) -> Result<Menu, WebError> {
    let me = viewer.name();
    let query = stated(query);
    let links = state.links();
    let views = saved_views(&state.store, &viewer.scope, &me).await?;
    let of_list = views.iter().filter(|view| view.page == listed.word());
    let entry = |view: &SavedView| Entry {
        name: Text::new(view.name.clone()),
        href: listed.href(&links, &view.query),
        here: view.query == query,
        by: (view.owner != me).then(|| Text::new(shortened(&view.owner, 40))),
    };
    Ok(Menu { page: listed.word(), views: of_list.map(entry).collect(), query, may_share: may_share(viewer) })
}

/// Whoever sees only some entities keeps what they look for to themselves.
pub(in crate::web) fn may_share(viewer: &Viewer) -> bool {
    !viewer.scope.is_limited()
}

/// Whether somebody may rename or remove a view.
pub(in crate::web) fn may_change(viewer: &Viewer, view: &SavedView) -> bool {
    view.owner == viewer.name() || viewer.may(Permission::ManageAccess)
}

/// The state of a list in the one spelling that is kept: without its question mark, without a place in it.
pub(in crate::web) fn stated(query: &str) -> String {
    let params = Params::read(query.trim_start_matches('?'));
    let query = params.without("cursor").without("more").without("done").filled().query();
    query.trim_start_matches('?').to_owned()
}

/// A name as it is kept.
///
/// # Errors
/// Says what is wrong with it.
pub(in crate::web) fn name(typed: &str) -> Result<String, WebError> {
    let name = plain(typed.trim());
    match name.chars().count() {
        0 => Err(WebError::Field("name", "is empty; give the view a name".to_owned())),
        1..=NAME_CHARS_MAX => Ok(name),
        _ => Err(WebError::Field("name", format!("is longer than {NAME_CHARS_MAX} characters"))),
    }
}

/// Refuses a name that another view of the same list and the same person has: in the menu they would be one.
///
/// # Errors
/// Names the field.
pub(in crate::web) fn free(views: &[SavedView], view: &SavedView) -> Result<(), WebError> {
    let is_other = |other: &&SavedView| other.view_id != view.view_id;
    let same =
        |other: &&SavedView| other.owner == view.owner && other.page == view.page && other.name == view.name;
    match views.iter().filter(is_other).find(same) {
        Some(_) => {
            let list = Listed::from_word(&view.page).map_or("this list", Listed::word);
            let said = format!("is the name of another of your views of {list}; choose another one");
            Err(WebError::Field("name", said))
        }
        None => Ok(()),
    }
}

/// A view that is saved now.
///
/// # Errors
/// Says which field can't be used.
pub(in crate::web) fn made(
    viewer: &Viewer,
    form: &Params,
    now_ns: u64,
) -> Result<(Listed, SavedView), WebError> {
    let listed = form.get("page").and_then(Listed::from_word);
    let listed =
        listed.ok_or_else(|| WebError::Field("page", "takes runs, unknowns or findings".to_owned()))?;
    let query = stated(form.get("query").unwrap_or_default());
    if query.len() > QUERY_BYTES_MAX {
        return Err(WebError::Field("query", format!("is longer than {QUERY_BYTES_MAX} bytes")));
    }
    let shared = form.get("shared").is_some();
    if shared && !may_share(viewer) {
        return Err(WebError::Field("shared", "is not for who sees only some entities".to_owned()));
    }
    let name = name(form.get("name").unwrap_or_default())?;
    let owner = viewer.name();
    let seed = format!("{} {owner} {now_ns} {name} {query}", viewer.scope.project.0);
    let view_id = Sha256::digest(seed.as_bytes()).iter().take(10).map(|byte| format!("{byte:02x}")).collect();
    let page = listed.word().to_owned();
    Ok((listed, SavedView { view_id, at_ns: now_ns, name, page, query, owner, shared }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_the_list_and_no_place_in_it() {
        assert_eq!(stated("?q=a+b&cursor=AA&t=&done=claim&more=agent"), "q=a%20b");
        assert_eq!(stated(""), "");
        assert_eq!(stated("q=a%0D%0ASet-Cookie:x"), "q=a%0D%0ASet-Cookie%3Ax");
    }

    #[test]
    fn names_are_short_and_seen() {
        assert_eq!(name("  Open refunds ").unwrap(), "Open refunds");
        assert!(name(" ").is_err() && name(&"x".repeat(81)).is_err());
        assert!(!name("a\u{202e}b").unwrap().contains('\u{202e}'));
    }
}
