//! What a server of a test is told to do to others, by `failCommand`.

use mongodb::bson::{Document, doc};
use posthaste::Result;
use posthaste::stores::mongodb::{MongoDb, Options};

use super::Database;
use crate::servers::Private;

/// A server that takes orders of tests, and by itself ends a transaction only after an hour: a test in which nobody else does fails.
pub(super) async fn patient_server() -> Private {
    let parameters = ["enableTestCommands=1", "transactionLifetimeLimitSeconds=3600"];
    let options = parameters.map(|parameter| ["--setParameter", parameter]);
    Private::start_with("mongodb", options.as_flattened()).await
}

/// A store that the server can tell from others.
pub(super) async fn store_named(database: &Database, name: &str) -> MongoDb {
    let url = format!("{}&appName={name}", database.url);
    MongoDb::open(&url, Options::default()).await.expect("the server is there")
}

pub(super) async fn order(database: &Database, commands: &[&str], app: &str, what: Document) {
    let mut data = doc! { "failCommands": commands, "appName": app };
    data.extend(what);
    let fail = doc! { "configureFailPoint": "failCommand", "mode": "alwaysOn", "data": data };
    database.client.database("admin").run_command(fail).await.expect("the server takes orders of tests");
}

/// How many transactions the server has open.
pub(super) async fn open_transactions(database: &Database) -> Result<i64> {
    transactions(database, "currentOpen").await
}

pub(super) async fn transactions(database: &Database, figure: &str) -> Result<i64> {
    let status = database.client.database("admin").run_command(doc! { "serverStatus": 1 }).await?;
    Ok(status.get_document("transactions").and_then(|all| all.get_i64(figure)).expect("a figure"))
}
