//! What a person should know before a relay runs here.

use super::Postgres;
use crate::error::Result;
use crate::inspect::Problem;

impl Postgres {
    /// Looks at the server: what would do harm, and what costs more than it should.
    pub async fn check(&self) -> Result<Vec<Problem>> {
        let client = self.client().await?;
        let rows = client.query(include_str!("check.sql"), &[]).await?;
        rows.iter().map(|row| Ok(Problem { refuses: row.try_get("refuses")?, text: row.try_get("text")? })).collect()
    }
}
