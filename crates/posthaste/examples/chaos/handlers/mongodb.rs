use std::sync::Arc;

use mongodb::bson::{Document, doc};
use mongodb::options::ReturnDocument;
use posthaste::domain::{Effect, Transactional};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::stores::mongodb::{MongoDb, Options, Transaction};
use posthaste::{Message, sink};

use super::{HANDLER, Note};
use crate::Failure;

pub(super) async fn open(url: &str) -> Result<(Arc<dyn Store>, Handlers), Failure> {
    let store = MongoDb::open(url, Options::default()).await?;
    let noting = Transactional::new(store.clone(), Noting);
    noting.prepare().await?;
    let handlers = Handlers::builder().on("*", noting).build()?;
    Ok((Arc::new(store), handlers))
}

struct Noting;

impl Effect<Transaction> for Noting {
    fn name(&self) -> &str {
        HANDLER
    }

    /// Notes of a key are counted, for documents have no order of their own.
    async fn apply(&self, tx: &mut Transaction, context: &Context, message: &Message) -> Result<(), sink::Error> {
        let note = Note::of(message)?;
        let counts = tx.database().collection::<Document>("chaos_handled_counts");
        let count = counts.find_one_and_update(doc! { "_id": &note.key }, doc! { "$inc": { "count": 1_i64 } });
        let count = count.upsert(true).return_document(ReturnDocument::After).session(tx.session()).await;
        let nth = count.map_err(sink::Error::retry)?.and_then(|count| count.get_i64("count").ok()).unwrap_or_default();
        let row = doc! { "id": &note.id, "key": &note.key, "number": note.number, "nth": nth };
        let handled = tx.database().collection::<Document>("chaos_handled");
        handled.insert_one(row).session(tx.session()).await.map_err(sink::Error::retry)?;
        note.fails_at_times(context)
    }
}
