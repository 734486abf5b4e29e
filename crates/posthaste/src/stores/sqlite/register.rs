//! Making destinations known.

use rusqlite::{Connection, Transaction, named_params};

use super::{Sqlite, advance, codec};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::{Error, Result};
use crate::journal::Position;
use crate::stores::values;

pub(super) async fn register(store: &Sqlite, destinations: &[Destination]) -> Result<()> {
    let destinations = destinations.to_vec();
    store.writing(move |transaction| name_again(transaction, &destinations)).await
}

/// Names these destinations and no others.
fn name_again(transaction: &Transaction<'_>, destinations: &[Destination]) -> Result<()> {
    let newest = advance::newest(transaction)?;
    transaction.execute(include_str!("sql/register/deactivate.sql"), [])?;
    transaction.execute(include_str!("sql/register/unroute.sql"), [])?;
    destinations.iter().try_for_each(|destination| name_one(transaction, destination, newest))
}

fn name_one(transaction: &Transaction<'_>, destination: &Destination, newest: Position) -> Result<()> {
    let name = destination.name.as_str();
    let low = match destination.start_from {
        StartFrom::Beginning => Position::START,
        StartFrom::Now => newest,
    };
    transaction.execute(include_str!("sql/register/destination.sql"), named_params! { ":destination": name })?;
    transaction.execute(
        include_str!("sql/register/cursors.sql"),
        named_params! { ":destination": name, ":low": values::seq(low), ":now": codec::now() },
    )?;
    for pattern in destination.route.patterns() {
        let route = named_params! { ":destination": name, ":pattern": codec::glob(pattern) };
        transaction.execute(include_str!("sql/register/route.sql"), route)?;
    }
    Ok(())
}

/// Fails for a destination that was never registered.
pub(super) fn known(connection: &Connection, destination: &Name) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("sql/register/known.sql"))?;
    let is_known = statement.exists(named_params! { ":destination": destination.as_str() })?;
    if is_known { Ok(()) } else { Err(Error::unknown_destination(destination)) }
}
