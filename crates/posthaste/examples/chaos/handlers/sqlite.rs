use std::sync::Arc;

use posthaste::domain::blocking::Transactional;
use posthaste::sinks::handlers::{Context, Handlers};
use posthaste::store::Store;
use posthaste::stores::sqlite::{Options, Sqlite, connect};
use posthaste::{Message, sink};
use rusqlite::Transaction;

use super::{HANDLER, Note};
use crate::Failure;

pub(super) fn open(path: &str) -> Result<(Arc<dyn Store>, Handlers), Failure> {
    let noting = Transactional::new(HANDLER, connect(path, &Options::default())?, note)?;
    let handlers = Handlers::builder().on("*", noting).build()?;
    Ok((Arc::new(Sqlite::open(path, Options::default())?), handlers))
}

fn note(tx: &Transaction<'_>, context: &Context, message: &Message) -> Result<(), sink::Error> {
    let note = Note::of(message)?;
    let insert = "INSERT INTO chaos_handled (id, key, number) VALUES (?1, ?2, ?3)";
    tx.execute(insert, (&note.id, &note.key, note.number)).map_err(sink::Error::retry)?;
    note.fails_at_times(context)
}
