//! Relays that are killed or frozen from outside, again and again: no message is taken for the cause.

use crate::application::{Application, World};
use crate::lives::{self, Life, Printed, place_with_lease};
#[cfg(feature = "mongodb")]
use crate::mongodb::InDatabase;
use crate::orders::Orders;
use crate::processes::{partitions_of, worker};
use crate::program::{until, until_or};
#[cfg(feature = "postgres")]
use crate::workers_on_postgres::InSchema;

const RELAYS: usize = 3;
/// `POSTHASTE_KILLS=200` for more.
const KILLS: usize = 15;
/// After so many kills a relay is frozen past its leases, and wakes up again.
const KILLS_PER_FREEZE: usize = 3;
/// A frozen relay may hold the lock of an SQLite file, which stops all others and the application for as long.
const NO_FREEZES: usize = usize::MAX;

/// Three busy relays, one of which is struck each time, while it delivers.
struct Fleet<A> {
    world: World<A>,
    lives: Vec<(String, Life)>,
    started: usize,
    printed: Vec<Printed>,
}

impl<A: Application> Fleet<A> {
    fn start(world: World<A>) -> Self {
        let mut fleet = Self { world, lives: Vec::new(), started: 0, printed: Vec::new() };
        (0..RELAYS).for_each(|_| fleet.start_one());
        fleet
    }

    fn start_one(&mut self) {
        self.started += 1;
        let name = format!("relay-{}", self.started);
        let life = worker(&self.world.place, &name);
        self.lives.push((name, life));
    }

    /// The first relay that delivers something, the oldest if it can be.
    fn take_busy(&mut self) -> (String, Life) {
        let before: Vec<usize> = self.lives.iter().map(|(_, life)| life.printed().len()).collect();
        let mut busy = None;
        until("one of them delivers", || {
            self.world.write(20);
            busy = (0..RELAYS).find(|&n| self.lives[n].1.printed().len() > before[n]);
            busy.is_some()
        });
        self.lives.remove(busy.unwrap())
    }

    fn kill_one(&mut self) {
        let (_, victim) = self.take_busy();
        self.printed.extend(victim.kill());
        self.start_one();
    }

    fn freeze_one(&mut self) {
        let (name, victim) = self.take_busy();
        victim.relay.signal("STOP");
        self.world.write(100);
        until("others have what it had", || partitions_of(&self.world.place, &name) == 0);
        victim.relay.signal("CONT");
        self.lives.push((name, victim));
    }

    fn has_delivered(&self) -> bool {
        let alive: Vec<Printed> = self.lives.iter().flat_map(|(_, life)| life.printed()).collect();
        lives::has_all(&self.world.written, self.printed.iter().chain(&alive))
    }
}

fn nobody_innocent_is_dead(world: World<impl Application>, kills_per_freeze: usize) {
    let kills = std::env::var("POSTHASTE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut fleet = Fleet::start(world);
    for nth in 1..=kills {
        fleet.kill_one();
        if nth % kills_per_freeze == 0 {
            fleet.freeze_one();
        }
    }
    let World { place, written, .. } = &fleet.world;
    until_or(|| fleet.has_delivered(), || format!("not everything is delivered: {}", place.run(["status"]).stdout));
    until("everything is recorded", || lives::recorded(place).len() == written.len());
    let counts = &place.json(["status"])["destinations"][0];
    assert_eq!((&counts["dead"], &counts["held_keys"]), (&0.into(), &0.into()), "{counts}");
}

#[test]
fn relays_that_are_killed_from_outside_make_no_message_dead_on_sqlite() {
    let place = place_with_lease("1s");
    let orders = Orders::at(&place);
    nobody_innocent_is_dead(World::new(place, orders), NO_FREEZES);
}

#[cfg(feature = "postgres")]
#[test]
fn relays_that_are_killed_and_frozen_from_outside_make_no_message_dead_on_postgres() {
    let (place, application) = InSchema::new();
    nobody_innocent_is_dead(World::new(place, application), KILLS_PER_FREEZE);
}

#[cfg(feature = "mongodb")]
#[test]
fn relays_that_are_killed_and_frozen_from_outside_make_no_message_dead_on_mongodb() {
    let (place, application) = InDatabase::new();
    nobody_innocent_is_dead(World::new(place, application), KILLS_PER_FREEZE);
}
