//! Table `contents`: bodies, each once per trace.
use crate::domain::content::{Content, ContentKind, ContentRef};
use crate::domain::ids::{Digest, Project, TraceId};
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed};
use crate::store::rows::preview::preview;
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// A body on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptContent<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) trace_id: TraceId,
    pub(in crate::store) digest: Digest,
    /// The longest of the steps that use it.
    pub(in crate::store) expires: Day,
    pub(in crate::store) content: &'a Content,
}

/// A body, read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// What stands for it elsewhere.
    pub content: ContentRef,
    /// Whether the text is one whole JSON value.
    pub is_json: bool,
    /// Its length in bytes before it was cut to the limit; `None` when whole.
    pub cut_from: Option<u64>,
    /// The text; empty when only what stands for it was asked for.
    pub text: String,
}

impl Body {
    pub(in crate::store) fn blank() -> Self {
        let content = ContentRef {
            digest: Digest::default(),
            kind: ContentKind::Attribute,
            role: String::new(),
            bytes: 0,
            preview: String::new(),
        };
        Self { content, is_json: false, cut_from: None, text: String::new() }
    }
}

pub(in crate::store) type ContentColumn =
    Column<for<'a, 'b> fn(&mut Writer, &'b KeptContent<'a>), Read<Body>>;

/// Where a body is filed. In front and of known length, so that keys are found without reading bodies.
pub(in crate::store) const FILED: &[ContentColumn] = &[
    filed!("trace_id", TraceId, |out, kept| kept.trace_id.write(out)),
    cell!("digest", Digest, content.digest, |out, kept| kept.digest.write(out)),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
    filed!("project", Project, |out, kept| kept.project.write(out)),
];

/// What a list of bodies shows. (`digest` stands among [`FILED`].)
pub(in crate::store) const SHOWN: &[ContentColumn] = &[
    cell!("kind", ContentKind, content.kind, |out, kept| kept.content.kind.write(out)),
    cell!("role", String, content.role, |out, kept| out.text(&kept.content.role)),
    cell!("is_json", bool, is_json, |out, kept| kept.content.is_json.write(out)),
    cell!("bytes", u64, content.bytes, |out, kept| {
        out.u64(u64::try_from(kept.content.body.len()).unwrap_or(u64::MAX));
    }),
    cell!("cut_from", Option<u64>, cut_from, |out, kept| kept.content.cut_from.write(out)),
    cell!("preview", String, content.preview, |out, kept| out.text(&preview(kept.content))),
];

/// The body itself.
pub(in crate::store) const TEXT: &[ContentColumn] =
    &[cell!("body", String, text, |out, kept| out.text(&kept.content.body))];

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static ContentColumn> {
    FILED.iter().chain(SHOWN).chain(TEXT)
}

/// Appends one row.
pub(in crate::store) fn write_content(out: &mut Writer, kept: &KeptContent<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}

/// Under what a body is kept, and until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::store) struct ContentKey {
    pub(in crate::store) trace_id: TraceId,
    pub(in crate::store) digest: Digest,
    pub(in crate::store) expires: Day,
}

/// Reads the key in front of a row: these columns are the first of every version's rows.
pub(in crate::store) fn content_key(from: &mut Reader<'_>) -> Result<ContentKey, ReadError> {
    Ok(ContentKey { trace_id: Cell::read(from)?, digest: Cell::read(from)?, expires: Cell::read(from)? })
}

/// Reads over one row, without its body.
pub(in crate::store) fn skip_content(from: &mut Reader<'_>) -> Result<ContentKey, ReadError> {
    let key = content_key(from)?;
    from.blob()?;
    ContentKind::read(from)?;
    from.blob()?;
    bool::read(from)?;
    from.u64()?;
    Option::<u64>::read(from)?;
    from.blob()?;
    from.blob()?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_a_row_ends_where_reading_it_ends() {
        let content = Content {
            kind: ContentKind::Result,
            role: "tool".to_owned(),
            is_json: false,
            body: "x".repeat(300),
            cut_from: Some(9000),
        };
        let kept = KeptContent {
            project: &Project::default(),
            trace_id: TraceId([1; 16]),
            digest: Digest([2; 16]),
            expires: Day(20_000),
            content: &content,
        };
        let mut out = Writer::default();
        write_content(&mut out, &kept);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        let key = skip_content(&mut from).unwrap();
        assert_eq!(key, ContentKey { trace_id: kept.trace_id, digest: kept.digest, expires: Day(20_000) });
        assert_eq!(from.left(), 0);
        let (mut from, mut body) = (Reader::new(&bytes), Body::blank());
        all().for_each(|column| (column.read)(&mut from, &mut body).unwrap());
        assert_eq!((from.left(), body.text, body.cut_from), (0, content.body, Some(9000)));
        assert_eq!(body.content.bytes, 300);
    }
}
