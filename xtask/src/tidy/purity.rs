//! The engine and the rules are pure: what they decide depends on what they are told, and on nothing else.

use super::Findings;
use super::tree::{File, Tree};

/// What is pure: folders, and the files beside them.
const PURE: &[&str] = &["crates/posthaste/src/engine", "crates/posthaste/src/rules"];

/// What pure code must not name, and what to do instead. Each stands at the beginning of a word; what begins with a dot is a whole word.
const IMPURE: &[(&str, &str)] = &[
    ("tokio", "runtimes belong to the relay"),
    ("futures", "runtimes belong to the relay"),
    ("async ", "awaiting belongs to the relay"),
    (".await", "awaiting belongs to the relay"),
    ("Instant", "the relay tells the time, as a duration since it began"),
    ("SystemTime", "the relay tells the time, as a duration since it began"),
    ("Timestamp::now", "the relay tells the time, as a duration since it began"),
    ("Zoned::now", "the relay tells the time, as a duration since it began"),
    ("clock::", "the relay tells the time, as a duration since it began"),
    ("rand::", "the relay gives a seed"),
    ("now_v7", "the relay gives ids and seeds"),
    ("new_v4", "the relay gives ids and seeds"),
    ("std::env", "settings come from outside"),
    ("std::fs", "files belong to the relay"),
    ("std::net", "connections belong to adapters"),
    ("std::thread", "threads belong to the relay"),
];

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.with_extension("rs").filter(|file| is_pure(&file.path)) {
        code_lines(file).for_each(|(n, line)| check_line(&file.path, n, line, findings));
    }
}

fn is_pure(path: &str) -> bool {
    PURE.iter().any(|pure| path.strip_prefix(pure).is_some_and(|rest| rest == ".rs" || rest.starts_with('/')))
}

/// Lines with their numbers, without comments.
fn code_lines(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let code = |line: &'_ str| !line.trim_start().starts_with("//");
    file.text.lines().enumerate().filter(move |(_, line)| code(line)).map(|(n, line)| (n + 1, line))
}

fn check_line(path: &str, n: usize, line: &str, findings: &mut Findings) {
    for (word, remedy) in IMPURE.iter().filter(|(word, _)| begins_word(line, word)) {
        findings.wrong(format!("{path}:{n}: {}: {remedy}", word.trim()));
    }
}

fn begins_word(line: &str, word: &str) -> bool {
    let continues = |beside: char| beside.is_alphanumeric() || beside == '_';
    line.match_indices(word).any(|(at, _)| match word.starts_with('.') {
        true => !line[at + word.len()..].starts_with(continues),
        false => !line[..at].ends_with(continues),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Findings {
        let mut findings = Findings::default();
        check(&Tree::of(&[(path, text)]), &mut findings);
        findings
    }

    #[test]
    fn runtimes_clocks_and_chance_are_wrong_in_the_engine_and_in_rules() {
        for (word, _) in IMPURE {
            for path in ["engine.rs", "engine/lane/serve.rs", "rules/due.rs"] {
                let text = format!("fn a() {{\n    {word} x();\n}}\n");
                assert_eq!(findings(&format!("crates/posthaste/src/{path}"), &text).wrong.len(), 1, "{word} in {path}");
            }
        }
    }

    #[test]
    fn the_relay_may_have_them_and_comments_may_name_them() {
        assert_eq!(findings("crates/posthaste/src/relay/worker.rs", "tokio::spawn(async {})"), Findings::default());
        let text = "//! No tokio here.\nlet instants = queue.awaits_commit(); // as told\n";
        assert_eq!(findings("crates/posthaste/src/engine/front.rs", text), Findings::default());
    }
}
