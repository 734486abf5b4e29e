//! The plain-SQL contract, kept by real clients of other languages on both servers.

use std::process::Command;

use super::database::Database;
use crate::servers;
use crate::stores::clients::{keep_the_contract, node, python};

async fn keeps_the_contract(client: impl Fn() -> Command, name: &str) {
    for server in ["mariadb", "mysql"] {
        let database = Database::on(&servers::address(server), &format!("posthaste_client_{name}")).await;
        keep_the_contract(&mut client(), name, &database.store(), &database.url()).await;
    }
}

#[tokio::test]
async fn python_keeps_the_contract() {
    keeps_the_contract(|| python("mysql.py"), "python").await;
}

#[tokio::test]
async fn node_keeps_the_contract() {
    keeps_the_contract(|| node("mysql.mjs"), "node").await;
}
