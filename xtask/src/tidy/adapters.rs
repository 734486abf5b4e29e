//! One name everywhere: the feature of an adapter is also its file, its test module, its page, and its place in the program.

use super::Findings;
use super::tree::Tree;

/// Features of the library that are no adapters.
const NO_ADAPTERS: &[&str] = &[
    "derive",
    "conformance",
    "jq",
    "mysql_async",
    "rusqlite",
    "simulator",
    "sqlx-mysql",
    "sqlx-postgres",
    "sqlx-sqlite",
    "testkit",
    "tokio-postgres",
];

/// The program cannot offer these; the reason is the remedy.
const NOT_IN_THE_PROGRAM: &[&str] = &[
    // Gone with its process, so of no use to another one.
    "memory",
];

pub fn check(tree: &Tree, features: &[String], findings: &mut Findings) {
    for feature in features.iter().filter(|feature| !NO_ADAPTERS.contains(&feature.as_str())) {
        let kinds = ["stores", "sinks", "sources"];
        let code = |kind: &&str| tree.get(&format!("crates/posthaste/src/{kind}/{feature}.rs")).is_some();
        match kinds.into_iter().find(code) {
            Some(kind) => places(tree, kind, feature, findings),
            None => findings.wrong(format!(
                "feature `{feature}`: no src/stores/{feature}.rs, src/sinks/{feature}.rs or src/sources/{feature}.rs"
            )),
        }
    }
}

fn places(tree: &Tree, kind: &str, feature: &str, findings: &mut Findings) {
    for path in [format!("docs/{kind}/{feature}.md"), format!("crates/posthaste/tests/it/{kind}/{feature}.rs")] {
        if tree.get(&path).is_none() {
            findings.wrong(format!("feature `{feature}`: {path} is missing"));
        }
    }
    if kind == "sinks" {
        layout(tree, feature, findings);
    }
    if !NOT_IN_THE_PROGRAM.contains(&feature) {
        program(tree, kind, feature, findings);
    }
}

/// Every sink hands messages over and says what errors mean, in files of the same names. `settings`, `connection` and `encode` are there
/// where a sink has them.
fn layout(tree: &Tree, feature: &str, findings: &mut Findings) {
    for file in ["publish.rs", "verdict.rs"] {
        let path = format!("crates/posthaste/src/sinks/{feature}/{file}");
        if tree.get(&path).is_none() {
            findings.wrong(format!("feature `{feature}`: {path} is missing"));
        }
    }
}

/// The program lists its adapters in one file for each kind, and passes their features on.
fn program(tree: &Tree, kind: &str, feature: &str, findings: &mut Findings) {
    let registry = match kind {
        "stores" => "crates/posthaste-cli/src/store.rs".into(),
        kind => format!("crates/posthaste-cli/src/{kind}.rs"),
    };
    let registered = tree.get(&registry).is_some_and(|file| file.text.to_lowercase().contains(feature));
    if !registered {
        findings.wrong(format!("feature `{feature}`: {registry} does not know it"));
    }
    let manifest = "crates/posthaste-cli/Cargo.toml";
    let passed_on =
        |line: &str| line.starts_with(&format!("{feature} = ")) && line.contains(&format!("posthaste/{feature}"));
    if !tree.get(manifest).is_some_and(|file| file.text.lines().any(passed_on)) {
        findings.wrong(format!("feature `{feature}`: {manifest} does not pass it on"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: [(&str, &str); 7] = [
        ("crates/posthaste/src/sinks/redis.rs", ""),
        ("crates/posthaste/src/sinks/redis/publish.rs", ""),
        ("crates/posthaste/src/sinks/redis/verdict.rs", ""),
        ("docs/sinks/redis.md", ""),
        ("crates/posthaste/tests/it/sinks/redis.rs", ""),
        ("crates/posthaste-cli/src/sinks.rs", "enum Kind { Redis }"),
        ("crates/posthaste-cli/Cargo.toml", "redis = [\"posthaste/redis\"]"),
    ];

    #[test]
    fn an_adapter_is_complete_or_each_missing_place_is_named() {
        let check = |files: &[(&str, &str)]| {
            let mut findings = Findings::default();
            super::check(&Tree::of(files), &["redis".into(), "testkit".into()], &mut findings);
            findings.wrong
        };
        assert_eq!(check(&COMPLETE), Vec::<String>::new());
        for (missing, (path, _)) in COMPLETE.iter().enumerate() {
            let mut files = COMPLETE.to_vec();
            files.remove(missing);
            assert_eq!(check(&files).len(), 1, "without {path}");
        }
    }
}
