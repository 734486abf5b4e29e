//! Whether what is named exists.

use super::promises::Promises;
use crate::tidy::Tree;

/// Where planted mistakes, small worlds and faults of a chaos run are listed.
const MISTAKES: &[&str] = &["crates/posthaste/src/engine/mistakes.rs", "crates/posthaste/src/simulator/planted.rs"];
const WORLDS: &[&str] = &["crates/posthaste/src/simulator/exhaustive/small.rs"];
const FAULTS: &[&str] = &["xtask/src/chaos/faults/kind.rs"];

/// What is named and not there.
pub fn missing(tree: &Tree, promises: &Promises) -> Vec<String> {
    let mut missing = Vec::new();
    for promise in &promises.promises {
        let tests = promise.tests.iter().filter(|name| !is_test(tree, name));
        missing.extend(tests.map(|name| format!("there is no test `{name}`")));
        let mut look = |names: &[String], files: &[&str], form: fn(&str) -> String, what: &str| {
            let stands = |name: &&String| files.iter().any(|file| stands_in(tree, file, &form(name)));
            missing
                .extend(names.iter().filter(|name| !stands(name)).map(|name| format!("there is no {what} `{name}`")));
        };
        look(&promise.planted, MISTAKES, |name| format!("Self::{name},"), "planted mistake");
        look(&promise.worlds, WORLDS, |name| format!("name: \"{name}\""), "small world");
        look(&promise.chaos, FAULTS, |name| format!("\"{name}"), "fault");
    }
    let tests = promises.found.iter().map(|found| &found.test).filter(|name| !name.is_empty() && !is_test(tree, name));
    missing.extend(tests.map(|name| format!("there is no test `{name}`")));
    missing
}

fn is_test(tree: &Tree, name: &str) -> bool {
    // A function, or a case in the list of a suite.
    let forms = [format!("fn {name}("), format!(" {name},\n"), format!(" {name}: ")];
    tree.with_extension("rs").any(|file| forms.iter().any(|form| file.text.contains(form)))
}

fn stands_in(tree: &Tree, path: &str, text: &str) -> bool {
    tree.get(path).is_some_and(|file| file.text.contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_and_not_there_is_told() {
        let tree = Tree::of(&[
            ("a.rs", "fn nothing_is_lost() {}"),
            (MISTAKES[0], "        Self::Forgets,\n"),
            (WORLDS[0], "Self { name: \"deaths\","),
            (FAULTS[0], "\"kill_relay\""),
        ]);
        let row = |test, planted, world, fault| {
            let text = format!(
                "[[promise]]\ntests = ['{test}']\nplanted = ['{planted}']\nworlds = ['{world}']\nchaos = ['{fault}']"
            );
            missing(&tree, &Promises::parse(&text).expect("a promise"))
        };
        assert_eq!(row("nothing_is_lost", "Forgets", "deaths", "kill_relay"), Vec::<String>::new());
        assert_eq!(row("something_is_lost", "Remembers", "lives", "hug_relay").len(), 4);
    }
}
