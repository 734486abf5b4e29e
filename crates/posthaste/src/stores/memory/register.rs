//! Making destinations known.

use super::core::{Core, Known};
use super::lane::Lane;
use crate::destination::{Destination, Route, StartFrom};
use crate::journal::Position;

impl Core {
    /// See [`crate::journal::Journal::register`].
    pub fn register(&mut self, destinations: &[Destination]) {
        for known in self.destinations.values_mut() {
            known.current = false;
        }
        for destination in destinations {
            let start = match destination.start_from {
                StartFrom::Beginning => Position::START,
                StartFrom::Now => self.newest,
            };
            let known = self.destinations.entry(destination.name.clone()).or_insert_with(|| Known {
                route: Route::default(),
                current: false,
                paused: false,
                paused_tenants: Vec::new(),
                lanes: vec![Lane::starting_after(start); usize::from(self.partitions)],
            });
            known.current = true;
            known.route = destination.route.clone();
        }
    }
}
