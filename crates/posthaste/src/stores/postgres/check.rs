//! What a person should know before a relay runs here.

use super::Postgres;
use crate::error::Result;
use crate::inspect::Finding;

impl Postgres {
    /// Looks at the server: what would do harm, and what costs more than it should.
    pub async fn check(&self) -> Result<Vec<Finding>> {
        let client = self.client().await?;
        let rows = client.query(include_str!("check.sql"), &[]).await?;
        rows.iter().map(|row| Ok(Finding { refuses: row.try_get(0)?, says: row.try_get(1)? })).collect()
    }
}
