//! Giving committed messages their positions.

use super::{MySql, sequencer};
use crate::error::Result;
use crate::journal::Position;

pub(super) async fn advance(store: &MySql) -> Result<Position> {
    sequencer::place_new(store).await
}
