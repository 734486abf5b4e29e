//! The kinds of faults.

use std::time::Duration;

use anyhow::Result;

use super::super::brokers::Broker;
use super::super::config::LEASE;
use super::super::dice::Dice;
use super::super::relay::Limit;
use super::super::scene::Scene;

/// What becomes of a link.
const LINK_FAULTS: &[&str] =
    &["refuse", "black_hole", "reset", "drop_answers", "delay 300", "delay 1500", "cut_after 3000"];

/// By how many seconds a clock is off.
const CLOCKS: &[&str] = &["+3600", "-3600", "+86400", "-86400", "+2", "-2", "-300000000"];

/// Something to break, and for how long.
#[derive(Debug, Clone)]
pub struct Fault {
    what: What,
    lasts: Duration,
}

#[derive(Debug, Clone)]
enum What {
    /// `kill -9`, and a new life afterwards.
    KillRelay(usize),
    /// SIGSTOP, past the lease or not.
    FreezeRelay(usize),
    /// SIGTERM, and a new life afterwards.
    StopRelay(usize),
    /// It cannot write to its files any more.
    FillDisk(usize),
    /// It gets no more memory than it has, or little.
    LimitMemory(usize, u64),
    /// Its clock jumps, and back later on.
    SkewClock(usize, &'static str),
    /// A link between a relay and a server.
    BreakLink(String, &'static str),
    /// `kill -9` of an application.
    KillWriter(usize),
    /// `kill -9` of the store's server, and a new start at once.
    KillStore,
    /// Another server of the store takes over.
    FailOver,
    /// `kill -9` of a broker.
    KillBroker(usize, &'static str),
    /// An operator pauses a destination, and resumes it.
    Pause(String),
    /// An operator has all dead messages of a destination delivered again.
    ReplayDead(String),
    /// An operator has what was delivered of one key delivered again.
    ReplayDelivered(String, String),
    /// An operator gives the dead messages of a destination up.
    Discard(String),
}

/// How to put it right.
#[derive(Debug)]
pub enum Undo {
    Nothing,
    StartRelay(usize),
    Continue(usize),
    Unlimit(usize),
    SetClock(usize),
    Pass(String),
    StartWriter(usize),
    StartStore,
    Follow,
    StartBroker(usize),
    Resume(String),
}

impl Fault {
    /// One whose takeover is measured: a relay dies or goes, and stays away until another one has taken over; or it freezes, not for
    /// so long that another one takes over.
    pub fn to_measure(dice: &mut Dice, scene: &Scene, lasts: Duration) -> Self {
        let relay = dice.below(scene.relays.len());
        match dice.below(6) {
            0..=2 => Self { what: What::KillRelay(relay), lasts },
            3 | 4 => Self { what: What::StopRelay(relay), lasts },
            _ => Self { what: What::FreezeRelay(relay), lasts: dice.millis(200, LEASE.as_millis() as u64) },
        }
    }

    /// How long it takes until keys can go on, if that is measured.
    pub fn lasts_at_least(&self) -> Duration {
        if matches!(self.what, What::FreezeRelay(_)) { self.lasts } else { Duration::ZERO }
    }

    pub fn of_scene(dice: &mut Dice, scene: &Scene) -> Self {
        let relay = dice.below(scene.relays.len());
        let destination = scene.destinations[dice.below(scene.destinations.len())].0.clone();
        let lease = LEASE.as_millis() as u64;
        let (what, from, to) = match dice.below(23) {
            0..=2 => (What::KillRelay(relay), 0, 2 * lease),
            3 | 4 => (What::FreezeRelay(relay), 200, 2 * lease),
            5 => (What::StopRelay(relay), 0, lease),
            6..=11 if !scene.links.all.is_empty() => {
                let link = &scene.links.all[dice.below(scene.links.all.len())];
                (What::BreakLink(link.name(), dice.one_of(LINK_FAULTS)), 200, 5_000)
            }
            12 => (What::KillWriter(dice.below(scene.writers())), 0, 1_000),
            13 if scene.kind.has_server() => (What::KillStore, 0, 500),
            14 if scene.kind.can_fail_over() => (What::FailOver, 0, 500),
            15 => (What::Pause(destination), 200, 3_000),
            16 | 17 => (What::Discard(destination), 0, 0),
            18 => (What::ReplayDead(destination), 0, 0),
            19 => (What::LimitMemory(relay, dice.below(4) as u64 * 4_096), 200, 2 * lease),
            20 => (What::SkewClock(relay, dice.one_of(CLOCKS)), 1_000, 4 * lease),
            21 | 22 if !scene.kind.has_server() => (What::FillDisk(relay), 200, 2 * lease),
            _ => {
                let key = format!("order/w{}-{:04}", dice.below(scene.writers()), dice.below(60));
                (What::ReplayDelivered(destination, key), 0, 0)
            }
        };
        Self { what, lasts: dice.millis(from, to) }
    }

    pub fn of_brokers(dice: &mut Dice, brokers: &[Broker]) -> Self {
        let broker = dice.below(brokers.len());
        Self { what: What::KillBroker(broker, brokers[broker].kind.name()), lasts: dice.millis(0, 2_000) }
    }

    /// Whether its broker has not come back yet from the last time.
    pub fn is_too_early(&self, brokers: &[Broker]) -> bool {
        matches!(self.what, What::KillBroker(nth, _) if !brokers[nth].server.answers())
    }

    pub fn lasts(&self) -> Duration {
        self.lasts
    }

    pub fn name(&self) -> &'static str {
        match &self.what {
            What::KillRelay(_) => "kill_relay",
            What::FreezeRelay(_) => "freeze_relay",
            What::StopRelay(_) => "stop_relay",
            What::FillDisk(_) => "fill_disk",
            What::LimitMemory(..) => "limit_memory",
            What::SkewClock(..) => "skew_clock",
            What::BreakLink(_, fault) => fault.split(' ').next().unwrap_or(fault),
            What::KillWriter(_) => "kill_writer",
            What::KillStore => "kill_store",
            What::FailOver => "fail_over",
            What::KillBroker(..) => "kill_broker",
            What::Pause(_) => "pause",
            What::ReplayDead(_) => "replay_dead",
            What::ReplayDelivered(..) => "replay_delivered",
            What::Discard(_) => "discard",
        }
    }

    /// Two faults do not happen to one target at once.
    pub fn target(&self) -> String {
        match &self.what {
            What::KillRelay(relay)
            | What::FreezeRelay(relay)
            | What::StopRelay(relay)
            | What::FillDisk(relay)
            | What::LimitMemory(relay, _)
            | What::SkewClock(relay, _) => format!("relay-{relay}"),
            What::BreakLink(link, _) => link.clone(),
            What::KillWriter(writer) => format!("writer-{writer}"),
            What::KillStore | What::FailOver => "store".into(),
            What::KillBroker(_, name) => (*name).into(),
            What::Pause(destination) | What::ReplayDead(destination) | What::Discard(destination) => {
                destination.clone()
            }
            What::ReplayDelivered(destination, key) => format!("{destination} {key}"),
        }
    }

    /// Breaks it. Whatever an operator is told meanwhile is no news: the store may be away.
    pub fn apply(self, scene: Option<&mut Scene>, brokers: &mut [Broker]) -> Result<Undo> {
        if let What::KillBroker(nth, _) = self.what {
            brokers[nth].server.kill()?;
            return Ok(Undo::StartBroker(nth));
        }
        let Some(scene) = scene else { return Ok(Undo::Nothing) };
        Ok(match self.what {
            What::KillRelay(nth) => {
                scene.relays[nth].kill()?;
                Undo::StartRelay(nth)
            }
            What::FreezeRelay(nth) => {
                scene.relays[nth].signal("STOP");
                Undo::Continue(nth)
            }
            What::StopRelay(nth) => {
                scene.relays[nth].begin_stop();
                Undo::StartRelay(nth)
            }
            What::FillDisk(nth) => {
                scene.relays[nth].limit(Limit::File(0));
                Undo::Unlimit(nth)
            }
            What::LimitMemory(nth, more_kb) => {
                scene.relays[nth].limit(Limit::Memory(more_kb));
                Undo::Unlimit(nth)
            }
            What::SkewClock(nth, off) => {
                scene.relays[nth].set_clock(off)?;
                Undo::SetClock(nth)
            }
            What::BreakLink(link, fault) => {
                scene.links.set(&link, fault)?;
                Undo::Pass(link)
            }
            What::KillWriter(nth) => {
                scene.kill_writer(nth)?;
                Undo::StartWriter(nth)
            }
            What::KillStore => {
                scene.store.kill()?;
                Undo::StartStore
            }
            What::FailOver => {
                scene.store.fail_over()?;
                Undo::Follow
            }
            What::KillBroker(..) => Undo::Nothing,
            What::Pause(destination) => {
                scene.operator.try_to(&["pause", &destination]);
                Undo::Resume(destination)
            }
            What::ReplayDead(to) => {
                scene.operator.try_to(&["replay", "--destination", &to, "--status", "dead", "--yes"]);
                Undo::Nothing
            }
            What::ReplayDelivered(to, key) => {
                let which = ["--destination", &to, "--key", &key, "--status", "delivered", "--since", "10s"];
                scene.operator.try_to(&[&["replay", "--yes"], &which[..]].concat());
                Undo::Nothing
            }
            What::Discard(from) => {
                scene.operator.try_to(&["discard", "--destination", &from, "--status", "dead", "--yes"]);
                Undo::Nothing
            }
        })
    }
}

impl Undo {
    pub fn apply(self, scene: Option<&mut Scene>, brokers: &mut [Broker]) -> Result<()> {
        if let Self::StartBroker(nth) = self {
            return brokers[nth].server.begin_again();
        }
        let Some(scene) = scene else { return Ok(()) };
        match self {
            Self::Nothing | Self::StartBroker(_) => Ok(()),
            Self::StartRelay(nth) => scene.relays[nth].start(),
            Self::Continue(nth) => {
                scene.relays[nth].signal("CONT");
                Ok(())
            }
            Self::Unlimit(nth) => {
                scene.relays[nth].limit(Limit::None);
                Ok(())
            }
            Self::SetClock(nth) => scene.relays[nth].set_clock("+0"),
            Self::Pass(link) => scene.links.set(&link, "pass"),
            Self::StartWriter(nth) => scene.start_writer(nth),
            Self::StartStore => scene.store.start_again(),
            Self::Follow => scene.store.follow(),
            Self::Resume(destination) => {
                let resumed = || scene.operator.try_to(&["resume", &destination]);
                anyhow::ensure!(crate::services::until(Duration::from_secs(60), resumed), "{destination} stays paused");
                Ok(())
            }
        }
    }
}
