//! What endangers the store itself: a pure function of the figures that only some kinds of store have.

use std::time::Duration;

use posthaste::duration::brief;
use posthaste::inspect::{Figure, Overview};
use serde::Serialize;

/// One figure of the store, and what to think of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Danger {
    pub name: &'static str,
    pub value: f64,
    pub level: Level,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Good,
    Warn,
    Bad,
}

/// Every figure of the overview that this knows.
pub fn dangers(overview: &Overview) -> Vec<Danger> {
    overview.figures.iter().filter_map(danger).collect()
}

fn danger(figure: &Figure) -> Option<Danger> {
    let (warn, bad) = bounds(figure.name)?;
    let beyond = |bound: f64| if warn > bad { figure.value < bound } else { figure.value >= bound };
    let level = match () {
        () if beyond(bad) => Level::Bad,
        () if beyond(warn) => Level::Warn,
        () => Level::Good,
    };
    Some(Danger { name: figure.name, value: figure.value, level, text: text(figure) })
}

/// From where on a person should know, and should act. For an oplog, less is worse.
fn bounds(name: &str) -> Option<(f64, f64)> {
    match name {
        "oldest_transaction_seconds" => Some((60.0, 900.0)),
        "tick_delay_seconds" | "sequencer_delay_seconds" => Some((5.0, 60.0)),
        "wal_bytes" => Some((256e6, 2e9)),
        "oplog_window_seconds" => Some((24.0 * 3_600.0, 3_600.0)),
        "gaps" => Some((100_000.0, 10_000_000.0)),
        "failovers" => Some((1.0, f64::INFINITY)),
        _ => None,
    }
}

fn text(figure: &Figure) -> String {
    let value = figure.value;
    let time = brief(Duration::try_from_secs_f64(value).unwrap_or_default());
    match figure.name {
        "oldest_transaction_seconds" => {
            format!(
                "the oldest transaction that writes has been open for {time}: its messages wait for its end, and rows cannot be cleaned up"
            )
        }
        "tick_delay_seconds" => format!("the oldest committed message has waited {time} for a tick"),
        "sequencer_delay_seconds" => format!("the oldest committed message has waited {time} for its position"),
        "wal_bytes" => {
            format!("the write-ahead log has {:.0} MB: one that only grows means that a reader hangs", value / 1e6)
        }
        "oplog_window_seconds" => format!("the oplog reaches {time} back: a relay that was away for longer polls once"),
        "gaps" => format!("{value:.0} numbers below the newest position have no message and may still get one"),
        "failovers" => format!("the database has failed over {value:.0} times: the audit log says when"),
        _ => figure.name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(name: &'static str, value: f64) -> Option<Level> {
        danger(&Figure { name, value }).map(|danger| danger.level)
    }

    #[test]
    fn a_long_transaction_a_slow_tick_and_a_short_oplog_are_dangers() {
        assert_eq!(level("oldest_transaction_seconds", 3.0), Some(Level::Good));
        assert_eq!(level("oldest_transaction_seconds", 90.0), Some(Level::Warn));
        assert_eq!(level("oldest_transaction_seconds", 1_200.0), Some(Level::Bad));
        assert_eq!(level("tick_delay_seconds", 61.0), Some(Level::Bad));
        assert_eq!(level("oplog_window_seconds", 48.0 * 3_600.0), Some(Level::Good));
        assert_eq!(level("oplog_window_seconds", 7_200.0), Some(Level::Warn));
        assert_eq!(level("oplog_window_seconds", 60.0), Some(Level::Bad));
        assert_eq!(level("failovers", 3.0), Some(Level::Warn), "nobody can mend it");
        assert_eq!(level("ticks", 9e9), None);
    }
}
