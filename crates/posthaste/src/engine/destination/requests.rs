//! What a destination asks of the store, and what becomes of the answers.

use super::{DestinationState, Heard, LaneId};
use crate::engine::lane::QueueId;
use crate::engine::protocol::{StoreAnswer, StoreFailure};
use crate::journal::{Batch, HeldKey};

/// What a destination remembers about a request until the answer comes. `commits` is always the number of commits that were known
/// when the request was made: what was decided since is newer than the answer.
#[derive(Debug)]
pub(in crate::engine) enum DestinationRequest {
    /// The journal is read for lanes that stand together.
    Read { lanes: Vec<LaneId> },
    /// What waits behind a held key is read.
    ReadKey(KeyRead),
    /// It was read, and is believed if the lease still holds.
    FenceKey { read: KeyRead, batch: Batch },
    /// Parked deliveries whose time has come are read.
    Due { lanes: Vec<LaneId>, limit: usize, commits: u64 },
    /// What these lanes decided is recorded.
    Commit { lanes: Vec<LaneId> },
}

/// A read of what waits behind a held key.
#[derive(Debug)]
pub(in crate::engine) struct KeyRead {
    pub(super) lane: LaneId,
    pub(super) queue: QueueId,
    pub(super) held: HeldKey,
    pub(super) commits: u64,
}

impl DestinationState {
    /// The store answered, or did not. Returns the lanes whose lease is gone.
    pub(in crate::engine) fn answered(
        &mut self,
        request: DestinationRequest,
        result: Result<StoreAnswer, StoreFailure>,
        heard: &mut Heard<'_>,
    ) -> Vec<LaneId> {
        use DestinationRequest::{Commit, Due, FenceKey, Read, ReadKey};
        match (request, result) {
            (Read { lanes }, Ok(StoreAnswer::Read(batch))) => self.reader.arrive(lanes, batch, &mut self.lanes),
            (Read { lanes }, _) => self.reader.failed(heard.now, &lanes, &mut self.lanes),
            (ReadKey(read), Ok(StoreAnswer::KeyRead(batch))) => self.fence_key(read, batch, heard),
            (FenceKey { read, batch }, Ok(StoreAnswer::Committed(refused))) if refused.is_empty() => {
                self.key_read(&read, batch);
            }
            (ReadKey(read) | FenceKey { read, .. }, _) => self.key_not_read(heard.now, &read),
            (Due { lanes, limit, commits }, Ok(StoreAnswer::Due(batch))) => {
                self.take_due(&lanes, limit, commits, batch, heard);
            }
            (Due { .. }, _) => self.due_not_read(heard.now),
            (Commit { lanes }, Ok(StoreAnswer::Committed(refused))) => {
                return self.committed(heard.now, &lanes, &refused);
            }
            (Commit { lanes }, result) => return self.commit_failed(heard.now, lanes, result.err()),
        }
        Vec::new()
    }
}
