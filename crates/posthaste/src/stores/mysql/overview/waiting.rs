//! How many messages wait behind held keys. Of each destination some keys are looked at, and of each of those its newest messages: if
//! there are more, as many as that are taken to stand in each stretch of the journal.

use mysql_async::{Params, Row, Transaction, Value, params};

use super::super::codec;
use super::Size;
use crate::error::Result;
use crate::inspect::DestinationCounts;
use crate::stores::values;

/// Held keys of all destinations together that are looked at, and messages of all of them.
const KEYS_READ: usize = 100;
const MESSAGES_READ: usize = 25_000;

/// Keys that one statement looks at.
const AT_ONCE: usize = 50;

/// Whatever there is, so much is looked at of each destination, and of each key.
const LEAST: usize = 20;

pub(super) async fn count(snapshot: &mut Transaction<'_>, all: &mut [DestinationCounts], size: Size) -> Result<()> {
    let holding = all.iter().filter(|counts| counts.held_keys > 0).count();
    let keys = (KEYS_READ / holding.max(1)).max(LEAST);
    for counts in all.iter_mut().filter(|counts| counts.held_keys > 0) {
        let most = (MESSAGES_READ / holding / keys.min(counts.held_keys as usize)).max(LEAST);
        let (mut looked_at, mut waiting) = (0, 0);
        for some in held_keys(snapshot, &counts.destination, keys).await?.chunks(AT_ONCE) {
            looked_at += some.len() as u64;
            for sample in samples(snapshot, &counts.destination, some, most).await? {
                let (messages, estimated) = sample.waiting(most);
                waiting += messages;
                counts.estimated |= estimated;
            }
        }
        // Behind keys that were not looked at there is as much as behind those that were.
        counts.estimated |= looked_at < counts.held_keys;
        let all_keys = waiting.saturating_mul(counts.held_keys) / looked_at.max(1);
        counts.waiting = if counts.estimated { all_keys.min(size.messages) } else { all_keys };
    }
    Ok(())
}

async fn held_keys(snapshot: &mut Transaction<'_>, destination: &str, limit: usize) -> Result<Vec<Row>> {
    let sql = include_str!("../sql/overview/waiting_keys.sql").replace("{limit}", &limit.to_string());
    codec::uncached(snapshot, sql, params! { "destination" => destination }).await
}

/// What the newest messages of these keys tell.
async fn samples(snapshot: &mut Transaction<'_>, destination: &str, keys: &[Row], most: usize) -> Result<Vec<Sample>> {
    let one = include_str!("../sql/overview/waiting.sql").replace("{most}", &most.to_string());
    let each = (0..keys.len()).map(|n| one.replace("{n}", &n.to_string()));
    let sql = each.collect::<Vec<_>>().join(" UNION ALL ");
    let mut params: Vec<Value> = Vec::new();
    for key in keys {
        let of = |column| codec::get::<Value>(key, column);
        params.extend([of("after")?, of("until")?, destination.into(), destination.into()]);
        params.extend([of("key")?, of("tenant")?, destination.into()]);
    }
    let rows = codec::uncached(snapshot, sql, Params::Positional(params)).await?;
    rows.iter().map(|row| Sample::of(row, keys)).collect()
}

/// What the newest messages of a held key tell.
#[derive(Debug)]
struct Sample {
    /// How far the key got, and how far it has to go, by position.
    after: i64,
    until: i64,
    messages: u64,
    /// Positions of the first and of the last of them.
    first: i64,
    last: i64,
    /// How many of them wait.
    waiting: u64,
}

impl Sample {
    fn of(row: &Row, keys: &[Row]) -> Result<Self> {
        let key = &keys[codec::get::<usize>(row, "n")?];
        Ok(Self {
            after: codec::get(key, "after")?,
            until: codec::get(key, "until")?,
            messages: codec::get(row, "messages")?,
            first: codec::get::<Option<i64>>(row, "first")?.unwrap_or_default(),
            last: codec::get::<Option<i64>>(row, "last")?.unwrap_or_default(),
            waiting: codec::get(row, "waiting")?,
        })
    }

    /// How many wait, and whether that is only about right, if so many messages were looked at at most.
    fn waiting(&self, most: usize) -> (u64, bool) {
        if self.messages < most as u64 || self.first <= self.after {
            return (self.waiting, false);
        }
        let (wanted, seen) = (values::unsigned(self.until - self.after), values::unsigned(self.last - self.first + 1));
        (self.waiting.max(self.messages.saturating_mul(wanted) / seen.max(1)), true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key that got to 100 and has to go to 1,100, of which these many messages were seen, from here to the position 2,000.
    fn seen(messages: u64, first: i64, waiting: u64) -> Sample {
        Sample { after: 100, until: 1_100, messages, first, last: 2_000, waiting }
    }

    #[test]
    fn few_messages_are_counted_and_many_are_estimated_by_how_close_they_stand() {
        assert_eq!(seen(9, 500, 4).waiting(10), (4, false), "all there are");
        assert_eq!(seen(10, 100, 4).waiting(10), (4, false), "all that can wait");
        assert_eq!(seen(10, 1_001, 1).waiting(10), (10, true), "one in a hundred");
        assert_eq!(seen(10, 1_991, 0).waiting(10), (1_000, true), "all that were seen come later");
    }
}
