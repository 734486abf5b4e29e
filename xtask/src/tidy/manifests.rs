//! Crates ask for what they use, and for nothing else. No feature that people enable brings the means to break things.

use toml::Table;

use super::Findings;
use super::tree::{File, Tree};

pub fn check(tree: &Tree, findings: &mut Findings) {
    for manifest in tree.files().iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let Ok(parsed) = manifest.text.parse::<Table>() else {
            findings.wrong(format!("{}: is no TOML", manifest.path));
            continue;
        };
        faults_stay_inside(manifest, &parsed, findings);
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        for dependency in
            ["dependencies", "dev-dependencies"].iter().filter_map(|kind| parsed.get(*kind)?.as_table()).flatten()
        {
            let name = dependency.0.replace('-', "_");
            let uses = |file: &File| file.path.starts_with(folder) && file.text.contains(&name);
            if !tree.with_extension("rs").any(uses) {
                findings.wrong(format!("{}: asks for `{}`, which nothing uses", manifest.path, dependency.0));
            }
        }
    }
}

/// Features with planted mistakes and crash points, and who alone may enable them.
const FAULTS: &[(&str, &[&str])] = &[
    ("simulator", &[]),
    ("posthaste/simulator", &["crash-points"]),
    ("crash-points", &[]),
    ("posthaste-cli/crash-points", &[]),
];

fn faults_stay_inside(manifest: &File, parsed: &Table, findings: &mut Findings) {
    for (feature, enables) in parsed.get("features").and_then(|features| features.as_table()).into_iter().flatten() {
        let enabled = enables.as_array().into_iter().flatten().filter_map(|enabled| enabled.as_str());
        for enabled in enabled {
            let fault = FAULTS.iter().find(|(fault, _)| *fault == enabled);
            if fault.is_some_and(|(_, allowed)| !allowed.contains(&feature.as_str())) {
                findings.wrong(format!("{}: feature `{feature}` must not enable `{enabled}`", manifest.path));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_that_nothing_uses_is_wrong() {
        let manifest =
            ("crates/a/Cargo.toml", "[dependencies]\nserde-saphyr = \"2\"\n[dev-dependencies]\nclap = \"4\"");
        let check = |code| {
            let mut findings = Findings::default();
            super::check(
                &Tree::of(&[manifest, ("crates/a/src/lib.rs", code), ("crates/b/src/lib.rs", "clap")]),
                &mut findings,
            );
            findings.wrong
        };
        assert_eq!(check("use serde_saphyr::from_str; use clap::Parser;"), Vec::<String>::new());
        assert_eq!(check("use serde_saphyr::from_str;").len(), 1);
    }

    #[test]
    fn no_feature_that_people_enable_brings_crash_points() {
        let wrong = |features: &str| {
            let mut findings = Findings::default();
            let manifest = format!("[features]\n{features}\n");
            super::check(&Tree::of(&[("crates/a/Cargo.toml", &manifest)]), &mut findings);
            findings.wrong.len()
        };
        assert_eq!(wrong("simulator = [\"memory\"]\ncrash-points = [\"posthaste/simulator\"]"), 0);
        assert_eq!(wrong("testkit = [\"simulator\"]"), 1);
        assert_eq!(wrong("full = [\"default\", \"crash-points\", \"posthaste/simulator\"]"), 2);
    }
}
