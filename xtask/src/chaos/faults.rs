//! What goes wrong, and what is put right again afterwards. Each scene has faults of its own; those of brokers are everybody's.

use std::time::{Duration, Instant};

use anyhow::Result;

use self::kind::{Fault, Undo};
use super::brokers::Broker;
use super::config::LEASE;
use super::dice::Dice;
use super::fault_log::FaultLog;
use super::scene::Scene;

mod kind;

/// Nothing else happens for so long before and after a fault whose takeover is measured.
const CALM: Duration = Duration::from_millis(LEASE.as_millis() as u64 + 2_500);
/// One in so many faults is one whose takeover is measured.
const MEASURED: usize = 6;

/// A fault that is not over.
struct Active {
    until: Instant,
    entry: usize,
    target: String,
    undo: Undo,
}

/// The faults of one scene, or of the brokers.
struct Schedule {
    /// Its scene; none for the brokers.
    scene: Option<usize>,
    dice: Dice,
    next: Instant,
    /// The next fault has to happen alone.
    alone: bool,
    /// When something was put right last.
    calm_since: Instant,
    active: Vec<Active>,
}

pub struct Faults {
    log: FaultLog,
    every: Duration,
    schedules: Vec<Schedule>,
    seeds: Dice,
}

impl Faults {
    pub fn new(dice: Dice, log: FaultLog, every: Duration) -> Self {
        Self { log, every, schedules: Vec::new(), seeds: dice }
    }

    /// How many there were so far.
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Puts right what has lasted long enough, and breaks something if it is time.
    pub fn go_on(&mut self, scenes: &mut [Scene], brokers: &mut [Broker]) -> Result<()> {
        if self.schedules.is_empty() {
            let all = (0..scenes.len()).map(Some).chain((!brokers.is_empty()).then_some(None));
            let next = Instant::now() + LEASE;
            let schedule = |scene| Schedule {
                scene,
                dice: Dice::new(self.seeds.next()),
                next,
                alone: false,
                calm_since: Instant::now(),
                active: Vec::new(),
            };
            self.schedules = all.map(schedule).collect();
        }
        for schedule in &mut self.schedules {
            schedule.put_right(&mut self.log, scenes, brokers, Instant::now())?;
            // Brokers take their time to come back.
            let every = if schedule.scene.is_some() { self.every } else { self.every * 8 };
            schedule.break_something(&mut self.log, scenes, brokers, every)?;
        }
        for relay in scenes.iter_mut().flat_map(|scene| &mut scene.relays) {
            relay.keep_up()?;
        }
        Ok(())
    }

    /// Puts everything right.
    pub fn end(mut self, scenes: &mut [Scene], brokers: &mut [Broker]) -> Result<FaultLog> {
        for schedule in &mut self.schedules {
            let late = Instant::now() + Duration::from_secs(3_600);
            schedule.put_right(&mut self.log, scenes, brokers, late)?;
        }
        brokers.iter_mut().try_for_each(|broker| broker.server.start_again())?;
        Ok(self.log)
    }
}

impl Schedule {
    fn put_right(
        &mut self,
        log: &mut FaultLog,
        scenes: &mut [Scene],
        brokers: &mut [Broker],
        now: Instant,
    ) -> Result<()> {
        let (over, active) = std::mem::take(&mut self.active).into_iter().partition(|fault| fault.until <= now);
        self.active = active;
        for fault in over {
            fault.undo.apply(self.scene.map(|scene| &mut scenes[scene]), brokers)?;
            log.ends(fault.entry)?;
            self.calm_since = Instant::now();
        }
        Ok(())
    }

    fn break_something(
        &mut self,
        log: &mut FaultLog,
        scenes: &mut [Scene],
        brokers: &mut [Broker],
        every: Duration,
    ) -> Result<()> {
        let is_calm = self.active.is_empty() && self.calm_since.elapsed() > CALM;
        if Instant::now() < self.next || (self.alone && !is_calm) {
            return Ok(());
        }
        let scene = self.scene.map(|scene| &mut scenes[scene]);
        let fault = match (&scene, self.alone) {
            (Some(scene), true) => Fault::to_measure(&mut self.dice, scene, CALM),
            (Some(scene), false) => Fault::of_scene(&mut self.dice, scene),
            (None, _) => Fault::of_brokers(&mut self.dice, brokers),
        };
        let calm = if self.alone { fault.lasts_at_least() + CALM } else { Duration::ZERO };
        self.next = Instant::now() + calm + self.dice.millis(0, 2 * every.as_millis() as u64);
        self.alone = scene.is_some() && self.dice.below(MEASURED) == 0;
        let target = fault.target();
        if self.active.iter().any(|active| active.target == target) || fault.is_too_early(brokers) {
            return Ok(());
        }
        let name = scene.as_ref().map(|scene| scene.name);
        let entry = log.begins(fault.name(), name, target.clone())?;
        let until = Instant::now() + fault.lasts();
        let undo = fault.apply(scene, brokers)?;
        self.active.push(Active { until, entry, target, undo });
        Ok(())
    }
}
