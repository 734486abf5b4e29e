//! `posthaste check`, when something is wrong elsewhere: it names the place and what to do, and no secret.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_postgres::NoTls;

use crate::listener::Listener;
use crate::program::{PATIENCE, Place, until};
use crate::servers::{Private, address, block_on};

const SECRET: &str = "canary-s3cret-90aa";

/// What is printed of one thing: its line, and those that belong to it.
#[track_caller]
fn printed<'a>(stdout: &'a str, what: &str) -> Vec<&'a str> {
    let mut lines = stdout.lines().skip_while(|line| !line[line.find(' ').unwrap()..].trim().starts_with(what));
    let first = lines.next().unwrap_or_else(|| panic!("nothing about {what}:\n{stdout}"));
    [first].into_iter().chain(lines.take_while(|line| line.starts_with(' '))).collect()
}

#[track_caller]
fn assert_says(stdout: &str, what: &str, words: &[&str]) {
    let text = printed(stdout, what).join("\n");
    assert!(text.starts_with('✗'), "{text}");
    for words in words {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
    assert!(!stdout.contains(SECRET), "{stdout}");
}

/// Each endpoint answers when all of them were asked, so that nobody who asks one after another gets an answer.
#[test]
fn destinations_are_asked_at_once_and_printed_in_order() {
    const COUNT: usize = 8;
    let asked = Arc::<AtomicUsize>::default();
    let endpoints: Vec<_> = (0..COUNT)
        .map(|_| {
            let asked = asked.clone();
            Listener::saying(move |_| {
                asked.fetch_add(1, Ordering::SeqCst);
                until("all were asked", || asked.load(Ordering::SeqCst) == COUNT);
                "200 OK"
            })
        })
        .collect();
    let place = Place::migrated();
    let mut config = String::new();
    for (n, endpoint) in endpoints.iter().enumerate() {
        let webhook =
            format!("url = 'http://{}/', allow = ['127.0.0.1'], timeout = '{}s'", endpoint.address, PATIENCE.as_secs());
        writeln!(config, "destinations.d{n} = {{ type = 'webhook', webhook = {{ {webhook} }} }}").unwrap();
    }
    place.write("posthaste.toml", &config);
    let stdout = place.run(["check"]).succeeds().stdout;
    let expected: Vec<_> = (0..COUNT).map(|n| format!("✓ destination d{n}  can be reached")).collect();
    assert_eq!(stdout.lines().skip(3).collect::<Vec<_>>(), expected);
}

#[test]
fn who_refuses_a_connection_is_named_with_what_to_do() {
    let place = Place::empty();
    let config = format!(
        "store = {{ type = 'postgres', url = 'postgres://zoe:{SECRET}@127.0.0.1:1/shop' }}\n\
         destinations.a = {{ type = 'rabbitmq', rabbitmq = {{ url = 'amqp://zoe:{SECRET}@127.0.0.1:2', routing_key = 'x' }} }}\n\
         destinations.b = {{ type = 'kafka', kafka = {{ brokers = '127.0.0.1:3', timeout = '5s', \
             properties = {{ 'sasl.username' = 'zoe', 'sasl.password' = '{SECRET}' }} }} }}\n\
         destinations.c = {{ type = 'nats', nats = {{ url = 'nats://zoe:{SECRET}@127.0.0.1:4', subject = 'x' }} }}\n\
         destinations.d = {{ type = 'redis', redis = {{ url = 'redis://zoe:{SECRET}@127.0.0.1:5', stream = 'x' }} }}\n\
         destinations.e = {{ type = 'webhook', webhook = {{ url = 'http://127.0.0.1:6/{SECRET}', allow = ['127.0.0.1'] }} }}\n"
    );
    place.write("posthaste.toml", &config);
    let stdout = place.run(["check"]).ends_with(1).stdout;
    assert_says(&stdout, "store", &["127.0.0.1:1/shop", "Connection refused", "[store]"]);
    for (name, kind, address) in [
        ("a", "rabbitmq", "127.0.0.1:2"),
        ("b", "kafka", "127.0.0.1:3"),
        ("c", "nats", "127.0.0.1:4"),
        ("d", "redis", "127.0.0.1:5"),
        ("e", "webhook", "127.0.0.1:6"),
    ] {
        let table = format!("[destinations.{name}.{kind}]");
        assert_says(&stdout, &format!("destination {name}"), &[address, "onnection refused", &table, "is it up"]);
    }
}

#[test]
fn a_wrong_password_of_rabbitmq_is_named_with_what_to_do() {
    let (place, address) = (Place::migrated(), address("rabbitmq"));
    let url = format!("amqp://guest:{SECRET}@{address}");
    place.write(
        "posthaste.toml",
        &format!("destinations.bus = {{ type = 'rabbitmq', rabbitmq = {{ url = '{url}', routing_key = 'x' }} }}"),
    );
    let stdout = place.run(["check"]).ends_with(1).stdout;
    assert_says(&stdout, "destination bus", &[&address, "ACCESS_REFUSED", "[destinations.bus.rabbitmq]", "login"]);
}

/// A server that lets `zoe` in by password only.
fn with_a_password() -> Private {
    let server = block_on(Private::start("postgres"));
    let rules = "host all zoe all scram-sha-256\nhost all all all trust\n";
    std::fs::write(server.folder(0).join("pgdata/pg_hba.conf"), rules).unwrap();
    block_on(async {
        let url = format!("postgres://postgres@{}/postgres", server.address());
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        let asked = client.batch_execute("CREATE ROLE zoe LOGIN PASSWORD 'another'; SELECT pg_reload_conf()");
        tokio::select! {
            asked = asked => asked.unwrap(),
            _ = connection => panic!("the connection broke"),
        }
    });
    server
}

#[test]
fn a_wrong_password_of_postgres_is_named_with_what_to_do() {
    let (server, place) = (with_a_password(), Place::empty());
    let address = server.address();
    let url = format!("postgres://zoe:{SECRET}@{address}/postgres");
    place.write(
        "posthaste.toml",
        &format!("store = {{ type = 'postgres', url = '{url}' }}\ndestinations.out.type = 'stdout'"),
    );
    let mut stdout = String::new();
    until("the server asks for the password", || {
        stdout = place.run(["check"]).ends_with(1).stdout;
        stdout.contains("does not let us in")
    });
    let words =
        [&address, "password authentication failed for user \"zoe\"", "check the user, the password", "[store]"];
    assert_says(&stdout, "store", &words);
    assert!(printed(&stdout, "destination out")[0].starts_with('✓'), "{stdout}");
}
