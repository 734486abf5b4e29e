//! The servers that `cargo xtask services up` starts, as the tests of the library have them.

use std::path::{Path, PathBuf};

#[expect(dead_code, reason = "the tests of the library do more to them")]
#[path = "../../../posthaste/tests/it/servers/private.rs"]
mod private;

pub(crate) use self::private::Private;

/// Where a server is. One that is missing fails the test, and the failure says what to do.
pub fn address(name: &str) -> String {
    let path = folder().join(name).join("address");
    let address = std::fs::read_to_string(path).unwrap_or_else(|_| panic!("no {name}: {}", remedy(name)));
    address.trim().to_owned()
}

fn remedy(name: &str) -> String {
    format!("cargo xtask services up {name}")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services")
}
