//! What a person should know before a relay runs here.

use super::Postgres;
use crate::error::Result;
use crate::inspect::Problem;

/// What about the server would do harm, and what costs more than it should.
pub(super) async fn check(store: &Postgres) -> Result<Vec<Problem>> {
    let client = store.client().await?;
    let rows = client.query(include_str!("sql/check.sql"), &[]).await?;
    rows.iter().map(|row| Ok(Problem { refuses: row.try_get("refuses")?, text: row.try_get("text")? })).collect()
}
