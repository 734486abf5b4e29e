//! A cluster of three masters.

use posthaste::sink::Verdict;
use posthaste::sinks::redis::{Redis, Urls};

use super::settings;
use crate::servers::free_address;
use crate::servers::redis::{Reply, Server};
use crate::sinks::changed;
use crate::sinks::runs::{deliver, delivered, insist, orders};

/// First and last slot of each master.
const SLOTS: [(i64, i64); 3] = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)];

struct Cluster {
    masters: Vec<Server>,
}

impl Cluster {
    /// Each has a third of the slots, and goes on without the others.
    fn start() -> Self {
        let buses = SLOTS.map(|_| free_address().port().to_string());
        let options = ["--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"];
        let quickly = ["--cluster-node-timeout", "1000"];
        let start = |bus: &String| Server::start(&[&options[..], &quickly, &["--cluster-port", bus]].concat());
        let masters: Vec<_> = buses.iter().map(start).collect();
        for ((master, bus), (first, last)) in masters.iter().zip(&buses).zip(SLOTS) {
            master.command(&["CLUSTER", "ADDSLOTSRANGE", &first.to_string(), &last.to_string()]);
            let port = master.address.port().to_string();
            masters[0].command(&["CLUSTER", "MEET", "127.0.0.1", &port, bus]);
        }
        let cluster = Self { masters };
        cluster.masters.iter().for_each(|master| master.wait_until(Self::is_complete));
        cluster
    }

    fn is_complete(master: &Server) -> bool {
        let info = String::from_utf8(master.command(&["CLUSTER", "INFO"]).bytes()).unwrap();
        info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:16384")
    }

    fn sink(&self) -> Redis {
        let url = Urls::Many(self.masters.iter().map(|master| master.url().into()).collect());
        Redis::new(changed(settings("", "order:{aggregate_id}"), |settings| {
            settings.url = url;
            settings.cluster = true;
        }))
        .unwrap()
    }

    /// Which master has the stream of an order.
    fn holder(&self, id: &str) -> usize {
        let slot = match self.masters[0].command(&["CLUSTER", "KEYSLOT", &format!("order:{id}")]) {
            Reply::Number(slot) => slot,
            other => panic!("a slot, not {other:?}"),
        };
        SLOTS.iter().position(|(first, last)| (*first..=*last).contains(&slot)).unwrap()
    }

    /// An order whose stream this master has.
    fn order_at(&self, master: usize) -> String {
        (0..).map(|n| n.to_string()).find(|id| self.holder(id) == master).unwrap()
    }

    fn positions(&self, id: &str) -> Vec<u64> {
        let entries = self.masters[self.holder(id)].entries(&format!("order:{id}"));
        entries.iter().map(|entry| entry.text("posthaste-position").unwrap().parse().unwrap()).collect()
    }
}

#[tokio::test]
async fn a_cluster_takes_streams_wherever_they_are() {
    let cluster = Cluster::start();
    let sink = cluster.sink();
    for id in (0..3).map(|master| cluster.order_at(master)) {
        for run in orders(&id, 1, 9).chunks(3) {
            delivered(&sink, run).await;
        }
        assert_eq!(cluster.positions(&id), (1..=9).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_master_that_is_away_is_missed_by_its_own_streams_and_takes_them_when_it_is_back() {
    let mut cluster = Cluster::start();
    let sink = cluster.sink();
    let [lost, other] = [1, 2].map(|master| cluster.order_at(master));
    delivered(&sink, &orders(&lost, 1, 3)).await;
    cluster.masters[1].kill();
    let error = deliver(&sink, &orders(&lost, 4, 6)).await.error.unwrap();
    assert_eq!(error.verdict, Verdict::Unreachable, "{error}");
    insist(&sink, &orders(&other, 1, 3)).await;
    cluster.masters[1].start_again();
    insist(&sink, &orders(&lost, 4, 6)).await;
    assert_eq!(cluster.positions(&lost), (1..=6).collect::<Vec<_>>());
    assert_eq!(cluster.positions(&other), [1, 2, 3]);
}
