use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct Created {
    #[event(aggregate_id)]
    id: Option<u64>,
}

fn main() {}
