//! Holding every delivery to a destination, and going on.

use super::core::Core;
use crate::destination::Name;
use crate::error::Result;

impl Core {
    /// See [`crate::inspect::Inspect::pause`].
    pub fn pause(&mut self, destination: &Name) -> Result<bool> {
        self.set_paused(destination, true)
    }

    /// See [`crate::inspect::Inspect::resume`].
    pub fn resume(&mut self, destination: &Name) -> Result<bool> {
        self.set_paused(destination, false)
    }

    /// Returns whether that changed anything.
    fn set_paused(&mut self, destination: &Name, paused: bool) -> Result<bool> {
        let known = self.known_mut(destination)?;
        let changed = known.paused != paused;
        known.paused = paused;
        Ok(changed)
    }
}
