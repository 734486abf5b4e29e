//! Making destinations known.

use rusqlite::{Connection, Transaction, named_params};

use super::{codec, error, read};
use crate::destination::{Destination, Name, StartFrom};
use crate::error::Result;
use crate::journal::Position;

pub(super) fn register(transaction: &Transaction<'_>, destinations: &[Destination]) -> Result<()> {
    let newest = read::newest(transaction)?;
    transaction.execute(include_str!("register_deactivate.sql"), [])?;
    transaction.execute(include_str!("register_unroute.sql"), [])?;
    for destination in destinations {
        let name = destination.name.as_str();
        let low = match destination.start_from {
            StartFrom::Beginning => Position::START,
            StartFrom::Now => newest,
        };
        transaction.execute(include_str!("register_destination.sql"), named_params! { ":destination": name })?;
        transaction.execute(
            include_str!("register_cursors.sql"),
            named_params! { ":destination": name, ":low": codec::seq(low), ":now": codec::now() },
        )?;
        for pattern in destination.route.patterns() {
            let route = named_params! { ":destination": name, ":pattern": glob(pattern) };
            transaction.execute(include_str!("register_route.sql"), route)?;
        }
    }
    Ok(())
}

/// A pattern in which only `*` means something, as GLOB wants it.
pub(super) fn glob(pattern: &str) -> String {
    pattern.replace('[', "[[]").replace('?', "[?]")
}

/// Fails for a destination that was never registered.
pub(super) fn known(connection: &Connection, destination: &Name) -> Result<()> {
    let mut statement = connection.prepare_cached(include_str!("known.sql"))?;
    if statement.exists([destination.as_str()])? { Ok(()) } else { Err(error::unknown(destination)) }
}
