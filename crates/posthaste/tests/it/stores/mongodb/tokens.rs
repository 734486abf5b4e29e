//! The resume token across restarts: one that holds, and those that do not.

use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::change_stream::event::ResumeToken;
use mongodb::error::{ErrorKind, Result as Answer};
use posthaste::Result;
use posthaste::message::MessageId;
use posthaste::store::Store;
use posthaste::stores::mongodb::Options;
use posthaste::testkit::waiting::DEADLINE;

use super::Database;
use super::receiver::Receiver;
use super::scene::{Running, Writer, until};
use crate::servers::Private;

/// The token that a relay has left in the database, once there is one.
pub(super) async fn kept_token(database: &Database) -> ResumeToken {
    until_token(database, |_| true).await
}

async fn until_token(database: &Database, is_wanted: impl Fn(&ResumeToken) -> bool) -> ResumeToken {
    let look = async {
        loop {
            let kept = database.documents("outbox_tokens").find_one(doc! {}).await.expect("tokens can be read");
            let token = kept.and_then(|kept| kept.get("token").cloned());
            let token = token.map(|token| mongodb::bson::deserialize_from_bson(token).expect("a token"));
            match token {
                Some(token) if is_wanted(&token) => return token,
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    tokio::time::timeout(DEADLINE, look).await.expect("such a token is kept in time")
}

/// Otherwise the oplog, which goes on with what others write, would not reach back to it any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_moves_on_while_nothing_is_written_to_the_outbox() -> Result<()> {
    let database = Database::fresh("mongodb").await;
    let (relay, _) = Running::start(&database, "w", &Receiver::default(), Options::default()).await;
    let mut kept = kept_token(&database).await;
    for _ in 0..3 {
        database.documents("others").insert_one(doc! {}).await?;
        kept = until_token(&database, |token| *token != kept).await;
    }
    relay.stop().await
}

/// A relay that is away from one message to another, between which the test may do to its token what it likes.
struct Absence {
    database: Database,
    receiver: Receiver,
    writer: Writer,
    written: Vec<MessageId>,
}

impl Absence {
    async fn begin(server: &Private) -> Result<Self> {
        let database = Database::with(&server.address(), Options::default()).await;
        let receiver = Receiver::default();
        let (relay, _) = Running::start(&database, "before", &receiver, Options::default()).await;
        let writer = Writer::new(&database, "order-1").await;
        let written = vec![writer.write().await];
        receiver.until_has(&written).await;
        kept_token(&database).await;
        relay.stop().await?;
        let mut absence = Self { database, receiver, writer, written };
        absence.write(20).await;
        Ok(absence)
    }

    async fn write(&mut self, count: usize) {
        for _ in 0..count {
            self.written.push(self.writer.write().await);
        }
    }

    /// A relay that comes back cannot use its token, and delivers everything, once and in order.
    async fn end_without_a_token(mut self) -> Result<()> {
        let (relay, store) = Running::start(&self.database, "after", &self.receiver, Options::default()).await;
        self.receiver.until_has(&self.written).await;
        // What the server finds only when it comes to the next event is found by this one.
        self.write(1).await;
        until("the stream gave up on its token", || store.stream_restarts() >= 1).await;
        self.write(1).await;
        self.receiver.until_has(&self.written).await;
        relay.stop().await?;
        let got: Vec<MessageId> = self.receiver.got().iter().map(|message| message.id).collect();
        assert_eq!(got, self.written, "once each, in order");
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_the_oplog_no_longer_reaches_costs_no_message() -> Result<()> {
    let server = Private::start_with("mongodb", &["--syncdelay", "1"]).await;
    let absence = Absence::begin(&server).await?;
    let token = kept_token(&absence.database).await;
    assert!(oplog_problems(&absence.database).await?.is_empty(), "young, and not full");
    roll_the_oplog_over(&absence.database, &token).await;
    let problems = oplog_problems(&absence.database).await?;
    assert!(problems.len() == 1 && problems[0].contains("replSetResizeOplog"), "short, and full: {problems:?}");
    absence.end_without_a_token().await
}

async fn oplog_problems(database: &Database) -> Result<Vec<String>> {
    let problems = database.store.check().await?.into_iter().filter(|problem| !problem.refuses);
    Ok(problems.map(|problem| problem.text).filter(|text| text.contains("oplog")).collect())
}

/// Writes until the server no longer knows where the token is: error 286. The oplog of the tests' servers holds 64 MB, and what
/// lies before the newest checkpoint.
async fn roll_the_oplog_over(database: &Database, token: &ResumeToken) {
    let junk = database.documents("junk");
    for _ in 0..100 {
        for _ in 0..16 {
            junk.insert_one(doc! { "x": "x".repeat(1 << 20) }).await.expect("junk is stored");
        }
        // Lets go of what only a recovery would need.
        database.client.database("admin").run_command(doc! { "fsync": 1 }).await.expect("a checkpoint");
        let Err(error) = database.database().watch().start_after(token.clone()).await else { continue };
        assert_eq!(code(&error), Some(286), "{error}");
        return;
    }
    panic!("the oplog does not roll over");
}

fn code(error: &mongodb::error::Error) -> Option<i32> {
    match &*error.kind {
        ErrorKind::Command(command) => Some(command.code),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_of_an_event_that_never_was_costs_no_message() -> Result<()> {
    let server = Private::start("mongodb").await;
    let mut absence = Absence::begin(&server).await?;
    let forged = forged_token(&absence.database).await?;
    absence.write(1).await;
    let error = read_one(&absence.database, &forged).await.expect_err("there is no such event");
    assert_eq!(code(&error), Some(280), "{error}");
    let keep = doc! { "$set": { "token": mongodb::bson::serialize_to_bson(&forged).expect("a token") } };
    absence.database.documents("outbox_tokens").update_one(doc! {}, keep).await?;
    absence.end_without_a_token().await
}

async fn read_one(database: &Database, after: &ResumeToken) -> Answer<Option<()>> {
    let mut stream = database.database().watch().start_after(after.clone()).await?;
    Ok(stream.next_if_any().await?.map(drop))
}

/// The token of a real event, in another collection than its own.
async fn forged_token(database: &Database) -> Result<ResumeToken> {
    let mut stream = database.database().watch().await?;
    database.documents("junk").insert_one(doc! {}).await?;
    let event = loop {
        if let Some(event) = stream.next_if_any().await? {
            break event;
        }
    };
    let token: Document =
        mongodb::bson::deserialize_from_bson(mongodb::bson::serialize_to_bson(&event.id).expect("a token"))
            .expect("a document");
    let mut text = token.get_str("_data").expect("a token of text").to_owned();
    // The collection's id begins there.
    let other = if &text[40..41] == "0" { "1" } else { "0" };
    text.replace_range(40..41, other);
    Ok(token_of(&text))
}

fn token_of(text: &str) -> ResumeToken {
    mongodb::bson::deserialize_from_bson(doc! { "_data": text }.into()).expect("a token")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_is_damaged_costs_no_message() -> Result<()> {
    let server = Private::start("mongodb").await;
    let absence = Absence::begin(&server).await?;
    let damage = doc! { "$set": { "token": { "_data": "not a token" } } };
    absence.database.documents("outbox_tokens").update_one(doc! {}, damage).await?;
    absence.end_without_a_token().await
}
