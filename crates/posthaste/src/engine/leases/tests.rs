use super::*;

#[test]
fn what_a_worker_leaves_is_asked_for_as_soon_as_it_is_known_to_be_gone() {
    let mut leases = Leases::new(Duration::from_secs(3), 16, Mistakes::default());
    let mut ask = |at: u64, workers| {
        let now = Duration::from_millis(at);
        let wanted = leases.plan_lease(now);
        if wanted.is_some() {
            leases.lease_answered();
            leases.granted(now, &[], workers);
        }
        wanted
    };
    assert_eq!(ask(0, 4), Some(16));
    assert_eq!(ask(100, 4), None, "nothing has changed");
    assert_eq!(ask(500, 2), Some(4));
    assert_eq!(ask(501, 2), Some(8), "two have gone");
    assert_eq!(ask(502, 2), None, "and that was asked for");
}

fn ms(number: u64) -> Duration {
    Duration::from_millis(number)
}

fn lease(partition: u16, epoch: u64) -> Lease {
    Lease { partition: Partition::new(partition), epoch: Epoch::new(epoch), expired_before: false }
}

/// Of eight partitions with leases of three seconds; these were granted at ten seconds to one of so many workers.
fn held(partitions: &[u16], workers: usize) -> Leases {
    let mut leases = Leases::new(ms(3_000), 8, Mistakes::default());
    let granted: Vec<Lease> = partitions.iter().map(|partition| lease(*partition, 4)).collect();
    leases.granted(ms(10_000), &granted, workers);
    leases
}

#[test]
fn partitions_are_asked_for_twice_a_second_or_four_times_in_a_lease_and_once_at_a_time() {
    for (ttl, pause) in [(3_000, 500), (1_000, 250)] {
        let mut leases = Leases::new(ms(ttl), 8, Mistakes::default());
        assert_eq!(leases.plan_lease(ms(100)), Some(8));
        assert_eq!(leases.plan_lease(ms(100 + pause)), None, "the answer has not come");
        leases.lease_answered();
        assert_eq!(leases.wake_at(false), Some(ms(100 + pause)));
        assert_eq!(leases.plan_lease(ms(99 + pause)), None);
        assert_eq!(leases.plan_lease(ms(100 + pause)), Some(8));
    }
}

#[test]
fn a_lease_is_renewed_three_times_in_its_time_and_at_once_with_news() {
    let mut leases = held(&[1, 2], 1);
    assert_eq!(leases.plan_renewal(ms(10_000)), Some(vec![lease(1, 4), lease(2, 4)]));
    assert_eq!(leases.plan_renewal(ms(12_000)), None, "the answer has not come");
    assert_eq!(leases.renewed(ms(10_000), &leases.all(), &[1, 2].map(Partition::new)), []);
    assert_eq!(leases.plan_renewal(ms(10_999)), None);
    leases.report_at_once();
    assert!(leases.plan_renewal(ms(10_500)).is_some(), "there is news");
    leases.renewal_failed(ms(10_600));
    assert_eq!(leases.plan_renewal(ms(10_899)), None, "the news went with the one that failed");
    assert!(leases.plan_renewal(ms(10_900)).is_some(), "a tenth of its time after it failed");
    assert_eq!(held(&[], 1).plan_renewal(ms(99_000)), None, "there is nothing to renew");
}

#[test]
fn a_lease_counts_from_when_it_was_asked_for_and_nothing_is_handed_over_in_its_last_fifth() {
    let mut leases = held(&[1], 1);
    let safe_until = |leases: &Leases, epoch| leases.safe_until(Partition::new(1), Epoch::new(epoch));
    assert_eq!((safe_until(&leases, 4), safe_until(&leases, 3)), (ms(12_400), Duration::ZERO));
    assert_eq!((leases.expired(ms(12_999)), leases.expired(ms(13_000))), (vec![], vec![lease(1, 4)]));
    assert_eq!(leases.renewed(ms(11_000), &[lease(1, 4)], &[Partition::new(1)]), []);
    assert_eq!(safe_until(&leases, 4), ms(13_400));
    assert_eq!(leases.renewed(ms(10_500), &[lease(1, 4)], &[Partition::new(1)]), []);
    assert_eq!(safe_until(&leases, 4), ms(13_400), "an answer that comes late takes nothing back");
    assert_eq!(leases.renewed(ms(12_000), &[lease(1, 3)], &[]), [], "that lease was over before");
    assert_eq!(leases.renewed(ms(12_000), &[lease(1, 4)], &[]), [lease(1, 4)]);
}

#[test]
fn a_worker_gives_back_what_is_beyond_its_share_once() {
    let mut leases = held(&[0, 1, 2, 3, 4, 5], 2);
    assert_eq!(leases.plan_drain(), [5, 4].map(Partition::new));
    assert_eq!(leases.plan_drain(), []);
    assert_eq!(leases.draining(), [lease(4, 4), lease(5, 4)]);
    assert_eq!((leases.len(), leases.share_held()), (6, 0.75));
    assert!(!leases.remove(Partition::new(5), Epoch::new(3)) && leases.holds(Partition::new(5)));
    assert!(leases.remove(Partition::new(5), Epoch::new(4)) && !leases.holds(Partition::new(5)));
    leases.clear();
    assert_eq!((leases.len(), leases.share_held()), (0, 0.0));
}

#[test]
fn a_worker_knows_a_lease_again_that_it_let_lapse_itself() {
    let leases = held(&[1], 1);
    assert!(leases.own_lapse(&lease(1, 5)));
    assert!(!leases.own_lapse(&lease(1, 6)), "somebody else had it in between");
    assert!(!leases.own_lapse(&lease(2, 5)), "this worker never had it");
    assert_eq!(leases.replaced_by(&[lease(1, 5), lease(2, 1)]), [lease(1, 4)]);
}

#[test]
fn a_worker_wakes_to_ask_to_renew_and_to_let_go() {
    let mut leases = held(&[1], 1);
    leases.plan_lease(ms(10_000));
    assert_eq!(leases.wake_at(false), Some(Duration::ZERO), "to renew");
    leases.plan_renewal(ms(10_100));
    assert_eq!(leases.wake_at(false), Some(ms(13_000)), "both are under way, and the lease ends");
    leases.lease_answered();
    assert_eq!((leases.wake_at(false), leases.wake_at(true)), (Some(ms(10_500)), Some(ms(13_000))));
    leases.renewal_failed(ms(10_200));
    assert_eq!(leases.wake_at(true), Some(ms(10_500)));
    assert_eq!(held(&[], 1).wake_at(true), None);
}
