//! What a lane tells its destination.

use super::QueueId;

/// What happened in a lane and concerns its destination, until the destination takes note.
#[derive(Debug, Default)]
pub(in crate::engine) struct Notices {
    /// Queues that became servable.
    pub(in crate::engine) ready: Vec<QueueId>,
    /// Queues whose waiting messages should be read.
    pub(in crate::engine) keys_to_read: Vec<QueueId>,
    /// Parked deliveries that were kept back may go now.
    pub(in crate::engine) freed: bool,
    /// A parked delivery waits until the lane has read up to its position.
    pub(super) postponed: bool,
}
