//! What is wrong with a database, for a person.

use mongodb::bson::{Document, doc};

use super::migrate::indexes::indexes;
use super::partitions::partitions;
use super::sequencer::REFUSED;
use super::{MongoDb, oplog};
use crate::error::Result;
use crate::inspect::Problem;

pub(super) async fn check(store: &MongoDb) -> Result<Vec<Problem>> {
    partitions(store).await?;
    let mut problems = missing_indexes(store).await;
    problems.extend(refused(store).await?);
    problems.extend(oplog::see(store.db()).await.and_then(|oplog| oplog.problem()));
    Ok(problems)
}

async fn missing_indexes(store: &MongoDb) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, index) in indexes(&store.db().options) {
        let collection = store.db().database.collection::<Document>(&name);
        let wanted = index.options.and_then(|options| options.name).unwrap_or_default();
        // A collection that is not there has no indexes either.
        let there = collection.list_index_names().await.unwrap_or_default();
        if !there.contains(&wanted) {
            let text = format!("index `{wanted}` of `{name}` is missing: run `posthaste migrate`");
            problems.push(Problem::refusal(text));
        }
    }
    problems
}

async fn refused(store: &MongoDb) -> Result<Option<Problem>> {
    let refused = store.db().events.count_documents(doc! { "posthaste.seq": REFUSED }).await?;
    let text = format!(
        "{refused} documents of `{}` cannot be messages (see their `posthaste.refused`): correct them and remove \
         their `posthaste`, and they are taken",
        store.collection()
    );
    Ok((refused > 0).then(|| Problem::warning(text)))
}
