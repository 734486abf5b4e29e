use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "", aggregate = "customer")]
struct Empty {
    #[event(aggregate_id)]
    id: u64,
}

#[derive(DomainEvent)]
#[event(type = "a.b", type = "a.c", aggregate = "customer")]
struct Twice {
    #[event(aggregate_id)]
    id: u64,
}

fn main() {}
