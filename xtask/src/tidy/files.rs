//! Rules for single files.

use super::Findings;
use super::tree::{File, Tree};

/// Longer files tire their readers.
const LONG_LINES: usize = 400;
/// Longer files are refused.
const TOO_LONG_LINES: usize = 600;

/// Written in two halves, so that this file does not find itself.
const LEFTOVERS: &[&str] =
    &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX"), concat!("to", "do!("), concat!("db", "g!(")];

/// Paths that exist on the machine of whoever wrote them.
const MACHINE_PATHS: &[&str] =
    &[concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.files() {
        length(file, findings);
        words(file, LEFTOVERS, "finish it or open an issue", findings);
        words(file, MACHINE_PATHS, "a path of one machine means nothing on another", findings);
    }
    for file in tree.with_extension("sql") {
        if !file.text.starts_with("--") {
            findings.wrong(format!("{}: must start with a comment that says what it guarantees", file.path));
        }
    }
}

fn length(file: &File, findings: &mut Findings) {
    let lines = file.text.lines().count();
    let finding = format!("{}: {lines} lines; split it where its subject changes", file.path);
    match lines {
        0..=LONG_LINES => {}
        _ if lines <= TOO_LONG_LINES => findings.doubtful(finding),
        _ => findings.wrong(finding),
    }
}

fn words(file: &File, words: &[&str], remedy: &str, findings: &mut Findings) {
    for (n, line) in file.text.lines().enumerate() {
        for word in words.iter().filter(|word| contains_word(line, word)) {
            findings.wrong(format!("{}:{}: {word}: {remedy}", file.path, n + 1));
        }
    }
}

/// Whether `word` stands in `line` on its own, not as the end of a longer one.
fn contains_word(line: &str, word: &str) -> bool {
    let begins_word = |at: usize| !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
    line.match_indices(word).any(|(at, _)| begins_word(at))
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
    fn long_files_are_doubtful_and_too_long_ones_are_wrong() {
        assert_eq!(findings("a.rs", &"x\n".repeat(400)), Findings::default());
        assert_eq!(findings("a.rs", &"x\n".repeat(401)).doubtful.len(), 1);
        assert_eq!(findings("a.rs", &"x\n".repeat(601)).wrong.len(), 1);
    }

    #[test]
    fn leftovers_and_machine_paths_are_wrong() {
        for word in LEFTOVERS.iter().chain(MACHINE_PATHS) {
            assert_eq!(findings("a.rs", &format!("fn a() {{}}\n// {word}x\n")).wrong.len(), 1, "{word}");
        }
        assert_eq!(findings("a.rs", "let mastodo = 1; // network/paths"), Findings::default());
    }

    #[test]
    fn a_query_says_what_it_guarantees() {
        assert_eq!(findings("read.sql", "SELECT 1").wrong.len(), 1);
        assert_eq!(findings("read.sql", "-- One.\nSELECT 1"), Findings::default());
    }
}
