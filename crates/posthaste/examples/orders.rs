//! An order and its event, both or neither; then a relay that delivers the event to a handler and prints it as JSON.

use std::sync::Arc;
use std::time::Duration;

use posthaste::sinks::handlers::{Handlers, handler_fn};
use posthaste::sinks::stdout::Stdout;
use posthaste::store::Store;
use posthaste::stores::sqlite::{self, Options, Sqlite};
use posthaste::{Destination, Message, Relay};
use rusqlite::TransactionBehavior;
use serde_json::json;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("orders-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let file = folder.join("orders.db");
    let store = Sqlite::open(&file, Options::default())?;
    store.migrate().await?;
    sqlite::connect(&file, &Options::default())?.execute("CREATE TABLE orders (id INTEGER, total INTEGER)", [])?;
    // A service would wait for a signal here.
    let shutdown = tokio::time::sleep(Duration::from_secs(1));

    // Your own connection, your own transaction: the order and its event, both or neither.
    let mut db = sqlite::connect(&file, &Options::default())?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute("INSERT INTO orders (id, total) VALUES (42, 99)", [])?;
    let event = Message::builder("order.created", "order", "42").json(&json!({ "total": 99 })).build()?;
    sqlite::Outbox::new().enqueue(&tx, &[event])?;
    tx.commit()?;

    // A relay, in this process or in any other one that has the file.
    let mail = handler_fn("mail", |_ctx, message| async move {
        println!("{} for order {}", message.event_type, message.aggregate_id);
        Ok(())
    });
    let handlers = Handlers::builder().on("order.*", mail).build()?;
    let relay = Relay::builder(Arc::new(store))
        .destination(Destination::new("app"), Arc::new(handlers))
        .destination(Destination::new("log"), Arc::new(Stdout::new()))
        .build();
    relay.run(shutdown).await?;

    drop(db);
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
