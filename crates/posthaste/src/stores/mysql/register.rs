//! Making destinations known.

use mysql_async::prelude::Queryable;
use mysql_async::{Transaction, params};

use super::retry::again;
use super::{MySql, connection, sequencer};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::{Error, Result};
use crate::stores::values;

pub(super) async fn register(store: &MySql, destinations: &[Destination]) -> Result<()> {
    // What is committed by now comes before a destination that starts from now on.
    sequencer::place_everything(store).await?;
    again!(name_again(store, destinations))
}

/// Names these destinations and no others.
async fn name_again(store: &MySql, destinations: &[Destination]) -> Result<()> {
    let mut connection = store.connection().await?;
    let mut transaction = connection::begin(&mut connection).await?;
    let newest: Option<i64> = transaction.query_first(include_str!("sql/register/lock.sql")).await?;
    transaction.query_drop(include_str!("sql/register/deactivate.sql")).await?;
    transaction.query_drop(include_str!("sql/register/unroute.sql")).await?;
    for destination in destinations {
        name_one(&mut transaction, destination, newest.unwrap_or_default()).await?;
    }
    Ok(transaction.commit().await?)
}

async fn name_one(transaction: &mut Transaction<'_>, destination: &Destination, newest: i64) -> Result<()> {
    let name = destination.name.as_str();
    let low = match destination.start_from {
        StartFrom::Beginning => 0,
        StartFrom::Now => newest,
    };
    let named = params! { "destination" => name };
    transaction.exec_drop(include_str!("sql/register/destination.sql"), named).await?;
    let cursors = params! { "destination" => name, "low" => low };
    transaction.exec_drop(include_str!("sql/register/cursors.sql"), cursors).await?;
    for pattern in destination.route.patterns() {
        let route = params! { "destination" => name, "pattern" => values::like(pattern) };
        transaction.exec_drop(include_str!("sql/register/route.sql"), route).await?;
    }
    Ok(())
}

/// Fails for a destination that was never registered.
pub(super) async fn known(connection: &mut impl Queryable, destination: &Name) -> Result<()> {
    let of = params! { "destination" => destination.as_str() };
    let known: Option<i64> = connection.exec_first(include_str!("sql/register/known.sql"), of).await?;
    if known.is_some() { Ok(()) } else { Err(Error::unknown_destination(destination)) }
}
