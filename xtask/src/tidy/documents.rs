//! What the documents say is so: links lead somewhere, commands and tests exist, dependencies are justified.

use std::path::{Component, Path, PathBuf};

use super::Findings;
use super::tree::{File, Tree};

pub fn check(tree: &Tree, dependencies: &[String], chores: &[String], findings: &mut Findings) {
    for page in tree.with_extension("md") {
        links(page, findings);
        commands(tree, page, chores, findings);
        tests(tree, page, dependencies, findings);
    }
    for block in tree.get("README.md").into_iter().flat_map(rust_blocks) {
        let runs = |file: &File| file.path.contains("/examples/") && trimmed(&file.text).contains(&block);
        if !tree.with_extension("rs").any(runs) {
            findings
                .wrong("README.md: its Rust code is not a part of any example, so nobody knows whether it compiles");
        }
    }
    let architecture = tree.get("ARCHITECTURE.md").map_or("", |page| &page.text);
    for dependency in dependencies.iter().filter(|name| !architecture.contains(&format!("`{name}`"))) {
        findings.wrong(format!("ARCHITECTURE.md: does not say what `{dependency}` is for"));
    }
}

/// Relative links lead to files or folders that exist.
fn links(page: &File, findings: &mut Findings) {
    for target in between(&page.text, "](", ")") {
        let target = target.split('#').next().unwrap_or_default();
        let elsewhere = target.is_empty() || target.contains("://") || target.starts_with("mailto:");
        if !elsewhere && !resolve(&page.path, target).exists() {
            findings.wrong(format!("{}: the link to {target} leads nowhere", page.path));
        }
    }
}

/// A path as seen from the page that names it.
fn resolve(page: &str, target: &str) -> PathBuf {
    let mut path = Path::new(page).parent().unwrap_or(Path::new("")).to_path_buf();
    for component in Path::new(target).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            component => path.push(component),
        }
    }
    path
}

/// Every `cargo xtask CHORE` and every `posthaste COMMAND` exists.
fn commands(tree: &Tree, page: &File, chores: &[String], findings: &mut Findings) {
    for chore in words_after(&page.text, "cargo xtask ").filter(|chore| !chores.contains(chore)) {
        findings.wrong(format!("{}: there is no `cargo xtask {chore}`", page.path));
    }
    let program = tree.get("crates/posthaste-cli/src/cli.rs").map_or("", |file| &file.text).to_lowercase();
    let exists = |command: &String| ["(", ","].iter().any(|end| program.contains(&format!("\n    {command}{end}")));
    let named = words_after(&page.text, "`posthaste ").chain(words_after(&page.text, "\nposthaste "));
    for command in named.filter(|command| !exists(command)) {
        findings.wrong(format!("{}: there is no `posthaste {command}`", page.path));
    }
}

/// The words that follow `prefix`, where a word follows.
fn words_after<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = String> + 'a {
    let word = |rest: &str| rest.chars().take_while(char::is_ascii_lowercase).collect::<String>();
    text.split(prefix).skip(1).map(word).filter(|word| !word.is_empty())
}

/// A test that a page names as its proof exists. Names of tests are sentences, so that three underscores make one.
fn tests(tree: &Tree, page: &File, dependencies: &[String], findings: &mut Findings) {
    let is_test = |name: &&str| {
        name.matches('_').count() >= 3
            // That is how metrics are called.
            && !name.starts_with("posthaste_")
            && !dependencies.iter().any(|dependency| dependency == name)
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    for name in between(&page.text, "`", "`").filter(is_test) {
        let definitions = [format!("fn {name}("), format!(" {name},\n"), format!(" {name}: ")];
        let named = |file: &File| definitions.iter().any(|definition| file.text.contains(definition));
        if !tree.with_extension("rs").any(named) {
            findings.wrong(format!("{}: there is no test `{name}`", page.path));
        }
    }
}

fn rust_blocks(page: &File) -> Vec<String> {
    page.text.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).map(trimmed).collect()
}

/// Without indentation, which differs between a page and a program.
fn trimmed(code: &str) -> String {
    code.lines().map(|line| line.trim().to_owned() + "\n").collect()
}

/// Every text between `open` and `close` on one line, left to right.
fn between<'a>(text: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().flat_map(move |line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let begin = rest.find(open)? + open.len();
            let end = begin + rest[begin..].find(close)?;
            let found = &rest[begin..end];
            rest = &rest[end + close.len()..];
            Some(found)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(files: &[(&str, &str)]) -> Vec<String> {
        let mut findings = Findings::default();
        check(&Tree::of(files), &["clap".into()], &["test".into()], &mut findings);
        findings.wrong
    }

    const ARCHITECTURE: (&str, &str) = ("ARCHITECTURE.md", "`clap` reads the command line");

    #[test]
    fn a_dependency_is_justified() {
        assert_eq!(wrong(&[ARCHITECTURE]), Vec::<String>::new());
        assert_eq!(wrong(&[("ARCHITECTURE.md", "clap")]).len(), 1);
    }

    #[test]
    fn links_lead_somewhere_from_where_they_stand() {
        assert_eq!(resolve("docs/sinks/a.md", "../concepts.md"), Path::new("docs/concepts.md"));
        // Tests run in the folder of this crate.
        let page = "[here](Cargo.toml) [there](src/main.rs#x) [web](https://example.org) [anchor](#x)";
        assert_eq!(wrong(&[ARCHITECTURE, ("README.md", page)]), Vec::<String>::new());
        assert_eq!(wrong(&[ARCHITECTURE, ("README.md", "[a](nowhere.md) [b](Cargo.toml)")]).len(), 1);
    }

    #[test]
    fn code_in_the_readme_is_a_part_of_an_example() {
        let page = ("README.md", "```rust\nlet a = 1;\nlet b = 2;\n```\n");
        let example = |code| ("crates/x/examples/y.rs", code);
        let code = "fn main() {\n    let a = 1;\n    let b = 2;\n}\n";
        assert_eq!(wrong(&[ARCHITECTURE, page, example(code)]), Vec::<String>::new());
        assert_eq!(wrong(&[ARCHITECTURE, page, example("let a = 1;\nlet b = 3;\n")]).len(), 1);
    }

    #[test]
    fn commands_and_tests_that_a_page_names_exist() {
        let code = ("a.rs", "async fn nothing_is_ever_lost() {}\n  it_is_so_in_a_list,\n");
        let program = ("crates/posthaste-cli/src/cli.rs", "enum Command {\n    Run,\n    List(list::Args),\n}\n");
        let page = "`cargo xtask test`, `nothing_is_ever_lost`, `it_is_so_in_a_list`, `window_bytes`, `posthaste run`\nposthaste list\n";
        assert_eq!(wrong(&[ARCHITECTURE, code, program, ("README.md", page)]), Vec::<String>::new());
        let page = "`cargo xtask dance`, `nothing_is_ever_kept`, `posthaste dance`";
        assert_eq!(wrong(&[ARCHITECTURE, code, program, ("README.md", page)]).len(), 3);
    }
}
