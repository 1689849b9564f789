//! Saved views: what is kept, who is shown it, and who may change it.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use recount::domain::scope::{EntityPattern, Scope};
use recount::store::{SavedView, keep_view, saved_views};

use crate::pages::site::Site;
use crate::support::rows::scope;

fn view(name: &str, owner: &str, shared: bool) -> SavedView {
    SavedView {
        view_id: format!("{name}-{owner}"),
        at_ns: 7,
        name: name.to_owned(),
        page: "runs".to_owned(),
        query: "q=agent%3Ashop".to_owned(),
        owner: owner.to_owned(),
        shared,
    }
}

async fn names(site: &Site, scope: &Scope, owner: &str) -> Vec<String> {
    saved_views(&site.store, scope, owner).await.unwrap().into_iter().map(|view| view.name).collect()
}

#[tokio::test]
async fn a_list_gets_a_name_and_loses_it() {
    let site = Site::new().await;
    let state = "q=outcome%3Aunknown&t=24h&cursor=AA";
    let form = [("name", "Open refunds"), ("page", "runs"), ("query", state), ("shared", "yes")];
    let saved = site.post("/views", &form).await;
    assert_eq!((saved.status.as_u16(), saved.location()), (303, "/runs?q=outcome%3Aunknown&t=24h"));
    let html = site.page("/runs?q=outcome:unknown&t=24h").await;
    let here = "<a href=\"/runs?q=outcome%3Aunknown&#38;t=24h\" aria-current=\"page\">Open refunds</a>";
    assert!(html.contains(here), "{html}");
    assert!(site.page("/unknowns").await.contains("Give this list a name"), "it is a view of runs");
    let again = site.post("/views", &form).await;
    assert_eq!(again.status.as_u16(), 400);
    assert!(again.body.contains("is the name of another of your views of runs"), "{}", again.body);
    let page = site.page("/views").await;
    let id = page.split("action=\"/views/").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(page.contains("shared"));
    let path = format!("/views/{id}");
    assert_eq!(site.post(&path, &[("change", "rename"), ("name", "<b>bold")]).await.status.as_u16(), 303);
    let page = site.page("/runs?q=lamp").await;
    assert!(page.contains("&lt;b&gt;bold") && !page.contains("<b>bold") && !page.contains("Open refunds"));
    assert_eq!(site.post(&path, &[("change", "remove")]).await.location(), "/views");
    assert!(site.page("/views").await.contains("No view yet"));
    assert_eq!(site.post(&path, &[("change", "remove")]).await.status.as_u16(), 404);
    let activity = site.page("/activity").await;
    assert!(activity.contains("saved the view Open refunds of runs"), "{activity}");
}

#[tokio::test]
async fn a_name_is_one_view_of_a_list() {
    let site = Site::new().await;
    for (name, page, status) in
        [("Mine", "runs", 303), ("Mine", "findings", 303), ("Other", "runs", 303), ("Mine", "runs", 400)]
    {
        let saved = site.post("/views", &[("name", name), ("page", page)]).await;
        assert_eq!(saved.status.as_u16(), status, "{name} of {page}: {}", saved.body);
    }
    let page = site.page("/views").await;
    let other = page.split("<tr>").find(|row| row.contains("value=\"Other\"")).unwrap();
    let id = other.split("action=\"/views/").nth(1).unwrap().split('"').next().unwrap();
    let renamed = site.post(&format!("/views/{id}"), &[("change", "rename"), ("name", "Mine")]).await;
    assert!(renamed.status.as_u16() == 400 && renamed.body.contains("`name`"), "{}", renamed.body);
    let kept = site.post(&format!("/views/{id}"), &[("change", "rename"), ("name", "Other")]).await;
    assert_eq!(kept.status.as_u16(), 303, "its own name it may keep");
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_by_name() {
    let site = Site::new().await;
    let (long, state) = ("x".repeat(81), format!("q={}", "x".repeat(7_000)));
    for (name, page, query, more, wrong) in [
        (" ", "runs", "", "csrf", "`name`"),
        (&*long, "runs", "", "csrf", "`name`"),
        ("x", "elsewhere", "", "csrf", "`page`"),
        ("x", "runs", &*state, "csrf", "`query`"),
        ("x", "runs", "", "colour", "`colour`"),
        ("x", "runs", "q=outcom%3Aunknown", "csrf", "`query`"),
        ("x", "runs", "tz=Nowhere", "csrf", "`tz`"),
        ("x", "unknowns", "sort=colour", "csrf", "`sort`"),
        ("x", "findings", "code=no-such", "csrf", "`code`"),
        ("x", "runs", "colour=red", "csrf", "`colour` is no parameter"),
    ] {
        let form = [("name", name), ("page", page), ("query", query), (more, "1")];
        let got = site.post("/views", &form).await;
        assert!(got.status.is_client_error() && got.body.contains(wrong), "{wrong}: {}", got.body);
    }
    assert!(site.page("/views").await.contains("No view yet"));
}

#[tokio::test]
async fn others_see_what_is_shared_in_their_project_only() {
    let site = Site::new().await;
    let whole = scope();
    for (name, owner, shared) in [("ours", "ana", true), ("hers", "ana", false), ("mine", "bo", false)] {
        keep_view(&site.store, &whole, &view(name, owner, shared), (false, owner)).await.unwrap();
    }
    assert_eq!(names(&site, &whole, "bo").await, ["mine", "ours"]);
    assert_eq!(names(&site, &whole, "ana").await, ["hers", "ours"]);
    let limited = Scope { entities: EntityPattern::parse("account:1").into_iter().collect(), ..scope() };
    assert_eq!(names(&site, &limited, "bo").await, ["mine"], "what others look for may name others");
    let elsewhere = Scope::whole(recount::domain::ids::Project("elsewhere".to_owned()));
    assert!(names(&site, &elsewhere, "bo").await.is_empty());
    // A later row wins, whoever looks.
    let removed = SavedView { at_ns: 8, ..view("ours", "ana", true) };
    keep_view(&site.store, &whole, &removed, (true, "ana")).await.unwrap();
    assert_eq!(names(&site, &whole, "bo").await, ["mine"]);
}
