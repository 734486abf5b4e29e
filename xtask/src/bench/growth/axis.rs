//! What is changed, in which steps.

/// A journal, and who delivers from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub backlog: usize,
    pub bytes: usize,
    /// 0 is one for each message.
    pub keys: usize,
    pub destinations: usize,
    pub workers: usize,
    /// Deliveries that wait for tomorrow.
    pub parked: usize,
}

/// What most traffic looks like.
const USUAL: Cell = Cell { backlog: 100_000, bytes: 450, keys: 0, destinations: 1, workers: 1, parked: 0 };
/// More does not fit into a few minutes.
const MOST_BYTES: usize = 200_000_000;
/// As much is written in a second while waits are measured, at most.
const BYTES_PER_SECOND: usize = 10_000_000;

/// One thing that is changed.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    pub name: &'static str,
    pub title: &'static str,
    steps: &'static [usize],
    /// Whether the largest steps are left to the asker, because they take minutes.
    bounded: bool,
    change: fn(&mut Cell, usize),
}

pub const AXES: [Axis; 6] = [
    Axis {
        name: "backlog",
        title: "messages in the backlog",
        steps: &[10_000, 100_000, 1_000_000, 10_000_000],
        bounded: true,
        change: |cell, value| cell.backlog = value,
    },
    Axis {
        name: "bytes",
        title: "bytes of a message",
        steps: &[100, 1_000, 10_000, 100_000, 1_000_000],
        bounded: false,
        change: |cell, value| {
            cell.bytes = value;
            cell.backlog = cell.backlog.min(MOST_BYTES / value);
        },
    },
    Axis {
        name: "keys",
        title: "keys",
        steps: &[1, 100, 10_000, 1_000_000],
        bounded: true,
        change: |cell, value| {
            cell.keys = value;
            cell.backlog = cell.backlog.max(value);
        },
    },
    Axis {
        name: "destinations",
        title: "destinations",
        steps: &[1, 4, 10, 32],
        bounded: false,
        change: |cell, value| cell.destinations = value,
    },
    Axis {
        name: "workers",
        title: "workers",
        steps: &[1, 2, 4],
        bounded: false,
        change: |cell, value| cell.workers = value,
    },
    Axis {
        name: "parked",
        title: "parked messages",
        steps: &[0, 10_000, 100_000, 1_000_000],
        bounded: true,
        change: |cell, value| cell.parked = value,
    },
];

impl Axis {
    pub fn steps(&self, up_to: usize) -> impl Iterator<Item = usize> {
        let bounded = self.bounded;
        self.steps.iter().copied().filter(move |step| !bounded || *step <= up_to)
    }

    pub fn cell(&self, value: usize) -> Cell {
        let mut cell = USUAL;
        (self.change)(&mut cell, value);
        cell
    }
}

impl Cell {
    /// Messages, writers and milliseconds between two of one writer, while waits are measured: 1,000 a second for two seconds, and
    /// fewer if they are large.
    pub fn pace(&self) -> [usize; 3] {
        let per_second = (BYTES_PER_SECOND / self.bytes).min(1_000);
        [2 * per_second, 4, 4_000 / per_second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str) -> Axis {
        AXES.into_iter().find(|axis| axis.name == name).unwrap()
    }

    #[test]
    fn the_largest_steps_are_left_out_unless_they_are_asked_for() {
        assert_eq!(axis("backlog").steps(1_000_000).collect::<Vec<_>>(), [10_000, 100_000, 1_000_000]);
        assert_eq!(axis("backlog").steps(10_000_000).count(), 4);
        assert_eq!(axis("bytes").steps(1).count(), 5);
    }

    #[test]
    fn large_messages_are_fewer_and_slower() {
        let usual = axis("bytes").cell(100);
        assert_eq!((usual.backlog, usual.pace()), (100_000, [2_000, 4, 4]));
        let large = axis("bytes").cell(1_000_000);
        assert_eq!((large.backlog, large.pace()), (200, [20, 4, 400]));
    }

    #[test]
    fn every_key_has_a_message() {
        assert_eq!(axis("keys").cell(1_000_000).backlog, 1_000_000);
        assert_eq!(axis("keys").cell(1).backlog, 100_000);
    }
}
