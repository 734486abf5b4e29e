//! What can end a change stream, for real: each is answered by another one and a look through the collection, and ends with
//! committed = delivered, in the order of each key.

use mongodb::bson::{Document, doc};
use posthaste::Result;
use posthaste::store::Store;
use posthaste::stores::mongodb::Options;
use posthaste::testkit::waiting::eventually;

use super::Database;
use super::receiver::Receiver;
use super::scene::{Application, Running, Writer, until};
use super::tokens::kept_token;
use crate::servers::Private;

/// Longer than the store is patient with a stream. The server keeps its word: it takes as long to be told otherwise.
const BLOCKED_MS: i32 = 20_000;

/// Not resumable, and: the token is not understood.
const FATAL: [i32; 2] = [280, 260];

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
    receiver.until_has_all(&committed).await;
    relay.stop().await?;
    receiver.assert_got_once(&committed);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fatal_error_of_the_stream_costs_another_stream_and_no_message() -> Result<()> {
    let server = Private::start_with("mongodb", &["--setParameter", "enableTestCommands=1"]).await;
    let database = Database::with(&server.address(), Options::default()).await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let application = Application::start(&database, 3).await;
    // That the second one is met at all shows that there was another stream after the first.
    for code in FATAL.into_iter().chain(FATAL) {
        let (before, restarts) = (receiver.got().len(), database.store.stream_restarts());
        until("messages arrive", || receiver.got().len() > before + 20).await;
        fail_the_stream(&database, code).await;
        until("the stream has ended", || database.store.stream_restarts() > restarts).await;
    }
    let committed = application.stop().await;
    receiver.until_has_all(&committed).await;
    relay.stop().await?;
    receiver.assert_got_once(&committed);
    Ok(())
}

/// The server answers the stream's next question with this error, and no other question.
async fn fail_the_stream(database: &Database, code: i32) {
    let stream = format!("{}.$cmd.aggregate", database.name);
    let fail = doc! {
        "configureFailPoint": "failCommand", "mode": { "times": 1 },
        "data": { "failCommands": ["getMore"], "namespace": stream, "errorCode": code },
    };
    database.client.database("admin").run_command(fail).await.expect("the server takes orders of tests");
}

/// The connection is there, and nothing comes although documents are written: everything is found by the poller meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_falls_silent_holds_nothing_up_and_is_replaced() -> Result<()> {
    let server = Private::start_with("mongodb", &["--setParameter", "enableTestCommands=1"]).await;
    let database = Database::with(&server.address(), Options::default()).await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "w", &receiver);
    let application = Application::start(&database, 3).await;
    receiver.until_more(20).await;
    let restarts = database.store.stream_restarts();
    silence_streams(&database).await;
    receiver.until_more(50).await;
    until("the silence is noticed", || database.store.stream_restarts() > restarts).await;
    receiver.until_more(50).await;
    let off = doc! { "configureFailPoint": "failCommand", "mode": "off" };
    database.client.database("admin").run_command(off).await?;
    let silent = kept_token(&database).await;
    eventually("a stream tells something", || async { Ok(kept_token(&database).await != silent) }).await?;
    receiver.until_more(50).await;
    let committed = application.stop().await;
    receiver.until_has_all(&committed).await;
    relay.stop().await?;
    receiver.assert_got_once(&committed);
    Ok(())
}

/// Returns when the server has stopped to answer the questions of a stream, old or new, although it is there.
async fn silence_streams(database: &Database) {
    let stream = format!("{}.$cmd.aggregate", database.name);
    let block = doc! {
        "configureFailPoint": "failCommand", "mode": "alwaysOn",
        "data": { "failCommands": ["getMore"], "namespace": stream, "blockConnection": true, "blockTimeMS": BLOCKED_MS },
    };
    let admin = database.client.database("admin");
    let before = admin.run_command(block).await.expect("the server takes orders of tests");
    let times = before.get_i32("count").map_or_else(|_| before.get_i64("count").expect("a count"), i64::from);
    let met = doc! { "waitForFailPoint": "failCommand", "timesEntered": times + 1, "maxTimeMS": 60_000 };
    admin.run_command(met).await.expect("there is a stream, and it asks again every second");
}

/// The stream is on the database, so it takes the end of that to invalidate it. The store, and its stream, live on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalidated_stream_is_followed_by_another_one_that_works() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let receiver = Receiver::default();
    let relay = Running::on(&database.store, "before", &receiver);
    let writer = Writer::new(&database, "order-1").await;
    let mut written = vec![writer.write().await];
    receiver.until_has(&written).await;
    let gone = kept_token(&database).await;
    relay.stop().await?;
    let restarts = database.store.stream_restarts();
    database.database().drop().await?;
    until("the stream is invalidated", || database.store.stream_restarts() > restarts).await;
    database.store.migrate().await?;
    let relay = Running::on(&database.store, "after", &receiver);
    for _ in 0..20 {
        written.push(writer.write().await);
    }
    receiver.until_has(&written).await;
    // Only a stream that tells something has a token to keep.
    assert_ne!(kept_token(&database).await, gone);
    relay.stop().await?;
    assert_eq!(receiver.got().iter().map(|message| message.id).collect::<Vec<_>>(), written, "once each, in order");
    Ok(())
}
