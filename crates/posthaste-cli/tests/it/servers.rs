//! Servers of single tests, as the tests of the library have them.

use std::path::{Path, PathBuf};

#[expect(dead_code, reason = "the tests of the library do more to them")]
#[path = "../../../posthaste/tests/it/servers/private.rs"]
mod private;

#[cfg(feature = "rabbitmq")]
#[path = "../../../posthaste/tests/it/servers/rabbitmq.rs"]
pub(crate) mod rabbitmq;

pub(crate) use self::private::{Private, free_address};

/// Where one of the shared servers is.
pub(crate) fn address(name: &str) -> String {
    let address = std::fs::read_to_string(folder().join(name).join("address"));
    address.unwrap_or_else(|_| panic!("no {name}: {}", remedy(name))).trim().to_owned()
}

fn remedy(name: &str) -> String {
    format!("cargo xtask services up {name}")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services")
}

/// For what is asynchronous here, in tests that are not.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
