//! What a customer wrote: the order, the account and the money of one run.
use crate::demo::chance::Chance;

/// One customer's case.
#[derive(Debug, Clone)]
pub(super) struct Ticket {
    /// The order's number; no two runs share one.
    pub(super) order: u64,
    /// The customer's account; several runs may share one.
    pub(super) account: u64,
    /// The customer's name.
    pub(super) name: &'static str,
    /// The customer's address.
    pub(super) email: String,
    /// What was bought.
    pub(super) item: &'static str,
    /// What is to be refunded.
    pub(super) cents: u64,
    /// What the order cost.
    pub(super) total_cents: u64,
    /// The currency.
    pub(super) currency: &'static str,
    /// What the customer wrote.
    pub(super) complaint: String,
}

const NAMES: &[&str] = &[
    "Dana Weber",
    "Ibrahim Sesay",
    "Lucía Ortega",
    "Tom Okafor",
    "Mei Tanaka",
    "Anna Kowalska",
    "Jonas Berg",
    "Priya Nair",
    "Chloé Martin",
    "Samuel Osei",
    "Nora Lindqvist",
    "Rafael Costa",
];
const ITEMS: &[&str] = &[
    "desk lamp",
    "ceramic teapot",
    "rain jacket",
    "bluetooth speaker",
    "chess set",
    "wool blanket",
    "standing fan",
    "picture frame",
    "camping stove",
    "kitchen scale",
];
const DAMAGES: &[&str] = &[
    "arrived with a crack right through it",
    "came in a wet box and does not work",
    "is scratched all over",
    "was missing a part",
    "broke the first time I used it",
];
const WISHES: &[&str] = &[
    "I would like my money back.",
    "Please refund me.",
    "Can you refund the difference?",
    "I don't want a replacement, just a refund.",
];

impl Ticket {
    /// The case of the run with this number, the first one as in the articles: order 4812, 40 dollars.
    pub(super) fn new(number: u64, chance: &mut Chance) -> Self {
        let name = chance.pick(NAMES, "Dana Weber");
        let item = chance.pick(ITEMS, "desk lamp");
        let damage = chance.pick(DAMAGES, "arrived broken");
        let wish = chance.pick(WISHES, "Please refund me.");
        let order = 4812 + number;
        let account = if number < 2 { 2291 } else { 2200 + chance.between(0, 180) };
        let cents =
            if number < 2 { 4_000 } else { chance.between(12, 240) * 100 + 95 * chance.between(0, 1) };
        let email = format!("{}@example.com", name.to_lowercase().replace(' ', "."));
        let complaint = format!("Hi, my {item} (order {order}) {damage}. {wish} Thanks, {name}");
        let total_cents = cents + chance.between(0, 3) * 500;
        Self { order, account, name, email, item, cents, total_cents, currency: "USD", complaint }
    }

    /// The amount as the API of the service spells it.
    pub(super) fn amount(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "amounts are far below 2^53 cents")]
        let cents = self.cents as f64;
        cents / 100.0
    }

    /// The amount as people read it.
    pub(super) fn money(&self) -> String {
        format!("{}.{:02} {}", self.cents / 100, self.cents % 100, self.currency)
    }
}
