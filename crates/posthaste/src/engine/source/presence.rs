//! Whether the worker reads the source, or leaves it.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Staying,
    /// What was read is stored first.
    Finishing,
    /// The source is being given back.
    Releasing,
    Left,
}

impl Presence {
    pub(super) fn stop(&mut self) {
        if *self == Self::Staying {
            *self = Self::Finishing;
        }
    }

    /// The store was told that the source is given back; it may have been for another reason than leaving.
    pub(super) fn released(&mut self) {
        if *self == Self::Releasing {
            *self = Self::Left;
        }
    }
}
