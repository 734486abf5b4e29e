//! Marks of what a source has taken, where its table is on this server.

use mysql_async::prelude::Queryable;
use mysql_async::{Params, Transaction, Value};

use super::MySql;
use super::error::is_locked;
use crate::error::Result;
use crate::journal::Marked;
use crate::source::{Marking, Statement};
use crate::stores::marked::refused;

/// Within the transaction that stores the messages. What is refused changes nothing, and marks that were made before it are right all the
/// same: their messages are stored.
pub(super) async fn mark(
    store: &MySql,
    transaction: &mut Transaction<'_>,
    marking: Option<&Marking>,
) -> Result<Marked> {
    let here = |marking: &&Marking| marking.place == store.shared.server;
    let Some(marking) = marking.filter(here) else { return Ok(Marked::No) };
    transaction.query_drop(include_str!("sql/mark/begin.sql")).await?;
    let made = all(transaction, &marking.statements).await;
    // Also if they were not made: the connection is used for other things later.
    transaction.query_drop(include_str!("sql/mark/end.sql")).await?;
    match made {
        Ok(()) => Ok(Marked::Together),
        Err(error) if is_locked(&error) => Ok(Marked::No),
        Err(error) => refused(error),
    }
}

async fn all(transaction: &mut Transaction<'_>, statements: &[Statement]) -> Result<()> {
    for Statement { sql, params } in statements {
        let params = Params::Positional(params.iter().map(|value| Value::from(value.as_str())).collect());
        transaction.exec_drop(sql.as_str(), params).await?;
    }
    Ok(())
}
