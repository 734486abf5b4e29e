//! What stops every delivery of a destination or a partition.

use posthaste::inspect::{DeliveryReport, LeaseReport, Report, Status, TenantPause};
use posthaste::journal::{DestinationReport, Partition};

use super::{Cause, Explanation};
use crate::health;
use crate::output::plain;
use crate::selection::line::quoted;

/// In the order in which they are looked for: what an operator asked for, then whether a worker is there, then what that worker meets.
pub enum Obstacle<'a> {
    Paused { destination: &'a str },
    PausedTenant { destination: &'a str, pause: &'a TenantPause },
    NoWorker { partition: Partition },
    LeaseExpired { lease: &'a LeaseReport },
    NotServed { destination: &'a str, worker: &'a str },
    Outage { destination: &'a str, worker: &'a str, error: &'a str },
    TooManyHeldKeys { destination: &'a str, worker: &'a str, lanes: usize },
}

impl<'a> Obstacle<'a> {
    /// The first obstacle of a delivery that would go on without it.
    pub fn of(report: &'a Report, delivery: &'a DeliveryReport) -> Option<Self> {
        if matches!(delivery.status, Status::Delivered | Status::Dead | Status::Discarded) {
            return None;
        }
        let destination = &*delivery.destination;
        if delivery.paused {
            return Some(Self::Paused { destination });
        }
        if let Some(pause) = &delivery.paused_tenant {
            return Some(Self::PausedTenant { destination, pause });
        }
        let Some(lease) = &report.lease else { return Some(Self::NoWorker { partition: report.partition }) };
        if lease.expired {
            return Some(Self::LeaseExpired { lease });
        }
        Self::of_worker(lease, delivery)
    }

    fn of_worker(lease: &'a LeaseReport, delivery: &'a DeliveryReport) -> Option<Self> {
        let worker = &*lease.worker;
        let mut reports = lease.report.as_ref()?.destinations.iter();
        let Some(report) = reports.find(|report| report.name == delivery.destination) else {
            return Some(Self::NotServed { destination: &delivery.destination, worker });
        };
        let DestinationReport { name: destination, outage, overfull_lanes: lanes, .. } = report;
        match outage {
            Some(error) => Some(Self::Outage { destination, worker, error }),
            None if *lanes > 0 && delivery.status == Status::Pending => {
                Some(Self::TooManyHeldKeys { destination, worker, lanes: *lanes })
            }
            None => None,
        }
    }

    pub fn sentence(&self) -> String {
        match self {
            Self::Paused { destination } => format!("{destination} is paused."),
            Self::PausedTenant { destination, pause } => {
                format!("Tenant {}.", health::paused_tenant(destination, pause))
            }
            Self::NoWorker { partition } => {
                format!("No worker serves its partition ({partition}): no relay is running.")
            }
            Self::LeaseExpired { lease } => {
                format!("The worker of its partition ({}), {}, is gone.", lease.partition, lease.worker)
            }
            Self::NotServed { destination, worker } => {
                format!("The worker of its partition, {worker}, has no destination {destination}.")
            }
            Self::Outage { destination, .. } => format!("{destination} is out of reach."),
            Self::TooManyHeldKeys { destination, .. } => {
                format!("{destination} has stopped: too many of its keys are held.")
            }
        }
    }

    pub fn explanation(&self) -> Explanation {
        match self {
            Self::Paused { destination } => Explanation::new(Cause::Paused, self.sentence())
                .because(
                    "Someone paused it, or it answered that it wants no more messages. It stays paused until someone resumes it.",
                )
                .remedy("posthaste audit", "says who paused it, and why")
                .remedy(format!("posthaste resume {destination}"), "ends the pause"),
            Self::PausedTenant { destination, pause } => Explanation::new(Cause::Paused, self.sentence())
                .because("Its messages wait there, in order, and cost no attempt. All other tenants go on.")
                .remedy(
                    format!("posthaste resume {destination} --tenant {}", quoted(&pause.tenant)),
                    "ends the pause",
                ),
            Self::NoWorker { .. } => Explanation::new(Cause::NoWorker, self.sentence())
                .remedy("posthaste run", "starts a relay with this config")
                .remedy("posthaste status", "shows the workers that are alive"),
            Self::LeaseExpired { lease } => Explanation::new(Cause::LeaseExpired, self.sentence())
                .because(format!("Its lease (epoch {}) has run out: the worker died, or it hangs.", lease.epoch))
                .because("Any relay that runs takes the partition over within seconds.")
                .remedy("posthaste status", "shows the workers that are alive")
                .remedy("posthaste run", "starts one, if there is none"),
            Self::NotServed { .. } => Explanation::new(Cause::NoWorker, self.sentence())
                .because("All workers of a journal need the same destinations: whoever holds a partition delivers all of it.")
                .remedy("posthaste status", "shows the workers that are alive: start that one with this config, or stop it"),
            Self::Outage { worker, error, .. } => Explanation::new(Cause::Outage, self.sentence())
                .because(format!("{worker} says: {}", plain::line(error)))
                .because("No attempt is spent. Deliveries go on by themselves when it answers again.")
                .remedy("posthaste check", "tries to reach every destination from here"),
            Self::TooManyHeldKeys { destination, worker, lanes } => {
                Explanation::new(Cause::TooManyHeldKeys, self.sentence())
                    .because(format!("{worker} has stopped {lanes} of its lanes (relay.max_held_keys is reached)."))
                    .because("A key is held while a message is at its head that is retrying, throttled, paused, dead, or waits for its answer.")
                    .remedy(format!("posthaste list --destination {destination} --status dead"), "shows what blocks them")
                    .remedy(format!("posthaste replay --destination {destination} --status dead"), "tries those again")
            }
        }
    }
}
