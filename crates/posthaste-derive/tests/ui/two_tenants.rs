use posthaste_derive::DomainEvent;

#[derive(DomainEvent)]
#[event(type = "customer.created.v1", aggregate = "customer")]
struct Created {
    #[event(aggregate_id, tenant)]
    id: u64,
    #[event(tenant)]
    tenant: String,
}

fn main() {}
