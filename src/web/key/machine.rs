//! The states of an act as a drawing, with the way that one key took through it.
use std::collections::BTreeMap;

use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::{Move, Origin};
use crate::web::format;

/// A way from one state to another: where it is drawn, and where its label stands.
struct Way(Outcome, Outcome, &'static str, (u16, u16));

use Outcome::{Confirmed, Failed, Submitted, Unknown};

/// Ways that are always drawn: faint until taken.
const WAYS: [Way; 5] = [
    Way(Submitted, Confirmed, "M186 101C220 26 400 18 500 46", (330, 24)),
    Way(Submitted, Failed, "M186 145C220 222 400 230 508 206", (330, 240)),
    Way(Submitted, Unknown, "M224 123H314", (268, 114)),
    Way(Unknown, Confirmed, "M396 103C430 74 450 60 499 58", (424, 66)),
    Way(Unknown, Failed, "M396 144C430 176 450 192 508 194", (424, 190)),
];
/// Ways back, drawn only where they were taken: later evidence spoke against what was known.
const BACK: [Way; 4] = [
    Way(Confirmed, Unknown, "M520 72C500 112 460 122 428 123", (530, 146)),
    Way(Failed, Unknown, "M528 182C504 150 460 130 428 125", (512, 160)),
    Way(Confirmed, Failed, "M590 72C604 110 604 146 584 181", (618, 130)),
    Way(Failed, Confirmed, "M566 182C572 150 572 110 562 74", (590, 130)),
];

/// The drawing.
#[derive(Debug)]
pub(in crate::web) struct Machine {
    /// The ways: path data of ours, and whether they were taken.
    pub(in crate::web) edges: Vec<(&'static str, bool)>,
    /// Words on the ways taken, with their places.
    pub(in crate::web) labels: Vec<(u16, u16, String)>,
    /// Whether each state was reached: submitted, unknown, confirmed, failed.
    pub(in crate::web) reached: [bool; 4],
    /// How often a repeat was held while it was confirmed.
    pub(in crate::web) held: bool,
    /// All of it as a sentence.
    pub(in crate::web) label: String,
}

impl Machine {
    /// The drawing of a path; `held` counts calls that the gate held.
    pub(in crate::web) fn of(path: &[Move], held: u32) -> Self {
        let mut taken: BTreeMap<(Outcome, Outcome), Vec<&Move>> = BTreeMap::new();
        let mut here = Submitted;
        let mut said = vec!["new, then submitted".to_owned()];
        let mut reached = vec![Submitted];
        for moved in path {
            if moved.state != here {
                taken.entry((here, moved.state)).or_default().push(moved);
                said.push(format!("then {} ({})", moved.state, why(moved)));
            }
            here = moved.state;
            reached.push(here);
        }
        let mut edges = Vec::new();
        let mut labels = Vec::new();
        for (Way(from, to, drawn, place), always) in
            WAYS.iter().map(|way| (way, true)).chain(BACK.iter().map(|way| (way, false)))
        {
            let moves = taken.get(&(*from, *to));
            if always || moves.is_some() {
                edges.push((*drawn, moves.is_some()));
            }
            if let Some(first) = moves.and_then(|moves| moves.first()) {
                let times = moves.map_or(1, Vec::len);
                let times = if times > 1 { format!(" ×{times}") } else { String::new() };
                labels.push((place.0, place.1, format!("{}{times}", why(first))));
            }
        }
        let held_line = format::counted(held, "repeat held", "repeats held");
        if held > 0 {
            said.push(format!("{held_line}, nothing sent for it"));
        }
        // Ways taken lie above the others.
        edges.sort_by_key(|(_, taken)| *taken);
        Self {
            edges,
            held: held > 0 && here == Confirmed,
            labels: labels
                .into_iter()
                .chain((held > 0 && here == Confirmed).then_some((553, 117, held_line)))
                .collect(),
            reached: [Submitted, Unknown, Confirmed, Failed].map(|state| reached.contains(&state)),
            label: format!("{}.", crate::web::text::sentence(&said.join(", "))),
        }
    }
}

/// What moved it, in a word or two.
pub(in crate::web) fn why(moved: &Move) -> &'static str {
    match (&moved.origin, moved.evidence, moved.state) {
        (Origin::Deadline, _, _) => "time passed",
        (_, Evidence::Timeout, _) => "no answer",
        (_, Evidence::Reconcile, _) => "look-up",
        (_, Evidence::ReadBack, _) => "read-back",
        (_, Evidence::Resolution, Unknown) => "opened again",
        (_, Evidence::Resolution, _) => "resolution",
        (_, Evidence::Status, Confirmed) => "answered OK",
        (_, Evidence::Status, _) => "by its status",
        (_, Evidence::Error, Failed) => "refused",
        (_, Evidence::Error, _) => "an error",
        (_, Evidence::Given, _) => "as reported",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(state: Outcome, evidence: Evidence) -> Move {
        Move { state, at_ns: 1, by: "w".to_owned(), evidence, origin: Origin::Event("e".to_owned()) }
    }

    #[test]
    fn the_way_that_was_taken_is_drawn_and_told() {
        let path = [
            moved(Submitted, Evidence::Given),
            moved(Unknown, Evidence::Timeout),
            moved(Confirmed, Evidence::Reconcile),
        ];
        let machine = Machine::of(&path, 1);
        assert_eq!(machine.reached, [true, true, true, false]);
        assert_eq!(machine.edges.iter().filter(|(_, taken)| *taken).count(), 2);
        assert_eq!(machine.edges.len(), WAYS.len());
        let says = "New, then submitted, then unknown (no answer), then confirmed (look-up), 1 repeat held, \
                    nothing sent for it.";
        assert_eq!(machine.label, says);
    }

    #[test]
    fn ways_back_and_straight_ways_are_drawn_too() {
        let machine =
            Machine::of(&[moved(Confirmed, Evidence::Status), moved(Unknown, Evidence::ReadBack)], 0);
        assert_eq!(machine.edges.len(), WAYS.len() + 1);
        assert_eq!(machine.reached, [true, true, true, false]);
        assert!(!machine.held);
        let all = Outcome::ALL.iter().flat_map(|from| Outcome::ALL.iter().map(move |to| (*from, *to)));
        let drawn = |from, to| WAYS.iter().chain(&BACK).any(|way| (way.0, way.1) == (from, to));
        for (from, to) in all.filter(|(from, to)| from != to && *to != Submitted) {
            assert!(drawn(from, to), "{from} to {to}");
        }
        assert!(Machine::of(&[], 0).edges.iter().all(|(_, taken)| !taken));
    }
}
