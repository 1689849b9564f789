//! Ids that runtimes hide in their metadata: the conversation, the user, the account, LangGraph's namespace.
use crate::conventions::draft::Draft;
use crate::conventions::fill;
use crate::conventions::json::{self, Object};
use crate::domain::entity::Entity;

/// Names of one metadata entry for the conversation, best first.
const SESSIONS: &[&str] = &["session_id", "sessionId", "thread_id", "conversation_id", "langfuse_session_id"];
const USERS: &[&str] = &["user_id", "userId", "langfuse_user_id"];
const ACCOUNTS: &[&str] = &["account_id", "accountId"];

/// Reads the ids in one metadata entry; the value may itself be JSON-quoted.
pub(in crate::conventions) fn entry(draft: &mut Draft<'_>, name: &str, value: &str) {
    let value = json::scalar(value).filter(|_| value.starts_with('"')).unwrap_or_else(|| value.to_owned());
    if value.is_empty() || value == "null" {
        return;
    }
    let facts = draft.facts();
    if SESSIONS.contains(&name) {
        facts.session_id.get_or_insert(value);
    } else if USERS.contains(&name) {
        facts.user_id.get_or_insert(value);
    } else if ACCOUNTS.contains(&name) {
        fill::add_entity(facts, Entity::account(value));
    } else if name == "langgraph_checkpoint_ns" {
        draft.speaks("langgraph");
        link(draft, "langgraph", &value);
    }
}

/// Reads the ids of a metadata attribute that is a JSON object.
pub(in crate::conventions) fn object(draft: &mut Draft<'_>, text: &str) -> Option<()> {
    let metadata = Object::parse(text)?;
    for (name, value) in metadata.entries() {
        if let Some(value) = json::scalar(value) {
            entry(draft, name, &value);
        }
    }
    Some(())
}

/// Adds a key by which a convention links attempts.
pub(in crate::conventions) fn link(draft: &mut Draft<'_>, rule: &str, value: &str) {
    let key = format!("{rule}={value}");
    let keys = &mut draft.facts().link_keys;
    if !value.is_empty() && !keys.contains(&key) {
        keys.push(key);
    }
}
