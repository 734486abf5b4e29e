use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer", unordered)]
struct Created {
    #[event(aggregate_id, key)]
    id: u64,
}

fn main() {}
