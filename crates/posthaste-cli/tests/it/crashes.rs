//! The real program dies, at chosen places and at random ones, and is started again: nothing is lost, order holds, and
//! only what was not recorded is delivered again.

use std::collections::HashSet;

use crate::lives::{self, Life, Printed};
use crate::orders::Orders;
use crate::program::{Place, until};

#[cfg(feature = "crash-points")]
mod at_named_places;
mod at_random;
mod by_a_message;
mod from_outside;
mod in_flight;
mod of_a_writer;
#[cfg(all(feature = "kurrentdb", feature = "postgres", feature = "jq"))]
mod of_sources;
#[cfg(all(feature = "crash-points", feature = "table"))]
mod of_tables;

/// What was printed over all lives, and what the journal had recorded when the last of them ended.
#[derive(Default)]
struct Chronicle {
    printed: Vec<Printed>,
    recorded: HashSet<String>,
}

impl Chronicle {
    /// Adds a life that has ended. It must have repeated nothing that was recorded before, and recorded nothing unprinted.
    #[track_caller]
    fn add(&mut self, place: &Place, printed: Vec<Printed>) {
        let repeated = printed.iter().find(|line| self.recorded.contains(&line.id));
        assert!(repeated.is_none(), "delivered again although recorded: {repeated:?}");
        self.printed.extend(printed);
        self.recorded = lives::recorded(place);
        let delivered: HashSet<&str> = self.printed.iter().map(|line| line.id.as_str()).collect();
        let early = self.recorded.iter().find(|id| !delivered.contains(id.as_str()));
        assert!(early.is_none(), "recorded although not delivered: {early:?}");
    }

    /// How many messages the next life may deliver again.
    fn unrecorded(&self) -> usize {
        let delivered: HashSet<&str> = self.printed.iter().map(|line| line.id.as_str()).collect();
        delivered.len() - self.recorded.len()
    }

    /// A last life brings everything to its end, and some more that was written while nobody lived.
    #[track_caller]
    fn finish(mut self, place: &Place, orders: &mut Orders) {
        orders.write(50);
        let life = Life::begin(place, []);
        until("everything is delivered", || {
            lives::has_all(&orders.written, self.printed.iter().chain(&life.printed()))
        });
        until("everything is recorded", || lives::recorded(place).len() == orders.written.len());
        self.add(place, life.stop());
        lives::assert_first_deliveries_in_order(&self.printed);
        assert_eq!(self.unrecorded(), 0, "a graceful stop leaves nothing unrecorded");
        lives::assert_all_well(place, &orders.written);
    }
}
