//! Inputs that are kept: interesting ones, and every one that has found a mistake.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the inputs of a target are kept.
pub(crate) fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// All of a target's inputs, in the order of their names.
///
/// # Panics
///
/// If there are none, for a target without a corpus is one whose corpus was lost.
pub(crate) fn read(target: &str) -> Vec<Vec<u8>> {
    let folder = folder(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).collect()
}

/// Keeps an input that has found a mistake where a person can look at it, and says where.
pub(crate) fn found(target: &str, case: &str, input: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/hostile-found").join(target);
    let path = folder.join(case);
    let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, input));
    kept.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}
