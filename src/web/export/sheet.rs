//! The columns of rows, made of the type that their JSON is written from.
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

/// What a column holds, as the JSON of a row writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Holds {
    /// A time in RFC 3339.
    Time,
    /// A whole number.
    Number,
    /// Any number.
    Fraction,
    /// True or false.
    Truth,
    /// A text.
    Text,
    /// A list of whole numbers.
    Numbers,
    /// A list of texts.
    Texts,
    /// Anything else: its JSON.
    Json,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Column {
    /// Its name: the member of the row.
    pub(in crate::web) name: String,
    /// What it holds.
    pub(in crate::web) holds: Holds,
    /// Whether it may be null.
    pub(in crate::web) maybe: bool,
}

/// The columns of rows of a type.
pub(in crate::web) fn columns<T: JsonSchema>() -> Vec<Column> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let members = schema.get("properties").and_then(Value::as_object);
    members.into_iter().flatten().map(|(name, member)| column(name, member)).collect()
}

fn column(name: &str, member: &Value) -> Column {
    let types: Vec<&str> = match member.get("type") {
        Some(Value::String(word)) => vec![word.as_str()],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    };
    let element = member.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
    let is_time = name == "at" || name.ends_with("_at");
    let kind = types.iter().copied().find(|word| *word != "null").unwrap_or_default();
    let holds = match (kind, element) {
        ("string", _) if is_time => Holds::Time,
        ("string", _) => Holds::Text,
        ("integer", _) => Holds::Number,
        ("number", _) => Holds::Fraction,
        ("boolean", _) => Holds::Truth,
        ("array", Some("integer")) => Holds::Numbers,
        ("array", Some("string")) => Holds::Texts,
        _ => Holds::Json,
    };
    let maybe = types.contains(&"null") || holds == Holds::Json;
    Column { name: name.to_owned(), holds, maybe }
}

/// A value as the text of a cell: a list apart by spaces, anything deeper as JSON.
pub(in crate::web) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(|item| item.is_string() || item.is_number()) => {
            items.iter().map(cell).collect::<Vec<_>>().join(" ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Row {
        at: String,
        ended_at: Option<String>,
        name: String,
        tool: Option<&'static str>,
        count: u32,
        tokens: Option<u64>,
        cost: Option<f64>,
        whole: bool,
        missing: Vec<u32>,
        models: Vec<String>,
        path: Vec<Row>,
        case: Option<Box<Row>>,
    }

    #[test]
    fn columns_are_those_of_the_json() {
        let columns: Vec<(String, Holds, bool)> =
            columns::<Row>().into_iter().map(|column| (column.name, column.holds, column.maybe)).collect();
        let expected = [
            ("at", Holds::Time, false),
            ("ended_at", Holds::Time, true),
            ("name", Holds::Text, false),
            ("tool", Holds::Text, true),
            ("count", Holds::Number, false),
            ("tokens", Holds::Number, true),
            ("cost", Holds::Fraction, true),
            ("whole", Holds::Truth, false),
            ("missing", Holds::Numbers, false),
            ("models", Holds::Texts, false),
            ("path", Holds::Json, true),
            ("case", Holds::Json, true),
        ];
        let expected = expected.map(|(name, holds, maybe)| (name.to_owned(), holds, maybe));
        assert_eq!(columns, expected.to_vec());
    }

    #[test]
    fn a_cell_is_plain_where_it_can_be() {
        use serde_json::json;
        for (value, text) in [
            (json!(null), ""),
            (json!("a b"), "a b"),
            (json!(7), "7"),
            (json!(["a", "b"]), "a b"),
            (json!([]), ""),
            (json!([{"a": 1}]), "[{\"a\":1}]"),
            (json!(true), "true"),
        ] {
            assert_eq!(cell(&value), text);
        }
    }
}
