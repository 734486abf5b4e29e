//! What `#[event(…)]` says, and what is wrong with it. Every error names the remedy.

use proc_macro2::{Ident, Span};
use syn::{Data, DataStruct, DeriveInput, Error, Field, Fields, LitStr, Member, Result, Type};

/// As the library's limit for names.
const MAX_NAME_BYTES: usize = 255;

/// The attributes of the struct.
#[derive(Default)]
pub(crate) struct Event {
    event_type: Option<LitStr>,
    aggregate_type: Option<LitStr>,
    pub(crate) unordered: bool,
}

impl Event {
    pub(crate) fn of(input: &DeriveInput) -> Result<Self> {
        let mut event = Self::default();
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("event")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("type") {
                    once(&mut event.event_type, event_type(meta.value()?.parse()?)?)
                } else if meta.path.is_ident("aggregate") {
                    once(&mut event.aggregate_type, name(meta.value()?.parse()?)?)
                } else if meta.path.is_ident("unordered") {
                    event.unordered = true;
                    Ok(())
                } else {
                    Err(meta.error("a struct has `type = \"…\"`, `aggregate = \"…\"` and `unordered`"))
                }
            })?;
        }
        Ok(event)
    }

    pub(crate) fn event_type(&self, name: &Ident) -> Result<&LitStr> {
        let remedy =
            "name the event, with its version: #[event(type = \"customer.created.v1\", aggregate = \"customer\")]";
        self.event_type.as_ref().ok_or_else(|| Error::new(name.span(), remedy))
    }

    pub(crate) fn aggregate_type(&self, name: &Ident) -> Result<&LitStr> {
        let remedy = "name what the event is about: #[event(aggregate = \"customer\")]";
        self.aggregate_type.as_ref().ok_or_else(|| Error::new(name.span(), remedy))
    }
}

/// What a field is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    AggregateId,
    Key,
    Tenant,
    User,
    CorrelationId,
}

impl Role {
    const ALL: [(&'static str, Self); 5] = [
        ("aggregate_id", Self::AggregateId),
        ("key", Self::Key),
        ("tenant", Self::Tenant),
        ("user", Self::User),
        ("correlation_id", Self::CorrelationId),
    ];

    /// Its name in the attribute, which is also the name of the builder's method.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, role)| *role == self).map_or("", |(name, _)| name)
    }
}

/// A field with a role.
pub(crate) struct Marked {
    pub(crate) role: Role,
    pub(crate) member: Member,
    pub(crate) optional: bool,
    span: Span,
}

/// All fields with a role, each role at most once.
pub(crate) fn marked(input: &DeriveInput) -> Result<Vec<Marked>> {
    let mut all: Vec<Marked> = Vec::new();
    for (member, field) in fields(input)?.members().zip(fields(input)?) {
        for found in roles(member, field)? {
            if all.iter().any(|other| other.role == found.role) {
                return Err(Error::new(found.span, format!("two fields are marked `{}`: keep one", found.role.name())));
            }
            if found.role == Role::AggregateId && found.optional {
                return Err(Error::new(found.span, "an aggregate always has an id: this field cannot be an `Option`"));
            }
            all.push(found);
        }
    }
    Ok(all)
}

fn fields(input: &DeriveInput) -> Result<&Fields> {
    match &input.data {
        Data::Struct(DataStruct { fields, .. }) => Ok(fields),
        Data::Enum(_) | Data::Union(_) => {
            Err(Error::new(input.ident.span(), "an event is a struct: make one of each kind of event"))
        }
    }
}

fn roles(member: Member, field: &Field) -> Result<Vec<Marked>> {
    let mut found = Vec::new();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("event")) {
        attribute.parse_nested_meta(|meta| {
            let known = Role::ALL.into_iter().find(|(name, _)| meta.path.is_ident(name));
            let unknown = || meta.error("a field is `aggregate_id`, `key`, `tenant`, `user` or `correlation_id`");
            let (_, role) = known.ok_or_else(unknown)?;
            let span = meta.path.get_ident().map_or_else(Span::call_site, Ident::span);
            found.push(Marked { role, member: member.clone(), optional: is_option(&field.ty), span });
            Ok(())
        })?;
    }
    Ok(found)
}

fn is_option(kind: &Type) -> bool {
    matches!(kind, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

fn once(place: &mut Option<LitStr>, text: LitStr) -> Result<()> {
    match place.replace(text) {
        None => Ok(()),
        Some(_) => Err(Error::new(place.as_ref().map_or_else(Span::call_site, LitStr::span), "said twice: keep one")),
    }
}

fn name(text: LitStr) -> Result<LitStr> {
    let value = text.value();
    let problem = match value.len() {
        0 => "is empty: give it a name".to_owned(),
        bytes if bytes > MAX_NAME_BYTES => format!("is {bytes} bytes long: shorten it to {MAX_NAME_BYTES}"),
        _ if value.chars().any(char::is_control) => "contains a control character: remove it".to_owned(),
        _ => return Ok(text),
    };
    Err(Error::new(text.span(), problem))
}

/// As the library checks it when a message is built.
fn event_type(text: LitStr) -> Result<LitStr> {
    let text = name(text)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
    if text.value().chars().all(plain) {
        return Ok(text);
    }
    Err(Error::new(text.span(), "an event type may contain only letters, digits and . _ : / -"))
}
