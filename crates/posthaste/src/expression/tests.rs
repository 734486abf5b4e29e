//! What an expression does, and that no expression does harm.

use super::*;

mod bounds;
mod destinations;
mod fuzz;
mod real_jq;
mod sources;

/// The results as JSON, or the error.
fn apply(source: &str, input: &str) -> Result<Vec<String>, String> {
    let expression = Expression::new(source).map_err(|wrong| wrong.to_string())?;
    let results = expression.apply(input.as_bytes())?;
    Ok(results.into_iter().map(|json| String::from_utf8(json).expect("JSON is text")).collect())
}

fn one(source: &str, input: &str) -> String {
    let results = apply(source, input).unwrap_or_else(|error| panic!("{source} on {input}: {error}"));
    assert_eq!(results.len(), 1, "{source} on {input}: {results:?}");
    results.into_iter().next().unwrap_or_default()
}

#[test]
fn numbers_keep_the_digits_that_they_are_written_with() {
    let input = r#"{"a":12345678901234567890123,"b":1.10,"c":1e400,"d":-0.0,"e":9007199254740993}"#;
    assert_eq!(one(".", input), input);
    assert_eq!(one("[1/2, 6/2, 1e3, 2 * 1.5, 10 / 4]", "null"), "[0.5,3,1e3,3,2.5]");
    assert_eq!(one(".[6/2]", "[0,1,2,3]"), "3");
}

#[test]
fn what_is_set_where_nothing_was_is_made() {
    assert_eq!(one(".a.b[1].c = 5", "{}"), r#"{"a":{"b":[null,{"c":5}]}}"#);
    assert_eq!(one("del(.a.b, .c[0])", r#"{"x":1}"#), r#"{"x":1}"#);
    assert_eq!(one("del(.b)", r#"{"a":1,"b":2,"c":3}"#), r#"{"a":1,"c":3}"#);
    assert_eq!(one(r#".headers["x-region"] = "eu""#, "{}"), r#"{"headers":{"x-region":"eu"}}"#);
}

#[test]
fn what_is_wrong_with_a_text_is_said_with_its_place() {
    let says = |source: &str| Expression::new(source).expect_err(source).to_string();
    assert_eq!(says(".a |\n  | .b"), "line 2, column 3: here should be a term\n      | .b\n      ^");
    assert_eq!(says("{a: .b"), "line 1, column 7: here should be a closing brace\n    {a: .b\n          ^");
    let unknown = says(".payload | amont");
    assert!(unknown.starts_with("line 1, column 12: there is no `amont`"), "{unknown}");
    assert!(unknown.ends_with("\n    .payload | amont\n               ^"), "{unknown}");
    assert!(says("").contains("here should be a term"));
    assert!(says("map(1; 2)").contains("there is no `map` with 2 arguments"));
    assert!(says("import \"a\" as a; .").starts_with("line 1, column"));
    assert!(says(&".".repeat(20 << 10)).contains("bytes long"));
}

#[test]
fn an_expression_sees_its_input_and_nothing_else() {
    for source in [
        "now",
        "env",
        "env.HOME",
        "$ENV.HOME",
        "input",
        "[inputs]",
        "debug",
        "stderr",
        "halt",
        "halt_error",
        "localtime",
    ] {
        let wrong = Expression::new(source).expect_err(source);
        assert!(wrong.what.contains("sees its input and nothing else"), "{source}: {wrong}");
    }
    for source in ["include \"a\"; .", "import \"a\" as $a; $a", "input_filename", "get_search_list", "$__prog_args"] {
        assert!(Expression::new(source).is_err(), "{source}");
    }
}

#[test]
fn patterns_are_those_of_the_regex_crate() {
    assert_eq!(one(r#"test("^a+b"; "i")"#, r#""AAB""#), "true");
    assert_eq!(
        one(r#"[match("(?<x>a)(b)?"; "g") | .captures | map(.string)]"#, r#""ab a""#),
        r#"[["a","b"],["a",null]]"#
    );
    assert_eq!(one(r#"capture("(?<year>\\d+)-(?<month>\\d+)")"#, r#""2026-11""#), r#"{"year":"2026","month":"11"}"#);
    assert_eq!(one(r#"gsub("\\s+"; "-")"#, r#""a b  c""#), r#""a-b-c""#);
    assert_eq!(one(r#"split(", *"; null)"#, r#""a, b,c""#), r#"["a","b","c"]"#);
    assert!(apply(r#"test("(?=a)")"#, r#""a""#).unwrap_err().contains("this is no pattern"));
    assert!(apply(r#"test("((a{100}){100}){100}")"#, r#""a""#).unwrap_err().contains("too large"));
}
