use std::sync::Arc;

use deadpool_postgres::{Client, Manager, Pool};
use posthaste::domain::{Effect, Transactional};
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::{Message, sink};
use tokio_postgres::NoTls;

use super::{HANDLER, Note};
use crate::Failure;

pub(super) async fn open(url: &str) -> Result<(Arc<dyn Store>, Handlers), Failure> {
    let pool = Pool::builder(Manager::new(url.parse()?, NoTls)).max_size(4).build()?;
    let noting = Transactional::new(pool, Noting);
    noting.prepare().await?;
    let handlers = Handlers::builder().on("*", noting).build()?;
    Ok((Arc::new(Postgres::open(Options::new(url))?), handlers))
}

struct Noting;

impl Effect<Client> for Noting {
    fn name(&self) -> &str {
        HANDLER
    }

    async fn apply(&self, client: &mut Client, context: &Context, message: &Message) -> Result<(), sink::Error> {
        let note = Note::of(message)?;
        let insert = "INSERT INTO chaos_handled (id, key, number) VALUES ($1, $2, $3)";
        client.execute(insert, &[&note.id, &note.key, &note.number]).await.map_err(sink::Error::retry)?;
        note.fails_at_times(context)
    }
}
