//! Crates ask for what they use, and for nothing else.

use toml::Table;

use super::Findings;
use super::tree::{File, Tree};

pub fn check(tree: &Tree, findings: &mut Findings) {
    for manifest in tree.files().iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let Ok(parsed) = manifest.text.parse::<Table>() else {
            findings.wrong(format!("{}: is no TOML", manifest.path));
            continue;
        };
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
}
