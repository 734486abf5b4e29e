use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct Created {
    id: u64,
}

fn main() {}
