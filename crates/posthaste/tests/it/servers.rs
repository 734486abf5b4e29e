//! Servers that `cargo xtask services up` has started.

use std::net::SocketAddr;
use std::path::Path;

/// Where a server listens. A missing one fails the test.
pub(crate) fn address(name: &str) -> SocketAddr {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services").join(name).join("address");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|_| panic!("{name} does not run: cargo xtask services up {name}"));
    text.trim().parse().unwrap()
}
