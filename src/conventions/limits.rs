//! What was cut or left out before a record was read: said in findings, and on the bodies that end early.
use crate::conventions::draft::Draft;
use crate::domain::counting::counted;
use crate::domain::finding::Code;
use crate::domain::step::Step;
use crate::domain::value::{Piece, Value};
use crate::otlp::Cut;

/// Findings about cut values on one record; more are counted in the last.
const CUTS_NAMED_MAX: usize = 16;

/// Notes what was cut and left out, and marks the bodies whose text was cut.
pub(in crate::conventions) fn note(draft: &mut Draft<'_>) {
    for cut in draft.source.cut.iter().take(CUTS_NAMED_MAX) {
        let (at, bytes) = (&cut.at, cut.bytes);
        draft.finding(Code::ValueCut, format!("`{at}` had {bytes} bytes and was cut to the limit"));
    }
    let more = draft.source.cut.len().saturating_sub(CUTS_NAMED_MAX);
    if more > 0 {
        let more = counted(more, "more value was", "more values were");
        draft.finding(Code::ValueCut, format!("{more} cut to the limit"));
    }
    let left_out = draft.source.left_out;
    let lists = [
        (left_out.attributes, "attribute was", "attributes were"),
        (left_out.events, "event was", "events were"),
        (left_out.links, "link was", "links were"),
    ];
    for (count, one, many) in lists.into_iter().filter(|(count, _, _)| *count > 0) {
        draft.finding(Code::ValueCut, format!("{} left out, over the limit", counted(count, one, many)));
    }
    if draft.source.cut.is_empty() {
        return;
    }
    let step = &mut draft.step;
    let attributes = std::mem::take(&mut step.attributes);
    let events = std::mem::take(&mut step.events);
    let of_events = events.iter().flat_map(|event| &event.attributes);
    for (key, value) in attributes.iter().chain(of_events) {
        mark(step, key, value, draft.source.cut);
    }
    (step.attributes, step.events) = (attributes, events);
}

/// Marks the body that ends where the value under a key was cut: its last one.
pub(in crate::conventions) fn mark(step: &mut Step, key: &str, value: &Value, cuts: &[Cut]) {
    let Some(cut) = cuts.iter().find(|cut| cut.at == key) else { return };
    let Value::Framed(pieces) = value else { return };
    let body = pieces.iter().rev().find_map(|piece| match piece {
        Piece::Body(body) | Piece::Inside(body, _) | Piece::Json(body, _) => Some(*body),
        Piece::Text(_) => None,
    });
    if let Some(content) = body.and_then(|body| step.bodies.get_mut(body)) {
        content.cut_from = Some(cut.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{codes, read, span};
    use crate::otlp::WireSpan;

    #[test]
    fn b31_what_was_cut_is_said() {
        let result = format!("{}…", "語".repeat(1000));
        let sent = span("execute_tool x", vec![("gen_ai.tool.call.result", result.as_str().into())]);
        let cut = vec![Cut { at: "gen_ai.tool.call.result".to_owned(), bytes: 20 << 20 }];
        let step = read(&WireSpan { cut, ..sent });
        assert_eq!(step.bodies[step.result.unwrap()].cut_from, Some(20 << 20));
        assert!(codes(&step).contains(&Code::ValueCut));
    }
}
