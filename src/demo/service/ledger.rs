//! What the service knows: orders, refunds, mails, and which idempotency keys it still remembers.
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::demo::service::fault::Fault;
use crate::demo::ticket::Ticket;
use crate::demo::truth::Effect;

/// How long the service remembers a key.
pub(super) const KEY_KEPT: Duration = Duration::from_secs(24 * 3600);

/// What kind of effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Refund,
    Email,
    OrderUpdate,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::Email => "email",
            Self::OrderUpdate => "order_update",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Refund => "re",
            Self::Email => "ml",
            Self::OrderUpdate => "up",
        }
    }
}

/// One thing that was done.
#[derive(Debug, Clone)]
struct Entry {
    kind: Kind,
    id: String,
    order: String,
    key: Option<String>,
    at_ns: u64,
    body: Value,
}

/// A request to do something.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) kind: Kind,
    pub(super) order: String,
    pub(super) key: Option<String>,
    pub(super) now_ns: u64,
    pub(super) body: Value,
}

/// The books.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    orders: BTreeMap<String, Value>,
    entries: Vec<Entry>,
    /// By order and operation, first come first served.
    faults: BTreeMap<(String, &'static str), VecDeque<Fault>>,
    /// The highest epoch seen of each run.
    epochs: BTreeMap<String, u64>,
    numbers: u64,
}

impl Ledger {
    /// Takes an order in.
    pub(super) fn open(&mut self, ticket: &Ticket) {
        let order = json!({
            "order_id": ticket.order.to_string(),
            "customer_id": ticket.account.to_string(),
            "customer": { "name": ticket.name, "email": ticket.email },
            "items": [{ "name": ticket.item, "quantity": 1 }],
            "total": { "cents": ticket.total_cents, "currency": ticket.currency },
            "status": "delivered",
        });
        self.orders.insert(ticket.order.to_string(), order);
    }

    /// Plans what goes wrong with the next requests.
    pub(super) fn plan(&mut self, order: &str, operation: &'static str, faults: &[Fault]) {
        self.faults.entry((order.to_owned(), operation)).or_default().extend(faults);
    }

    /// What goes wrong with this request.
    pub(super) fn fault(&mut self, order: &str, operation: &'static str) -> Fault {
        let planned = self.faults.get_mut(&(order.to_owned(), operation));
        planned.and_then(VecDeque::pop_front).unwrap_or(Fault::Well)
    }

    /// An order as the API shows it.
    pub(super) fn order(&self, order: &str) -> Option<&Value> {
        self.orders.get(order)
    }

    /// Whether a writer still owns its run; a higher epoch than any before takes the run over.
    pub(super) fn admit(&mut self, run: &str, epoch: u64) -> bool {
        let highest = self.epochs.entry(run.to_owned()).or_insert(epoch);
        *highest = epoch.max(*highest);
        epoch == *highest
    }

    /// Does it, or gives what was done under this key before.
    pub(super) fn apply(&mut self, wish: Wish) -> Value {
        if let Some(before) = self.under_key(&wish) {
            return shown(before);
        }
        let entry = self.entry(wish);
        let answer = shown(&entry);
        if entry.kind == Kind::OrderUpdate
            && let Some(Value::Object(order)) = self.orders.get_mut(&entry.order)
            && let Some(status) = entry.body.get("status")
        {
            order.insert("status".to_owned(), status.clone());
        }
        self.entries.push(entry);
        answer
    }

    /// An answer as if it had been done.
    pub(super) fn pretend(&mut self, wish: Wish) -> Value {
        let entry = self.entry(wish);
        shown(&entry)
    }

    /// What was done on an order; `None` when it is asked for by a key that is no longer remembered.
    pub(super) fn list(&self, kind: Kind, order: &str, key: Option<&str>, now_ns: u64) -> Option<Vec<Value>> {
        let of_order = |entry: &&Entry| entry.kind == kind && entry.order == order;
        let found = self.entries.iter().filter(of_order);
        let Some(key) = key else { return Some(found.map(shown).collect()) };
        let (old, known): (Vec<&Entry>, Vec<&Entry>) = found
            .filter(|entry| entry.key.as_deref() == Some(key))
            .partition(|entry| forgotten(entry, now_ns));
        (old.is_empty()).then(|| known.into_iter().map(shown).collect())
    }

    /// The effects on an order.
    pub(super) fn effects(&self, order: &str) -> Vec<Effect> {
        let of_order = self.entries.iter().filter(|entry| entry.order == order);
        of_order
            .map(|entry| Effect {
                kind: entry.kind.word(),
                id: entry.id.clone(),
                target: format!("order:{order}"),
                key: entry.key.clone(),
            })
            .collect()
    }

    fn entry(&mut self, wish: Wish) -> Entry {
        self.numbers += 1;
        let id = format!("{}_{}", wish.kind.prefix(), 9012 + self.numbers);
        let Wish { kind, order, key, now_ns, body } = wish;
        Entry { kind, id, order, key, at_ns: now_ns, body }
    }

    fn under_key(&self, wish: &Wish) -> Option<&Entry> {
        wish.key.as_ref()?;
        self.entries
            .iter()
            .find(|entry| entry.kind == wish.kind && entry.key == wish.key && !forgotten(entry, wish.now_ns))
    }
}

fn forgotten(entry: &Entry, now_ns: u64) -> bool {
    let kept = u64::try_from(KEY_KEPT.as_nanos()).unwrap_or(u64::MAX);
    now_ns > entry.at_ns.saturating_add(kept)
}

fn shown(entry: &Entry) -> Value {
    let mut shown = Map::new();
    for (name, value) in [("id", &entry.id), ("order_id", &entry.order)] {
        shown.insert(name.to_owned(), Value::from(value.as_str()));
    }
    for name in ["amount", "currency", "to", "status"] {
        shown.extend(entry.body.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    Value::Object(shown)
}
