//! Reading on: the hot path.
//!
//! The ranges that follow say which numbers come next. Those are read in the order of the table and put in the order of the journal here:
//! they differ only where something was committed late.

use std::sync::atomic::{AtomicUsize, Ordering};

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Params, Row, Value};

pub(super) use self::stretch::Stretch;
use super::codec::{self, MESSAGE_COLUMNS};
use super::ranges::Found;
use super::{MySql, partitions, ranges};
use crate::error::Result;
use crate::journal::{Batch, Entry, ReadRequest};
use crate::stores::statement::with_columns;
use crate::stores::values;

mod stretch;

/// Ranges that one call looks at.
const RANGES: usize = 64;

/// Numbers of others between two ranges that are rather read and left out than looked for around.
const SLACK: i64 = 16;

/// What messages weigh on average, as far as they were read. A read asks for no more of them than may fit, so that little is sent in vain.
#[derive(Debug, Default)]
pub(super) struct Weights(AtomicUsize);

impl Weights {
    fn learn(&self, entries: &[Entry]) {
        let bytes: usize = entries.iter().map(|entry| entry.message.weight()).sum();
        if let Some(average) = bytes.checked_div(entries.len()) {
            self.0.store(average, Ordering::Relaxed);
        }
    }

    /// So many may fit, or twice as many.
    fn fitting(&self, request: &ReadRequest) -> usize {
        let average = self.0.load(Ordering::Relaxed).max(1);
        (request.max_bytes / average).saturating_mul(2).saturating_add(1).min(request.limit)
    }
}

pub(super) async fn read(store: &MySql, request: &ReadRequest) -> Result<Batch> {
    let mut connection = store.connection().await?;
    let total = usize::from(partitions::known(store, &mut connection).await?);
    let (after, until) = (values::seq(request.after), values::seq(request.until));
    let Found { newest, ranges, is_all } = ranges::find(&mut connection, after, until, RANGES).await?;
    let share = (total / request.partitions.len().max(1)).clamp(1, 16);
    let Some(stretch) = Stretch::of(&ranges, request.limit.saturating_mul(share), SLACK) else {
        return Ok(Batch { entries: Vec::new(), upto: newest.min(request.until).max(request.after) });
    };
    let all = request.partitions.len() == total;
    let mut reading = Reading { connection: &mut connection, store, request, all };
    let mut batch = reading.run(&stretch).await?;
    if batch.upto <= request.after {
        // All that was read comes later in the journal: the first range alone then.
        batch = reading.run(&stretch.first()).await?;
    }
    if is_all && stretch.is_all_of(&ranges) && batch.upto >= stretch.end() {
        batch.upto = newest.min(request.until).max(request.after);
    }
    store.shared.weights.learn(&batch.entries);
    Ok(batch)
}

/// One call, which may read twice.
struct Reading<'a> {
    connection: &'a mut Conn,
    store: &'a MySql,
    request: &'a ReadRequest,
    /// All partitions were asked for.
    all: bool,
}

impl Reading<'_> {
    async fn run(&mut self, stretch: &Stretch<'_>) -> Result<Batch> {
        let (sql, params) = self.statement(stretch);
        let most = self.store.shared.weights.fitting(self.request);
        let mut params = params;
        params.push(Value::from(values::signed(most)));
        let mut rows = self.connection.exec_iter(sql, Params::Positional(params)).await?;
        let (mut entries, mut bytes, mut read, mut reached): (Vec<Entry>, usize, usize, _) = (Vec::new(), 0, 0, None);
        while entries.len() < self.request.limit && (bytes < self.request.max_bytes || entries.is_empty()) {
            let Some(row) = rows.next().await? else { break };
            read += 1;
            reached = Some(codec::seq(&row)?);
            if let Some(entry) = placed(stretch, row)? {
                bytes += entry.message.weight();
                entries.push(entry);
            }
        }
        // Either the rows came to their end, or nobody knows what lies beyond the last one.
        let is_whole = rows.next().await?.is_none() && read < most;
        rows.drop_result().await?;
        let upto = if is_whole { stretch.end() } else { stretch.complete_to(reached.unwrap_or(i64::MIN)) };
        entries.sort_unstable_by_key(|entry| entry.position);
        entries.retain(|entry| entry.position <= upto);
        Ok(Batch { entries, upto: upto.max(self.request.after) })
    }

    fn statement(&self, stretch: &Stretch<'_>) -> (String, Vec<Value>) {
        let (intervals, params) = stretch.intervals();
        let partitions = if self.all {
            "TRUE".to_owned()
        } else {
            format!("o.`partition` IN ({})", codec::partitions(self.request.partitions.iter().copied()))
        };
        let sql = with_columns!(MESSAGE_COLUMNS, "sql/read/messages.sql").replace("{intervals}", &intervals);
        (sql.replace("{partitions}", &partitions).replace("{limit}", "?"), params)
    }
}

/// A message at its place, unless it belongs elsewhere.
pub(super) fn placed(stretch: &Stretch<'_>, row: Row) -> Result<Option<Entry>> {
    let seq = codec::seq(&row)?;
    stretch.position_of(seq).map(|position| codec::entry(row, position)).transpose()
}
