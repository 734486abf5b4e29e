//! The plain-SQL contract, kept by real clients of other languages.

use std::process::Command;

use super::database::Database;
use crate::stores::clients::{keep_the_contract, node, python};

async fn keeps_the_contract(mut client: Command, name: &str) {
    let database = Database::new(&format!("posthaste_client_{name}")).await;
    keep_the_contract(&mut client, name, &database.store(), &database.url()).await;
}

#[tokio::test]
async fn python_keeps_the_contract() {
    keeps_the_contract(python("postgres.py"), "python").await;
}

#[tokio::test]
async fn node_keeps_the_contract() {
    keeps_the_contract(node("postgres.mjs"), "node").await;
}
