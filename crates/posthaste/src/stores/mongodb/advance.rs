//! Giving committed messages their positions.

use super::{MongoDb, sequencer, status_stamps};
use crate::error::Result;
use crate::journal::Position;

pub(super) async fn advance(store: &MongoDb) -> Result<Position> {
    let newest = sequencer::number_some(store).await?;
    status_stamps::stamp_if_due(store).await;
    Ok(newest)
}
