//! Roles, start-up checks, the identity of the database, wake-ups.

use std::time::Duration;

use posthaste::destination::Destination;
use posthaste::error::Kind;
use posthaste::inspect::{Filter, Inspect, Page, Status};
use posthaste::journal::{Hint, Journal, Position, WorkerId};
use posthaste::store::Store;
use posthaste::stores::postgres::{Options, Postgres};
use posthaste::{Message, Result};

use super::{InSchema, fresh};

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().expect("a valid message")
}

/// A role that lives as long as the test, and a store or a connection in its name.
async fn role(t: &InSchema, may: &str) -> Result<String> {
    let name = format!("{may} {}", t.options.schema);
    let client = t.application().await;
    client.batch_execute(&format!("CREATE ROLE \"{name}\" LOGIN")).await?;
    let (producer, relay) =
        if may == "relay" { ("nobody at all", name.as_str()) } else { (name.as_str(), "nobody at all") };
    client.execute(&format!("SELECT {}($1, $2)", t.name("outbox_grant")), &[&producer, &relay]).await?;
    Ok(name)
}

async fn drop_role(t: &InSchema, name: &str) -> Result<()> {
    Ok(t.application().await.batch_execute(&format!("DROP OWNED BY \"{name}\"; DROP ROLE \"{name}\"")).await?)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_producer_may_write_messages_and_nothing_else() -> Result<()> {
    let t = fresh().await;
    let name = role(&t, "producer").await?;
    let client = t.application().await;
    client.batch_execute(&format!("SET ROLE \"{name}\"")).await?;
    t.outbox().enqueue(&client, &[order("1"), order("2")]).await?;
    let outbox = t.name("outbox");
    for forbidden in [
        format!("SELECT payload FROM {outbox}"),
        format!("UPDATE {outbox} SET payload = ''"),
        format!("DELETE FROM {outbox}"),
        format!(
            "INSERT INTO {outbox} (seq, event_type, aggregate_type, aggregate_id, payload) VALUES (1, 'a', 'b', 'c', '')"
        ),
        format!("SELECT * FROM {}", t.name("outbox_cursors")),
        format!("SELECT {}('outbox_20200101')", t.name("outbox_drop_segment")),
    ] {
        let error = client.batch_execute(&forbidden).await.expect_err(&forbidden);
        assert_eq!(error.code().map(|code| code.code()), Some("42501"), "{forbidden}");
    }
    client.batch_execute("RESET ROLE").await?;
    drop_role(&t, &name).await
}

/// The same journal, for this user of the database.
fn as_role(t: &InSchema, name: &str) -> Result<Postgres> {
    let mut options = t.options.clone();
    options.url = t.url.replace("postgres@", &format!("{}@", name.replace(' ', "%20"))).into();
    Postgres::open(options)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_role_is_enough_for_a_relay_and_an_operator() -> Result<()> {
    let t = fresh().await;
    let name = role(&t, "relay").await?;
    t.store.write(&[order("1")]).await?;
    let store = as_role(&t, &name)?;
    assert!(store.check().await?.iter().all(|problem| !problem.refuses));
    store.register(&[Destination::new("app")]).await?;
    store.advance().await?;
    let leases = store.lease(&WorkerId("w".into()), Duration::from_secs(60), 64).await?.leases;
    assert_eq!(store.open(&"app".into(), &leases).await?.len(), 64);
    let listed = store.list(&Filter::default(), Page::after(Position::START, 10)).await?.rows;
    assert_eq!(listed[0].status, Some(Status::Pending));
    store.purge(Duration::ZERO, 10).await?;
    store.purge(Duration::from_secs(100 * 24 * 3_600), 10).await?;
    drop(store);
    drop_role(&t, &name).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_without_rights_is_told_so_before_a_relay_starts() -> Result<()> {
    let t = fresh().await;
    let name = role(&t, "producer").await?;
    let store = as_role(&t, &name)?;
    let problems = store.check().await?;
    assert!(
        problems.iter().any(|problem| problem.refuses && problem.text.contains("grant it the relay role")),
        "{problems:?}"
    );
    drop(store);
    drop_role(&t, &name).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sequence_that_takes_numbers_in_advance_is_refused() -> Result<()> {
    let t = fresh().await;
    t.application().await.batch_execute(&format!("ALTER SEQUENCE {} CACHE 20", t.name("outbox_seq"))).await?;
    let problems = t.store.check().await?;
    assert!(problems.iter().any(|problem| problem.refuses && problem.text.contains("CACHE 1")), "{problems:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copied_journal_is_refused_until_it_is_accepted_and_loses_nothing() -> Result<()> {
    let t = fresh().await;
    t.store.register(&[Destination::new("app")]).await?;
    t.store.write(&[order("1"), order("2")]).await?;
    // As after a restore: another system, and ids of transactions from elsewhere.
    let client = t.application().await;
    client
        .batch_execute(&format!(
            "UPDATE {} SET system = 'elsewhere'; UPDATE {} SET xid = '900000000000'",
            t.name("outbox_schema"),
            t.name("outbox")
        ))
        .await?;
    let copy = Postgres::open(t.options.clone())?;
    let error = copy.partitions().await.expect_err("it is refused");
    assert_eq!(error.kind(), Kind::Schema);
    assert!(error.to_string().contains("posthaste migrate --accept-store"), "{error}");
    assert!(copy.lease(&WorkerId("w".into()), Duration::from_secs(60), 1).await.is_err());

    copy.accept().await?;
    assert_eq!(copy.partitions().await?, 64);
    copy.write(&[order("3")]).await?;
    copy.advance().await?;
    let page = Page::after(Position::START, 10);
    let pending = Filter { statuses: vec![Status::Pending], ..Filter::default() };
    assert_eq!(copy.list(&pending, page).await?.rows.len(), 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notification_ends_a_wait() -> Result<()> {
    let t = fresh().await;
    let mut options = t.options.clone();
    options.listen = true;
    let store = Postgres::open(options)?;
    let mut watch = store.watch();
    while watch.wait(Duration::from_millis(300)).await? == Hint::Maybe {}
    let client = t.application().await;
    let notify = format!("NOTIFY \"{}\"", t.options.schema);
    let (hint, notified) = tokio::join!(watch.wait(Duration::from_secs(30)), async {
        t.outbox().enqueue(&client, &[order("1")]).await?;
        Ok::<_, posthaste::Error>(client.batch_execute(&notify).await?)
    });
    notified?;
    assert_eq!(hint?, Hint::Maybe);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_has_the_figures_that_metrics_promise() -> Result<()> {
    let t = fresh().await;
    let figures = t.store.overview().await?.figures;
    let names: Vec<_> = figures.iter().map(|figure| figure.name).collect();
    assert_eq!(names, ["oldest_transaction_seconds", "ticks", "tick_delay_seconds", "failovers"]);
    assert!(figures.iter().all(|figure| figure.value >= 0.0), "{figures:?}");
    Ok(())
}

#[test]
fn neither_url_nor_password_is_ever_shown() {
    let mut options = Options::new("postgres://ann:s3cr3t@db.example/app");
    options.password = Some("s3cr3t".into());
    assert!(!format!("{options:?}").contains("s3cr3t"));
    let error = Postgres::open(Options::new("postgres://ann:s3cr3t@[")).expect_err("no URL");
    assert!(!format!("{error:?} {error}").contains("s3cr3t"), "{error:?}");
}
