//! What is wrong with a database, for a person.

use mongodb::bson::{Document, doc};

use super::migrate::indexes;
use super::{MongoDb, oplog};
use crate::error::Result;
use crate::inspect::Problem;

impl MongoDb {
    /// What is missing or needs a look.
    pub async fn check(&self) -> Result<Vec<Problem>> {
        self.count_partitions().await?;
        let mut problems = Vec::new();
        for (name, index) in indexes(self.db()) {
            let collection = self.db().database.collection::<Document>(&name);
            let wanted = index.options.and_then(|options| options.name).unwrap_or_default();
            // A collection that is not there has no indexes either.
            let there = collection.list_index_names().await.unwrap_or_default();
            if !there.contains(&wanted) {
                let text = format!("index `{wanted}` of `{name}` is missing: run `posthaste migrate`");
                problems.push(Problem::refusal(text));
            }
        }
        let refused = self.db().events.count_documents(doc! { "posthaste.seq": super::sequence::REFUSED }).await?;
        if refused > 0 {
            let text = format!(
                "{refused} documents of `{}` cannot be messages (see their `posthaste.refused`): correct them and remove \
                 their `posthaste`, and they are taken",
                self.collection()
            );
            problems.push(Problem::warning(text));
        }
        problems.extend(oplog::look(self.db()).await.and_then(|oplog| oplog.problem()));
        Ok(problems)
    }
}
