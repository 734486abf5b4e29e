use std::sync::Arc;

use mysql_async::prelude::Queryable;
use mysql_async::{Pool, Transaction};
use posthaste::domain::{Effect, Transactional};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options};
use posthaste::{Message, sink};

use super::{HANDLER, Note};
use crate::Failure;

pub(super) async fn open(url: &str) -> Result<(Arc<dyn Store>, Handlers), Failure> {
    let noting = Transactional::new(Pool::from_url(url)?, Noting);
    noting.prepare().await?;
    let handlers = Handlers::builder().on("*", noting).build()?;
    Ok((Arc::new(MySql::open(Options::new(url))?), handlers))
}

struct Noting;

impl Effect<Transaction<'static>> for Noting {
    fn name(&self) -> &str {
        HANDLER
    }

    async fn apply(
        &self,
        tx: &mut Transaction<'static>,
        context: &Context,
        message: &Message,
    ) -> Result<(), sink::Error> {
        let note = Note::of(message)?;
        let insert = "INSERT INTO chaos_handled (id, `key`, number) VALUES (?, ?, ?)";
        tx.exec_drop(insert, (&note.id, &note.key, note.number)).await.map_err(sink::Error::retry)?;
        note.fails_at_times(context)
    }
}
