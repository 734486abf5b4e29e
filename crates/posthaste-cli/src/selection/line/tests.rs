use super::*;

fn again(line: &str) -> String {
    write(&parse(line).unwrap())
}

#[test]
fn a_line_is_read_and_written_again() {
    for line in [
        "",
        "status:dead destination:billing type:invoice.* key:order/42 since:2h",
        "status:dead,retrying aggregate:order/1 tenant:acme before:2026-11-02T03:04:05Z",
        r#"key:"a b" error:"HTTP 503 from * said \"no\" in C:\\x""#,
        "id:01890a5d-ac96-774b-bcce-b302099a8057",
    ] {
        assert_eq!(again(line), line);
    }
}

#[test]
fn equal_selections_are_equal_lines() {
    assert_eq!(again("  since:120m   state:dead event_type:a "), "status:dead type:a since:2h");
    assert_eq!(again("status:dead status:retrying"), "status:dead,retrying");
    assert_eq!(again("01890a5d-ac96-774b-bcce-b302099a8057"), "id:01890a5d-ac96-774b-bcce-b302099a8057");
}

#[test]
fn a_value_may_contain_what_separates_names() {
    let selection = parse("key:urn:isbn:1").unwrap();
    assert_eq!(selection.key.as_deref(), Some("urn:isbn:1"));
    assert_eq!(again(r#"key:a\b"#), r#"key:a\b"#, "a backslash means something in quotes only");
    assert_eq!(parse(r#"key:a"b"#).unwrap().key.as_deref(), Some("a\"b"));
}

#[test]
fn what_cannot_be_read_is_said() {
    for (line, said) in [
        ("dead", "`dead` has no name"),
        ("colour:red", "`colour:` is unknown: write one of status:, destination:"),
        ("status:dad", "`dad` is not a status: write one of pending"),
        ("key:", "`key:` has no value"),
        ("key:a key:b", "`key:` is given twice"),
        ("since:yesterday", "how long ago"),
        ("key:\"a", "a quote is not closed"),
        ("id:1", "is not the id of a message"),
    ] {
        let error = parse(line).unwrap_err();
        assert!(error.contains(said), "{line}: {error}");
    }
}

#[test]
fn a_word_says_where_it_stands() {
    let found = words("a:1  b:\"x y\" c").unwrap();
    let places: Vec<_> = found.iter().map(|word| (word.name.as_deref(), word.from, word.to)).collect();
    assert_eq!(places, [(Some("a"), 0, 3), (Some("b"), 5, 12), (None, 13, 14)]);
}
