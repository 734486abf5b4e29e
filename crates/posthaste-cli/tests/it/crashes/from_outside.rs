//! Relays that are killed from outside, again and again: no message is taken for the cause.

use crate::lives::{self, Life, Printed, place_with_lease};
use crate::orders::Orders;
use crate::program::{Place, until};

const RELAYS: usize = 3;
/// `POSTHASTE_KILLS=200` for more.
const KILLS: usize = 30;

/// Three busy relays, one of which is killed each time, while it delivers.
struct Fleet<'a> {
    place: &'a Place,
    lives: Vec<Life>,
    printed: Vec<Printed>,
}

impl<'a> Fleet<'a> {
    fn start(place: &'a Place) -> Self {
        Self { place, lives: (0..RELAYS).map(|_| Life::begin(place, [])).collect(), printed: Vec::new() }
    }

    /// Kills the first relay that delivers something, the oldest if it can be, and starts another one.
    fn kill_one(&mut self, orders: &mut Orders) {
        let before: Vec<usize> = self.lives.iter().map(|life| life.printed().len()).collect();
        let mut busy = None;
        until("one of them delivers", || {
            orders.write(20);
            busy = (0..RELAYS).find(|&n| self.lives[n].printed().len() > before[n]);
            busy.is_some()
        });
        let victim = self.lives.remove(busy.unwrap());
        self.printed.extend(victim.kill());
        self.lives.push(Life::begin(self.place, []));
    }

    fn has_delivered(&self, orders: &Orders) -> bool {
        let alive: Vec<Printed> = self.lives.iter().flat_map(Life::printed).collect();
        lives::has_all(&orders.written, self.printed.iter().chain(&alive))
    }
}

#[test]
fn relays_that_are_killed_from_outside_make_no_message_dead() {
    let kills = std::env::var("POSTHASTE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let place = place_with_lease("1s");
    let mut orders = Orders::at(&place);
    let mut fleet = Fleet::start(&place);
    for _ in 0..kills {
        fleet.kill_one(&mut orders);
    }
    until("everything is delivered", || fleet.has_delivered(&orders));
    until("everything is recorded", || lives::recorded(&place).len() == orders.written.len());
    let counts = &place.json(["status"])["destinations"][0];
    assert_eq!((&counts["dead"], &counts["held_keys"]), (&0.into(), &0.into()), "{counts}");
}
