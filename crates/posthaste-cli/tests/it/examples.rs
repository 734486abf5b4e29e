//! The examples do what they say: each is run as a person runs it, and what it prints is compared.

use std::path::Path;
use std::process::Command;

use crate::program::{Place, Relay, until};

mod chat;
mod customers;
#[cfg(all(feature = "kafka", feature = "kurrentdb", feature = "postgres", feature = "webhook"))]
mod payments;
mod prompts;
mod workers;

/// An example, in the folder of the test.
fn example(place: &Place, name: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(program.exists(), "no example {name}: cargo build --workspace --all-features --examples");
    let mut command = Command::new(program);
    command.current_dir(&place.folder);
    command
}

/// A database in the MongoDB that all tests share; its name is nobody else's.
fn mongodb() -> String {
    let name = format!("example_{}", uuid::Uuid::now_v7().simple());
    format!("mongodb://{}/{name}?replicaSet=rs0", address("mongodb"))
}

fn address(server: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services").join(server).join("address");
    let address = std::fs::read_to_string(path);
    address.unwrap_or_else(|_| panic!("no {server}: cargo xtask services up {server}")).trim().to_owned()
}

/// Waits until so many deliveries have this status, as the program sees it.
#[track_caller]
fn until_listed(place: &Place, status: &str, count: usize) {
    until(&format!("{count} are {status}"), || {
        place.run(["list", "--json", "--limit", "1000", "--status", status]).succeeds().json_lines().len() == count
    });
}

#[track_caller]
fn assert_printed(relay: &Relay, lines: &[&str]) {
    assert_eq!(relay.printed().lines().collect::<Vec<_>>(), lines, "{}", relay.logged());
}

#[test]
fn no_example_is_longer_than_a_hundred_and_fifty_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../posthaste/examples");
    for name in ["chat/main.rs", "customers.rs", "prompts.rs", "shop/main.rs", "workers.rs"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.lines().count() < 150, "{name}");
    }
}
