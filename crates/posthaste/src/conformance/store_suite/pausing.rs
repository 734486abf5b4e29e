//! Destinations and tenants that an operator pauses and resumes.

use std::time::Duration;

use super::Fixture;
use super::fixture::{LONG, eventually, worker};
use super::making::{lane, lease_of, made, order, park};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{TenantChange, TenantPause};
use crate::journal::{Entry, Epoch, LaneCommit, Lease, Park, ParkedState};
use crate::message::Message;

const HOUR: Duration = Duration::from_secs(3_600);

/// Workers learn of a pause with their leases.
pub async fn a_paused_destination_is_in_every_grant_until_it_is_resumed(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let paused = async || Ok::<_, crate::Error>(t.journal.lease(&worker("w"), LONG, 0).await?.paused);
    assert!(paused().await?.is_empty());
    assert!(t.inspect.pause(&"a".into()).await?, "that changed something");
    assert!(!t.inspect.pause(&"a".into()).await?, "that did not");
    assert_eq!(paused().await?, [Name::from("a")]);
    let entry = t.written_one(order("1")).await?;
    let report = t.inspect.get(entry.message.id).await?.expect("the message is there");
    assert!(report.deliveries.iter().all(|one| one.paused == (one.destination == "a")));
    assert!(t.inspect.overview().await?.destinations.iter().all(|one| one.paused == (one.destination == "a")));
    assert!(t.inspect.resume(&"a".into()).await?);
    assert!(!t.inspect.resume(&"a".into()).await?);
    assert!(paused().await?.is_empty());
    Ok(())
}

/// Workers learn of it with their leases, and operators with everything about the destination and the message.
pub async fn a_paused_tenant_is_in_every_grant_until_it_is_resumed(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let told = async || Ok::<_, crate::Error>(t.journal.lease(&worker("w"), LONG, 0).await?.paused_tenants);
    let change = async |change: &TenantChange| t.inspect.change_tenant(&"a".into(), change).await;
    let (acme, globex) = (pause("acme"), pause("globex"));
    assert!(told().await?.is_empty());
    assert!(change(&TenantChange::Pause(globex.clone())).await?, "that changed something");
    assert!(change(&TenantChange::Pause(acme.clone())).await?);
    assert!(!change(&TenantChange::Pause(TenantPause { who: "ben".into(), ..acme.clone() })).await?, "that did not");
    assert_eq!(told().await?, [(Name::from("a"), vec!["acme".to_owned(), "globex".to_owned()])]);
    let overview = t.inspect.overview().await?;
    let paused = overview.destinations.iter().map(|one| one.paused_tenants.clone()).collect::<Vec<_>>();
    assert_eq!(paused, [vec![acme.clone(), globex], Vec::new()]);
    for (tenant, expected) in [(Some("acme"), Some(acme)), (Some("other"), None), (None, None)] {
        let mut builder = Message::builder("order.created", "order", "1");
        if let Some(tenant) = tenant {
            builder = builder.tenant(tenant);
        }
        let entry = t.written_one(made(builder)).await?;
        let report = t.inspect.get(entry.message.id).await?.expect("the message is there");
        let paused = |one: &crate::inspect::DeliveryReport| one.paused_tenant.clone();
        let at_b = report.deliveries.iter().find(|one| one.destination == "b").and_then(paused);
        let at_a = report.deliveries.iter().find(|one| one.destination == "a").and_then(paused);
        assert_eq!((at_a, at_b), (expected, None), "{tenant:?}");
    }
    for tenant in ["globex", "acme"] {
        assert!(change(&TenantChange::Resume(tenant.into())).await?);
        assert!(!change(&TenantChange::Resume(tenant.into())).await?);
    }
    assert!(told().await?.is_empty());
    let unknown = t.inspect.change_tenant(&"nobody".into(), &TenantChange::Resume("acme".into())).await;
    assert!(unknown.is_err_and(|error| error.kind() == crate::error::Kind::NotFound));
    Ok(())
}

/// What was put aside does not wait for the time at which it would be looked at anyway; what failed does.
pub async fn what_waited_for_a_tenant_is_due_soon_after_it_is_resumed(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(vec![order("1"), order("2"), order("3")]).await?;
    let leases = t.lease_all("w").await?;
    park_each(&t, "a", &entries, &leases).await?;
    t.inspect.change_tenant(&"a".into(), &TenantChange::Pause(pause("acme"))).await?;
    assert!(t.due_ids("a").await?.is_empty());
    t.inspect.change_tenant(&"a".into(), &TenantChange::Resume("acme".into())).await?;
    eventually("both are due", || async { Ok(t.due_ids("a").await?.len() == 2) }).await?;
    let mut due = t.due_ids("a").await?;
    due.sort();
    assert_eq!(due, [entries[0].message.id, entries[1].message.id]);
    Ok(())
}

/// A worker that put something aside without knowing of the resume makes good for it, in its own lanes, and once more if need be.
pub async fn what_waits_for_a_tenant_is_due_as_soon_as_its_lane_recalls_it(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(vec![order("1"), order("2"), order("3")]).await?;
    let leases = t.lease_all("w").await?;
    for name in ["a", "b"] {
        park_each(&t, name, &entries, &leases).await?;
    }
    let never = Lease { epoch: Epoch::new(0), ..leases[0] };
    let refused = t.journal.commit(&[LaneCommit { recall: true, ..lane("a", never) }]).await?;
    assert_eq!((refused, t.due_ids("a").await?), (vec![never.partition], Vec::new()));
    let recall: Vec<LaneCommit> = leases.iter().map(|lease| LaneCommit { recall: true, ..lane("a", *lease) }).collect();
    t.commit(&recall).await?;
    t.commit(&recall).await?;
    let mut due = t.due_ids("a").await?;
    due.sort();
    assert_eq!(due, [entries[0].message.id, entries[1].message.id], "what failed has a time of its own");
    assert!(t.due_ids("b").await?.is_empty());
    let parked = Park { due_in: Some(HOUR), ..park(&entries[0], ParkedState::Paused) };
    let again = LaneCommit { recall: true, park: vec![parked], ..lane("a", lease_of(&entries[0], &leases)) };
    t.commit(&[again]).await?;
    assert_eq!(t.due_ids("a").await?.len(), 2, "also what is parked by the same commit");
    Ok(())
}

fn pause(tenant: &str) -> TenantPause {
    TenantPause { tenant: tenant.into(), since: jiff::Timestamp::UNIX_EPOCH, who: "ann".into() }
}

/// The first is put aside, the second replayed while it is, the third has failed; all for an hour.
async fn park_each(t: &Fixture, name: &str, entries: &[Entry], leases: &[Lease]) -> Result<()> {
    let states = [ParkedState::Paused, ParkedState::Replay, ParkedState::Retrying];
    for (entry, state) in entries.iter().zip(states) {
        let later = Park { due_in: Some(HOUR), ..park(entry, state) };
        t.commit(&[LaneCommit { park: vec![later], ..lane(name, lease_of(entry, leases)) }]).await?;
    }
    Ok(())
}
