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
const COLUMNS: usize = 17;

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

/// The statement that stores so many messages.
fn statement(count: usize) -> String {
    let row = format!("({})", vec!["?"; COLUMNS].join(", "));
    include_str!("sql/enqueue.sql").replace("{rows}", &vec![row; count].join(", "))
}

/// Whether one of these messages may be stored already without that being an error.
fn may_be_known(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.origin.is_some())
}

/// The values of a message that its drivers bind, in the order of the columns. Only types that every driver has.
struct Columns<'a> {
    id: String,
    texts: [Option<&'a str>; 8],
    occurred_at: String,
    due_at: Option<String>,
    destination: Option<&'a str>,
    max_attempts: Option<i64>,
    origin: [Option<&'a str>; 2],
    headers: Option<String>,
    payload: &'a [u8],
}

impl<'a> Columns<'a> {
    fn of(message: &'a Message) -> Result<Self> {
        let origin = message.origin.as_ref();
        Ok(Self {
            id: message.id.to_string(),
            texts: [
                Some(&message.event_type),
                Some(&message.aggregate_type),
                Some(&message.aggregate_id),
                message.key.as_deref(),
                message.tenant.as_deref(),
                message.user.as_deref(),
                message.correlation_id.as_deref(),
                Some(&message.content_type),
            ],
            occurred_at: datetime(message.occurred_at),
            due_at: message.due_at.map(datetime),
            destination: message.destination.as_deref(),
            max_attempts: message.max_attempts.map(|limit| i64::from(limit).min(i64::from(i32::MAX))),
            origin: [origin.map(|origin| origin.stream.as_str()), origin.map(|origin| origin.event.as_str())],
            headers: headers::encode(&message.headers)?,
            payload: &message.payload,
        })
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
