//! Users with few rights, what a check says, the status view, journals of other versions, and another server.

use std::time::Duration;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use posthaste::error::Kind;
use posthaste::journal::{Journal, WorkerId};
use posthaste::store::Store;
use posthaste::stores::mysql::{MySql, Options, Outbox};
use posthaste::testkit::waiting::eventually;
use posthaste::{Destination, Message, Result};

use super::{InDatabase, fresh, on};
use crate::servers::Private;

fn order(id: &str) -> Message {
    Message::builder("order.placed", "order", id).payload("{}", "application/json").build().expect("a valid message")
}

/// The URL of the same database for a user who may do this, and nothing else.
async fn user(t: &InDatabase, name: &str, grants: &[&str]) -> Result<String> {
    let mut administrator = t.application().await;
    let name = format!("{name}_{}", &t.name[t.name.len() - 12..]);
    administrator.query_drop(format!("CREATE USER {name} IDENTIFIED BY 'secret'")).await?;
    for grant in grants {
        administrator
            .query_drop(format!("GRANT {} TO {name}", grant.replace("app.", &format!("`{}`.", t.name))))
            .await?;
    }
    Ok(t.url.replace("root@", &format!("{name}:secret@")))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_producer_may_write_messages_and_nothing_else() -> Result<()> {
    let grants = ["INSERT, SELECT (id, seq) ON app.outbox", "SELECT, UPDATE ON app.outbox_key_locks"];
    for server in ["mariadb", "mysql"] {
        let t = on(server).await;
        let mut application = Conn::from_url(user(&t, "producer", &grants).await?).await?;
        let foreign =
            Message::builder("order.placed", "order", "3").origin("orders", "1").build().expect("a valid message");
        Outbox::new().lock_keys(&mut application, &[order("1")]).await?;
        Outbox::new().enqueue(&mut application, &[order("1"), order("2"), foreign.clone()]).await?;
        assert_eq!(Outbox::new().enqueue(&mut application, &[foreign]).await?.duplicates, 1);
        for forbidden in [
            "SELECT payload FROM outbox",
            "UPDATE outbox SET payload = ''",
            "DELETE FROM outbox",
            "SELECT * FROM outbox_cursors",
            "INSERT INTO outbox_gaps VALUES (1, 1)",
        ] {
            let error = application.query_drop(forbidden).await.expect_err(forbidden);
            assert!(
                matches!(&error, mysql_async::Error::Server(refused) if matches!(refused.code, 1142 | 1143)),
                "{error}"
            );
        }
    }
    Ok(())
}

/// Chaos had shown that nothing was delivered for two seconds after SIGTERM.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_leaves_keeps_nobody_from_placing_messages() -> Result<()> {
    for server in ["mariadb", "mysql"] {
        let t = on(server).await;
        let (leaves, stays) = (MySql::open(Options::new(t.url.clone()))?, MySql::open(Options::new(t.url.clone()))?);
        leaves.register(&[Destination::new("a")]).await?;
        let worker = WorkerId("leaves".into());
        let leases = leaves.lease(&worker, Duration::from_secs(30), 64).await?.leases;
        leaves.write(&[order("1")]).await?;
        let first = leaves.advance().await?;
        leaves.release(&worker, &leases, true).await?;
        stays.write(&[order("2")]).await?;
        assert!(stays.advance().await? > first, "the lease of a sequencer that has gone was waited for");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_needs_no_right_beyond_those_on_its_tables() -> Result<()> {
    for server in ["mariadb", "mysql"] {
        let t = on(server).await;
        let url = user(&t, "relay", &["SELECT, INSERT, UPDATE, DELETE ON app.*"]).await?;
        let relay = MySql::open(Options::new(url))?;
        relay.register(&[Destination::new("a")]).await?;
        relay.lease(&WorkerId("one".into()), Duration::from_secs(5), 64).await?;
        relay.write(&[order("1")]).await?;
        relay.advance().await?;
        assert!(relay.check().await?.iter().all(|problem| !problem.refuses));
        let names: Vec<_> = relay_figures(&relay).await?;
        assert_eq!(names, ["sequencer_delay_seconds", "gaps"], "without PROCESS nobody knows of transactions");
        assert!(relay_figures(&t.store).await?.contains(&"oldest_transaction_seconds"));
    }
    Ok(())
}

async fn relay_figures(store: &MySql) -> Result<Vec<&'static str>> {
    use posthaste::inspect::Inspect;
    Ok(store.overview().await?.figures.iter().map(|figure| figure.name).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_or_database_is_a_denial_and_shows_no_secret() -> Result<()> {
    let t = fresh().await;
    let url = user(&t, "someone", &["SELECT ON app.*"]).await?;
    let wrong = MySql::open(Options::new(url.replace(":secret@", ":s3cret@")))?;
    let denied = wrong.check().await.expect_err("a wrong password");
    assert_eq!(denied.kind(), Kind::Denied, "{denied}");
    assert!(!denied.to_string().contains("s3cret"), "{denied}");
    let elsewhere = MySql::open(Options::new(format!("{}_not", t.url)))?;
    assert_eq!(elsewhere.check().await.expect_err("no such database").kind(), Kind::Denied);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_a_journal_or_with_a_newer_one_is_refused() -> Result<()> {
    let t = fresh().await;
    let mut administrator = t.application().await;
    administrator.query_drop("UPDATE outbox_schema SET version = version + 1").await?;
    for refused in [t.store.partitions().await.map(drop), t.store.migrate().await] {
        assert_eq!(refused.expect_err("it is newer").kind(), Kind::Schema);
    }
    administrator.query_drop("DROP TABLE outbox_schema").await?;
    assert_eq!(t.store.partitions().await.expect_err("there is none").kind(), Kind::Schema);
    t.store.migrate().await?;
    assert_eq!(t.store.partitions().await?, 64, "what an interrupted migration left is made anew");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_somebody_else_is_left_alone() -> Result<()> {
    let t = fresh().await;
    let mut administrator = t.application().await;
    administrator.query_drop("DROP TABLE outbox_schema").await?;
    Outbox::new().enqueue(&mut administrator, &[order("1")]).await?;
    let refused = t.store.migrate().await.expect_err("there is something in it");
    assert!(refused.to_string().contains("of somebody else"), "{refused}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_view_says_what_became_of_a_message() -> Result<()> {
    for server in ["mariadb", "mysql"] {
        let t = on(server).await;
        let mut people = t.application().await;
        t.store.register(&[Destination::new("a")]).await?;
        let message = order("1");
        t.store.write(std::slice::from_ref(&message)).await?;
        let position = t.store.advance().await?;
        let sql = "SELECT position, destination, status, worker, delivered_at IS NULL FROM outbox_status WHERE id = ?";
        type Status = (u64, String, String, Option<String>, bool);
        let seen: Option<Status> = people.exec_first(sql, (message.id.to_string(),)).await?;
        assert_eq!(seen, Some((position.seq, "a".into(), "pending".into(), None, true)));

        let leases = t.store.lease(&WorkerId("one".into()), Duration::from_secs(60), 64).await?.leases;
        for lease in leases {
            let nothing = posthaste::journal::LaneCommit::nothing("a".into(), lease.partition, lease.epoch);
            let cursor = Some(posthaste::journal::Cursor { low: position, done: Vec::new() });
            t.store.commit(&[posthaste::journal::LaneCommit { cursor, ..nothing }]).await?;
        }
        let seen: Option<Status> = people.exec_first(sql, (message.id.to_string(),)).await?;
        assert_eq!(seen, Some((position.seq, "a".into(), "delivered".into(), Some("one".into()), false)));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_names_what_does_harm() {
    let server = Private::start_with("mariadb", &["--max-allowed-packet=16M"]).await;
    let t = super::at(&server.address()).await;
    let settings = "SET GLOBAL binlog_format = 'STATEMENT', GLOBAL read_only = ON";
    t.application().await.query_drop(settings).await.expect("settings");
    let problems = t.store.check().await.expect("an answer");
    let says = |words: &str, refuses: bool| {
        assert!(problems.iter().any(|one| one.text.contains(words) && one.refuses == refuses), "{words}: {problems:?}");
    };
    says("read-only", true);
    says("binlog_format is STATEMENT", true);
    says("innodb_flush_log_at_trx_commit is not 1", false);
    says("sync_binlog is not 1", false);
    says("max_allowed_packet", false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_on_another_server_ends_all_leases_and_positions_jump() -> Result<()> {
    let t = fresh().await;
    t.store.register(&[Destination::new("a")]).await?;
    t.store.write(&[order("1")]).await?;
    let before = t.store.advance().await?;
    let worker = WorkerId("one".into());
    let held = t.store.lease(&worker, Duration::from_secs(60), 64).await?.leases;
    t.application().await.query_drop("UPDATE outbox_state SET server = 'the old one'").await?;

    let lane = posthaste::journal::LaneCommit::nothing("a".into(), held[0].partition, held[0].epoch);
    assert_eq!(t.store.commit(&[lane]).await?, [held[0].partition], "nobody records anything before the seam");
    t.store.write(&[order("2")]).await?;
    let after = t.store.advance().await?;
    assert!(after.seq > before.seq + u64::from(u32::MAX), "{before} to {after}");
    assert!(t.store.renew(&worker, Duration::from_secs(60), &held, &Default::default()).await?.is_empty());
    let again = t.store.lease(&worker, Duration::from_secs(60), 64).await?.leases;
    assert!(again.iter().zip(&held).all(|(new, old)| new.epoch > old.epoch && !new.expired_before));
    eventually("both messages can be read", async || {
        let request = posthaste::journal::ReadRequest {
            partitions: posthaste::journal::Partition::all(64).collect(),
            after: posthaste::journal::Position::START,
            until: posthaste::journal::Position::END,
            limit: 10,
            max_bytes: usize::MAX,
        };
        let batch = t.store.read(&request).await?;
        Ok(batch.entries.len() == 2 && batch.upto == after)
    })
    .await
}
