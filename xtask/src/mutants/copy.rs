//! A copy of the repository to put mutants in.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// Where the copy, its build and the outcomes are.
pub const FOLDER: &str = "target/mutants";

const MANIFEST: &str = "crates/posthaste/Cargo.toml";
/// What only tests of drivers need: half of all that would have to be built.
const SERVERS: [&str; 3] = ["axum", "tonic", "tracing-subscriber"];

/// Brings the copy up to date: every file that git knows or would take.
pub fn refresh() -> Result<()> {
    let output = Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output()?;
    let listed = String::from_utf8(output.stdout).context("names of files are text")?;
    for path in listed.split('\0').filter(|path| !path.is_empty() && Path::new(path).is_file()) {
        write(path, &fs::read(path)?)?;
    }
    let manifest = fs::read_to_string(MANIFEST)?;
    let needed = |line: &&str| !SERVERS.iter().any(|name| line.starts_with(&format!("{name}.workspace")));
    write(MANIFEST, manifest.lines().filter(needed).flat_map(|line| [line, "\n"]).collect::<String>().as_bytes())
}

/// Writes a file of the copy, unless it is as it should be: cargo looks at the time of the last change.
pub fn write(path: &str, text: &[u8]) -> Result<()> {
    let copy = Path::new(FOLDER).join("tree").join(path);
    if fs::read(&copy).is_ok_and(|there| there == text) {
        return Ok(());
    }
    fs::create_dir_all(copy.parent().context("a file is in a folder")?)?;
    fs::write(&copy, text).with_context(|| format!("cannot write {}", copy.display()))
}

/// Tells one text from another.
pub fn digest(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
