//! The example `workers`: several workers, one of which is killed.

use std::collections::{HashMap, HashSet};

use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties};
use serde_json::Value;

use super::{address, example, mongodb};
use crate::program::{Place, Relay, until};
use crate::servers::block_on;

const ORDERS: usize = 300;

/// Takes what is in the queue: of which customer, and which order.
async fn take(channel: &Channel, queue: &str) -> Vec<(String, u64)> {
    let mut taken = Vec::new();
    let get = || channel.basic_get(queue.into(), BasicGetOptions { no_ack: true });
    while let Some(message) = get().await.unwrap() {
        let headers = message.properties.headers().as_ref().unwrap().inner();
        let customer = headers["posthaste-aggregate-id"].as_long_string().unwrap().to_string();
        let payload: Value = serde_json::from_slice(&message.data).unwrap();
        taken.push((customer, payload["order"].as_u64().unwrap()));
    }
    taken
}

#[test]
fn every_order_is_published_in_order_although_one_of_three_workers_is_killed() {
    let (place, url, amqp) = (Place::empty(), mongodb(), format!("amqp://guest:guest@{}", address("rabbitmq")));
    let exchange = format!("example-{}", uuid::Uuid::now_v7().simple());
    let program = |args: &[&str]| {
        let mut command = example(&place, "workers");
        command.args(args).envs([("MONGODB_URL", &url), ("AMQP_URL", &amqp), ("EXCHANGE", &exchange)]);
        command.env("LEASE_SECONDS", "2");
        command
    };
    let mut workers: Vec<Relay> = (0..3).map(|_| Relay::in_program(&mut program(&["work"]))).collect();
    workers.iter().for_each(|worker| worker.prints("worker "));
    let names: HashSet<String> = workers.iter().map(Relay::printed).collect();
    assert_eq!(names.len(), 3, "each has an id of its own");
    let api = Relay::in_program(&mut program(&["write", &ORDERS.to_string()]));

    block_on(async {
        let connection = Connection::connect(&amqp, ConnectionProperties::default()).await.unwrap();
        let channel = connection.create_channel().await.unwrap();
        let queue = format!("{exchange}.orders");
        let durable = QueueDeclareOptions { durable: true, ..Default::default() };
        channel.queue_declare(queue.as_str().into(), durable, FieldTable::default()).await.unwrap();
        let mut arrived = Vec::new();
        let mut killed = false;
        let started = std::time::Instant::now();
        while arrived.iter().collect::<HashSet<_>>().len() < ORDERS {
            assert!(started.elapsed() < crate::program::PATIENCE * 2, "{} arrived", arrived.len());
            arrived.extend(take(&channel, &queue).await);
            if !killed && arrived.len() >= 20 {
                workers.remove(0).signal("KILL");
                killed = true;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert!(killed);
        assert_in_order(&arrived);
    });
    until("all orders are placed", || api.printed() == format!("{ORDERS} orders are placed\n"));
    workers.into_iter().for_each(Relay::stop);
}

/// Whoever drops repeats sees the orders of each customer as they were placed.
fn assert_in_order(arrived: &[(String, u64)]) {
    let mut seen: HashMap<&String, Vec<u64>> = HashMap::new();
    for (customer, order) in arrived {
        let orders = seen.entry(customer).or_default();
        if !orders.contains(order) {
            orders.push(*order);
        }
    }
    for (customer, orders) in seen {
        assert!(orders.is_sorted(), "customer {customer}: {orders:?}");
    }
}
