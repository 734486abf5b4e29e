//! The application's side: messages written in its own transaction.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::Result;
use crate::message::Message;
use crate::stores::headers;

#[cfg(feature = "mysql_async")]
mod mysql_async;
#[cfg(feature = "sqlx-mysql")]
mod sqlx;

/// Columns of a message that a writer gives.
const COLUMNS: [&str; 17] = [
    "id",
    "event_type",
    "aggregate_type",
    "aggregate_id",
    "`key`",
    "tenant",
    "user_id",
    "correlation_id",
    "content_type",
    "occurred_at",
    "due_at",
    "destination",
    "max_attempts",
    "source_stream",
    "source_event",
    "headers",
    "payload",
];

/// Where the key is among them. It is always named: without it the server would make one.
const KEY: usize = 4;

/// Messages that are stored with one statement, which can have 65,535 parameters.
const AT_ONCE: usize = 500;

/// Bytes that are sent with one statement, more or less: a server takes 16 MB at least.
const BYTES_AT_ONCE: usize = 4 << 20;

/// The error of a server that has a message of the same origin or id. It undoes the statement, and not the transaction.
const DUPLICATE: u16 = 1062;

/// Rows of `outbox_key_locks`.
const KEY_LOCKS: u64 = 1_024;

/// Where an application writes: the outbox of the database that its connection uses.
///
/// What it writes is delivered if the application's transaction commits, and never was if it does not. Five hundred messages are one
/// statement. A message whose origin is stored already is left out quietly. An outbox never opens, commits or spawns anything. After
/// an error the transaction is to be rolled back.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Outbox {}

impl Outbox {
    /// The outbox of the database; there is one in each.
    pub fn new() -> Self {
        Self {}
    }
}

/// Messages that go with one statement, in order.
fn portions(messages: &[Message]) -> Vec<&[Message]> {
    let (mut portions, mut rest) = (Vec::new(), messages);
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |message: &&Message| {
            bytes += message.weight();
            bytes <= BYTES_AT_ONCE
        };
        let count = rest.iter().take(AT_ONCE).take_while(fits).count().max(1);
        let (portion, others) = rest.split_at(count);
        portions.push(portion);
        rest = others;
    }
    portions
}

/// The columns in which one of these messages has something. To name the others as well would cost the server a tenth of its time.
fn named(messages: &[Columns<'_>]) -> Vec<usize> {
    let is_given = |column: &usize| {
        *column == KEY || messages.iter().any(|Columns(values)| !matches!(values[*column], Bound::Nothing))
    };
    (0..COLUMNS.len()).filter(is_given).collect()
}

/// The statement that stores so many messages with these columns.
fn statement(columns: &[usize], count: usize) -> String {
    let row = format!("({})", vec!["?"; columns.len()].join(", "));
    let names = columns.iter().map(|column| COLUMNS[*column]).collect::<Vec<_>>().join(", ");
    include_str!("sql/enqueue.sql").replace("{columns}", &names).replace("{rows}", &vec![row; count].join(", "))
}

/// Whether one of these messages may be stored already without that being an error.
fn may_be_known(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.origin.is_some())
}

/// A value that its drivers bind. Only types that every driver has.
enum Bound<'a> {
    Nothing,
    Text(&'a str),
    Made(String),
    Number(i64),
    Bytes(&'a [u8]),
}

impl<'a> Bound<'a> {
    fn text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Nothing, Self::Text)
    }

    fn made(text: Option<String>) -> Self {
        text.map_or(Self::Nothing, Self::Made)
    }
}

/// The values of a message, in the order of [`COLUMNS`].
struct Columns<'a>([Bound<'a>; COLUMNS.len()]);

impl<'a> Columns<'a> {
    fn of(message: &'a Message) -> Result<Self> {
        let origin = message.origin.as_ref();
        let max_attempts = message.max_attempts.map(|limit| i64::from(limit).min(i64::from(i32::MAX)));
        Ok(Self([
            Bound::Made(message.id.to_string()),
            Bound::Text(&message.event_type),
            Bound::Text(&message.aggregate_type),
            Bound::Text(&message.aggregate_id),
            Bound::text(message.key.as_deref()),
            Bound::text(message.tenant.as_deref()),
            Bound::text(message.user.as_deref()),
            Bound::text(message.correlation_id.as_deref()),
            Bound::Text(&message.content_type),
            Bound::Made(datetime(message.occurred_at)),
            Bound::made(message.due_at.map(datetime)),
            Bound::text(message.destination.as_deref()),
            max_attempts.map_or(Bound::Nothing, Bound::Number),
            Bound::text(origin.map(|origin| origin.stream.as_str())),
            Bound::text(origin.map(|origin| origin.event.as_str())),
            Bound::made(headers::encode(&message.headers)?),
            Bound::Bytes(&message.payload),
        ]))
    }
}

/// A time as statements take it; what is beyond the years that a DATETIME can have becomes the nearest.
pub(super) fn datetime(at: Timestamp) -> String {
    let utc = at.to_zoned(TimeZone::UTC).datetime().max(jiff::civil::date(1, 1, 1).at(0, 0, 0, 0));
    utc.strftime("%Y-%m-%d %H:%M:%S%.6f").to_string()
}

/// The statement that locks the keys of messages, in an order that all writers share, so that no two wait for each other. `None` if
/// none of them has a key.
fn locking(messages: &[Message]) -> Option<String> {
    let scopes = messages.iter().filter_map(Message::order_key);
    let slots: BTreeSet<u64> =
        scopes.map(|scope| fnv(scope.tenant.as_deref().unwrap_or_default(), &scope.key) % KEY_LOCKS).collect();
    let list = slots.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    (!slots.is_empty()).then(|| include_str!("sql/lock_keys.sql").replace("{slots}", &list))
}

/// FNV-1a, with its high half folded in.
fn fnv(tenant: &str, key: &str) -> u64 {
    let bytes = tenant.bytes().chain([0x1f]).chain(key.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash ^ (hash >> 32)
}
