//! The order within a batch.
//!
//! Application transactions of one key follow each other, so what the later one inserts is inserted after the earlier one's
//! commit. Each of these orders follows that, and they can be mixed, because all are times of one logical clock:
//! * `recordedAt`, the server's clock at the insert (what the library writes, and anyone can: `Timestamp(0, 0)`);
//! * without it, the time of the commit, from the change stream;
//! * without either, the order in which the primary stored the documents (its record ids, which order equal index keys).

use std::time::Duration;

use mongodb::bson::{Bson, Timestamp};

use super::super::MongoDb;
use super::super::change_stream::{follow, id_text};
use super::super::codec::Row;

/// Sorts a batch, which is in the order of storage, into the order of the transactions that wrote it.
pub(super) async fn in_order(store: &MongoDb, rows: Vec<Row>, patience: Duration) -> Vec<Row> {
    let plain: Vec<&Bson> =
        rows.iter().filter(|row| row.recorded_at.is_none() && row.written_id.is_none()).map(|row| &row.id).collect();
    let committed = if plain.is_empty() {
        None
    } else {
        follow(store);
        store.shared.change_stream.feed().order_of(&plain, patience).await
    };
    let mut places: Vec<_> = rows
        .into_iter()
        .enumerate()
        .map(|(stored, row)| {
            let seen = committed.as_ref().and_then(|seen| seen.get(&id_text(&row.id)).copied());
            let clock = row.recorded_at.or(seen.map(|(at, _)| at)).unwrap_or(Timestamp { time: 0, increment: 0 });
            let within = seen.filter(|_| row.recorded_at.is_none()).map_or(stored as u64, |(_, nth)| nth);
            ((clock.time, clock.increment, within), row)
        })
        .collect();
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, row)| row).collect()
}
