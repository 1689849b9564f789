//! Messages of every convention, and those that are cut, broken or too long.
use crate::domain::content::ContentKind;
use crate::web::message::{Block, Message, TEXT_BYTES_MAX};

fn said(text: &str) -> Block {
    Block::Said(text.into())
}

fn call(tool: &str, arguments: &str) -> Block {
    Block::Call(tool.into(), arguments.into())
}

fn code(text: &str) -> Block {
    Block::Code(text.into())
}

/// Each body has this role and these blocks.
fn assert_read(cases: impl IntoIterator<Item = (&'static str, &'static str, Vec<Block>)>) {
    for (body, role, blocks) in cases {
        let message = Message::of(ContentKind::Message, "", body);
        assert_eq!((message.role, &message.blocks), (role, &blocks), "{body}");
        assert!(!message.broken, "{body}");
    }
}

#[test]
fn messages_of_every_convention_read_alike() {
    let lookup = call("lookup", r#"{"id": "o-1"}"#);
    assert_read([
        ("just text", "other", vec![said("just text")]),
        (
            r#"{"role":"user","parts":[{"type":"text","content":"refund o-1"}]}"#,
            "user",
            vec![said("refund o-1")],
        ),
        (
            concat!(
                r#"{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"lookup","argu"#,
                r#"ments":{"id":"o-1"}}]}"#,
            ),
            "assistant",
            vec![lookup.clone()],
        ),
        (
            concat!(
                r#"{"role":"assistant","content":"on it","tool_calls":[{"id":"c1","type":"function""#,
                r#","function":{"name":"lookup","arguments":"{\"id\":\"o-1\"}"}}]}"#,
            ),
            "assistant",
            vec![said("on it"), lookup.clone()],
        ),
        (
            concat!(
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool"#,
                r#"_use","id":"t","name":"lookup","input":{"id":"o-1"}}]}"#,
            ),
            "assistant",
            vec![Block::Thought("hm".into()), lookup.clone()],
        ),
        (
            concat!(
                r#"{"role":"assistant","content":null,"tool_calls":[{"tool_call":{"id":"c","functio"#,
                r#"n":{"name":"lookup","arguments":"{\"id\": \"o-1\"}"}}}]}"#,
            ),
            "assistant",
            vec![lookup.clone()],
        ),
    ]);
}

#[test]
fn parts_and_results_of_every_convention_read_alike() {
    let lookup = call("lookup", r#"{"id": "o-1"}"#);
    assert_read([
        (
            concat!(
                r#"{"role":"model","parts":[{"text":"hi"},{"function_call":{"name":"lookup","args":"#,
                r#"{"id":"o-1"}}}]}"#,
            ),
            "assistant",
            vec![said("hi"), lookup.clone()],
        ),
        (
            concat!(
                r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":""#,
                r#"lookup","input":{"id":"o-1"}}]}"#,
            ),
            "assistant",
            vec![lookup],
        ),
        (
            r#"{"role":"tool","tool_call_id":"c1","content":"{\"ok\":true}"}"#,
            "tool",
            vec![code(r#"{"ok": true}"#)],
        ),
        (
            concat!(
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"t"#,
                r#"ype":"text","text":"done"}]}]}"#,
            ),
            "user",
            vec![said("done")],
        ),
        (
            r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"n":1.10}}]}"#,
            "tool",
            vec![code(r#"{"n": 1.10}"#)],
        ),
        (r#""{\"role\":\"user\",\"content\":\"twice encoded\"}""#, "user", vec![said("twice encoded")]),
        (r#"{"shape":"nobody knows"}"#, "other", vec![code(r#"{"shape": "nobody knows"}"#)]),
    ]);
}

#[test]
fn cut_json_is_shown_as_received_and_said_so() {
    let body = r#"[{"role":"user","content":"cut off he"#;
    let message = Message::of(ContentKind::Message, "user", body);
    assert!(message.broken);
    assert_eq!(message.blocks, [said(body)]);
    let arguments = Message::of(ContentKind::Arguments, "", r#"{"target":"acct-42","dry_ru"#);
    assert!(arguments.broken);
    assert_eq!(arguments.blocks, [code(r#"{"target":"acct-42","dry_ru"#)]);
    assert_eq!(Message::of(ContentKind::Arguments, "", "{}").blocks, [code("{}")]);
    assert_eq!(Message::of(ContentKind::Arguments, "", "").blocks, [Block::Media("empty".to_owned())]);
}

#[test]
fn images_are_named_and_never_shown() {
    let body = format!(
        concat!(
            r#"{{"role":"user","content":[{{"type":"text","text":"before"}},{{"type":"image_url"#,
            r#"","image_url":{{"url":"data:image/png;base64,{}"}}}},{{"type":"text","text":"aft"#,
            r#"er"}}]}}"#,
        ),
        "A".repeat(2 << 20)
    );
    let message = Message::of(ContentKind::Message, "", &body);
    let media = Block::Media("image/png, 2 MB as sent, not shown".to_owned());
    assert_eq!(message.blocks, [said("before"), media, said("after")]);
}

#[test]
fn long_texts_are_cut_between_characters() {
    let message = Message::of(ContentKind::Result, "", &"€".repeat(30_000));
    assert!(message.cut);
    assert_eq!(message.blocks, [said(&"€".repeat(TEXT_BYTES_MAX / 3))]);
}
