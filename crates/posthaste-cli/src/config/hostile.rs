//! Configs and variables that nobody would write, by the million: a plan, or every problem with its key and without a secret.

use std::path::Path;

use posthaste_hostile::{Outcome, Target};

use super::tree::Tree;
use super::{Env, Plan, Problem, overrides, plan};

/// A problem may quote a value once, with up to ten characters for each byte of it.
const LONGEST_PROBLEM: usize = 10 * LONGEST_CONFIG + 2_000;
const LONGEST_CONFIG: usize = 4_096;

const TOML_WORDS: &[&str] = &[
    "\n",
    "[store]\n",
    "type = 'sqlite'\n",
    "type = 'postgres'\n",
    "url = 's3cret://a'\n",
    "path = 'a.db'\n",
    "[destinations.crm]\n",
    "[destinations.",
    "type = 'stdout'\n",
    "type = 'webhook'\n",
    "[destinations.crm.webhook]\n",
    "url = 'https://a.example/'\n",
    "headers = { authorization = 's3cret' }\n",
    "events = ['order.*']\n",
    "max_attempts = ",
    "backoff = { type = 'list', delays = ['1s'] }\n",
    "[http]\n",
    "bind = '127.0.0.1:0'\n",
    "[http.tokens.ann]\n",
    "token = 's3cret-s3cret-0123'\n",
    "role = 'operator'\n",
    "[[",
    "]]",
    "{",
    "}",
    " = ",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "\\u0000",
    "\\UFFFFFFFF",
    "# ",
    "{ env = 'TOKEN' }",
    "{ file = '/dev/null' }",
    "2026-11-02",
    "inf",
    "nan",
    "0x",
    "true",
    "filter = '.a'\n",
    "transform = '.'\n",
    "retention.keep = '1s'\n",
    "[sources.a]\n",
    "[notify]\n",
    "[log]\nlevel = 'debug'\n",
];
const YAML_WORDS: &[&str] = &[
    "\n",
    "  ",
    "store: ",
    "{ path: a.db }\n",
    "destinations:\n",
    "  crm:\n",
    "    type: stdout\n",
    "    type: webhook\n",
    "http:\n",
    "  tokens:\n",
    "    ann: { token: 's3cret-s3cret-0123' }\n",
    "&a ",
    "*a",
    "<<: ",
    "- ",
    "? ",
    "| ",
    "> ",
    "!!binary ",
    "!!str ",
    "!env ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "'",
    "\"",
    "#",
    "~",
    "null",
    "0o17",
    "1_000",
    ".inf",
    "events: [order.*]\n",
    "password: s3cret\n",
    "\t",
];
const VARIABLE_WORDS: &[&str] = &[
    "1",
    "true",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    " = ",
    "\n",
    "#",
    ",",
    "x",
    "2026-11-02",
    "['order.*']",
    "{ a = 1 }",
    "{ env = 'TOKEN' }",
    "s3cret",
    "\\",
    "'''",
    "1e400",
    "inf",
];

/// The variables that a config may refer to; what they hold is a secret.
fn env() -> Env {
    Env::from([("TOKEN".to_owned(), "r3ferred-r3ferred-0123".to_owned())])
}

/// What must hold of a config whose tree could be read.
fn planned(result: &Result<Plan, Vec<Problem>>, shown: impl Fn(&Problem) -> bool) {
    let Err(problems) = result else { return };
    assert!(!problems.is_empty(), "a refusal has a reason");
    for problem in problems {
        assert!(shown(problem), "{problem:?}");
    }
}

fn is_bounded(problem: &Problem) -> bool {
    problem.text.len() <= LONGEST_PROBLEM && !problem.text.is_empty() && !problem.text.contains("r3ferred")
}

fn read(input: &[u8], parse: impl Fn(&str) -> Result<Tree, String>) -> Outcome {
    let text = String::from_utf8_lossy(input);
    let tree = match parse(&text) {
        Ok(tree) => tree,
        Err(why) => {
            assert!(!why.contains("s3cret") && why.len() <= LONGEST_PROBLEM, "{} bytes: {why}", why.len());
            return Outcome::Refused;
        }
    };
    let result = plan(tree, &env(), Path::new("/nowhere"));
    planned(&result, is_bounded);
    Outcome::of(&result)
}

#[test]
fn a_config_in_toml_is_a_plan_or_all_its_problems() {
    Target::new("config_toml", TOML_WORDS).longest(LONGEST_CONFIG).cost(4).run(|input| read(input, Tree::from_toml));
}

#[test]
fn a_config_in_yaml_is_a_plan_or_all_its_problems() {
    Target::new("config_yaml", YAML_WORDS).longest(LONGEST_CONFIG).cost(16).run(|input| read(input, Tree::from_yaml));
}

#[test]
fn a_variable_sets_its_setting_and_no_other() {
    const BASE: &str =
        "[store]\ntype = 'sqlite'\npath = 'a.db'\n[destinations.crm]\ntype = 'stdout'\nmax_attempts = 3\n";
    let base = Tree::from_toml(BASE).expect("a config");
    Target::new("config_variables", VARIABLE_WORDS).longest(1_024).cost(4).run(|input| {
        let text = String::from_utf8_lossy(input).into_owned();
        let (name, key) = ("POSTHASTE_DESTINATIONS__CRM__MAX_ATTEMPTS", "/destinations/crm/max_attempts");
        let mut tree = base.clone();
        assert!(overrides::apply(&mut tree, &Env::from([(name.to_owned(), text.clone())])).is_empty());
        let mut unchanged = tree.value.clone();
        *unchanged.pointer_mut(key).expect("it was set") = 3.into();
        assert_eq!(unchanged, base.value, "nothing else was set");
        let env = Env::from([(name.to_owned(), text)]);
        let result = plan(base.clone(), &env, Path::new("/nowhere"));
        planned(&result, |problem| {
            is_bounded(problem)
                && (problem.text.contains(name)
                    || problem.text.contains("points to")
                    || problem.key.starts_with("destinations.crm.max_attempts"))
        });
        Outcome::of(&result)
    });
}
