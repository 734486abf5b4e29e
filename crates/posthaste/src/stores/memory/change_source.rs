//! Pausing, resuming and rewinding a source.

use super::core::{Core, timestamp};
use crate::destination::Name;
use crate::error::{Error, Result};
use crate::inspect::SourceChange;
use crate::rules::source;

impl Core {
    /// See [`crate::inspect::Inspect::change_source`].
    pub fn change_source(&mut self, name: &Name, change: &SourceChange) -> Result<bool> {
        let now = timestamp(self.now);
        let known = self.sources.get_mut(name).ok_or_else(|| Error::unknown_source(name))?;
        let Some(after) = source::changed(&known.status, change) else { return Ok(false) };
        let has_moved = after.checkpoint != known.status.checkpoint;
        known.status = after;
        if has_moved {
            known.status.moved_at = Some(now);
        }
        Ok(true)
    }
}
