//! Hours in which only what is bad enough is told.

use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;

use super::Severity;

/// Hours in which only what is bad enough is told. What is still wrong afterwards is told then.
#[derive(Debug, Clone, PartialEq)]
pub struct Quiet {
    /// When they begin.
    pub from: Time,
    /// When they end; earlier than `from` if they go on over midnight.
    pub to: Time,
    /// Where it is that time.
    pub zone: TimeZone,
    /// What is at least so bad is told all the same.
    pub except: Severity,
}

impl Quiet {
    /// Whether something of this severity has to wait.
    pub(super) fn silences(&self, severity: Severity, now: Timestamp) -> bool {
        let time = now.to_zoned(self.zone.clone()).time();
        let within = match self.from <= self.to {
            true => (self.from..self.to).contains(&time),
            false => time >= self.from || time < self.to,
        };
        within && severity < self.except
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_go_over_midnight_and_let_through_what_is_bad_enough() {
        let quiet = |from: &str, to: &str| Quiet {
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
            zone: TimeZone::UTC,
            except: Severity::Error,
        };
        let at = |time: &str| format!("2026-03-01T{time}Z").parse::<Timestamp>().unwrap();
        let (night, noon) = (quiet("22:00", "07:00"), quiet("12:00", "13:00"));
        for (time, silent) in [("21:59:59", false), ("22:00:00", true), ("03:00:00", true), ("07:00:00", false)] {
            assert_eq!(night.silences(Severity::Warning, at(time)), silent, "{time}");
            assert!(!night.silences(Severity::Error, at(time)));
        }
        assert!(noon.silences(Severity::Warning, at("12:30:00")) && !noon.silences(Severity::Warning, at("13:00:00")));
    }
}
