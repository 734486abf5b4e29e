//! `#[derive(DomainEvent)]`: a plain struct becomes a domain event.
