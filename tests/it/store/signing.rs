//! Several servers over one store: one gives leaves their places and signs, the others wait for their turn.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::sync::{Arc, Mutex};

use recount::domain::step::Step;
use recount::evidence::Signer;
use recount::projection::{Sequencer, Signing};
use recount::store::Store;
use recount::store::queries::tree_size;

use crate::support::engine::store;
use crate::support::rows::{Keeping, NOW_NS, span, trace};

struct Server {
    sequencer: Sequencer,
    notes: Arc<Mutex<Vec<String>>>,
}

fn server(store: &Store, name: &str, key: u8) -> Server {
    let signer = Arc::new(Signer::of_seed(&[key; 32], "recount").unwrap());
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = notes.clone();
    let outside = Arc::new(move |note: &str| kept.lock().unwrap().push(note.to_owned()));
    let sequencer = Sequencer::new(store.clone(), signer, outside);
    Server { sequencer: sequencer.among_others((name.to_owned(), format!("host-{name}"))), notes }
}

impl Server {
    /// How many leaves it gives places, and how often it has signed.
    async fn run(&self) -> (u64, usize) {
        let placed = self.sequencer.run(NOW_NS).await.unwrap();
        (placed, self.notes.lock().unwrap().len())
    }
}

async fn keep(store: &Store, keeping: &Keeping, number: u8) {
    let steps = (1..=5).map(|id| {
        let mut step = Step::default();
        (step.facts.trace_id, step.facts.span_id) = (trace(number), span(id));
        step
    });
    keeping.keep(store, NOW_NS, steps.collect()).await;
}

#[tokio::test]
async fn of_several_servers_one_gives_places_and_signs() {
    let store = store().await;
    let keeping = Keeping::new();
    let (one, other, foreign) = (server(&store, "a", 3), server(&store, "b", 3), server(&store, "c", 4));
    assert_eq!(one.sequencer.signing(), Signing::Unknown);
    keep(&store, &keeping, 1).await;
    let (by_one, by_other) = tokio::join!(one.run(), other.run());
    let (mine, waits) = match by_one.0 {
        0 => (&other, &one),
        _ => (&one, &other),
    };
    let mut both = [by_one, by_other];
    both.sort_unstable();
    assert_eq!(both, [(0, 0), (5, 1)]);
    assert_eq!(mine.sequencer.signing(), Signing::Mine);
    let name = if std::ptr::eq(mine, &one) { "host-a" } else { "host-b" };
    let told = |same_key| Signing::Other { name: name.to_owned(), same_key };
    assert_eq!(waits.sequencer.signing(), told(true));
    // Another key is never believed for what this one signed, and does not sign beside it.
    assert_eq!(foreign.run().await, (0, 0));
    assert_eq!(foreign.sequencer.signing(), told(false));
    assert!(waits.sequencer.may_sign().await.unwrap() && !foreign.sequencer.may_sign().await.unwrap());

    keep(&store, &keeping, 2).await;
    assert_eq!((waits.run().await, foreign.run().await), ((0, 0), (0, 0)));
    assert_eq!(mine.run().await, (5, 2));
    // It stops: the next goes on at once where it was.
    keep(&store, &keeping, 3).await;
    mine.sequencer.give_back().await;
    assert_eq!(foreign.run().await, (0, 0));
    assert_eq!(waits.run().await, (5, 1));
    assert_eq!(mine.run().await, (0, 2));
    for log in tree_size(&store, None).await.unwrap() {
        assert_eq!((log.size, log.placed), (15, 15));
    }
}
