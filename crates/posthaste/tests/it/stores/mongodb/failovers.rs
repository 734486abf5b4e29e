//! The primary goes away, ten times, under load. Delivery goes on by itself, and nothing is lost or out of order.

use std::time::{Duration, Instant};

use mongodb::Client;
use mongodb::bson::doc;
use posthaste::Result;
use posthaste::stores::mongodb::Options;

use super::Database;
use super::receiver::{Fault, Receiver};
use super::scene::{Application, Running, Writer};
use crate::servers::Private;

/// From the end of a primary to the arrival of a message that was written after it.
const LONGEST: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_steps_down_or_dies_loses_nothing_ten_times_out_of_ten() -> Result<()> {
    let mut server = Private::start("mongodb3").await;
    let database = Database::with(&server.address(), Options::default()).await;
    let receiver = Receiver::default();
    let (relay, _) = Running::start(&database, "w", &receiver, Options::default()).await;
    let application = Application::start(&database, 3).await;
    let probe = Writer::new(&database, "probe").await;
    let mut probes = vec![probe.write().await];
    receiver.until_has(&probes).await;
    let mut faults = Vec::new();
    for round in 0..10 {
        let primary = primary(&server).await;
        let fault = Fault::begins(&database).await;
        let went = Instant::now();
        if round % 2 == 0 {
            step_down(server.node(primary)).await;
        } else {
            server.kill_node(primary);
        }
        probes.push(probe.write().await);
        receiver.until_has(&probes).await;
        assert!(went.elapsed() < LONGEST, "failover {round} took {:?}", went.elapsed());
        faults.push(fault.over());
        server.restart_node(primary);
        healthy(&server).await;
    }
    let mut committed = application.stop().await;
    committed.insert("probe".into(), probes);
    receiver.until_has_all(&committed).await;
    relay.stop().await?;
    receiver.assert_got_with_repeats_explained(&database, &committed, &faults).await;
    Ok(())
}

async fn node(address: &str) -> Option<Client> {
    let url = format!("mongodb://{address}/?directConnection=true&serverSelectionTimeoutMS=1000");
    Client::with_uri_str(url).await.ok()
}

/// The number of the node that is the primary.
async fn primary(server: &Private) -> usize {
    loop {
        for n in 0..3 {
            let Some(client) = node(server.node(n)).await else { continue };
            let hello = client.database("admin").run_command(doc! { "hello": 1 }).await;
            if hello.is_ok_and(|hello| hello.get_bool("isWritablePrimary").unwrap_or(false)) {
                return n;
            }
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn step_down(address: &str) {
    let client = node(address).await.expect("the primary is there");
    // It closes connections, this one perhaps too.
    let _ = client.database("admin").run_command(doc! { "replSetStepDown": 10, "force": true }).await;
}

/// Waits until all three nodes are there and follow, so that the next failover has someone to fail over to.
async fn healthy(server: &Private) {
    loop {
        let mut up = 0;
        for n in 0..3 {
            let Some(client) = node(server.node(n)).await else { continue };
            let hello = client.database("admin").run_command(doc! { "hello": 1 }).await.unwrap_or_default();
            let state = |name: &str| hello.get_bool(name).unwrap_or(false);
            up += usize::from(state("isWritablePrimary") || state("secondary"));
        }
        if up == 3 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
