use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "customer.created.v1")]
struct Created {
    #[event(aggregate_id)]
    id: u64,
}

fn main() {}
