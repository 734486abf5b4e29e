//! Values of rows to ours and back.

use std::error::Error as StdError;
use std::fmt::Display;
use std::time::Duration;

use bytes::{BufMut, BytesMut};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::row::RowIndex;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

pub(super) use self::message::{COLUMNS, entry, message, partition_of, seq_of, xid_of};
use crate::error::{Error, Kind, Result};
use crate::journal::{Lease, Partition, Position};
use crate::stores::values::{signed, unsigned};

mod message;

/// The id of a transaction, with its epoch: never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Xid(pub(super) u64);

impl FromSql<'_> for Xid {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(u64::from_be_bytes(raw.try_into()?)))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::XID8
    }
}

impl ToSql for Xid {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        out.put_u64(self.0);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::XID8
    }

    to_sql_checked!();
}

/// Longest duration that is told to the database: a hundred years.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// As statements want it: `$1 * interval '1 microsecond'`.
pub(super) fn micros(duration: Duration) -> i64 {
    signed(duration.min(LONGEST).as_micros())
}

/// How long until a time that is so many milliseconds away; zero if that is over.
pub(super) fn until(millis: i64) -> Duration {
    Duration::from_millis(unsigned(millis))
}

/// A count of attempts or deaths, or the number of an attempt.
pub(super) fn count(row: &Row, column: &str) -> Result<u32> {
    Ok(u32::try_from(row.try_get::<_, i32>(column)?).unwrap_or(0))
}

pub(super) fn position(tick: i64, seq: i64) -> Position {
    Position { tick: unsigned(tick), seq: unsigned(seq) }
}

pub(super) fn partition(number: i32) -> Result<Partition> {
    u16::try_from(number)
        .map(Partition::new)
        .map_err(|error| Error::new(Kind::Corrupt, "a partition has no such number").caused_by(error))
}

pub(super) fn partitions(numbers: &[Partition]) -> Vec<i32> {
    numbers.iter().map(|&number| i32::from(number.number())).collect()
}

/// The partitions and the epochs of leases.
pub(super) fn leases(held: &[Lease]) -> (Vec<i32>, Vec<i64>) {
    held.iter().map(|lease| (i32::from(lease.partition.number()), signed(lease.epoch.number()))).unzip()
}

/// A time that someone wrote; PostgreSQL knows times that are far beyond ours, which become the nearest there is.
pub(super) fn timestamp(row: &Row, column: impl RowIndex + Display) -> Result<Option<Timestamp>> {
    let micros: Option<Since2000> = row.try_get(column)?;
    Ok(micros.map(|Since2000(micros)| {
        let nearest = if micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Timestamp::from_microsecond(micros.saturating_add(SECONDS_TO_2000 * 1_000_000)).unwrap_or(nearest)
    }))
}

const SECONDS_TO_2000: i64 = 946_684_800;

/// Microseconds, as PostgreSQL stores a time.
struct Since2000(i64);

impl FromSql<'_> for Since2000 {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(i64::from_be_bytes(raw.try_into()?)))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TIMESTAMPTZ
    }
}
