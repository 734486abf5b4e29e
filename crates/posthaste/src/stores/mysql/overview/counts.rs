//! How many deliveries of each kind there are at each destination. What is exceptional is counted where it stands; of what is pending and
//! of what waits, no more than some is read, however much there is. What is delivered is not counted.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, Transaction};

use super::super::codec;
use super::{Size, pending, waiting};
use crate::error::Result;
use crate::inspect::DestinationCounts;
use crate::stores::values;

/// The destinations that are named, by name.
pub(super) async fn destinations(snapshot: &mut Transaction<'_>, size: Size) -> Result<Vec<DestinationCounts>> {
    let named: Vec<Row> = snapshot.exec(include_str!("../sql/overview/destinations.sql"), ()).await?;
    let mut all = named.iter().map(named_destination).collect::<Result<Vec<_>>>()?;
    let parked: Vec<Row> = snapshot.exec(include_str!("../sql/overview/parked.sql"), ()).await?;
    each(&mut all, &parked, note_parked)?;
    let held: Vec<Row> = snapshot.exec(include_str!("../sql/overview/held_keys.sql"), ()).await?;
    each(&mut all, &held, |counts, row| {
        counts.held_keys = codec::get(row, "held_keys")?;
        Ok(())
    })?;
    waiting::count(snapshot, &mut all, size).await?;
    pending::count(snapshot, &mut all, size).await?;
    Ok(all)
}

fn named_destination(row: &Row) -> Result<DestinationCounts> {
    let (destination, paused) = (codec::get(row, "name")?, codec::get(row, "paused")?);
    let paused_tenants = values::paused_tenants(codec::get::<Option<String>>(row, "paused_tenants")?.as_deref())?;
    Ok(DestinationCounts { destination, paused, paused_tenants, ..DestinationCounts::default() })
}

/// Takes note of rows that each tell about one destination. Those about a destination that is no longer named tell nothing.
fn each(
    all: &mut [DestinationCounts],
    rows: &[Row],
    note: impl Fn(&mut DestinationCounts, &Row) -> Result<()>,
) -> Result<()> {
    for row in rows {
        let destination: String = codec::get(row, "destination")?;
        if let Some(counts) = all.iter_mut().find(|counts| counts.destination == destination) {
            note(counts, row)?;
        }
    }
    Ok(())
}

fn note_parked(counts: &mut DestinationCounts, row: &Row) -> Result<()> {
    let deliveries: u64 = codec::get(row, "messages")?;
    match codec::get::<String>(row, "what")?.as_str() {
        "retrying" => counts.retrying = deliveries,
        "scheduled" => counts.scheduled = deliveries,
        "throttled" => counts.throttled = deliveries,
        "paused" => counts.paused_deliveries = deliveries,
        "awaiting" => counts.awaiting = deliveries,
        "dead" => counts.dead = deliveries,
        "replay" => counts.replay = deliveries,
        _ => {}
    }
    Ok(())
}
