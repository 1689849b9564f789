//! The agents' tools: what the model is told of them, and the HTTP request each becomes.
use serde_json::{Value, json};

use crate::demo::conversation::Call;
use crate::demo::ticket::Ticket;

/// A request to the service.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// `GET` or `POST`.
    pub(super) method: &'static str,
    /// Path and query.
    pub(super) path: String,
    /// The body of a `POST`.
    pub(super) body: Option<Value>,
}

impl Request {
    /// Reads.
    pub(super) fn get(path: String) -> Self {
        Self { method: "GET", path, body: None }
    }

    fn post(path: String, body: Value) -> Self {
        Self { method: "POST", path, body: Some(body) }
    }
}

/// The request that a tool call becomes.
pub(super) fn request(call: &Call) -> Request {
    let order = order_of(call);
    match call.tool.as_str() {
        "issue_refund" => Request::post("/refunds".to_owned(), call.arguments.clone()),
        "send_email" => Request::post("/mails".to_owned(), call.arguments.clone()),
        "update_order" => Request::post(format!("/orders/{order}/status"), call.arguments.clone()),
        _ => Request::get(format!("/orders/{order}")),
    }
}

/// The request that asks what became of an act: by its key while the service knows it.
pub(super) fn look_up(call: &Call, key: &str) -> Request {
    let (order, list) = (order_of(call), ledger_of(&call.tool));
    Request::get(format!("/{list}?order_id={order}&idempotency_key={}", escaped(key)))
}

/// Whether a tool changes something.
pub(super) fn acts(tool: &str) -> bool {
    matches!(tool, "issue_refund" | "send_email" | "update_order")
}

/// What a call is on.
pub(super) fn target(call: &Call) -> String {
    format!("order:{}", order_of(call))
}

/// The order that a call names.
pub(super) fn order_of(call: &Call) -> String {
    call.arguments.get("order_id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The service's list of such effects.
fn ledger_of(tool: &str) -> &'static str {
    match tool {
        "issue_refund" => "refunds",
        "send_email" => "mails",
        _ => "updates",
    }
}

/// The name of the tool that looks such an act up.
pub(super) fn look_up_name(tool: &str) -> &'static str {
    match tool {
        "issue_refund" => "find_refund",
        "send_email" => "find_email",
        _ => "find_update",
    }
}

/// Arguments of the calls that the scripted model makes.
pub(super) fn arguments(tool: &str, ticket: &Ticket, wording: &str) -> Value {
    let order = ticket.order.to_string();
    match tool {
        "issue_refund" => json!({
            "order_id": order,
            "customer_id": ticket.account.to_string(),
            "amount": ticket.amount(),
            "currency": ticket.currency,
            "reason": wording,
        }),
        "send_email" => json!({
            "order_id": order,
            "customer_id": ticket.account.to_string(),
            "to": ticket.email,
            "subject": format!("Your refund for order {order}"),
            "body": wording,
        }),
        "update_order" => json!({
            "order_id": order,
            "customer_id": ticket.account.to_string(),
            "status": "refunded",
        }),
        _ => json!({ "order_id": order }),
    }
}

/// What the model is told of its tools.
pub(super) fn definitions() -> String {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let tool = |name: &str, about: &str, properties: Value| {
        let required: Vec<&String> =
            properties.as_object().map(|all| all.keys().collect()).unwrap_or_default();
        json!({
            "type": "function",
            "name": name,
            "description": about,
            "parameters": { "type": "object", "properties": properties, "required": required },
        })
    };
    let order = text("The order's number");
    let customer = text("The customer's account number");
    json!([
        tool(
            "lookup_order",
            "Look up an order: items, total, status, customer",
            json!({ "order_id": order })
        ),
        tool(
            "issue_refund",
            "Refund money for an order. Moves real money.",
            json!({
                "order_id": order,
                "customer_id": customer,
                "amount": { "type": "number", "description": "How much, in the order's currency" },
                "currency": text("ISO 4217 code"),
                "reason": text("Why, in a sentence"),
            })
        ),
        tool(
            "send_email",
            "Send an e-mail to the customer",
            json!({
                "order_id": order,
                "customer_id": customer,
                "to": text("The address"),
                "subject": text("The subject"),
                "body": text("The text"),
            })
        ),
        tool(
            "update_order",
            "Set the status of an order",
            json!({ "order_id": order, "customer_id": customer, "status": text("The new status") })
        ),
    ])
    .to_string()
}

/// For a query: everything but letters, digits and `-_.~` as `%XX`.
fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
