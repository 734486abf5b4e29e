use futures_util::TryStreamExt;
use mongodb::bson::{Document, doc};
use mongodb::options::{ReturnDocument, WriteConcern};
use mongodb::{Client, Collection, Database, IndexModel};
use posthaste::stores::mongodb::Outbox;

use super::{Application, Make, Show};
use crate::Failure;

const HANDLED: &str = "chaos_handled";

pub(super) struct OnMongodb {
    client: Client,
    database: Database,
    keys: Collection<Document>,
    outbox: Outbox,
}

impl OnMongodb {
    pub(super) async fn open(url: &str) -> Result<Self, Failure> {
        let client = Client::with_uri_str(url).await?;
        let database = client.default_database().ok_or("the address names no database")?;
        Ok(Self { keys: database.collection("chaos_keys"), database, client, outbox: Outbox::new() })
    }
}

#[async_trait::async_trait]
impl Application for OnMongodb {
    /// Collections have to be there before a transaction writes to them.
    async fn prepare(&mut self) -> Result<(), Failure> {
        self.keys.insert_one(doc! { "_id": "first", "number": 0_i64 }).await?;
        self.database.create_collection("chaos_handled_counts").await?;
        self.database.create_collection(HANDLED).await?;
        let by_key = IndexModel::builder().keys(doc! { "key": 1, "nth": 1 }).build();
        self.database.collection::<Document>(HANDLED).create_index(by_key).await?;
        Ok(())
    }

    async fn write(&mut self, keys: &[String], make: Make<'_>) -> Result<(), Failure> {
        let mut session = self.client.start_session().await?;
        session.start_transaction().write_concern(WriteConcern::majority()).await?;
        let mut messages = Vec::with_capacity(keys.len());
        for key in keys {
            let count = self.keys.find_one_and_update(doc! { "_id": key }, doc! { "$inc": { "number": 1_i64 } });
            let counted = count.upsert(true).return_document(ReturnDocument::After).session(&mut session).await?;
            let number = counted.ok_or("counted up, and not there")?.get_i64("number")?;
            messages.push(make(key, number as u64)?);
        }
        self.outbox.enqueue(&mut session, &messages).await?;
        Ok(session.commit_transaction().await?)
    }

    async fn numbers(&mut self) -> Result<Vec<(String, u64)>, Failure> {
        let rows: Vec<Document> = self.keys.find(doc! { "number": { "$gt": 0 } }).await?.try_collect().await?;
        rows.iter().map(|row| Ok((row.get_str("_id")?.to_owned(), row.get_i64("number")? as u64))).collect()
    }

    async fn handled(&mut self, show: Show<'_>) -> Result<(), Failure> {
        let handled = self.database.collection::<Document>(HANDLED);
        let mut rows = handled.find(doc! {}).sort(doc! { "key": 1, "nth": 1 }).await?;
        while let Some(row) = rows.try_next().await? {
            show(row.get_str("id")?, row.get_str("key")?, row.get_i64("number")? as u64);
        }
        Ok(())
    }
}
