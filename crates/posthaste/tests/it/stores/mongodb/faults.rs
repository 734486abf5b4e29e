//! What can go wrong with the stream, and around it: each ends with committed = delivered, in the order of each key.

use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::change_stream::event::ResumeToken;
use posthaste::Result;
use posthaste::stores::mongodb::Options;
use posthaste::testkit::store_suite::StoreUnderTest;

use super::Database;
use super::scene::{Application, Receiver, Running, Writer, until};
use crate::servers::Private;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_delivered_with_the_stream_switched_off() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let options = Options { change_stream: false, ..Options::default() };
    let (relay, store) = Running::start(&database, "w", &receiver, options).await;
    let application = Application::start(&database, 3).await;
    until("messages arrive", || receiver.got().len() > 30).await;
    let committed = application.stop().await;
    receiver.until_has(&committed.values().flatten().copied().collect::<Vec<_>>()).await;
    relay.stop().await?;
    assert_eq!(receiver.assert_got(&committed), 0, "nothing came twice");
    assert_eq!(store.stream_restarts(), 0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_share_the_work_and_one_of_them_may_die() -> Result<()> {
    let database = Database::fresh("mongodb3").await;
    let receiver = Receiver::default();
    let (first, _) = Running::start(&database, "first", &receiver, Options::default()).await;
    let (second, _) = Running::start(&database, "second", &receiver, Options::default()).await;
    let application = Application::start(&database, 4).await;
    until("messages arrive", || receiver.got().len() > 40).await;
    let (third, _) = Running::start(&database, "third", &receiver, Options::default()).await;
    until("more messages arrive", || receiver.got().len() > 100).await;
    first.kill().await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    let committed = application.stop().await;
    receiver.until_has(&committed.values().flatten().copied().collect::<Vec<_>>()).await;
    second.stop().await?;
    third.stop().await?;
    // What the dead one had delivered and not recorded comes again.
    receiver.assert_got(&committed);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_is_held_open_delays_only_its_own_messages() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let message = |id: &str| posthaste::Message::builder("order.changed", "order", id).build().expect("valid");
    let (held, other) = (message("held"), message("other"));
    let open = database.begin(vec![held.clone()]).await?;
    database.write(vec![other.clone()]).await?;
    receiver.until_has(&[other.id]).await;
    assert!(!receiver.has(held.id));
    open.commit().await?;
    receiver.until_has(&[held.id]).await;
    relay.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_stream_goes_on_and_misses_nothing() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let application = Application::start(&database, 2).await;
    for _ in 0..3 {
        let before = receiver.got().len();
        until("messages arrive", || receiver.got().len() > before + 20).await;
        kill_streams(&database).await;
    }
    let committed = application.stop().await;
    receiver.until_has(&committed.values().flatten().copied().collect::<Vec<_>>()).await;
    relay.stop().await?;
    assert_eq!(receiver.assert_got(&committed), 0, "nothing came twice");
    Ok(())
}

/// Ends every change stream on the database, as the server does when it cannot go on with one.
async fn kill_streams(database: &Database) {
    let admin = database.client.database("admin");
    let all = doc! { "$currentOp": { "allUsers": true, "idleCursors": true } };
    let ours = doc! { "$match": { "ns": format!("{}.$cmd.aggregate", database.name) } };
    let mut cursor = admin.aggregate([all, ours]).await.expect("operations can be listed");
    while cursor.advance().await.expect("operations can be listed") {
        let operation = Document::try_from(cursor.current()).expect("a document");
        let id = operation.get_document("cursor").ok().and_then(|cursor| cursor.get_i64("cursorId").ok());
        if let Some(id) = id {
            let kill = doc! { "killCursors": "$cmd.aggregate", "cursors": [id] };
            database.database().run_command(kill).await.expect("a cursor can be killed");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collection_that_is_renamed_and_comes_back_loses_nothing() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let writer = Writer::new(&database, "order-1").await;
    let before = writer.write().await;
    receiver.until_has(&[before]).await;
    rename(&database, "outbox_events", "put_aside").await;
    rename(&database, "put_aside", "outbox_events").await;
    let after = writer.write().await;
    receiver.until_has(&[after]).await;
    relay.stop().await?;
    assert_eq!(receiver.got().iter().map(|message| message.id).collect::<Vec<_>>(), [before, after]);
    Ok(())
}

async fn rename(database: &Database, from: &str, to: &str) {
    let (from, to) = (format!("{}.{from}", database.name), format!("{}.{to}", database.name));
    let rename = doc! { "renameCollection": from, "to": to };
    database.client.database("admin").run_command(rename).await.expect("it can be renamed");
}

/// The oplog of the tests' servers holds 64 MB, and what lies before the newest checkpoint.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_the_oplog_no_longer_reaches_costs_no_message() -> Result<()> {
    let server = Private::start_with("mongodb", &["--syncdelay", "1"]).await;
    let database = Database::with(&server.address(), Options::default()).await;
    let receiver = Receiver::default();
    let (relay, _) = Running::start(&database, "before", &receiver, Options::default()).await;
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    receiver.until_has(&written).await;
    let token = kept_token(&database).await;
    relay.stop().await?;
    for _ in 0..20 {
        written.push(writer.write().await);
    }
    roll_the_oplog_over(&database, &token).await;
    let (relay, store) = Running::start(&database, "after", &receiver, Options::default()).await;
    receiver.until_has(&written).await;
    until("the stream gave up on its token", || store.stream_restarts() >= 1).await;
    written.push(writer.write().await);
    receiver.until_has(&written).await;
    relay.stop().await?;
    assert_eq!(receiver.got().iter().map(|message| message.id).collect::<Vec<_>>(), written, "once each, in order");
    Ok(())
}

async fn kept_token(database: &Database) -> ResumeToken {
    loop {
        let kept = database.documents("outbox_tokens").find_one(doc! {}).await.expect("tokens can be read");
        if let Some(token) = kept.and_then(|kept| kept.get("token").cloned()) {
            return mongodb::bson::deserialize_from_bson(token).expect("a token");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Writes until the server no longer knows where the token is: error 286.
async fn roll_the_oplog_over(database: &Database, token: &ResumeToken) {
    let junk = database.documents("junk");
    for _ in 0..100 {
        for _ in 0..16 {
            junk.insert_one(doc! { "x": "x".repeat(1 << 20) }).await.expect("junk is stored");
        }
        // Lets go of what only a recovery would need.
        database.client.database("admin").run_command(doc! { "fsync": 1 }).await.expect("a checkpoint");
        let Err(error) = database.database().watch().start_after(token.clone()).await else { continue };
        let lost = matches!(&*error.kind, mongodb::error::ErrorKind::Command(command) if command.code == 286);
        assert!(lost, "{error}");
        return;
    }
    panic!("the oplog does not roll over");
}
