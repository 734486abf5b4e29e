//! What a person should know before a relay runs here.

use super::Postgres;
use super::session::Statements;
use crate::error::Result;
use crate::inspect::Problem;

/// Notifications are hints, so the relay works all the same.
const DEAF: &str =
    "a pooler passes no notifications on: set store.postgres.listen = false, or connect to the server itself";

/// What about the server would do harm, and what costs more than it should.
pub(super) async fn check(store: &Postgres) -> Result<Vec<Problem>> {
    let client = store.client().await?;
    let rows = client.query(include_str!("sql/check.sql"), &[]).await?;
    let found = rows.iter().map(|row| Ok(Problem { refuses: row.try_get("refuses")?, text: row.try_get("text")? }));
    let mut problems: Vec<_> = found.collect::<Result<_>>()?;
    if store.shared.options.listen && store.shared.pool.manager().meets_pooler() {
        problems.push(Problem { refuses: false, text: DEAF.into() });
    }
    Ok(problems)
}
