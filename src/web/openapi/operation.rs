//! One operation of the API as it is described: what it takes, and what it answers.
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Makes the schema of a type.
pub(in crate::web) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of this type.
pub(in crate::web) fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) enum Takes {
    /// Any text.
    Text,
    /// Any text, and it must be there.
    Needed,
    /// Any text, once or twice.
    Twice,
    /// A time in RFC 3339.
    Time,
    /// A whole number from 1 to this.
    Limit(u16),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// A parameter of the query: its name, what it takes, what it is for.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Param(
    pub(in crate::web) &'static str,
    pub(in crate::web) Takes,
    pub(in crate::web) &'static str,
);

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Operation {
    /// The address, as in the table of routes.
    pub(in crate::web) path: &'static str,
    /// In a few words.
    pub(in crate::web) summary: &'static str,
    /// The parameters of the query.
    pub(in crate::web) params: &'static [Param],
    /// The JSON it takes; then it is a POST.
    pub(in crate::web) body: Option<SchemaOf>,
    /// The JSON it answers with, where it answers with JSON.
    pub(in crate::web) answer: Option<SchemaOf>,
    /// Other media types that it answers with.
    pub(in crate::web) media: &'static [&'static str],
    /// The status of a good answer.
    pub(in crate::web) status: u16,
    /// What it may say besides what every operation may say.
    pub(in crate::web) also: &'static [u16],
}

/// A plain question: no parameters.
pub(in crate::web) const GET: Operation = Operation {
    path: "",
    summary: "",
    params: &[],
    body: None,
    answer: None,
    media: &[],
    status: 200,
    also: &[],
};

/// Something that is appended or changed.
pub(in crate::web) const POST: Operation = Operation { status: 201, also: &[409, 413, 415], ..GET };

/// The schema of either.
pub(in crate::web) fn either(generator: &mut SchemaGenerator, one: SchemaOf, other: SchemaOf) -> Schema {
    let (one, other) = (one(generator), other(generator));
    schemars::json_schema!({"anyOf": [one, other]})
}
