//! What an attribute can tell: the fields of a step, and the rows of a dialect's table.

/// A fact that is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The run.
    Run,
    /// The step.
    Step,
    /// The conversation.
    Session,
    /// The end user.
    User,
    /// The agent's name.
    Agent,
    /// The agent's version.
    AgentVersion,
    /// Who ran it.
    Worker,
    /// The deployment environment.
    Environment,
    /// The service.
    Service,
    /// The model that answered.
    Model,
    /// The model that was asked.
    ModelRequested,
    /// Who serves the model.
    Provider,
    /// The tool's name.
    Tool,
    /// The id of the tool call.
    ToolCallId,
    /// What the act is on.
    Target,
    /// The idempotency key.
    Key,
    /// The amount at stake.
    Value,
    /// The id the downstream system gave.
    DownstreamId,
    /// The step this one verifies.
    Verifies,
    /// The action this one undoes.
    Compensates,
    /// Who approved it.
    Approver,
    /// The policy's version.
    PolicyVersion,
    /// The runtime's name for the snapshot.
    ContextRef,
}

/// A fact that is a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// The fencing number.
    Epoch,
    /// The runtime's sequence number.
    Seq,
    /// How many steps the run had.
    RunStepCount,
    /// The attempt's number, from 1.
    Attempt,
    /// How many tries one span covers.
    Tries,
    /// Input tokens.
    TokensIn,
    /// Output tokens.
    TokensOut,
    /// Input tokens read from the cache.
    TokensCacheRead,
    /// Input tokens written to the cache.
    TokensCacheWrite,
    /// Output tokens spent on reasoning.
    TokensReasoning,
}

/// A part of an HTTP exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The method.
    Method,
    /// The status code of the answer.
    Status,
    /// How often the client sent it again.
    Resend,
    /// The answer's `Retry-After`.
    RetryAfter,
}

/// What a body is for. The first dialect that has something for a side gives all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// System instructions.
    System,
    /// Definitions of the tools on offer.
    ToolDefinitions,
    /// Messages that the model saw.
    Input,
    /// What the model answered.
    Output,
    /// Arguments of the executed call.
    Arguments,
    /// What the tool gave back.
    Result,
}

/// What a value says about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// A text.
    Text(Text),
    /// A count.
    Count(Count),
    /// A part of an HTTP exchange.
    Http(Exchange),
    /// A body.
    Content(Side),
    /// A request parameter, with its short name.
    Parameter(&'static str),
    /// Request parameters in a JSON object.
    Parameters,
    /// Why the model stopped.
    FinishReasons,
    /// Cost in US dollars.
    Cost,
    /// The account acted for.
    Account,
    /// Entities, each `type:id`: a list, a JSON list, or text with commas.
    Entities,
    /// Until when the provider keeps the key.
    KeyExpires,
    /// What the gate decided.
    Gate,
    /// The outcome.
    Outcome,
    /// Why the outcome is believed.
    Evidence,
    /// The error's type; that it is there means that something failed.
    ErrorType,
    /// The error's text.
    ErrorMessage,
    /// Read by the dialect's own code; the text says for what.
    Code(&'static str),
}

impl Field {
    /// What it means, for the page of conventions.
    pub fn meaning(self) -> String {
        match self {
            Self::Parameter(name) => format!("parameter {name}"),
            Self::Code(what) => what.to_owned(),
            Self::Text(text) => spaced(&format!("{text:?}")),
            Self::Count(count) => spaced(&format!("{count:?}")),
            Self::Http(part) => format!("HTTP {}", spaced(&format!("{part:?}"))),
            Self::Content(side) => spaced(&format!("{side:?}")),
            Self::Parameters
            | Self::FinishReasons
            | Self::Cost
            | Self::Account
            | Self::Entities
            | Self::KeyExpires
            | Self::Gate
            | Self::Outcome
            | Self::Evidence
            | Self::ErrorType
            | Self::ErrorMessage => spaced(&format!("{self:?}")),
        }
    }

    /// Whether a resource may say it for all its spans.
    pub(in crate::conventions) fn identifies(self) -> bool {
        matches!(
            self,
            Self::Account
                | Self::Entities
                | Self::Count(Count::Epoch)
                | Self::Text(
                    Text::Run
                        | Text::Session
                        | Text::User
                        | Text::Agent
                        | Text::AgentVersion
                        | Text::Worker
                        | Text::Environment
                        | Text::Service
                        | Text::PolicyVersion
                )
        )
    }
}

/// One row of a dialect's table: a key, and what its value says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The attribute's key; one that ends in `*` stands for every key that begins so.
    pub key: &'static str,
    /// What its value says.
    pub field: Field,
    /// Whether the key alone shows that the dialect is spoken.
    pub sign: bool,
}

impl Read {
    /// The same row, read only where another sign shows that the dialect is spoken.
    pub(in crate::conventions) const fn no_sign(self) -> Self {
        Self { sign: false, ..self }
    }
}

/// A row for a key whose presence shows that the dialect is spoken.
pub(in crate::conventions) const fn read(key: &'static str, field: Field) -> Read {
    Read { key, field, sign: true }
}

/// A row for a text.
pub(in crate::conventions) const fn text(key: &'static str, text: Text) -> Read {
    read(key, Field::Text(text))
}

/// A row for a count.
pub(in crate::conventions) const fn count(key: &'static str, count: Count) -> Read {
    read(key, Field::Count(count))
}

/// A row for a body.
pub(in crate::conventions) const fn content(key: &'static str, side: Side) -> Read {
    read(key, Field::Content(side))
}

/// A row for a request parameter.
pub(in crate::conventions) const fn parameter(key: &'static str, name: &'static str) -> Read {
    read(key, Field::Parameter(name))
}

/// A row that the dialect's code reads.
pub(in crate::conventions) const fn code(key: &'static str, what: &'static str) -> Read {
    read(key, Field::Code(what))
}

fn spaced(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_say_what_they_mean() {
        assert_eq!(Field::Text(Text::ToolCallId).meaning(), "tool call id");
        assert_eq!(Field::Parameter("top_p").meaning(), "parameter top_p");
        assert_eq!(Field::Http(Exchange::RetryAfter).meaning(), "HTTP retry after");
        assert_eq!(Field::FinishReasons.meaning(), "finish reasons");
    }
}
