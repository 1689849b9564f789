//! The documents of `docs/`: part of the binary, drawn from their Markdown.
use std::fmt;

use askama::filters::HtmlSafe;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::web::link::Links;

/// A document.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Document {
    /// Its name in the address; `README` is the index.
    pub(in crate::web) name: &'static str,
    text: &'static str,
}

/// Every document there is, by name.
pub(in crate::web) const DOCUMENTS: &[Document] = include!(concat!(env!("OUT_DIR"), "/documents.rs"));

const INDEX: &str = "README";

/// HTML that was made of a document of ours, in which every character of its text is escaped.
#[derive(Debug)]
pub(in crate::web) struct Drawn(String);

/// Raw HTML of a document is drawn as the text that it is; the rest is pulldown-cmark's own, which escapes.
impl HtmlSafe for Drawn {}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Document {
    /// The document of this name.
    pub(in crate::web) fn named(name: &str) -> Option<Self> {
        DOCUMENTS.iter().find(|document| document.name == name).copied()
    }

    /// The index.
    pub(in crate::web) fn index() -> Option<Self> {
        Self::named(INDEX)
    }

    /// Its first heading.
    pub(in crate::web) fn title(self) -> String {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ").replace('`', "")
    }

    /// Its short name: what the index calls it.
    pub(in crate::web) fn label(self) -> String {
        let index = Self::index().map_or("", |index| index.text);
        let before = index.find(&format!("]({}.md)", self.name)).and_then(|at| index.get(..at));
        let called = before.and_then(|before| before.rsplit_once('[')).map(|(_, called)| called.to_owned());
        called.unwrap_or_else(|| self.title())
    }

    /// Where it is shown.
    pub(in crate::web) fn address(self, links: &Links) -> String {
        links.to(&path(self.name))
    }

    /// Every document in the order in which the index names them; those that it does not name come last.
    pub(in crate::web) fn in_order() -> Vec<Self> {
        let index = Self::index().map_or("", |index| index.text);
        let place = |document: &Self| {
            let named = index.find(&format!("]({}.md)", document.name));
            (document.name != INDEX, named.unwrap_or(usize::MAX))
        };
        let mut all = DOCUMENTS.to_vec();
        all.sort_by_key(place);
        all
    }

    /// Draws it: headings that can be linked to, links between documents as addresses of this site, and those
    /// into the repository as plain text, since it is not here.
    pub(in crate::web) fn draw(self, links: &Links) -> Drawn {
        let mut events: Vec<Event<'_>> = Vec::new();
        let (mut slugs, mut heading, mut linked) = (Vec::new(), None, Vec::new());
        for event in Parser::new_ext(self.text, Options::ENABLE_TABLES) {
            match event {
                Event::Html(raw) | Event::InlineHtml(raw) => events.push(Event::Text(raw)),
                Event::Start(Tag::Heading { .. }) => {
                    heading = Some((events.len(), String::new()));
                    events.push(event);
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((at, text)) = heading.take() {
                        name_heading(&mut events, at, unused(&mut slugs, &slug(&text)));
                    }
                    events.push(event);
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let dest = address_of(&dest_url, links);
                    linked.push(dest.is_some());
                    if let Some(dest) = dest {
                        let dest_url = dest.into();
                        events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                    }
                }
                Event::End(TagEnd::Link) => {
                    if linked.pop().unwrap_or_default() {
                        events.push(event);
                    }
                }
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
                Event::Text(_) | Event::Code(_) => {
                    if let (Some((_, text)), Event::Text(more) | Event::Code(more)) = (&mut heading, &event) {
                        text.push_str(more);
                    }
                    events.push(event);
                }
                Event::Start(_)
                | Event::End(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule
                | Event::TaskListMarker(_) => events.push(event),
            }
        }
        let mut out = String::with_capacity(self.text.len() * 2);
        html::push_html(&mut out, events.into_iter());
        // What is wider than the page is scrolled to by keyboard too.
        let out = out.replace("<pre>", "<pre class=\"code\" tabindex=\"0\">");
        let out = out.replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table class=\"table\">");
        let out = out.replace("</table>", "</table></div>").replace("<th>", "<th scope=\"col\">");
        Drawn(out)
    }
}

fn path(name: &str) -> String {
    if name == INDEX { "/docs".to_owned() } else { format!("/docs/{name}") }
}

/// Gives the heading that was begun at this place its id.
fn name_heading(events: &mut [Event<'_>], at: usize, name: String) {
    if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(at) {
        *id = Some(name.into());
    }
}

/// As GitHub names the anchors of headings.
fn slug(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn unused(slugs: &mut Vec<String>, slug: &str) -> String {
    let again = slugs.iter().filter(|used| *used == slug).count();
    slugs.push(slug.to_owned());
    if again == 0 { slug.to_owned() } else { format!("{slug}-{again}") }
}

/// Where a link of a document leads on this site: elsewhere, within the page, to a document, or nowhere.
fn address_of(target: &str, links: &Links) -> Option<String> {
    if target.starts_with("https://") || target.starts_with("http://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let (file, fragment) = target.split_once('#').map_or((target, ""), |(file, fragment)| (file, fragment));
    let document = Document::named(file.strip_suffix(".md")?)?;
    let address = document.address(links);
    Some(if fragment.is_empty() { address } else { format!("{address}#{fragment}") })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    fn drawn(document: Document) -> String {
        document.draw(&Links::new("/base")).to_string()
    }

    #[test]
    fn raw_html_is_text_and_headings_have_names() {
        let text =
            "# A `b` c\n<b>x</b> <script>y</script>\n\n## Two\n## Two\n[d](README.md) [e](../Cargo.toml)\n";
        let html = drawn(Document { name: "x", text });
        assert!(html.contains("<h1 id=\"a-b-c\">") && html.contains("id=\"two-1\""), "{html}");
        assert!(html.contains("&lt;script&gt;") && !html.contains("<b>"), "{html}");
        assert!(html.contains("<a href=\"/base/docs\">d</a> e"), "{html}");
    }

    #[test]
    fn every_document_is_drawn_by_the_rules_of_the_site() {
        assert!(Document::index().is_some());
        assert_eq!(Document::named("reconcile").unwrap().label(), "Reconciling");
        assert!(
            Document::in_order().iter().all(|document| document.label().len() < 30),
            "the list is narrow"
        );
        for document in Document::in_order() {
            let html = drawn(document);
            assert!(html.starts_with("<h1 id="), "{}: the first line is its title", document.name);
            assert!(!html.contains("style=") && !html.contains("<img"), "{}", document.name);
            assert_eq!(html.matches("<h1 ").count(), 1, "{}: one title", document.name);
        }
    }

    #[test]
    fn every_link_leads_somewhere() {
        let anchors: BTreeSet<String> = DOCUMENTS
            .iter()
            .flat_map(|document| {
                let html = drawn(*document);
                let ids = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
                ids.map(|id| format!("{}.md#{id}", document.name)).collect::<Vec<_>>()
            })
            .collect();
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        for document in DOCUMENTS {
            for event in Parser::new_ext(document.text, Options::ENABLE_TABLES) {
                let Event::Start(Tag::Link { dest_url, .. }) = event else { continue };
                if dest_url.starts_with("http") {
                    continue;
                }
                let target = if dest_url.starts_with('#') {
                    format!("{}.md{dest_url}", document.name)
                } else {
                    dest_url.to_string()
                };
                let file = target.split('#').next().unwrap();
                assert!(docs.join(file).exists(), "{}: {target}", document.name);
                assert!(!target.contains('#') || anchors.contains(&target), "{}: {target}", document.name);
            }
        }
    }
}
