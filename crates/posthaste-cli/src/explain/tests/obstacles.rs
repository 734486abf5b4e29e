//! What stops every delivery of a destination or a partition.

use super::*;

#[test]
fn pending_without_a_worker() {
    let orphaned = Report { lease: None, ..report(delivery(Status::Pending)) };
    let explanation = one(&orphaned);
    assert_eq!(explanation.cause, Cause::NoWorker);
    assert_eq!(explanation.summary, "No worker serves its partition (17): no relay is running.");
    assert_eq!(commands(&explanation), ["posthaste run", "posthaste status"]);
}

#[test]
fn pending_with_a_worker_that_died() {
    let mut orphaned = report(delivery(Status::Pending));
    orphaned.lease.as_mut().unwrap().expired = true;
    let explanation = one(&orphaned);
    assert_eq!(explanation.cause, Cause::LeaseExpired);
    assert_eq!(explanation.summary, "The worker of its partition (17), host-1, is gone.");
    assert_eq!(explanation.because[0], "Its lease (epoch 3) has run out: the worker died, or it hangs.");
}

#[test]
fn a_worker_without_the_destination_is_named() {
    let mut starved = report(delivery(Status::Pending));
    starved.lease = Some(lease(DestinationReport::default()));
    starved.lease.as_mut().unwrap().report.as_mut().unwrap().destinations[0].name = "handlers".into();
    let explanation = one(&starved);
    assert_eq!(explanation.cause, Cause::NoWorker);
    assert_eq!(explanation.summary, "The worker of its partition, host-1, has no destination crm.");
}

#[test]
fn a_paused_destination_comes_before_everything_else() {
    let paused = DeliveryReport { paused: true, ..delivery(Status::Pending) };
    let explanation = one(&Report { lease: None, ..report(paused) });
    assert_eq!(explanation.cause, Cause::Paused);
    assert_eq!(explanation.summary, "crm is paused.");
    assert_eq!(commands(&explanation), ["posthaste audit", "posthaste resume crm"]);
}

#[test]
fn an_outage_shows_the_error_of_the_worker_that_sees_it() {
    let mut cut_off = report(delivery(Status::Pending));
    let outage = Some("connection refused\u{1b}[2J".into());
    cut_off.lease = Some(lease(DestinationReport { outage, ..DestinationReport::default() }));
    let explanation = one(&cut_off);
    assert_eq!(explanation.cause, Cause::Outage);
    assert_eq!(explanation.summary, "crm is out of reach.");
    assert_eq!(explanation.because[0], "host-1 says: connection refused·[2J");
    assert!(explanation.cause.mends_itself());
}

#[test]
fn too_many_held_keys_stop_a_lane() {
    let mut stopped = report(delivery(Status::Pending));
    stopped.lease = Some(lease(DestinationReport { overfull_lanes: 2, ..DestinationReport::default() }));
    let explanation = one(&stopped);
    assert_eq!(explanation.cause, Cause::TooManyHeldKeys);
    assert_eq!(explanation.because[0], "host-1 has stopped 2 of its lanes (relay.max_held_keys is reached).");
    assert_eq!(commands(&explanation)[0], "posthaste list --destination crm --status dead");
}
