//! The list: every delivery with the status people expect, narrowed by whatever they know about it.

use jiff::Timestamp;

use super::Fixture;
use super::making::{different_orders, hold, ids, made, order, orders, park, passed};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Filling, Filter, Listed, Page, Status};
use crate::journal::{LaneCommit, Park, ParkedState, Position};
use crate::message::{Message, MessageId};

/// Each status that people see follows from the cursor and what is parked.
pub async fn every_status_is_derived(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 12)).await?;
    let leases = t.lease_all("w").await?;
    // The first is settled, nine are parked, one waits behind them, and the lane has not come to the last.
    let park: Vec<Park> = entries[1..].iter().zip(ParkedState::ALL).map(|(e, state)| park(e, state)).collect();
    let held = hold(&entries[0], entries[0].position, entries[10].position);
    t.commit(&[LaneCommit { park, hold: vec![held], ..passed("a", &entries[10], &leases) }]).await?;
    let statuses: Vec<_> = t.list(&Filter::default()).await?.iter().filter_map(|listed| listed.status).collect();
    let expected = [
        Status::Delivered,
        Status::Retrying,
        Status::Scheduled,
        Status::Throttled,
        Status::Paused,
        Status::Awaiting,
        Status::Dead,
        Status::Replay,
        Status::Discarding,
        Status::Discarded,
        Status::Waiting,
        Status::Pending,
    ];
    assert_eq!(statuses, expected);
    for (entry, status) in entries.iter().zip(expected) {
        let only = t.list(&Filter { statuses: vec![status], ..Filter::default() }).await?;
        assert_eq!(listed_ids(&only), [entry.message.id], "{status:?}");
    }
    let two = Filter { statuses: vec![Status::Dead, Status::Pending], ..Filter::default() };
    assert_eq!(t.list(&two).await?.len(), 2);
    Ok(())
}

/// A list has what is needed to understand a failure without a second question.
pub async fn a_listed_delivery_shows_the_message_and_its_last_failure(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let message = made(Message::builder("order.created", "order", "1").tenant("acme"));
    let entry = t.written_one(message.clone()).await?;
    let leases = t.lease_all("w").await?;
    let aside = Park { attempts: 3, ..park(&entry, ParkedState::Retrying) };
    t.commit(&[LaneCommit { park: vec![aside], ..passed("a", &entry, &leases) }]).await?;
    let listed = t.list(&Filter::default()).await?.remove(0);
    assert!(listed.due_at.is_some(), "when it is tried next");
    let expected = Listed {
        position: entry.position,
        id: message.id,
        event_type: message.event_type.into(),
        aggregate_type: message.aggregate_type.into(),
        aggregate_id: message.aggregate_id.into(),
        key: message.key.map(String::from),
        tenant: message.tenant.map(String::from),
        occurred_at: message.occurred_at,
        destination: Some("a".into()),
        status: Some(Status::Retrying),
        attempts: 3,
        error: Some("refused".into()),
        due_at: listed.due_at,
    };
    assert_eq!(listed, expected);
    Ok(())
}

/// Every field of a filter selects, alone and together with others.
pub async fn each_filter_narrows_the_list(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let base = || Message::builder("order.created", "order", "1").occurred_at(at(1_000));
    let wanted =
        made(Message::builder("invoice.line.added", "invoice", "9").key("k'1").tenant("acme").occurred_at(at(2_000)));
    t.write(vec![made(base()), wanted.clone(), made(base().occurred_at(at(3_000)))]).await?;
    let none = Filter::default();
    let filters = [
        Filter { ids: vec![wanted.id], ..none.clone() },
        Filter { event_type: Some("invoice.*".into()), ..none.clone() },
        Filter { event_type: Some("*.line.*".into()), ..none.clone() },
        Filter { event_type: Some("invoice.line.added".into()), ..none.clone() },
        Filter { key: Some("k'1".into()), ..none.clone() },
        Filter { aggregate_type: Some("invoice".into()), ..none.clone() },
        Filter { aggregate_id: Some("9".into()), ..none.clone() },
        Filter { tenant: Some("acme".into()), ..none.clone() },
        Filter { since: Some(at(2_000)), before: Some(at(3_000)), ..none.clone() },
        Filter { key: Some("k'1".into()), tenant: Some("acme".into()), ids: vec![wanted.id], ..none.clone() },
    ];
    for filter in filters {
        assert_eq!(listed_ids(&t.list(&filter).await?), [wanted.id], "{filter:?}");
    }
    assert_eq!(t.list(&none).await?.len(), 3, "an empty filter does not restrict");
    let contradiction = Filter { tenant: Some("acme".into()), aggregate_type: Some("order".into()), ..none };
    assert!(t.list(&contradiction).await?.is_empty(), "all of a filter must match");
    Ok(())
}

/// Ranges that follow each other show every delivery once.
pub async fn a_time_range_includes_its_start_and_not_its_end(t: Fixture) -> Result<()> {
    let of = |milli| made(Message::builder("order.created", "order", "1").occurred_at(at(milli)));
    let messages = vec![of(1_000), of(2_000), of(3_000)];
    let written: Vec<_> = messages.iter().map(|message| message.id).collect();
    t.write(messages).await?;
    let since = Filter { since: Some(at(2_000)), ..Filter::default() };
    assert_eq!(listed_ids(&t.list(&since).await?), written[1..]);
    let before = Filter { before: Some(at(2_000)), ..Filter::default() };
    assert_eq!(listed_ids(&t.list(&before).await?), written[..1]);
    Ok(())
}

/// Whatever else has a meaning in the database's own patterns has none here.
pub async fn a_pattern_means_only_its_stars(t: Fixture) -> Result<()> {
    let of = |event| made(Message::builder(event, "order", "1"));
    t.write(vec![of("order_created"), of("orderXcreated"), of("Order_created"), of("order_created.v2")]).await?;
    let count = async |pattern: &str| -> Result<usize> {
        Ok(t.list(&Filter { event_type: Some(pattern.into()), ..Filter::default() }).await?.len())
    };
    assert_eq!(count("order_created").await?, 1, "an underscore is an underscore, and case counts");
    assert_eq!(count("order_created*").await?, 2);
    assert_eq!(count("order?created").await?, 0);
    assert_eq!(count("order%").await?, 0);
    assert_eq!(count("[o]rder*").await?, 0);
    assert_eq!(count("*").await?, 4);
    Ok(())
}

/// A list has one row for each delivery.
pub async fn a_message_is_listed_at_every_destination_that_takes_it(t: Fixture) -> Result<()> {
    t.serve_routed(&[("a", "order.*"), ("b", "*.created"), ("c", "invoice.*")]).await?;
    let both = t.written_one(order("1")).await?;
    let named = t.written_one(made(Message::builder("order.created", "order", "1").destination("c"))).await?;
    let mut listed: Vec<_> =
        t.list(&Filter::default()).await?.into_iter().map(|listed| (listed.id, listed.destination)).collect();
    listed.sort();
    let expected = [(both.message.id, "a"), (both.message.id, "b"), (named.message.id, "c")];
    assert_eq!(listed, expected.map(|(id, name)| (id, Some(name.to_owned()))));
    let at_b = Filter { destination: Some(Name::from("b")), ..Filter::default() };
    assert_eq!(listed_ids(&t.list(&at_b).await?), [both.message.id]);
    Ok(())
}

/// A message without a route can be found.
pub async fn a_message_that_nobody_takes_is_listed_once_without_a_destination(t: Fixture) -> Result<()> {
    t.serve_routed(&[("a", "invoice.*"), ("b", "invoice.*")]).await?;
    let message = order("1");
    t.write(vec![message.clone(), made(Message::builder("x", "y", "z").destination("unknown"))]).await?;
    let listed = t.list(&Filter::default()).await?;
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|listed| listed.destination.is_none() && listed.status.is_none()));
    let pending = Filter { statuses: vec![Status::Pending], ..Filter::default() };
    assert!(t.list(&pending).await?.is_empty(), "it has no status");
    let report = t.inspect.get(message.id).await?.expect("the message is there");
    assert!(report.deliveries.is_empty());
    Ok(())
}

/// Reading on from the last row of a page repeats nothing and leaves nothing out.
pub async fn paging_shows_every_delivery_once(t: Fixture) -> Result<()> {
    t.serve(&["a", "b", "c"]).await?;
    let entries = t.written(orders("1", 7)).await?;
    let mut seen = Vec::new();
    let mut after = Position::START;
    loop {
        let page = t.inspect.list(&Filter::default(), Page::after(after, 4)).await?;
        seen.extend(page.rows);
        let Some(next) = page.next else { break };
        after = next;
    }
    assert!(seen.is_sorted_by_key(|listed| listed.position), "in journal order");
    for name in ["a", "b", "c"] {
        let at_one: Vec<_> = seen.iter().filter(|listed| listed.destination.as_deref() == Some(name)).collect();
        assert_eq!(at_one.iter().map(|listed| listed.id).collect::<Vec<_>>(), ids(&entries), "{name}");
    }
    Ok(())
}

/// The limit counts rows, not messages.
pub async fn a_page_holds_no_more_than_its_limit(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 5)).await?;
    let page = Page::after(entries[0].position, 2);
    let listed = t.inspect.list(&Filter::default(), page).await?;
    assert_eq!(listed_ids(&listed.rows), ids(&entries[1..3]));
    assert!(listed.next.is_some(), "there is more");
    Ok(())
}

/// The newest first, page by page, whatever index a filter is answered by; the deliveries of a message stay together.
pub async fn a_list_can_be_read_backwards(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(orders("1", 7)).await?;
    let leases = t.lease_all("w").await?;
    let dead = entries[1..5].iter().map(|entry| park(entry, ParkedState::Dead)).collect();
    t.commit(&[LaneCommit { park: dead, ..passed("a", &entries[4], &leases) }]).await?;
    let none = Filter::default();
    let filters = [
        (none.clone(), 14),
        (Filter { statuses: vec![Status::Dead], ..none.clone() }, 4),
        (Filter { statuses: vec![Status::Dead], destination: Some("a".into()), ..none.clone() }, 4),
        (Filter { statuses: vec![Status::Pending], ..none.clone() }, 9),
        (Filter { key: Some("order/1".into()), ..none.clone() }, 14),
        (Filter { aggregate_id: Some("1".into()), ..none.clone() }, 14),
        (Filter { ids: ids(&entries[2..4]), ..none.clone() }, 4),
    ];
    for (filter, count) in filters {
        let (mut seen, mut before) = (Vec::new(), Position::END);
        loop {
            let page = t.inspect.list(&filter, Page::before(before, 3)).await?;
            seen.extend(page.rows);
            let Some(next) = page.next else { break };
            before = next;
        }
        seen.reverse();
        let mut forwards = t.list(&filter).await?;
        assert_eq!(forwards.len(), count, "{filter:?}");
        let place = |one: &Listed| (one.position, one.destination.clone());
        forwards.sort_by_key(place);
        seen.sort_by_key(place);
        assert_eq!(seen, forwards, "{filter:?}");
    }
    Ok(())
}

/// What failed in the same way is found together, whatever the error has in between.
pub async fn an_error_is_found_by_its_pattern(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 4)).await?;
    let leases = t.lease_all("w").await?;
    let errors = ["HTTP 503 from 10.0.0.1\nbusy", "HTTP 503 from 10.0.0.2", "HTTP 404 from 10.0.0.1"];
    let failed = |(entry, error): (_, &&str)| Park { error: Some((*error).into()), ..park(entry, ParkedState::Dead) };
    let parked = entries.iter().zip(&errors).map(failed).collect();
    t.commit(&[LaneCommit { park: parked, ..passed("a", &entries[2], &leases) }]).await?;
    let of = |pattern: &str| Filter { error: Some(pattern.into()), ..Filter::default() };
    assert_eq!(listed_ids(&t.list(&of("HTTP 503 from *")).await?), ids(&entries[..2]));
    assert_eq!(listed_ids(&t.list(&of("HTTP 404 from *")).await?), ids(&entries[2..3]));
    assert!(t.list(&of("HTTP 50_ from %")).await?.is_empty(), "only the star means something");
    let dead = Filter { statuses: vec![Status::Dead], ..of("*busy") };
    assert_eq!(listed_ids(&t.list(&dead).await?), ids(&entries[..1]));
    Ok(())
}

/// One question looks at a bounded number of messages, and says where to go on.
pub async fn a_filter_that_selects_little_does_not_read_the_whole_journal_for_one_page(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let mut messages = different_orders(Filling::MOST + 1_000);
    messages.push(made(Message::builder("rare", "order", "1")));
    let rare = messages.last().map(|message| message.id);
    t.write(messages).await?;
    t.journal.advance().await?;
    let filter = Filter { event_type: Some("rare".into()), ..Filter::default() };
    let first = t.inspect.list(&filter, Page::after(Position::START, 10)).await?;
    assert_eq!(first.rows, [], "too far away");
    let next = first.next.expect("there is more to look at");
    let rest = t.inspect.list(&filter, Page::after(next, 10)).await?;
    assert_eq!(listed_ids(&rest.rows), Vec::from_iter(rare));
    let newest = t.inspect.list(&filter, Page::before(Position::END, 10)).await?;
    assert_eq!(listed_ids(&newest.rows), Vec::from_iter(rare), "near from the other side");
    Ok(())
}

fn listed_ids(listed: &[Listed]) -> Vec<MessageId> {
    listed.iter().map(|listed| listed.id).collect()
}

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(millisecond).expect("a time in range")
}
