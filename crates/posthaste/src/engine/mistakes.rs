//! Protocol mistakes that can be planted in the engine, to prove that the simulator would catch them.
//!
//! Without the `simulator` feature the set is always empty and every check compiles away.

/// One way to get it wrong. Each is a mistake that real outboxes have made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(not(feature = "simulator"), allow(unreachable_pub, reason = "the simulator shows it"))]
pub enum Mistake {
    /// Count a message as settled when it is handed over, not when it is confirmed.
    MarkBeforePublish,
    /// Count the whole run as confirmed when the sink stopped in the middle.
    AckAllOnPartialFailure,
    /// Let later messages of a key go on while an earlier one is being retried.
    RetryOvertaken,
    /// Move the cursor to what was read instead of what was settled.
    CursorPastUnsettled,
    /// Move the cursor past a parked delivery without writing the parked delivery.
    ParkNotWritten,
    /// Hand over a second run of a key while the first is in flight.
    TwoRunsPerKey,
    /// Go on delivering after the lease has ended.
    DeliverWithoutLease,
    /// Spend an attempt on every message that meets an outage.
    OutageSpendsAttempts,
    /// Let a key go on past its dead message although the policy says `block`.
    DeadUnblocksKey,
    /// Free a key when its head is settled, forgetting what waits behind it.
    FollowersForgotten,
    /// Pass a message of a held key without remembering that it waits.
    HoldNotExtended,
    /// Ignore what the holder before had settled beyond its low-water position.
    DoneSetIgnored,
    /// Believe an answer about due deliveries that was asked before they were settled.
    StaleDueBelieved,
    /// Forget what a failed commit carried.
    FailedCommitForgotten,
    /// Keep lanes whose lease was not renewed.
    LostLeaseKept,
    /// Do not note attempts ahead of deliveries after a crash.
    CrashLoopUnguarded,
    /// Read on however much is in memory.
    UnboundedWindow,
    /// Give leases back while deliveries are in flight.
    ReleaseBeforeFlush,
    /// Stop the whole lane while one of its keys is held.
    HeldKeyStopsLane,
    /// Drop a message that its tenant's rate does not allow now.
    ThrottledDropped,
    /// Serve a tenant that is known to be paused.
    PausedTenantServed,
    /// Leave what was put aside for a paused tenant where it is when the tenant is resumed.
    ResumedForgotten,
    /// Deliver scheduled messages at once.
    ScheduleIgnored,
    /// Believe what waits behind a held key without making sure that the lease still held after it was read.
    HeldReadUnfenced,
    /// Take what was read behind a held key for all that waits there, although it is a part of it.
    HeldReachIgnored,
    /// Go on after a commit that got no answer in time, although it may still be carried out.
    LateCommitIgnored,
    /// Hand over what was planned while the lease held, without another look at the clock.
    HandedOverLate,
    /// Try all suspects beside each other, so that they share the blame for the death of a worker.
    SuspectsTogether,
    /// Tell the store again of a death whose commit failed, but not of its letter.
    LettersForgotten,
    /// Put two runs of one key into one hand-over.
    KeyTwiceInHandOver,
    /// Take the outcome of one run of a hand-over for that of another.
    OutcomesMixedUp,
    /// Cancel a hand-over because one of its leases is gone, and forget what others had in it.
    OthersForgotten,
    /// Answer a read from what was read for other partitions.
    TailOfOthers,
    /// Count a message as delivered when it is handed over, although its receiver has not answered.
    DeliveredAtHandOver,
    /// Save the checkpoint of a source ahead of what was stored.
    CheckpointTooEarly,
    /// Read a source on however much is in memory.
    SourceWindowIgnored,
}

impl Mistake {
    /// All of them.
    #[cfg(feature = "simulator")]
    pub const ALL: [Self; 36] = [
        Self::MarkBeforePublish,
        Self::AckAllOnPartialFailure,
        Self::RetryOvertaken,
        Self::CursorPastUnsettled,
        Self::ParkNotWritten,
        Self::TwoRunsPerKey,
        Self::DeliverWithoutLease,
        Self::OutageSpendsAttempts,
        Self::DeadUnblocksKey,
        Self::FollowersForgotten,
        Self::HoldNotExtended,
        Self::DoneSetIgnored,
        Self::StaleDueBelieved,
        Self::FailedCommitForgotten,
        Self::LostLeaseKept,
        Self::CrashLoopUnguarded,
        Self::UnboundedWindow,
        Self::ReleaseBeforeFlush,
        Self::HeldKeyStopsLane,
        Self::ThrottledDropped,
        Self::PausedTenantServed,
        Self::ResumedForgotten,
        Self::ScheduleIgnored,
        Self::HeldReadUnfenced,
        Self::HeldReachIgnored,
        Self::LateCommitIgnored,
        Self::HandedOverLate,
        Self::SuspectsTogether,
        Self::LettersForgotten,
        Self::KeyTwiceInHandOver,
        Self::OutcomesMixedUp,
        Self::OthersForgotten,
        Self::TailOfOthers,
        Self::DeliveredAtHandOver,
        Self::CheckpointTooEarly,
        Self::SourceWindowIgnored,
    ];
}

/// The mistakes planted in one engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mistakes(u64);

impl Mistakes {
    /// The engine as it should be.
    pub(crate) const NONE: Self = Self(0);

    /// An engine with one mistake.
    #[cfg(feature = "simulator")]
    pub(crate) fn planted(mistake: Mistake) -> Self {
        Self(1 << mistake as u64)
    }

    /// Whether this mistake is planted.
    pub(crate) fn has(self, mistake: Mistake) -> bool {
        cfg!(feature = "simulator") && self.0 & (1 << mistake as u64) != 0
    }
}
