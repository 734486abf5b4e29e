//! The same expressions on the same inputs, here and in the real `jq`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

const INPUTS: &[&str] = &[
    "null",
    "5",
    "\"order.paid\"",
    "[3,1,2]",
    "[]",
    "{}",
    r#"{"id":7,"amount":12.5,"currency":"EUR","lines":[{"sku":"a","n":2},{"sku":"b","n":0}],"note":null}"#,
    r#"[{"key":"a","value":1},{"name":"b","value":2}]"#,
    r#""a,b, c""#,
];

/// One expression in each line.
const CORPUS: &str = include_str!("corpus.jq");

/// What the real `jq` says about each input: its results, or that there is an error.
fn jq(source: &str) -> Vec<Option<Vec<String>>> {
    let program = format!(".[] | try {{results: [{source}]}} catch {{}}");
    let mut child = Command::new("jq")
        .args(["-c", &program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("jq is installed: `cargo xtask test` does that, or apt-get install jq");
    // A text that it cannot compile ends it before it reads.
    let _ = child.stdin.take().expect("piped").write_all(format!("[{}]", INPUTS.join(",")).as_bytes());
    let output = child.wait_with_output().expect("jq ends");
    let text = String::from_utf8(output.stdout).expect("jq writes text");
    let mut answers: Vec<_> = text.lines().map(|line| results(&normal(line))).collect();
    answers.resize(INPUTS.len(), None);
    answers
}

fn results(answer: &serde_json::Value) -> Option<Vec<String>> {
    Some(answer.get("results")?.as_array()?.iter().map(ToString::to_string).collect())
}

/// Numbers may be written in more than one way.
fn same(left: &[String], right: &[String]) -> bool {
    let read = |texts: &[String]| -> Vec<serde_json::Value> { texts.iter().map(|text| normal(text)).collect() };
    read(left) == read(right)
}

fn normal(text: &str) -> serde_json::Value {
    fn floats(value: serde_json::Value) -> serde_json::Value {
        match value {
            serde_json::Value::Number(number) => serde_json::json!(number.as_f64()),
            serde_json::Value::Array(items) => items.into_iter().map(floats).collect(),
            serde_json::Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, floats(value))).collect()
            }
            other => other,
        }
    }
    floats(serde_json::from_str(text).expect("JSON"))
}

#[test]
fn expressions_mean_what_they_mean_in_jq() {
    let mut different = Vec::new();
    for source in CORPUS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let expression = Expression::new(source).map_err(|wrong| wrong.to_string());
        for (input, real) in INPUTS.iter().zip(jq(source)) {
            let ours = expression.as_ref().map_err(Clone::clone).and_then(|expression| {
                let results = expression.apply(input.as_bytes())?;
                Ok(results.into_iter().map(|json| String::from_utf8_lossy(&json).into_owned()).collect::<Vec<_>>())
            });
            let agree = match (&ours, &real) {
                (Ok(ours), Some(real)) => same(ours, real),
                (Err(_), None) => true,
                _ => false,
            };
            if !agree {
                different.push(format!("{source}\n  on {input}\n  here {ours:?}\n  jq   {real:?}"));
            }
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

/// The results as one text, or that there is an error.
type Said = Option<String>;

fn jq_alone(source: &str) -> Said {
    let output = Command::new("jq").args(["-nc", &format!("[{source}]")]).output().expect("jq is installed");
    let text = String::from_utf8(output.stdout).expect("jq writes text");
    output.status.success().then(|| text.trim().to_owned())
}

fn here(source: &str) -> Said {
    let results = Expression::new(source).ok()?.apply(b"null").ok()?;
    let results: Vec<_> = results.iter().map(|json| String::from_utf8_lossy(json)).collect();
    Some(format!("[{}]", results.join(",")))
}

/// What stands in a table of the docs under `heading`, by cells.
fn table(heading: &str) -> Vec<[String; 3]> {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/expressions.md");
    let docs = std::fs::read_to_string(docs).expect("the docs are there");
    let (_, after) = docs.split_once(heading).expect("the docs have the table");
    let rows =
        after.lines().skip_while(|line| !line.starts_with("|--")).skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let row = row.replace("\\|", "\0");
        let cell = |n| row.split('|').nth(n).unwrap_or_default().replace('\0', "|").trim().to_owned();
        [cell(1), cell(2), cell(3)]
    })
    .collect()
}

/// What a cell of the docs says: results between backticks, or that there are none, or an error.
fn said(cell: &str) -> Said {
    match cell {
        "an error" => None,
        "nothing" => Some("[]".to_owned()),
        results => Some(format!("[{}]", results.trim_matches('`').replace(", ", ","))),
    }
}

#[test]
fn the_docs_say_truly_how_it_differs_from_jq() {
    let rows = table("| expression | in jq 1.6 | here |");
    assert!(rows.len() > 5, "{rows:?}");
    for [source, in_jq, ours] in rows {
        let source = source.trim_matches('`');
        assert_eq!((jq_alone(source), here(source)), (said(&in_jq), said(&ours)), "jq and here: {source}");
    }
}
