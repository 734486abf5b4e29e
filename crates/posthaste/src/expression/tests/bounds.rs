use std::time::Duration;

use super::super::meter;
use super::*;

/// Each of these would take for ever, fill the memory, or end the process.
const HOSTILE: &[(&str, &str)] = &[
    ("def f: f; f", "too many steps"),
    ("def f: 1 + f; f", "too deep"),
    ("def f(g): f(g | .); f(.)", "too many steps"),
    ("def f(g; $n): if $n == 0 then g else f(g | .; $n - 1) end; f(.; 50000)", "too"),
    ("def f: (1, f) | .; [f]", "too"),
    ("def f: .a | f; f", "too many steps"),
    ("path(def f: .a | f; f)", "too"),
    ("[limit(300000; path(recurse(.a)))]", "too"),
    ("path(getpath([range(60000) | \"a\"])) | length", ""),
    ("[repeat(1)]", "too many steps"),
    ("last(range(1e18))", "too many steps"),
    ("[range(1e18)]", "too many steps"),
    ("until(false; .)", "too many steps"),
    ("[recurse(.)]", "too"),
    ("[while(true; .)]", "too"),
    ("first(range(1e18) | select(. < 0))", "too many steps"),
    ("\"x\" * 1e12", "too large"),
    ("\"x\" * 1000000000000", "too large"),
    ("reduce range(100) as $i (\"x\"; . + .)", "too large"),
    ("reduce range(100) as $i ([1]; . + .)", "too large"),
    ("reduce range(100) as $i (1; [., .])", "too"),
    ("reduce range(100) as $i (1; {a: ., b: .}) | tojson", "too"),
    ("reduce range(100000) as $i (1; [.])", "nested too deep"),
    ("reduce range(100) as $i (7; . * .)", "too large"),
    ("reduce range(60) as $i (\"\\\\\"; tojson)", "too large"),
    ("reduce range(60) as $i (\"<&\"; @html) | length > 0", ""),
    ("reduce range(60) as $i (\"<\"; @uri | . + .)", "too large"),
    ("reduce range(60) as $i (\"a\"; explode + explode | implode)", "too large"),
    ("[.[1000000000] = 1]", "too large"),
    ("[range(400)] | combinations(3)", "too"),
    ("[limit(10000; repeat(\"a\"))] | map(. as $x | [range(1000)])", "too"),
    ("range(2000)", "too many results"),
    ("(\"a\" * 10000) as $a | [range(100000) | $a | test(\"(a|b)*c\")] | length", "too many steps"),
    ("[range(100000)] | sort_by(-.) | group_by(. % 7) | map(sort == sort) | length", ""),
    ("def a: b; def b: a; a", "there is no `b`"),
    ("\"[\" * 100000 | fromjson", "no JSON"),
    ("(\"[\" * 100000 + \"]\" * 100000) | fromjson", "no JSON"),
];

#[test]
fn no_expression_runs_away() {
    let strange = HOSTILE.iter().filter_map(|(source, says)| match apply(source, "null") {
        Ok(_) if says.is_empty() => None,
        Err(error) if error.contains(says) && !error.contains("interpreter") => None,
        other => Some(format!("{source}: {other:?}")),
    });
    assert_eq!(strange.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn no_expression_runs_away_on_the_small_stack_of_a_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    let done = runtime.block_on(async { tokio::task::spawn_blocking(no_expression_runs_away).await });
    done.expect("nothing runs away there either");
    runtime.shutdown_timeout(Duration::ZERO);
}

#[test]
fn a_text_that_is_nested_as_deep_as_it_is_long_is_read_or_refused() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("-", ""),
        (".|", ""),
        ("try ", ""),
        ("1+", ""),
        ("1 as $x|", ""),
        ("def f:", ";."),
    ] {
        let times = (16 << 10) / (open.len() + close.len()) - 1;
        let source = format!("{}.{}", open.repeat(times), close.repeat(times));
        // Whatever comes of it, the process lives.
        let _ = apply(&source, "1");
    }
}

#[test]
fn an_evaluation_starts_with_all_its_steps_whatever_went_before() {
    let expression = Expression::new("[range(1000)] | length").expect("compiles");
    for _ in 0..5 {
        assert_eq!(expression.apply(b"null"), Ok(vec![b"1000".to_vec()]));
        assert!(apply("[repeat(1)]", "null").is_err());
    }
    // Outside of an evaluation nothing is counted.
    meter::spend(u64::MAX / 2);
}

#[test]
fn a_value_as_large_as_a_payload_can_be_worked_with() {
    let items: Vec<String> = (0..20_000).map(|n| format!(r#"{{"id":{n},"name":"item {n}"}}"#)).collect();
    let input = format!("[{}]", items.join(","));
    assert!(input.len() > 500_000);
    assert_eq!(one("map(select(.id % 2 == 0) | .name) | length", &input), "10000");
    assert_eq!(one("map({id}) | length", &input), "20000");
}
