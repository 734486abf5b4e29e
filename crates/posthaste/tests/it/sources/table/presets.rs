//! Tables as their owners make them, read and marked as their owners expect.

use std::time::Duration;

use posthaste::source::{Event, Mapper, Settled, Source, rules::Rules};
use posthaste::sources::table::{Preset, Settings, Table, Taken};

use super::databases::Database;

const PATIENCE: Duration = Duration::from_secs(30);

async fn databases() -> Vec<Database> {
    vec![
        Database::sqlite(),
        #[cfg(feature = "postgres")]
        Database::postgres().await,
        #[cfg(feature = "mysql")]
        Database::mysql("mariadb").await,
        #[cfg(feature = "mysql")]
        Database::mysql("mysql").await,
    ]
}

/// Reads what is pending, and says that it ended so.
async fn take(settings: Settings, how: Settled) -> Vec<Event> {
    let source = Table::new(settings).expect("the settings are right");
    let mut reading = source.read_after(None).await.expect("the table can be read");
    let batch = tokio::time::timeout(PATIENCE, reading.next(100)).await.expect("it answers").expect("it can be read");
    let settled: Vec<_> = batch.events.iter().map(|event| (event.clone(), how)).collect();
    reading.settled(&settled).await.expect("it can be marked");
    batch.events
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_events_are_read_by_processed_on_and_get_it() {
    for database in databases().await {
        let time = database.time();
        // A server folds the case of names, unless they are in quotes.
        let (open, close) = if database.url.starts_with("mysql") { ("`", "`") } else { ("\"", "\"") };
        let columns = ["Id", "EventId", "EventType", "AggregateId", "AggregateType", "Content"];
        let columns: Vec<_> = columns.into_iter().map(|name| format!("{open}{name}{close} varchar(500)")).collect();
        let table = format!("{open}OutboxDomainEvents{close}");
        let times = format!("{open}OccurredOn{close} {time}, {open}ProcessedOn{close} {time}");
        database.execute(&format!("CREATE TABLE {table} ({}, {times})", columns.join(", "))).await;
        for (id, occurred, processed) in [
            ("b", "'2026-11-02 03:04:06'", "NULL"),
            ("a", "'2026-11-02 03:04:05'", "NULL"),
            ("c", "'2026-11-02 03:04:04'", "'2026-11-02 03:04:04'"),
        ] {
            let values = format!("'{id}', 'e-{id}', 'CustomerCreated', '7', 'Customer', '{{\"n\":1}}'");
            database.execute(&format!("INSERT INTO {table} VALUES ({values}, {occurred}, {processed})")).await;
        }
        let settings = || {
            Settings::new(database.url.as_str(), Preset::OutboxDomainEvents).table(database.table("OutboxDomainEvents"))
        };
        let events = take(settings(), Settled::Done).await;
        let ids: Vec<_> = events.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids, ["e-a", "e-b"], "{}", database.url);
        let message = &Rules::new([]).map(&events[0]).expect("a message")[0];
        assert_eq!((message.event_type.as_str(), message.key.as_deref()), ("CustomerCreated", Some("Customer/7")));
        assert_eq!(message.occurred_at.to_string(), "2026-11-02T03:04:05Z");
        assert_eq!(message.payload.as_ref(), br#"{"n":1}"#);
        let left = format!("SELECT count(*) FROM {table} WHERE {open}ProcessedOn{close} IS NULL");
        assert_eq!(database.text(&left).await, "0");
        assert_eq!(take(settings(), Settled::Done).await.len(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn integration_messages_are_read_by_status_with_destination_tenant_and_headers() {
    for database in databases().await {
        let time = database.time();
        database
            .execute(&format!(
                "CREATE TABLE integration_outbox (id varchar(36) PRIMARY KEY, source_stream_id varchar(200), \
                 source_event_id varchar(100), integration_type varchar(120), event_type varchar(120), payload text, \
                 headers text, tenant_id varchar(60), user_id varchar(60), correlation_id varchar(120), due_at {time}, \
                 status varchar(20), created_at {time}, sent_at {time})"
            ))
            .await;
        for (id, status) in [("1", "PENDING"), ("2", "SENT"), ("3", "FAILED"), ("4", "DEAD")] {
            database
                .execute(&format!(
                    "INSERT INTO integration_outbox VALUES ('{id}', 'payment-7', 'e-{id}', 'kafka:payments', \
                     'payment.completed.v1', '{{}}', '{{\"channel\":\"web\"}}', 'acme', 'ann', 'c-1', \
                     '2026-11-02 03:04:05', '{status}', '2026-11-02 03:04:0{id}', NULL)"
                ))
                .await;
        }
        let settings = || {
            let settings = Settings::new(database.url.as_str(), Preset::IntegrationOutbox);
            settings.table(database.table("integration_outbox"))
        };
        let events = take(settings(), Settled::Done).await;
        assert_eq!(
            events.iter().map(|event| event.id.as_str()).collect::<Vec<_>>(),
            ["e-1", "e-3"],
            "{}",
            database.url
        );
        let message = &Rules::new([]).map(&events[0]).expect("a message")[0];
        assert_eq!(
            (message.destination.as_deref(), message.key.as_deref()),
            (Some("kafka:payments"), Some("payment-7"))
        );
        assert_eq!((message.tenant.as_deref(), message.user.as_deref()), (Some("acme"), Some("ann")));
        assert_eq!((message.correlation_id.as_deref(), message.headers.get("channel")), (Some("c-1"), Some("web")));
        assert_eq!(message.due_at.map(|at| at.to_string()).as_deref(), Some("2026-11-02T03:04:05Z"));
        assert_eq!(events[0].origin().stream, "payment-7", "a projector that made the row and a source agree");
        let sent =
            "SELECT count(*) FROM integration_outbox WHERE status = 'SENT' AND (id = '2' OR sent_at IS NOT NULL)";
        assert_eq!(database.text(sent).await, "3");
        database.execute("UPDATE integration_outbox SET status = 'PENDING' WHERE id = '1'").await;
        take(settings(), Settled::Refused).await;
        assert_eq!(database.text("SELECT status FROM integration_outbox WHERE id = '1'").await, "DEAD");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_the_outbox_router_are_deleted_and_one_that_was_refused_stays() {
    for database in databases().await {
        database
            .execute(
                "CREATE TABLE outboxevent (id varchar(36) PRIMARY KEY, aggregatetype varchar(255), \
                 aggregateid varchar(255), type varchar(255), payload text)",
            )
            .await;
        let add = |id: &str| format!("INSERT INTO outboxevent VALUES ('{id}', 'order', '7', 'OrderCreated', '{{}}')");
        database.execute(&add("a")).await;
        let settings = || Settings::new(database.url.as_str(), Preset::Debezium).table(database.table("outboxevent"));
        let events = take(settings(), Settled::Done).await;
        let message = &Rules::new([]).map(&events[0]).expect("a message")[0];
        assert_eq!((message.event_type.as_str(), message.key.as_deref()), ("OrderCreated", Some("order/7")));
        assert_eq!(database.text("SELECT count(*) FROM outboxevent").await, "0");
        database.execute(&add("b")).await;
        take(settings(), Settled::Refused).await;
        assert_eq!(database.text("SELECT id FROM outboxevent").await, "b", "nothing is lost");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_table_or_a_column_is_said() {
    for database in databases().await {
        let says = async |settings: Settings| {
            let source = Table::new(settings).expect("they may be right");
            let wrong = source.read_after(None).await.expect_err("it cannot be read").to_string();
            assert_eq!(source.check().await.expect_err("it cannot be read").to_string(), wrong);
            wrong
        };
        let settings = || Settings::new(database.url.as_str(), Preset::Status).table("mine");
        let wrong = says(settings()).await;
        assert!(wrong.contains("no table `mine`"), "{wrong}");
        database.execute("CREATE TABLE mine (id int PRIMARY KEY, payload text, state varchar(20))").await;
        let wrong = says(settings()).await;
        assert!(wrong.contains("`columns.event_type`: it has id, payload, state"), "{wrong}");
        let mut named = settings();
        named.columns.event_type = Some("kind".into());
        let wrong = says(named).await;
        assert!(wrong.contains("`mine` has no column `kind`: it has id, payload, state"), "{wrong}");
        let mut forever = settings();
        forever.columns.event_type = Some("state".into());
        forever.taken = Some(Taken { now: vec!["state".into()], ..Taken::default() });
        let wrong = says(forever).await;
        assert!(wrong.contains("no column `status`"), "{wrong}");
    }
    let wrong = Table::new(Settings::new("oracle://a", Preset::Status).table("a")).expect_err("no such database");
    assert!(wrong.setting == "url" && wrong.text.contains("postgres://"), "{wrong}");
    let nobody = Table::new(Settings::new("sqlite:/no/such/file", Preset::Status).table("a")).expect("may be right");
    assert!(nobody.check().await.is_err());
}
