//! A cluster of three servers, each of which has the stream.

use async_nats::ConnectOptions;
use async_nats::jetstream::{self, Context, stream};
use posthaste::sinks::nats::{Nats, Urls};
use posthaste::testkit::waiting::eventually;

use super::server::{PASSWORD, Server};
use super::settings;
use crate::servers::{block_on, free_address};
use crate::sinks::changed;
use crate::sinks::runs::{delivered, insist, orders};

struct Cluster {
    servers: Vec<Server>,
    context: Context,
}

impl Cluster {
    async fn start() -> Self {
        let routes = [(); 3].map(|()| free_address());
        let known = routes.map(|route| format!("\"nats://{route}\"")).join(", ");
        let start = |(n, listen): (usize, &std::net::SocketAddr)| {
            let cluster = format!("cluster {{ name: shop, listen: \"{listen}\", routes: [{known}] }}");
            Server::start(&format!("server_name: server-{n}\n{cluster}"))
        };
        let servers: Vec<Server> = routes.iter().enumerate().map(start).collect();
        let urls: Vec<String> = servers.iter().map(|server| server.address.to_string()).collect();
        let user = ConnectOptions::with_user_and_password("ann".into(), PASSWORD.into());
        let context = jetstream::new(user.connect(urls).await.unwrap());
        let cluster = Self { servers, context };
        eventually("the servers have a leader", async || {
            let subjects = vec!["orders.>".into()];
            let config = stream::Config { name: "ORDERS".into(), subjects, num_replicas: 3, ..Default::default() };
            Ok(cluster.context.create_stream(config).await.is_ok())
        })
        .await
        .unwrap();
        cluster.until_all_have_the_stream().await;
        cluster
    }

    async fn until_all_have_the_stream(&self) {
        eventually("all servers have the stream", async || {
            let Ok(stream) = self.context.get_stream("ORDERS").await else { return Ok(false) };
            let cluster = stream.cached_info().cluster.as_ref();
            Ok(cluster.is_some_and(|cluster| {
                cluster.leader.is_some()
                    && cluster.replicas.len() == 2
                    && cluster.replicas.iter().all(|one| one.current)
            }))
        })
        .await
        .unwrap();
    }

    fn sink(&self) -> Nats {
        let url = Urls::Many(self.servers.iter().map(|server| server.url().into()).collect());
        Nats::new(changed(settings("", "orders.{aggregate_id}"), |settings| settings.url = url)).unwrap()
    }
}

#[test]
fn each_server_of_a_cluster_may_go_and_come_back_and_nothing_is_lost_repeated_or_held_against_a_message() {
    block_on(async {
        let mut cluster = Cluster::start().await;
        let (sink, messages) = (cluster.sink(), orders("1", 1, 40));
        delivered(&sink, &messages[..10]).await;
        for n in 0..3 {
            cluster.servers[n].kill();
            insist(&sink, &messages[10 * (n + 1)..10 * (n + 2)]).await;
            cluster.servers[n].start_again();
            cluster.until_all_have_the_stream().await;
        }
        assert_eq!(cluster.servers[0].positions("ORDERS"), (1..=40).collect::<Vec<_>>());
    });
}
