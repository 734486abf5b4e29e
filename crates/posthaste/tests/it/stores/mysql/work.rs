//! What the server looks at does not grow with the journal.

use std::time::Duration;

use mysql_async::prelude::Queryable;
use posthaste::Result;
use posthaste::destination::Destination;
use posthaste::journal::{Journal, Partition, Position};
use posthaste::stores::mysql::MySql;

use super::super::work::{Subject, Work, assert_even};
use super::{InDatabase, at};
use crate::servers::Private;

/// Everything that the server has read for anybody. Nobody else uses it.
const LOOKED_AT: &str =
    "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler\\_read\\_%' OR Variable_name = 'Innodb_rows_read'";

const DIGITS: &str = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
    UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";

/// One in ten has the same key, and one in ten has one of `{keys}` others. After each five messages there is a gap.
const WRITE: &str = "INSERT INTO outbox (seq, event_type, aggregate_type, aggregate_id, payload)
    SELECT n + 1 + n DIV 5, 'order.placed', 'order',
        IF(n % 10 = 1, 'held', IF(n % 10 = 2, CONCAT('held-', n DIV 10 % {keys}), CONCAT('free-', n))), '{}'
    FROM (SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS n
          FROM {digits} AS a JOIN {digits} AS b JOIN {digits} AS c JOIN {digits} AS e JOIN {digits} AS f) AS numbers
    WHERE n < {count} ORDER BY n";

/// Half of it is delivered, all of these keys are held, and one in twenty of the others is dead. Gaps are as after a purge.
const LEAVE: [&str; 6] = [
    "UPDATE outbox_cursors SET low = {low}",
    "DELETE FROM outbox_gaps",
    "UPDATE outbox_state SET changes = changes + 1",
    "INSERT INTO outbox_parked (position, destination, seq, `partition`, tenant, `key`, state, holds, attempts, kills, due_at)
        SELECT position, 'a', seq, `partition`, '', `key`, 'retrying', TRUE, 1, 0, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR
        FROM outbox_deliveries AS d WHERE destination = 'a' AND aggregate_id LIKE 'held%' AND NOT EXISTS (
            SELECT 1 FROM outbox AS o WHERE o.`key` = d.`key` AND o.seq < d.seq)",
    "INSERT INTO outbox_held_keys
        SELECT 'a', UNHEX(SHA2(CONCAT('', X'1F', `key`), 256)), `key`, '', `partition`, position, {low} FROM outbox_parked",
    "INSERT INTO outbox_parked (position, destination, seq, `partition`, tenant, `key`, state, holds, attempts, kills)
        SELECT position, 'a', seq, `partition`, '', `key`, 'dead', FALSE, 9, 0
        FROM outbox_deliveries WHERE destination = 'a' AND aggregate_id LIKE 'free%' AND position % 20 = 5",
];

const ANALYZE: &str =
    "ANALYZE TABLE outbox, outbox_ranges, outbox_gaps, outbox_state, outbox_parked, outbox_held_keys, outbox_cursors";

/// So many thousand messages. Returns where lanes stand.
async fn fill(t: &InDatabase, thousands: u64) -> Result<u64> {
    t.store.register(&[Destination::new("a"), Destination::new("b")]).await?;
    let (count, low) = (thousands * 1_000, thousands * 500);
    let write = WRITE.replace("{digits}", DIGITS).replace("{keys}", &(thousands * 5).to_string());
    let mut client = t.application().await;
    client.query_drop(write.replace("{count}", &count.to_string())).await?;
    while t.store.advance().await? < Position::seq(count) {}
    for sql in LEAVE {
        client.query_drop(sql.replace("{low}", &low.to_string())).await?;
    }
    Ok(low)
}

async fn work(t: &InDatabase, low: u64) -> Result<Work> {
    let low = Position::seq(low);
    let sql = "SELECT `partition` FROM outbox WHERE `key` = 'order/held' LIMIT 1";
    let partition = Partition::new(t.application().await.query_first(sql).await?.expect("it is there"));
    let subject = Subject { store: &t.store, key: "order/held", partition, low };
    let looked_at = async || {
        let counts: Vec<(String, u64)> = t.application().await.query(LOOKED_AT).await?;
        Ok(counts.iter().map(|(_, count)| count).sum())
    };
    subject.work(looked_at).await
}

/// A server of its own, which learns about its tables only when it is told to.
async fn looks_at_as_much_in_a_large_journal(server: &'static str) -> Result<()> {
    let server = Private::start(server).await;
    let (small, large) = (patient(&server).await?, patient(&server).await?);
    small.application().await.query_drop("SET GLOBAL innodb_stats_auto_recalc = OFF").await?;
    let (of_small, of_large) = (fill(&small, 5).await?, fill(&large, 50).await?);
    for statistics in ["none", "of the small journal", "of both"] {
        match statistics {
            "none" => {}
            "of both" => large.application().await.query_drop(ANALYZE).await?,
            _ => small.application().await.query_drop(ANALYZE).await?,
        }
        let (few, many) = (work(&small, of_small).await?, work(&large, of_large).await?);
        assert_even(&few, &many, &format!("statistics: {statistics}: {few:?} {many:?}"));
    }
    Ok(())
}

/// What is counted here is work, not time: the server may take as long as it likes.
async fn patient(server: &Private) -> Result<InDatabase> {
    let mut journal = at(&server.address()).await;
    journal.options.answer_timeout = Duration::from_secs(600);
    journal.store = MySql::open(journal.options.clone())?;
    Ok(journal)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_verb_looks_at_more_because_there_is_more_on_mariadb() -> Result<()> {
    looks_at_as_much_in_a_large_journal("mariadb").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_verb_looks_at_more_because_there_is_more_on_mysql() -> Result<()> {
    looks_at_as_much_in_a_large_journal("mysql").await
}
