//! Less of an answer: the members that a reader needs, texts and lists cut until the whole fits, and where it
//! was cut.
use serde_json::{Map, Value};

/// The most bytes of one answer.
const BYTES_MAX: usize = 48 << 10;

/// Characters of a text and members of a list: tried in this order until the answer fits.
const MEASURES: [(usize, usize); 6] = [(600, 200), (300, 100), (160, 60), (100, 30), (60, 15), (40, 5)];

/// Keeps these members of an object, in this order; those that are null are left out.
pub(in crate::mcp) fn pick(object: &Value, names: &[&str]) -> Value {
    let members = names.iter().filter_map(|name| {
        let value = object.get(*name).filter(|value| !is_nothing(value))?;
        Some(((*name).to_owned(), value.clone()))
    });
    Value::Object(members.collect())
}

/// Does something to every member of a list.
pub(in crate::mcp) fn each(object: &mut Value, name: &str, how: impl Fn(&Value) -> Value) {
    if let Some(Value::Array(list)) = object.get_mut(name) {
        for one in list.iter_mut() {
            *one = how(one);
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// The value in as many bytes as are allowed, and whether something was cut.
pub(in crate::mcp) fn fit(value: &Value) -> (Value, bool) {
    for (chars, members) in MEASURES {
        let mut cut = false;
        let fitting = shortened(value, chars, members, &mut cut);
        if serde_json::to_string(&fitting).is_ok_and(|text| text.len() <= BYTES_MAX) {
            return (fitting, cut);
        }
    }
    (Value::String("too much to tell; ask for less".to_owned()), true)
}

fn shortened(value: &Value, chars: usize, members: usize, cut: &mut bool) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(chars) {
            Some((at, _)) => {
                *cut = true;
                let kept = text.get(..at).unwrap_or_default();
                Value::String(format!("{kept}… (cut; {} bytes in all)", text.len()))
            }
            None => value.clone(),
        },
        Value::Array(list) => {
            *cut |= list.len() > members;
            list.iter().take(members).map(|one| shortened(one, chars, members, cut)).collect()
        }
        Value::Object(object) => {
            let mut kept = Map::new();
            for (name, value) in object {
                kept.insert(name.clone(), shortened(value, chars, members, cut));
            }
            Value::Object(kept)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_picked_in_order_and_nothing_is_made_up() {
        let value = json!({"b": 1, "a": "x", "none": null, "empty": [], "other": 2});
        assert_eq!(pick(&value, &["a", "b", "none", "empty", "missing"]), json!({"a": "x", "b": 1}));
    }

    #[test]
    fn whatever_comes_fits() {
        for value in [
            json!({"text": "ü".repeat(1 << 20)}),
            json!({"list": (0..100_000).collect::<Vec<_>>()}),
            json!({"list": vec![json!({"a": "x".repeat(5_000), "b": vec!["y".repeat(900); 500]}); 500]}),
            Value::Object((0..9_000).map(|n| (format!("member {n}"), json!("x".repeat(90)))).collect()),
        ] {
            let (fitting, cut) = fit(&value);
            let bytes = serde_json::to_string(&fitting).unwrap().len();
            assert!(cut && bytes <= BYTES_MAX, "{bytes}");
        }
        let small = json!({"a": ["b", 1, null]});
        assert_eq!(fit(&small), (small, false));
    }
}
