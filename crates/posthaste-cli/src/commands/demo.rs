//! `posthaste demo`: an order service, a relay, an outage, and a proof at the end.
//!
//! ```text
//! writer threads ──one transaction each──► SQLite ◄── relay ──► ledger: handlers in this process
//!                                                        └────► warehouse: a receiver behind a socket, down for a while
//! ```
//!
//! Everything is counted in deliveries (message × destination), so that committed = delivered + dead. The proof compares what
//! the writers know they committed with what the two receivers wrote down themselves; the store is only asked for the dead.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use posthaste::inspect::{Filter, Listed, Status};
use posthaste::message::MessageId;
use posthaste::relay::{Monitor, Settings};
use posthaste::retry::{Backoff, Policy};
use posthaste::store::Store;
use posthaste::{Destination, Relay};
use tokio::sync::Notify;

use self::dashboard::Dashboard;
use self::folder::Folder;
use self::order_service::OrderService;
use self::proof::{Evidence, Proof};
use self::receiver::Receiver;
use self::records::Records;
use self::view::View;
use self::warehouse_sink::WarehouseSink;
use super::run::signals::{Signal, Signals};
use crate::context::Context;
use crate::exit::Exit;
use crate::store;
use crate::{logging, paging};

mod dashboard;
mod event;
mod folder;
mod ledger;
mod live;
mod order_service;
mod proof;
mod receiver;
mod records;
mod story;
mod view;
mod warehouse_sink;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many orders to write, three events each [default: 5000, or what a slow disk takes in 12 s]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(50..))]
    orders: Option<u32>,
    /// Where to put the database and its config [default: a new folder for temporary files; with --json it is removed]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Leave it up afterwards, dashboard and all, with some orders a second, until Ctrl-C
    #[arg(long)]
    keep: bool,
}

/// How many orders are written by default.
const ORDERS: u32 = 5_000;
/// Orders a second, all writers together: a pace that a modest disk keeps up with.
const PACE: f64 = 500.0;
/// Orders a second while the demo is left up.
const TRICKLE: f64 = 5.0;
/// How long the warehouse is down.
const OUTAGE: Duration = Duration::from_secs(3);
/// If nothing arrives anywhere for this long, something is wrong, and the proof will show what.
const STUCK: Duration = Duration::from_secs(30);

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    // The demo shows what happens itself, so it logs only if asked.
    if context.verbose > 0 {
        logging::for_commands(context.verbose);
    }
    let folder = Folder::create(args.dir.as_deref(), context.output.json)?;
    let orders = args.orders.unwrap_or(ORDERS);
    let began = Instant::now();
    let mut demo = Demo::set_up(&folder, orders, args.orders.is_none()).await?;
    let dashboard = Dashboard::start(&folder, &demo.store, &demo.monitor).await?;
    story::introduce(context.output, orders, dashboard.url().as_deref())?;
    let (evidence, dead) = demo.run(View::new(context.output, orders)).await?;
    let proof = Proof::of(&evidence, began.elapsed());
    story::tell(context.output, &proof, &folder, dead.as_ref())?;
    if args.keep {
        story::leave_up(context.output, dashboard.url().as_deref())?;
        demo.keep(&folder, orders).await?;
    }
    folder.tidy_up()?;
    Ok(if proof.holds() { Exit::Ok } else { Exit::NotWell })
}

struct Demo {
    store: Arc<dyn Store>,
    orders: OrderService,
    ledger: Records,
    receiver: Receiver,
    monitor: Monitor,
}

impl Demo {
    async fn set_up(folder: &Folder, orders: u32, may_end_early: bool) -> anyhow::Result<Self> {
        let store = store::migrate(&folder.store_plan()).await?;
        let receiver = Receiver::new().await?;
        let orders = OrderService::start(&folder.database(), 1..=orders, PACE, may_end_early)?;
        Ok(Self { store, orders, ledger: Records::default(), receiver, monitor: Monitor::default() })
    }

    /// Writes, delivers, breaks the warehouse in the middle, and returns the evidence and one dead delivery as an example.
    async fn run(&mut self, view: View) -> anyhow::Result<(Evidence, Option<Listed>)> {
        let relay = self.relay()?;
        let stop = Notify::new();
        let story = async {
            let told = self.story(view).await;
            stop.notify_one();
            told
        };
        let (relayed, told) = tokio::select! {
            both = async { tokio::join!(relay.run(stop.notified()), story) } => both,
            closed = self.receiver.serve() => anyhow::bail!("the warehouse has ended: {closed:?}"),
        };
        relayed.and(Ok(told?))?;
        self.evidence().await
    }

    /// Goes on delivering, and writing a little, until it is told to stop.
    async fn keep(&self, folder: &Folder, written: u32) -> anyhow::Result<()> {
        let mut signals = Signals::new()?;
        let _orders = OrderService::start(&folder.database(), written + 1..=u32::MAX, TRICKLE, false)?;
        let stop = Notify::new();
        let relay = self.relay()?;
        let told = async {
            while signals.next().await == Signal::Reload {}
            stop.notify_one();
        };
        tokio::select! {
            (relayed, ()) = async { tokio::join!(relay.run(stop.notified()), told) } => Ok(relayed?),
            closed = self.receiver.serve() => anyhow::bail!("the warehouse has ended: {closed:?}"),
        }
    }

    fn relay(&self) -> anyhow::Result<Relay> {
        let policy = || Policy { backoff: Backoff::List(vec![Duration::from_millis(400)]), ..Policy::default() };
        Ok(Relay::builder(self.store.clone())
            .settings(Settings { retention: None, ..Settings::default() })
            .monitor(self.monitor.clone())
            .destination(Destination::new("ledger").policy(policy()), ledger::sink(&self.ledger)?)
            .destination(
                Destination::new("warehouse").policy(policy()),
                Arc::new(WarehouseSink::new(self.receiver.address())),
            )
            .build())
    }

    /// Half-way, the warehouse goes down for a while; then everything drains.
    async fn story(&self, mut view: View) -> anyhow::Result<()> {
        let mut outage: Option<Instant> = None;
        let mut arrivals = Arrivals::default();
        loop {
            tokio::time::sleep(view.interval()).await;
            match outage {
                None if self.orders.is_half_way() => {
                    self.receiver.set_up(false);
                    outage = Some(Instant::now());
                }
                Some(since) if since.elapsed() >= OUTAGE => self.receiver.set_up(true),
                _ => {}
            }
            let overview = self.store.overview().await?;
            let written = self.orders.is_done() && outage.is_some() && self.receiver.is_up();
            let quiet = arrivals.quiet_for(self.ledger.len() + self.receiver.records.len());
            let over = (written && view::is_settled(&overview)) || quiet > STUCK;
            view.show(&self.orders, &self.monitor.snapshot(), &overview, over)?;
            if over {
                return Ok(());
            }
        }
    }

    async fn evidence(&mut self) -> anyhow::Result<(Evidence, Option<Listed>)> {
        let filter = Filter { statuses: vec![Status::Dead], ..Filter::default() };
        let listed = paging::read_all(&*self.store, &filter).await?;
        let mut dead: BTreeMap<String, HashSet<MessageId>> = BTreeMap::new();
        for row in &listed {
            dead.entry(row.destination.clone().unwrap_or_default()).or_default().insert(row.id);
        }
        let written = self.orders.finish()?;
        let evidence = Evidence {
            committed: written.committed,
            rolled_back: written.rolled_back,
            received: [("ledger", self.ledger.take()), ("warehouse", self.receiver.records.take())].into(),
            dead,
        };
        Ok((evidence, listed.into_iter().next()))
    }
}

/// Remembers when the last message arrived.
#[derive(Debug, Default)]
struct Arrivals {
    last: Option<(usize, Instant)>,
}

impl Arrivals {
    fn quiet_for(&mut self, count: usize) -> Duration {
        match self.last {
            Some((before, since)) if before == count => since.elapsed(),
            _ => {
                self.last = Some((count, Instant::now()));
                Duration::ZERO
            }
        }
    }
}
