use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
enum Created {
    One,
}

fn main() {}
