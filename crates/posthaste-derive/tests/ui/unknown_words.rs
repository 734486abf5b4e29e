use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(name = "customer.created.v1", aggregate = "customer")]
struct Named {
    #[event(aggregate_id)]
    id: u64,
}

#[derive(DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct Marked {
    #[event(id)]
    id: u64,
}

fn main() {}
