//! `#[derive(DomainEvent)]`: a plain struct becomes a domain event. Documented where it is used, in `posthaste::domain`.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod attributes;
mod expand;

/// Implements `posthaste::domain::DomainEvent` for a struct.
///
/// ```text
/// #[derive(Serialize, Deserialize, DomainEvent)]
/// #[event(type = "customer.created.v1", aggregate = "customer")]
/// struct CustomerCreated {
///     #[event(aggregate_id)]
///     customer_id: u64,
///     email: String,
/// }
/// ```
///
/// | on the struct | |
/// |---|---|
/// | `type = "…"` | the event type, with its version if it has one |
/// | `aggregate = "…"` | the aggregate type |
/// | `unordered` | asks for no order; otherwise the aggregate, or the field marked `key`, is the order key |
///
/// | on a field (anything that is `Display`, or an `Option` of it) | |
/// |---|---|
/// | `aggregate_id` | the aggregate's id; exactly one field, and no `Option` |
/// | `key` | another order key than the aggregate |
/// | `tenant`, `user`, `correlation_id` | the message's field of that name |
#[proc_macro_derive(DomainEvent, attributes(event))]
pub fn derive_domain_event(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
