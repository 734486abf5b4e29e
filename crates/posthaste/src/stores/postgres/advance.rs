//! Giving what was committed its place.

use super::Postgres;
use crate::error::Result;
use crate::journal::Position;

/// Makes a tick if there is something to put into it, and returns where the newest one ends.
pub(super) async fn advance(store: &Postgres) -> Result<Position> {
    let seams = store.shared.ticks.seams();
    let client = store.client().await?;
    Ok(store.shared.ticks.advance(&client, seams).await?.end())
}
