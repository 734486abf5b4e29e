//! A chat on MongoDB with an outbox of its own making, published to Redis by the program `posthaste`. The application needs nothing of
//! Posthaste: it inserts documents, under the names that its collection has always had; posthaste.yaml beside this file says which.
//!
//! ```text
//! export MONGODB_URL=mongodb://localhost/chat?replicaSet=rs0 REDIS_URL=redis://localhost
//! posthaste --config posthaste.yaml migrate
//! chat general "hello" "is anyone here?"
//! posthaste --config posthaste.yaml run
//! ```
//!
//! It shows a message and its event in one transaction, the schema of the collection, `Add` within the transaction, and repositories that
//! publish nothing themselves. The program and posthaste.yaml do the rest: they publish to Redis, retry, make the indexes, and remove
//! events after seven days.

use mongodb::bson::{DateTime, Document, Timestamp, Uuid, doc};
use mongodb::options::WriteConcern;
use mongodb::{Client, ClientSession, Database};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the repository and the outbox share: a database, and a session with a transaction open on it.
struct Unit {
    database: Database,
    session: ClientSession,
}

impl Unit {
    async fn begin(client: &Client) -> Result<Self, Failure> {
        let database = client.default_database().ok_or("the address names no database")?;
        let mut session = client.start_session().await?;
        session.start_transaction().write_concern(WriteConcern::majority()).await?;
        Ok(Self { database, session })
    }

    /// The repository.
    async fn save_message(&mut self, chat: &str, text: &str) -> Result<(), Failure> {
        let chats = self.database.collection::<Document>("chats");
        let message = doc! { "$push": { "messages": text } };
        chats.update_one(doc! { "_id": chat }, message).upsert(true).session(&mut self.session).await?;
        Ok(())
    }

    /// The outbox: one document, with the fields it has had before Posthaste.
    async fn add_event(&mut self, event_type: &str, chat: &str, payload: Document) -> Result<(), Failure> {
        let entry = doc! {
            "event_id": Uuid::new().to_string(),
            "event_type": event_type,
            "aggregate_id": chat,
            "aggregate_type": "chat",
            "payload": payload,
            "created_at": DateTime::now(),
            "retry_count": 0,
            // Not needed, but exact: the server writes its logical clock, so the order is that of the writes.
            "recorded_at": Timestamp { time: 0, increment: 0 },
        };
        self.database.collection::<Document>("outbox").insert_one(entry).session(&mut self.session).await?;
        Ok(())
    }

    async fn commit(mut self) -> Result<(), Failure> {
        Ok(self.session.commit_transaction().await?)
    }
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let chat = args.next().ok_or("give the name of a chat, and what is said")?;
    let client = Client::with_uri_str(std::env::var("MONGODB_URL")?).await?;
    for text in args {
        let mut unit = Unit::begin(&client).await?;
        unit.save_message(&chat, &text).await?;
        unit.add_event("chat.message_posted", &chat, doc! { "text": &text }).await?;
        unit.commit().await?;
        println!("{chat}: {text}");
    }
    Ok(())
}
