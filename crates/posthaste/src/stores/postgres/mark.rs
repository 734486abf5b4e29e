//! Marks of what a source has taken, where its table is in this database.

use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};

use super::Postgres;
use super::schema::in_schema;
use super::session::Transaction;
use crate::error::Result;
use crate::journal::Marked;
use crate::source::{Marking, Place, Statement};
use crate::stores::marked::refused;

/// Within the transaction that stores the messages. A refusal undoes the marks and nothing else.
pub(super) async fn mark(store: &Postgres, transaction: &Transaction<'_>, marking: Option<&Marking>) -> Result<Marked> {
    let here = Place::address(store.shared.way.place());
    let Some(marking) = marking.filter(|marking| marking.place == here) else { return Ok(Marked::No) };
    transaction.batch_in_time(include_str!("sql/mark/begin.sql")).await?;
    let Err(refusal) = all(transaction, &marking.statements).await? else {
        let end = in_schema(include_str!("sql/mark/end.sql"), &store.shared.options.schema);
        transaction.batch_in_time(&end).await?;
        return Ok(Marked::Together);
    };
    let is_locked = refusal.code() == Some(&SqlState::LOCK_NOT_AVAILABLE);
    let marked = if is_locked { Marked::No } else { refused(refusal.into())? };
    transaction.batch_in_time(include_str!("sql/mark/undo.sql")).await?;
    Ok(marked)
}

/// Up to the first that the server refuses.
async fn all(transaction: &Transaction<'_>, statements: &[Statement]) -> Result<Result<(), tokio_postgres::Error>> {
    for Statement { sql, params } in statements {
        let params: Vec<_> = params.iter().map(|value| (value as &(dyn ToSql + Sync), Type::TEXT)).collect();
        if let Err(refusal) = transaction.execute_once(sql, &params).await? {
            return Ok(Err(refusal));
        }
    }
    Ok(Ok(()))
}
