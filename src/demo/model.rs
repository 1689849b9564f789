//! The scripted model: it reads the conversation and says what a model would say next.
//!
//! It is handed nothing but the conversation: what it does after an error depends on how the loop words it.
use crate::demo::chance::Chance;
use crate::demo::conversation::{Call, Conversation, Reply};
use crate::demo::ticket::Ticket;
use crate::demo::tools;

/// What the agent is told to be.
pub(super) const SYSTEM: &str = "You are the support agent of Lindgren & Sons, an online shop for the home. \
Help customers with damaged items. Look up the order first. Refunds up to 250.00 may be issued without \
asking; refund only what the policy allows and only once per order. After a refund, tell the customer by \
e-mail, in two sentences, kindly and without promises about dates. If a tool fails, decide whether to try \
again.";

/// What the agent is told to be where the application owns the state of every act.
pub(super) const SYSTEM_DESIGNED: &str = "You are the support agent of Lindgren & Sons, an online shop for \
the home. Help customers with damaged items. Look up the order first. Refunds up to 250.00 may be issued \
without asking. After a refund, tell the customer by e-mail, in two sentences, kindly and without promises \
about dates. Every tool answers with a status. `confirmed` means it happened. `refused` means it did not. \
`outcome_unknown` means the application is finding out: never call the tool again for it, go on without it.";

/// A model and how it is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model {
    /// Its name as asked for.
    pub(super) name: &'static str,
    /// Its name as it answers.
    pub(super) answers_as: &'static str,
    /// Who serves it.
    pub(super) provider: &'static str,
    /// Where.
    pub(super) host: &'static str,
    /// Dollars for a million input tokens.
    pub(super) price_in: f64,
    /// Dollars for a million output tokens.
    pub(super) price_out: f64,
    /// How often it tries a tool that answers with an error.
    pub(super) patience: usize,
}

/// The model of the naive loop.
pub(super) const NAIVE: Model = Model {
    name: "gpt-4.1-mini",
    answers_as: "gpt-4.1-mini-2025-04-14",
    provider: "openai",
    host: "api.openai.com",
    price_in: 0.4,
    price_out: 1.6,
    patience: 6,
};

/// The model of the designed loop.
pub(super) const DESIGNED: Model = Model {
    name: "claude-sonnet-4-5",
    answers_as: "claude-sonnet-4-5-20250929",
    provider: "anthropic",
    host: "api.anthropic.com",
    price_in: 3.0,
    price_out: 15.0,
    patience: 1,
};

/// Reasons for the refund: no two tries are worded alike, as models do.
const REASONS: &[&str] = &[
    "Item arrived damaged, customer asked for a refund",
    "Damaged on arrival: refund as requested by the customer",
    "Customer reports a damaged item and wants the money back",
    "Refund for an item that was damaged in transit",
    "Customer received a damaged product; refunding",
    "Damaged item refund, requested by e-mail",
];

/// What became of a goal, as far as the model can see.
enum Seen {
    Nothing,
    Done,
    /// The loop said that it takes care of it.
    Parked,
    Failed(usize),
}

impl Model {
    /// What it says next about a ticket. `goals` are the tools that it was asked to use, in order.
    pub(super) fn answer(
        &self,
        conversation: &Conversation,
        ticket: &Ticket,
        goals: &[&str],
        chance: &mut Chance,
    ) -> Reply {
        let mut gave_up = Vec::new();
        let mut parked = false;
        for goal in goals {
            let tries = match seen(conversation, goal) {
                Seen::Done => continue,
                Seen::Parked => {
                    parked = true;
                    continue;
                }
                Seen::Failed(tries) if tries >= self.patience => {
                    gave_up.push(*goal);
                    continue;
                }
                Seen::Failed(tries) => tries,
                Seen::Nothing => 0,
            };
            let arguments = tools::arguments(goal, ticket, &wording(goal, ticket, tries));
            let call = Call { id: chance.id("call_", 16), tool: (*goal).to_owned(), arguments };
            return Reply { text: thought(goal, ticket, tries), calls: vec![call] };
        }
        Reply { text: closing(ticket, &gave_up, parked), calls: Vec::new() }
    }
}

fn seen(conversation: &Conversation, goal: &str) -> Seen {
    let results: Vec<&str> = conversation.results(goal).collect();
    let Some(last) = results.last() else { return Seen::Nothing };
    let failed = last.starts_with("Error") || last.contains("\"refused\"");
    match (failed, last.contains("outcome_unknown")) {
        (_, true) => Seen::Parked,
        (true, false) => Seen::Failed(results.len()),
        (false, false) => Seen::Done,
    }
}

fn wording(goal: &str, ticket: &Ticket, tries: usize) -> String {
    match goal {
        "issue_refund" => REASONS.get(tries % REASONS.len()).copied().unwrap_or_default().to_owned(),
        _ => format!(
            "Dear {}, we are sorry that your {} was damaged. We have refunded {} to your original payment \
             method.",
            ticket.name,
            ticket.item,
            ticket.money()
        ),
    }
}

fn thought(goal: &str, ticket: &Ticket, tries: usize) -> String {
    match (goal, tries) {
        ("lookup_order", 0) => format!("I'll look up order {} first.", ticket.order),
        ("issue_refund", 0) => format!(
            "The order was delivered and the {} was damaged on arrival. {} is within what I may refund, so I \
             will issue it now.",
            ticket.item,
            ticket.money()
        ),
        ("issue_refund", 1) => {
            "The refund did not go through because of a technical error. I'll try again.".to_owned()
        }
        ("issue_refund", _) => "Still no luck with the refund, trying once more.".to_owned(),
        ("send_email", 0) => format!("The refund is done. Now I'll let {} know.", ticket.name),
        ("send_email", _) => "The e-mail could not be sent, I'll send it again.".to_owned(),
        ("update_order", _) => "I'll mark the order as refunded.".to_owned(),
        (_, _) => "I'll try that again.".to_owned(),
    }
}

fn closing(ticket: &Ticket, gave_up: &[&str], parked: bool) -> String {
    let (order, money) = (ticket.order, ticket.money());
    if parked {
        format!("Order {order}: the payments team is confirming the refund of {money}; nothing more to do.")
    } else if gave_up.contains(&"issue_refund") {
        // Silent data loss: what was never done is reported as if it were a result.
        format!("Order {order}: processed. No further refund is needed for this order.")
    } else if gave_up.is_empty() {
        format!("Order {order}: refunded {money} and informed {} by e-mail. Closing the ticket.", ticket.name)
    } else {
        format!("Order {order}: refunded {money}. Its status could not be changed; a colleague has to look.")
    }
}
