//! A record of who looked names accounts: where rules hide one in records, it is hidden here too.
use crate::domain::activity::Activity;
use crate::domain::entity::Entity;
use crate::domain::secret::SecretKey;
use crate::domain::step::Step;
use crate::redaction::Redactor;

/// Hides the entities of an entry, and what its address and its query say of them.
pub(in crate::server) fn hide_entities(entry: &mut Activity, redactor: &Redactor, key: &SecretKey) {
    let hider = Hider { redactor, key };
    for name in &mut entry.entities {
        if let Some(Entity { kind, id }) = Entity::parse(name) {
            *name = format!("{kind}:{}", hider.id(&kind, &id));
        }
    }
    let kind = hider.path(&mut entry.what);
    let pairs = entry.query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) => {
            let of = kind.as_deref().filter(|_| name == "q").unwrap_or(name);
            let words = value.split(' ').map(|word| hider.word(of, word));
            format!("{name}={}", words.collect::<Vec<_>>().join(" "))
        }
        None => pair.to_owned(),
    });
    entry.query = pairs.collect::<Vec<_>>().join("&");
}

struct Hider<'a> {
    redactor: &'a Redactor,
    key: &'a SecretKey,
}

impl Hider<'_> {
    /// What records show for an id of this type.
    fn id(&self, kind: &str, id: &str) -> String {
        let mut step = Step::default();
        step.facts.entities = vec![Entity { kind: kind.to_owned(), id: id.to_owned() }];
        let clean = self.redactor.clean(step, self.key);
        clean.get().facts.entities.first().map_or_else(String::new, |entity| entity.id.clone())
    }

    /// A word of a question: `account:2291`, `-entity:account:2291`, or an id alone.
    fn word(&self, name: &str, word: &str) -> String {
        let bare = word.trim_start_matches('-').trim_matches('"');
        let typed = bare.strip_prefix("entity:").unwrap_or(bare);
        let (kind, id) = typed.split_once(':').unwrap_or((name, typed));
        if id.is_empty() {
            return word.to_owned();
        }
        let hidden = self.id(kind, id);
        if hidden == id { word.to_owned() } else { word.replacen(id, &hidden, 1) }
    }

    /// An address below `/accounts` or `/entities`; gives back the type that it is about.
    fn path(&self, path: &mut String) -> Option<String> {
        let parts: Vec<&str> = path.split('/').collect();
        let at = parts.iter().position(|part| matches!(*part, "accounts" | "entities"))?;
        let is_account = parts.get(at) == Some(&"accounts");
        let (kind, id_at) = if is_account { ("account", at + 1) } else { (*parts.get(at + 1)?, at + 2) };
        let kind = kind.to_owned();
        let Some(spelt) = parts.get(id_at) else { return Some(kind) };
        let id = decoded(spelt);
        let hidden = self.id(&kind, &id);
        if hidden != id {
            let with = |(place, part): (usize, &&str)| {
                if place == id_at { hidden.clone() } else { (*part).to_owned() }
            };
            *path = parts.iter().enumerate().map(with).collect::<Vec<_>>().join("/");
        }
        Some(kind)
    }
}

fn decoded(part: &str) -> String {
    let pair = format!("part={}", part.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, part)| part.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redaction::{Method, RuleSpec, Settings};

    #[test]
    fn an_account_is_hidden_wherever_a_question_names_it() {
        let rule = RuleSpec { method: Method::Hash, ..RuleSpec::keys("acct", &["account"]) };
        let redactor = Redactor::new(&Settings::with_rules(vec![rule])).unwrap();
        let key = SecretKey::new(1, [7; 32]);
        for (what, query) in [
            ("/entities/account/c%2Fzz", "from=2026-11-29"),
            ("/accounts/c%2Fzz", ""),
            ("/api/v1/entities/account", "q=c/zz&limit=5"),
            ("/runs", "q=refund -entity:account:c/zz took:>3s"),
            ("/api/v1/cases", "account=c/zz"),
            ("/activity", "entity=account:c/zz&kind=looked"),
        ] {
            let mut entry =
                Activity { what: what.to_owned(), query: query.to_owned(), ..Activity::default() };
            entry.entities = vec!["account:c/zz".to_owned(), "order:4812".to_owned()];
            hide_entities(&mut entry, &redactor, &key);
            let said = format!("{} {}", entry.what, entry.query);
            assert!(said.contains("acct(4):v1.") && !said.contains("zz"), "{said}");
            assert!(entry.entities[0].starts_with("account:acct(4):v1."), "{:?}", entry.entities);
            assert_eq!(entry.entities[1], "order:4812");
            for kept in ["from=2026-11-29", "limit=5", "took:>3s", "kind=looked"] {
                assert_eq!(said.contains(kept), query.contains(kept), "{said}");
            }
        }
    }
}
