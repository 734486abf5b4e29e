//! A server with a journal behind it, and the smallest client that can talk to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use posthaste::Message;
use posthaste::journal::{
    Attempt, Cursor, Entry, HeldKey, LaneCommit, Park, ParkedState, Position, ReadRequest, WorkerId,
};
use posthaste::relay::Monitor;
use posthaste::store::Store;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::valid;
use crate::config::{self, Env};
use crate::http::{Files, Server};
use crate::operator::Operator;
use crate::store;

pub const VIEWER: &str = "viewer-token-0123456789";
pub const OPERATOR: &str = "operator-token-0123456789";
pub const SETTLER: &str = "settler-token-0123456789";

/// A relay's HTTP side over an empty journal in a folder of its own, with a token of each role.
pub struct Place {
    pub server: Server,
    store: Arc<dyn Store>,
    folder: PathBuf,
}

impl Place {
    pub async fn new() -> Self {
        let tokens = format!(
            "hosts = ['relay.internal']\nready_max_pending = 1\n[http.tokens.grafana]\ntoken = '{VIEWER}'\n\
             [http.tokens.ann]\nrole = 'operator'\ntoken = '{OPERATOR}'\n\
             [http.tokens.worker]\nrole = 'settler'\ntoken = '{SETTLER}'"
        );
        Self::with(&tokens).await
    }

    pub async fn with(http: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("posthaste-http-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("posthaste.toml");
        let text = format!("destinations.crm.type = 'stdout'\n[http]\nbind = '127.0.0.1:0'\n{http}");
        std::fs::write(&file, text).unwrap();
        let plan = config::load(Some(&file), &Env::new()).unwrap();
        let store = store::migrate(&plan.store).await.unwrap();
        let destinations: Vec<_> = plan.destinations.iter().map(|planned| planned.destination.clone()).collect();
        store.register(&destinations).await.unwrap();
        let operator = Operator::new(&plan, &store);
        let server =
            Server::start(plan.http.as_ref().unwrap(), operator, Monitor::default(), Files::default()).await.unwrap();
        Self { server, store, folder }
    }

    /// Writes a message about each of so many orders, and returns their ids.
    pub async fn write(&self, orders: usize) -> Vec<String> {
        let order = |n: usize| Message::builder("order.paid", "order", n.to_string()).json(&json!({ "n": n })).build();
        let messages: Vec<Message> = (0..orders).map(|n| order(n).unwrap()).collect();
        self.store.write(&messages).await.unwrap();
        messages.iter().map(|message| message.id.to_string()).collect()
    }

    /// Writes so many messages, each of which dies with this error. Once for each place: it takes all leases.
    pub async fn write_dead(&self, orders: usize, error: &str) -> Vec<String> {
        let ids = self.write(orders).await;
        self.walk(|entries| (entries.iter().map(|entry| dead(entry, error, false)).collect(), Vec::new())).await;
        ids
    }

    /// Writes so many messages of one key, of which the first is dead and holds the others.
    pub async fn write_held(&self, count: usize) -> Vec<String> {
        let one = |_| Message::builder("order.paid", "order", "7").build().unwrap();
        let messages: Vec<Message> = (0..count).map(one).collect();
        self.store.write(&messages).await.unwrap();
        self.walk(|entries| match entries {
            [] => (Vec::new(), Vec::new()),
            [head, ..] => {
                let until = entries.last().map_or(head.position, |last| last.position);
                let key = head.message.order_key().unwrap();
                (vec![dead(head, "no", true)], vec![HeldKey { key, after: head.position, until }])
            }
        })
        .await;
        messages.iter().map(|message| message.id.to_string()).collect()
    }

    /// Every lane passes everything, and parks and holds what is said of its entries.
    async fn walk(&self, exceptions: impl Fn(&[Entry]) -> (Vec<Park>, Vec<HeldKey>)) {
        let newest = self.store.advance().await.unwrap();
        let partitions = self.store.partitions().await.unwrap();
        let worker = WorkerId("test".into());
        let leases = self.store.lease(&worker, Duration::from_secs(600), partitions.into()).await.unwrap().leases;
        for lease in leases {
            let request = ReadRequest {
                partitions: vec![lease.partition],
                after: Position::START,
                until: Position::END,
                limit: 1_000,
                max_bytes: usize::MAX,
            };
            let (park, hold) = exceptions(&self.store.read(&request).await.unwrap().entries);
            let cursor = Some(Cursor { low: newest, done: Vec::new() });
            let attempts = park.iter().map(last_attempt).collect();
            let nothing = LaneCommit::nothing("crm".into(), lease.partition, lease.epoch);
            let commit = LaneCommit { cursor, park, hold, attempts, ..nothing };
            assert!(self.store.commit(&[commit]).await.unwrap().is_empty());
        }
    }

    /// Carries out all jobs.
    pub async fn work(&self) {
        let worker = WorkerId("test".into());
        while self.store.work(&worker, Duration::from_secs(600), None).await.unwrap().is_some() {}
    }

    pub async fn ask(&self, method: &str, path: &str, token: Option<&str>) -> Answer {
        let token = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<(&str, &str)> = token.iter().map(|token| ("authorization", token.as_str())).collect();
        self.send(method, path, &headers, "").await
    }

    pub async fn post(&self, path: &str, body: &str) -> Answer {
        let token = format!("Bearer {OPERATOR}");
        self.send("POST", path, &[("authorization", &token), ("content-type", "application/json")], body).await
    }

    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let answer = send(self.server.address, method, path, headers, body).await;
        valid::check(method, path, answer.status, &answer.body);
        answer
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn dead(entry: &Entry, error: &str, holds: bool) -> Park {
    Park {
        position: entry.position,
        message: entry.message.id,
        key: entry.message.order_key(),
        state: ParkedState::Dead,
        holds,
        attempts: 3,
        suspicion: 0,
        due_in: None,
        error: Some(error.into()),
        progress: None,
    }
}

fn last_attempt(park: &Park) -> Attempt {
    let took = Duration::from_millis(5);
    Attempt { position: park.position, number: park.attempts, error: park.error.clone(), reply: None, took }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    /// A header of the answer, in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Says what went wrong as a problem document does.
    pub fn is_problem(&self) -> bool {
        self.head.contains("content-type: application/problem+json") && self.json()["status"] == self.status
    }
}

/// Everything up to the end; of a stream of events, up to the end of the first one.
async fn read(stream: &mut TcpStream) -> String {
    let (mut bytes, mut part) = (Vec::new(), [0; 65_536]);
    loop {
        let count = stream.read(&mut part).await.unwrap();
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let is_stream = text.contains("content-type: text/event-stream");
        if count == 0 || is_stream && text.contains("data: ") && text.trim_end_matches("\r\n").ends_with("\n\n") {
            return text.into_owned();
        }
    }
}

async fn send(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        request.push_str(&format!("host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).await.unwrap();
    let text = read(&mut stream).await;
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("an answer has a status");
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}
