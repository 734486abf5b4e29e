//! A scene: one journal, its applications, its relays, and everything that these deliver to. The relays are the program, or they are
//! applications that handle messages themselves: all relays of a journal have the same destinations.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Programs;
use super::arrivals::Committed;
use super::brokers::Broker;
use super::config::{self, HANDLERS, WEBHOOK};
use super::fault_log::Entry;
use super::links::Links;
use super::operator::Operator;
use super::process::{self, Process};
use super::relay::Relay;
use super::stores::{Kind, Store};
use super::verdict::{LOST, Verdict};
use crate::services::{free_addresses, until};

/// Applications of a scene.
const WRITERS: usize = 2;
const KEYS_OF_A_WRITER: usize = 60;
const MESSAGES_OF_A_TRANSACTION: u32 = 5;
/// How long a consumer may take for what its broker still has at the end.
const CONSUMED: Duration = Duration::from_secs(60);

/// How big a scene is.
#[derive(Debug)]
pub struct Plan {
    pub kind: Kind,
    /// Whether its relays are applications that handle messages themselves.
    pub handlers: bool,
    pub relays: usize,
    /// Messages a second.
    pub rate: u32,
    pub seed: u64,
}

pub struct Scene {
    pub name: &'static str,
    pub kind: Kind,
    folder: PathBuf,
    instruments: PathBuf,
    pub store: Store,
    pub links: Links,
    pub relays: Vec<Relay>,
    writers: Vec<(Value, Option<Process>)>,
    consumers: Vec<Process>,
    /// The destinations, and where what arrived there is recorded.
    pub destinations: Vec<(String, PathBuf)>,
    pub operator: Operator,
}

/// What is left of a scene: its records.
#[derive(Debug)]
pub struct Ended {
    pub name: &'static str,
    pub committed: Committed,
    pub destinations: Vec<Destination>,
    pub peak_kb: u64,
    pub unasked_ends: u64,
    /// What relays said of themselves.
    pub words: Vec<Entry>,
}

#[derive(Debug)]
pub struct Destination {
    pub name: String,
    pub record: PathBuf,
    /// The ids of what operators gave up.
    pub discarded: Vec<String>,
}

impl Scene {
    pub fn begin(plan: &Plan, programs: &Programs, folder: &Path, brokers: &[Broker]) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let store = Store::start(plan.kind, folder)?;
        let brokers = if plan.handlers { &[] } else { brokers };
        let endpoint = free_addresses(1)?[0];
        let linked = if plan.handlers { 0 } else { plan.relays };
        let links = Links::open(linked, &servers(&store, endpoint, brokers), &programs.instruments, folder)?;
        let write = |path: &Path, relay: usize, links: Option<&Links>| {
            config::write(path, relay, plan.name(), &store, links, endpoint, brokers)
        };
        let operator = Operator { program: programs.posthaste.clone(), config: folder.join("operator.toml") };
        write(&operator.config, 0, None)?;
        operator.ask(&["migrate"]).context("the journal cannot be created")?;
        process::answer(&programs.instruments, &json!({ "role": "prepare", "store": store.described() }))?;
        let relay = |nth: usize| {
            if plan.handlers {
                return Ok(Relay::handlers(nth, programs, &store, folder));
            }
            let config = folder.join(format!("relay-{nth}.toml"));
            write(&config, nth, Some(&links))?;
            Ok(Relay::program(nth, programs, &config, folder))
        };
        let relays = (0..plan.relays).map(relay).collect::<Result<Vec<Relay>>>()?;
        relays.iter().try_for_each(|relay| relay.set_clock("+0"))?;
        let writers = (0..WRITERS).map(|nth| (plan.writer(nth, &store), None)).collect();
        let mut scene = Self {
            name: plan.name(),
            kind: plan.kind,
            folder: folder.to_owned(),
            instruments: programs.instruments.clone(),
            store,
            links,
            relays,
            writers,
            consumers: Vec::new(),
            destinations: Vec::new(),
            operator,
        };
        scene.start(plan, endpoint, brokers)?;
        Ok(scene)
    }

    fn start(&mut self, plan: &Plan, endpoint: SocketAddr, brokers: &[Broker]) -> Result<()> {
        if plan.handlers {
            self.destinations.push((HANDLERS.to_owned(), self.folder.join(format!("{HANDLERS}.tsv"))));
        } else {
            let record = self.folder.join(format!("{WEBHOOK}.tsv"));
            let webhook = json!({ "type": "webhook", "bind": endpoint, "seed": plan.seed });
            self.consume(WEBHOOK, &record, &json!({ "role": "consumer", "consumer": webhook, "record": record }))?;
        }
        for broker in brokers {
            let record = self.folder.join(format!("{}.tsv", broker.kind.name()));
            self.consume(broker.kind.name(), &record, &broker.consumer(plan.name(), &record))?;
        }
        self.relays.iter_mut().try_for_each(Relay::start)?;
        (0..self.writers.len()).try_for_each(|nth| self.start_writer(nth))
    }

    fn consume(&mut self, name: &str, record: &Path, role: &Value) -> Result<()> {
        let (consumer, _) = Process::instrument(name, &self.instruments, role, &self.folder)?;
        self.consumers.push(consumer);
        self.destinations.push((name.to_owned(), record.to_owned()));
        Ok(())
    }

    pub fn writers(&self) -> usize {
        self.writers.len()
    }

    pub fn start_writer(&mut self, nth: usize) -> Result<()> {
        let (role, writer) = &mut self.writers[nth];
        let name = format!("writer-{nth}");
        *writer = Some(Process::instrument(&name, &self.instruments, role, &self.folder)?.0);
        Ok(())
    }

    pub fn kill_writer(&mut self, nth: usize) -> Result<()> {
        self.writers[nth].1.take().map_or(Ok(()), |mut writer| writer.kill())
    }

    /// No more is written from now on.
    pub fn stop_writers(&mut self) -> Result<()> {
        for (_, writer) in &mut self.writers {
            if let Some(mut writer) = writer.take() {
                drop(writer.input.take());
                writer.ends_within(Duration::from_secs(20))?;
            }
        }
        Ok(())
    }

    /// Stops everything in good order, and keeps what was recorded.
    pub fn end(mut self) -> Result<Ended> {
        let numbers =
            process::answer(&self.instruments, &json!({ "role": "numbers", "store": self.store.described() }))?;
        fs::write(self.folder.join("committed.tsv"), &numbers)?;
        let mut destinations = Vec::new();
        for (name, record) in std::mem::take(&mut self.destinations) {
            let discarded = self.operator.discarded(&name)?;
            destinations.push(Destination { name, record, discarded });
        }
        self.relays.iter_mut().try_for_each(Relay::stop)?;
        for handled in destinations.iter().filter(|destination| destination.name == HANDLERS) {
            let role = json!({ "role": "handled", "store": self.store.described(), "record": handled.record });
            process::answer(&self.instruments, &role)?;
        }
        let committed = Committed::read(&numbers)?;
        destinations.iter().for_each(|destination| wait_for(self.name, destination, &committed));
        for mut consumer in self.consumers.drain(..) {
            drop(consumer.input.take());
            consumer.ends_within(Duration::from_secs(20))?;
        }
        Ok(Ended {
            name: self.name,
            committed,
            destinations,
            peak_kb: self.relays.iter().map(|relay| relay.peak_kb).max().unwrap_or_default(),
            unasked_ends: self.relays.iter().map(|relay| relay.unasked_ends).sum(),
            words: self.relays.iter().flat_map(|relay| relay.words.heard.clone()).collect(),
        })
    }
}

/// Waits until a consumer has taken from its broker what is there: everything, unless something is lost, which is told later on.
fn wait_for(scene: &'static str, destination: &Destination, committed: &Committed) {
    let is_complete = || {
        let verdict = Verdict::reach(scene, destination, committed, &[]);
        verdict.is_ok_and(|verdict| !verdict.broken.contains_key(LOST))
    };
    until(CONSUMED, is_complete);
}

impl Plan {
    /// What the scene is called.
    pub fn name(&self) -> &'static str {
        if self.handlers { self.kind.name_with_handlers() } else { self.kind.name() }
    }

    /// What an application is told.
    fn writer(&self, nth: usize, store: &Store) -> Value {
        json!({
            "role": "writer",
            "store": store.described(),
            "name": format!("w{nth}"),
            "keys": KEYS_OF_A_WRITER,
            "transactions_per_second": (self.rate / WRITERS as u32 / MESSAGES_OF_A_TRANSACTION).max(1),
            "messages_per_transaction": MESSAGES_OF_A_TRANSACTION,
            "seed": self.seed.wrapping_add(nth as u64),
            "refused": 2,
            "odd": 20,
        })
    }
}

/// What a relay talks to, and where it is.
fn servers(store: &Store, endpoint: SocketAddr, brokers: &[Broker]) -> Vec<(String, SocketAddr)> {
    let brokers = brokers.iter().map(|broker| (broker.kind.name().to_owned(), broker.address()));
    store.behind_links().into_iter().chain([(WEBHOOK.to_owned(), endpoint)]).chain(brokers).collect()
}
