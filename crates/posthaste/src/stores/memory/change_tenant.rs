//! Pausing one tenant at a destination, and letting it go on.

use super::core::Core;
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::TenantChange;
use crate::rules::tenant::{self, RESUMED_IN};

impl Core {
    /// See [`crate::inspect::Inspect::change_tenant`].
    pub fn change_tenant(&mut self, destination: &Name, change: &TenantChange) -> Result<bool> {
        let soon = self.now.saturating_add(RESUMED_IN);
        let known = self.known_mut(destination)?;
        let Some(after) = tenant::changed(&known.paused_tenants, change) else { return Ok(false) };
        known.paused_tenants = after;
        if matches!(change, TenantChange::Resume(_)) {
            known.lanes.iter_mut().for_each(|lane| lane.hasten_paused(soon));
        }
        Ok(true)
    }

    /// Who is paused where, of the destinations that have someone paused.
    pub(super) fn paused_tenants(&self) -> Vec<(Name, Vec<String>)> {
        let paused = self.current().filter(|(_, known)| !known.paused_tenants.is_empty());
        let names = paused.map(|(name, known)| {
            (name.clone(), known.paused_tenants.iter().map(|pause| pause.tenant.clone()).collect())
        });
        names.collect()
    }
}
