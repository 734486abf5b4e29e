use serde::{Deserialize, Serialize};

use super::{Aggregate, Changes, DomainEvent, Events, decode};
use crate::message::{Builder, Message};

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Renamed {
    id: u32,
    name: String,
}

impl DomainEvent for Renamed {
    const EVENT_TYPE: &'static str = "thing.renamed.v1";
    const AGGREGATE_TYPE: &'static str = "thing";

    fn aggregate_id(&self) -> String {
        self.id.to_string()
    }

    fn describe(&self, message: Builder) -> Builder {
        if self.name == "own tenant" { message.tenant("mine") } else { message }
    }
}

#[derive(Serialize)]
struct Created {
    id: u32,
}

impl DomainEvent for Created {
    const EVENT_TYPE: &'static str = "thing.created.v1";
    const AGGREGATE_TYPE: &'static str = "thing";

    fn aggregate_id(&self) -> String {
        self.id.to_string()
    }
}

struct Thing {
    id: u32,
    events: Events,
}

impl Aggregate for Thing {
    fn events(&self) -> &Events {
        &self.events
    }
}

impl Thing {
    fn new(id: u32) -> Self {
        let mut events = Events::default();
        events.register(Created { id });
        Self { id, events }
    }

    fn rename(&mut self, name: &str) {
        self.events.register(Renamed { id: self.id, name: name.into() });
    }
}

fn told(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| format!("{} {}", message.event_type, message.aggregate_id)).collect()
}

#[test]
fn a_replacing_event_leaves_only_the_newest_of_its_type() {
    let mut thing = Thing::new(1);
    thing.rename("a");
    thing.rename("b");
    thing.events.register_replacing(Renamed { id: 1, name: "c".into() });
    assert_eq!(thing.events.types(), ["thing.created.v1", "thing.renamed.v1"]);
    assert_eq!(thing.events.of::<Renamed>(), [Renamed { id: 1, name: "c".into() }]);
}

#[test]
fn events_of_several_aggregates_are_told_in_the_order_in_which_they_happened() {
    let (mut one, mut other) = (Thing::new(1), Thing::new(2));
    one.rename("a");
    other.rename("b");
    one.rename("c");
    let mut changes = Changes::default();
    changes.add(&other);
    changes.add(&one);
    changes.add(&other);
    let expected =
        ["thing.created.v1 1", "thing.created.v1 2", "thing.renamed.v1 1", "thing.renamed.v1 2", "thing.renamed.v1 1"];
    assert_eq!(told(&changes.messages().unwrap()), expected);
}

#[test]
fn events_that_no_aggregate_keeps_are_told_where_they_happened() {
    let mut thing = Thing::new(1);
    let mut changes = Changes::default();
    changes.register(Created { id: 9 });
    thing.rename("a");
    changes.add(&thing);
    let expected = ["thing.created.v1 1", "thing.created.v1 9", "thing.renamed.v1 1"];
    assert_eq!(told(&changes.messages().unwrap()), expected);
}

#[test]
fn events_are_cleared_only_by_a_commit_and_keep_their_ids_until_then() {
    let thing = Thing::new(1);
    let mut changes = Changes::default();
    changes.add(&thing);
    let first = changes.messages().unwrap();
    drop(changes);
    assert_eq!((thing.events.len(), thing.events.version()), (1, 0));
    let mut changes = Changes::default();
    changes.add(&thing);
    assert_eq!(changes.messages().unwrap(), first);
    changes.committed();
    assert_eq!((thing.events.len(), thing.events.version()), (0, 1));
}

#[test]
fn an_aggregate_and_its_clone_tell_each_event_once() {
    let thing = Thing::new(1);
    let clone = Thing { id: 1, events: thing.events.clone() };
    let mut changes = Changes::default();
    changes.add(&thing);
    changes.add(&clone);
    assert_eq!(changes.messages().unwrap().len(), 1);
}

#[test]
fn the_unit_of_work_describes_what_the_event_does_not() {
    let mut thing = Thing::new(1);
    thing.rename("own tenant");
    let mut changes = Changes::default();
    changes.add(&thing);
    changes.set_tenant("acme");
    changes.set_user("ann");
    changes.set_correlation_id("c-1");
    let messages = changes.messages().unwrap();
    let tenants: Vec<_> = messages.iter().map(|message| message.tenant.as_deref()).collect();
    assert_eq!(tenants, [Some("acme"), Some("mine")]);
    assert!(messages.iter().all(|message| message.user.as_deref() == Some("ann")));
    assert!(messages.iter().all(|message| message.correlation_id.as_deref() == Some("c-1")));
}

#[test]
fn what_is_wrong_with_an_event_is_told_when_it_is_saved() {
    #[derive(Serialize)]
    struct Nameless;
    impl DomainEvent for Nameless {
        const EVENT_TYPE: &'static str = "thing.lost.v1";
        const AGGREGATE_TYPE: &'static str = "thing";
        fn aggregate_id(&self) -> String {
            String::new()
        }
    }
    let mut thing = Thing::new(1);
    thing.events.register(Nameless);
    let mut changes = Changes::default();
    changes.add(&thing);
    let error = changes.messages().unwrap_err().to_string();
    assert!(error.contains("aggregate_id is empty"), "{error}");
}

#[test]
fn a_version_that_is_gone_is_a_conflict() {
    let events = Events::at_version(3);
    assert_eq!(events.check_version(1), Ok(()));
    assert!(events.check_version(0).unwrap_err().to_string().contains("version 3"));
}

#[test]
fn what_cannot_be_read_is_rejected_and_nothing_of_it_is_shown() {
    let message = |payload: &str| {
        let message = Message::builder(Renamed::EVENT_TYPE, "thing", "1");
        message.payload(payload.to_owned(), "application/json").build().unwrap()
    };
    for payload in ["secret", "{\"id\": \"secret\", \"name\": \"\"}", "{\"id\": 1, \"name\": \"secre"] {
        let error = decode::<Renamed>(&message(payload)).unwrap_err();
        assert_eq!(error.verdict, crate::retry::Verdict::Reject);
        assert!(!error.text().contains("secre"), "{error}");
    }
    assert_eq!(decode::<Renamed>(&message("{\"id\": 1, \"name\": \"a\"}")).unwrap().name, "a");
}
