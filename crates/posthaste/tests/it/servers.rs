//! The servers that `cargo xtask services up` starts. One that is missing fails the test, and the failure says what to do.

use std::fs;
use std::path::{Path, PathBuf};

mod private;
mod tests;

pub(crate) use self::private::Private;

/// Where a server is: `host:port`, for a set of three nodes with commas between them.
pub(crate) fn address(name: &str) -> String {
    let path = folder().join(name).join("address");
    let address = fs::read_to_string(path).unwrap_or_else(|_| panic!("no {name}: {}", remedy(name)));
    address.trim().to_owned()
}

/// What stands in a file of a server.
pub(crate) fn file(name: &str, path: &str) -> String {
    fs::read_to_string(folder().join(name).join(path)).unwrap_or_else(|_| panic!("no {name}: {}", remedy(name)))
}

fn remedy(name: &str) -> String {
    format!("cargo xtask services up {name}")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services")
}
