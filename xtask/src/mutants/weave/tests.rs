use super::*;
use crate::mutants::mutant::{Genre, Place, Span};

/// A mutant of the only place where the text has this.
fn mutant(text: &str, genre: Genre, replaced: &str, replacement: &str) -> Mutant {
    let at = text.find(replaced).expect("it is there");
    let line = 1 + text[..at].matches('\n').count();
    let column = 1 + text[..at].chars().rev().take_while(|char| *char != '\n').count();
    let place = Place { line, column };
    let span = Span { start: place };
    Mutant { name: replaced.into(), file: "a.rs".into(), span, replacement: replacement.into(), genre }
}

fn woven(text: &str, mutants: &[(Genre, &str, &str)]) -> Woven {
    let mutants: Vec<Mutant> =
        mutants.iter().map(|(genre, replaced, replacement)| mutant(text, *genre, replaced, replacement)).collect();
    let numbered: Vec<(usize, &Mutant)> = (1..).zip(&mutants).collect();
    let woven = weave(text, &numbered).expect("it can be woven");
    syn::parse_file(&woven.text).expect("what is woven is Rust");
    woven
}

#[test]
fn mutants_of_expressions_stand_beside_the_original_one_in_another() {
    let text = "fn f(a: u8, b: u8) -> bool { a < 1 && !(b == 2) }";
    let all = [
        (Genre::FnValue, "a < 1 &&", "true"),
        (Genre::BinaryOperator, "<", ">"),
        (Genre::BinaryOperator, "&&", "||"),
        (Genre::UnaryOperator, "!", ""),
    ];
    assert_eq!(
        woven(text, &all).text,
        "fn f(a: u8, b: u8) -> bool { if crate::is_mutant(1) { return true; } \
         (if crate::is_mutant(3) { a < 1 || !(b == 2) } else { \
         (if crate::is_mutant(2) { a > 1 } else { a < 1 }) && (if crate::is_mutant(4) { (b == 2) } else { !(b == 2) }) }) }"
    );
}

#[test]
fn an_arm_is_gone_and_a_condition_holds_or_does_not_when_its_mutant_is_chosen() {
    let text =
        "fn f(a: u8) -> u8 {\n    match a {\n        1 => 2,\n        n if n > 3 => 4,\n        _ => 5,\n    }\n}";
    let all = [
        (Genre::MatchArm, "1 =>", ""),
        (Genre::MatchArmGuard, "n > 3", "true"),
        (Genre::MatchArmGuard, "n > 3", "false"),
    ];
    let text = woven(text, &all).text;
    assert!(text.contains("1 if !crate::is_mutant(1) => 2"), "{text}");
    assert!(text.contains("n if (crate::is_mutant(2) || ((!crate::is_mutant(3) && (n > 3)))) => 4"), "{text}");
}

#[test]
fn a_field_of_a_literal_comes_from_its_base_when_its_mutant_is_chosen() {
    let text = woven("fn f() -> S { S { a: 1, ..g() } }", &[(Genre::StructField, "a: 1", "")]).text;
    assert_eq!(text, "fn f() -> S { (if crate::is_mutant(1) { S {  ..g() } } else { S { a: 1, ..g() } }) }");
}

/// Nothing can be chosen where nothing runs, and what is no Rust is no mutant.
#[test]
fn what_cannot_stand_beside_the_original_is_left_out() {
    let constants = "const A: u8 = 1 + 2;\nconst fn f() -> u8 { 3 * 4 }";
    let left_out = woven(constants, &[(Genre::BinaryOperator, "+", "-"), (Genre::BinaryOperator, "*", "/")]).left_out;
    assert_eq!(left_out, [1, 2]);
    let chain = "fn f(a: bool, b: Option<u8>) { if a && let Some(_) = b { g() } }";
    assert_eq!(woven(chain, &[(Genre::BinaryOperator, "&&", "||")]).left_out, [1]);
    let cast = "fn f(a: u8, b: u64) -> bool { a as u64 > b }";
    assert_eq!(woven(cast, &[(Genre::BinaryOperator, "> b", "<")]).left_out, [1]);
}

#[test]
fn every_mutant_is_found_again_in_the_text() {
    let woven = woven("fn f() -> u8 { 1 + 2 }", &[(Genre::FnValue, "1 +", "0"), (Genre::BinaryOperator, "+", "-")]);
    let own: Vec<&str> = woven.fragments.iter().map(|fragment| &woven.text[fragment.own.clone()]).collect();
    assert_eq!(own, ["if crate::is_mutant(1) { return 0; } ", "(if crate::is_mutant(2) { 1 - 2 } else { "]);
    assert_eq!(&woven.text[woven.fragments[1].around.clone()], "(if crate::is_mutant(2) { 1 - 2 } else { 1 + 2 })");
}
