//! Plans that cannot flip. Every day's segment, every bulk load and every restored backup starts without statistics, so each statement of
//! the relay and of an operator's lists must do the same little work whatever the statistics say: on an empty journal, a small one and a
//! large one in many segments, on every version of the server.

use std::path::Path;

use tokio_postgres::{Client, SimpleQueryMessage};

use super::{InSchema, on};

/// What is known about the tables when a statement is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statistics {
    None,
    /// From when the journal was empty.
    Stale,
    Fresh,
}

/// A statement with parameters for which it reads few rows, and how many are too many.
struct Subject {
    file: &'static str,
    types: &'static str,
    values: String,
    most: f64,
}

/// The limit of the statements that have one.
const LIMIT: usize = 50;

fn subjects(xid: &str) -> Vec<Subject> {
    let subject = |file, types, values: &str, most| Subject { file, types, values: values.into(), most };
    let most = 4.0 * LIMIT as f64;
    let page = format!("10, 1000000, '0', '99999999999', '{{}}', true, '{{}}', {LIMIT}");
    vec![
        subject("read/range.sql", "bigint, bigint, xid8, xid8, xid8[], boolean, integer[], bigint", &page, most),
        subject(
            "read/late.sql",
            "xid8[], bigint, bigint, boolean, integer[], bigint",
            &format!("'{{{xid}}}', 0, 1000000, true, '{{}}', {LIMIT}"),
            most,
        ),
        subject("watch.sql", "", "", most),
        subject("wait.sql", "bigint, integer, bigint", "NULL, 2, 1000000", most),
        subject("due.sql", "text, integer[], bigint", &format!("'app', '{{1, 2, 3}}', {LIMIT}"), most),
        subject(
            "read_key/by_index.sql",
            "text, integer, text, text, bigint, bigint, bigint, bigint, bigint",
            &format!("'app', 1, 'order/7', NULL, 0, 0, 0, 0, {LIMIT}"),
            most,
        ),
        subject("read_key/reach.sql", "bigint, bigint", "0, 10", most),
        subject("ticks.sql", "bigint, bigint", "0, 100", most),
        subject("open/lane.sql", "text, integer[], bigint[]", "'app', '{1, 2}', '{1, 1}'", most),
        subject("lease/glance.sql", "text", "'one'", most),
        subject("partitions.sql", "", "", most),
        subject("get/message.sql", "uuid", "'018f0000-0000-7000-8000-000000000000'", most),
        subject("list/by_seq.sql", "bigint, bigint", &format!("10, {LIMIT}"), most),
        subject(
            "list/by_id.sql",
            "bigint, bigint, uuid[]",
            &format!("0, {LIMIT}, '{{018f0000-0000-7000-8000-000000000000}}'"),
            most,
        ),
        subject("list/by_key.sql", "bigint, bigint, text", &format!("0, {LIMIT}, 'order/7'"), most),
        subject("list/by_aggregate.sql", "bigint, bigint, text", &format!("0, {LIMIT}, '7'"), most),
        subject("list/by_state.sql", "bigint, bigint, text[], text", &format!("0, {LIMIT}, '{{dead}}', NULL"), most),
        subject("commit/recall.sql", "text[], integer[]", "'{app, app, app}', '{1, 2, 3}'", most),
        subject("commit/unpark.sql", "bigint[], text[]", "'{7, 8, 9}', '{app, app, app}'", most),
        subject("commit/discard.sql", "bigint[], text[]", "'{7, 8, 9}', '{app, app, app}'", most),
        subject("change_tenant/hasten.sql", "text, bigint", "'app', 1000", most),
        subject("settle/awaiting.sql", "uuid, text", "'018f0000-0000-7000-8000-000000000000', 'app'", most),
    ]
}

pub(super) fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/stores/postgres/sql");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(super) fn statement(name: &str) -> String {
    let columns = file("message_columns.sql");
    let columns: Vec<_> = columns.lines().filter(|line| !line.starts_with("--")).collect();
    let text = file(name).replace("{message_columns}", &columns.join("\n")).replace("{beyond}", ">");
    text.replace("{direction}", "ASC").trim_end().trim_end_matches(';').to_owned()
}

pub(super) async fn lines(client: &Client, sql: &str) -> Vec<String> {
    let answer = client.simple_query(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let text = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
        _ => None,
    };
    answer.iter().filter_map(text).collect()
}

/// The most rows that a node of a plan made or threw away, all its loops together.
pub(super) fn work(plan: &[String]) -> f64 {
    let number = |text: &str| text.split([' ', ')']).next().and_then(|number| number.parse::<f64>().ok());
    let of_line = |line: &String| {
        let (rows, loops) = (line.split("rows=").nth(1).and_then(number), line.split("loops=").nth(1).and_then(number));
        let removed = line.split("Filter: ").nth(1).and_then(number).unwrap_or_default();
        (rows.unwrap_or_default() * loops.unwrap_or(1.0)).max(removed)
    };
    plan.iter().map(of_line).fold(0.0, f64::max)
}

/// A journal in 12 segments with so many messages, each of them parked, about which the server knows so much.
async fn journal(server: &str, messages: usize, statistics: Statistics) -> (InSchema, deadpool_postgres::Object) {
    let t = on(server).await;
    let client = t.application().await;
    let session = file("connection/session.sql").replace("{schema}", &format!("\"{}\"", t.options.schema));
    client.batch_execute(&session).await.unwrap();
    client.batch_execute("SELECT outbox_add_segments(10)").await.unwrap();
    let quiet = "DO $$ DECLARE part regclass; BEGIN
        FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'outbox'::regclass LOOP
            EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', part);
        END LOOP; END $$;
        ALTER TABLE outbox_parked SET (autovacuum_enabled = off);
        INSERT INTO outbox_destinations (name, active) VALUES ('app', true)";
    client.batch_execute(quiet).await.unwrap();
    let analyze =
        "ANALYZE outbox; ANALYZE outbox_ticks; ANALYZE outbox_parked; ANALYZE outbox_leases; ANALYZE outbox_cursors";
    if statistics == Statistics::Stale {
        client.batch_execute(analyze).await.unwrap();
    }
    let fill = format!(
        "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload, written_at)
         SELECT 'order.placed', 'order', (n / 3)::text, '{{}}', now() + (n % 10) * interval '1 day' FROM generate_series(1, {messages}) AS n;
         INSERT INTO outbox_parked (seq, destination, tick, partition, tenant, key, state, holds, attempts, kills, due_at)
         SELECT n, 'app', 1, n % 64, '', 'order/' || n / 3, 'scheduled', false, 0, 0, now() + interval '1 day'
         FROM generate_series(1, {messages}) AS n"
    );
    client.batch_execute(&fill).await.unwrap();
    if statistics == Statistics::Fresh {
        client.batch_execute(analyze).await.unwrap();
    }
    (t, client)
}

async fn assert_little_work(server: &str) {
    for (messages, statistics) in [
        (0, Statistics::None),
        (30, Statistics::Fresh),
        (20_000, Statistics::None),
        (20_000, Statistics::Stale),
        (20_000, Statistics::Fresh),
    ] {
        let (_t, client) = journal(server, messages, statistics).await;
        // One that is not in the journal, so that reading all of its messages is no work.
        for subject in subjects("3") {
            let types = if subject.types.is_empty() { String::new() } else { format!("({})", subject.types) };
            let values = if subject.types.is_empty() { String::new() } else { format!("({})", subject.values) };
            let prepare = format!("PREPARE subject{types} AS {}", statement(subject.file));
            client.batch_execute(&prepare).await.unwrap_or_else(|error| panic!("{}: {error:?}", subject.file));
            // A plan for these values, and the one for any.
            for plans in ["force_custom_plan", "force_generic_plan"] {
                client.batch_execute(&format!("SET plan_cache_mode = {plans}; BEGIN")).await.unwrap();
                let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE subject{values}");
                let plan = lines(&client, &explain).await;
                client.batch_execute("ROLLBACK").await.unwrap();
                assert!(
                    work(&plan) <= subject.most,
                    "{} on {server} with {messages} messages, statistics {statistics:?} and {plans}:\n{}",
                    subject.file,
                    plan.join("\n")
                );
            }
            client.batch_execute("DEALLOCATE subject").await.unwrap();
        }
    }
}

/// One test for each version, so that they run beside each other.
macro_rules! on_every_version {
    ($($name:ident: $server:literal,)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            assert_little_work($server).await;
        }
    )*};
}

on_every_version! {
    no_statement_does_more_work_without_statistics_on_13: "postgres13",
    no_statement_does_more_work_without_statistics_on_14: "postgres14",
    no_statement_does_more_work_without_statistics_on_15: "postgres",
    no_statement_does_more_work_without_statistics_on_16: "postgres16",
    no_statement_does_more_work_without_statistics_on_17: "postgres17",
    no_statement_does_more_work_without_statistics_on_18: "postgres18",
}
