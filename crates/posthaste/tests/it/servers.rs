//! The servers that `cargo xtask services up` starts. One that is missing fails the test, and the failure says what to do.

use std::fs;
use std::path::{Path, PathBuf};

mod private;
#[cfg(feature = "rabbitmq")]
pub(crate) mod rabbitmq;
#[cfg(any(feature = "bullmq", feature = "redis"))]
pub(crate) mod redis;
mod tests;

pub(crate) use self::private::{Private, free_address};

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

/// For tests with a server of their own, which takes its time to start on a busy machine.
#[cfg(any(feature = "email", feature = "kafka", feature = "nats", feature = "rabbitmq"))]
pub(crate) fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let in_time = async { tokio::time::timeout(std::time::Duration::from_secs(300), test).await };
    runtime.block_on(in_time).expect("the test ends in time");
}

fn remedy(name: &str) -> String {
    format!("cargo xtask services up {name}")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services")
}
