//! Tenants that wait at a destination while the others go on.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A tenant that an operator has paused at a destination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TenantPause {
    /// Which tenant.
    pub tenant: String,
    /// Since when.
    pub since: Timestamp,
    /// Who paused it.
    pub who: String,
}

/// What an operator does about a tenant at a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TenantChange {
    /// Its messages wait until it is resumed.
    Pause(TenantPause),
    /// Ends the pause of this tenant.
    Resume(String),
}
