use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(aggregate = "customer")]
struct Created {
    #[event(aggregate_id)]
    id: u64,
}

fn main() {}
