//! The implementation that a struct gets.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{DeriveInput, Error, Ident, Result};

use crate::attributes::{Event, Marked, Role, marked};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let fields = marked(input)?;
    let event = Event::of(input)?;
    let name = &input.ident;
    let (event_type, aggregate_type) = (event.event_type(name)?, event.aggregate_type(name)?);
    let Some(Marked { member: aggregate_id, .. }) = fields.iter().find(|field| field.role == Role::AggregateId) else {
        let remedy = "mark the field with the id of the aggregate: #[event(aggregate_id)]";
        return Err(Error::new(name.span(), remedy));
    };
    if event.unordered && fields.iter().any(|field| field.role == Role::Key) {
        return Err(Error::new(name.span(), "`unordered` and `key` exclude each other: keep one"));
    }
    let unordered = event.unordered.then(|| quote! { let message = message.unordered(); });
    let details = fields.iter().filter(|field| field.role != Role::AggregateId).map(detail);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::posthaste::domain::DomainEvent for #name #arguments #bounds {
            const EVENT_TYPE: &'static str = #event_type;
            const AGGREGATE_TYPE: &'static str = #aggregate_type;

            fn aggregate_id(&self) -> ::std::string::String {
                ::std::string::ToString::to_string(&self.#aggregate_id)
            }

            fn describe(&self, message: ::posthaste::message::Builder) -> ::posthaste::message::Builder {
                #unordered
                #(#details)*
                message
            }
        }
    })
}

/// Sets one detail of the message from a field.
fn detail(field: &Marked) -> TokenStream {
    let (member, method) = (&field.member, Ident::new(field.role.name(), Span::call_site()));
    if field.optional {
        quote! {
            let message = match &self.#member {
                ::std::option::Option::Some(value) => message.#method(::std::string::ToString::to_string(value)),
                ::std::option::Option::None => message,
            };
        }
    } else {
        quote! { let message = message.#method(::std::string::ToString::to_string(&self.#member)); }
    }
}
