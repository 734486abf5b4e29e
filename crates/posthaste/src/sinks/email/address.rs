//! Who writes and who reads: addresses that templates make.
//!
//! `Name <address>` is two templates, so that nothing in a name can become an address. In an address only the template separates one from
//! the next, by a comma or the end of a line; a value that contains either is no address.

use lettre::Address;
use lettre::message::Mailbox;

use crate::sink::Error;
use crate::sink::payload_template::{Context, Escape, PayloadTemplate, Written};

/// A template that makes mailboxes.
#[derive(Debug)]
pub(super) struct Mailboxes {
    setting: &'static str,
    name: Option<PayloadTemplate>,
    address: PayloadTemplate,
}

impl Mailboxes {
    /// An `Err` goes on after the name of the setting.
    pub(super) fn new(setting: &'static str, written: &Written) -> Result<Self, String> {
        let (name, address) = split(written.as_str());
        let name = name.map(Written::parse).transpose()?;
        let address = Written::parse(address)?;
        if address.is_fixed() {
            parse(setting, address.as_str()).map_err(|_| "has an address that is none: write name@example.com")?;
        }
        Ok(Self {
            setting,
            name: name.map(|name| name.ready(setting, Escape::Line)),
            address: address.ready(setting, Escape::With(no_separator)),
        })
    }

    /// The mailboxes of one message; none is possible. An error shows no address.
    pub(super) fn of(&self, context: &Context) -> Result<Vec<Mailbox>, Error> {
        let addresses = parse(self.setting, &self.address.render(context)?)?;
        let name = self.name.as_ref().map(|name| name.render(context)).transpose()?;
        let name = name.map(|name| name.trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty());
        Ok(addresses.into_iter().map(|address| Mailbox::new(name.clone(), address)).collect())
    }
}

fn parse(setting: &str, text: &str) -> Result<Vec<Address>, Error> {
    let pieces = text.split([',', '\n']).map(str::trim).filter(|piece| !piece.is_empty());
    let parsed = |(n, piece): (usize, &str)| {
        piece.parse::<Address>().map_err(|_| Error::reject(format_args!("{setting}: address {} is none", n + 1)))
    };
    pieces.enumerate().map(parsed).collect()
}

/// The name before `<`, if there is one, and the address. A `<` inside of an expression is the expression's.
fn split(written: &str) -> (Option<&str>, &str) {
    let Some(inside) = written.trim().strip_suffix('>') else { return (None, written) };
    match inside.rfind('<').filter(|open| !inside[*open..].contains("%}")) {
        Some(open) => (Some(inside[..open].trim()).filter(|name| !name.is_empty()), &inside[open + 1..]),
        None => (None, written),
    }
}

/// A value stays one address, or is none.
fn no_separator(value: &str) -> String {
    value.trim().replace([',', '\n', ';', '<', '>', '"'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Partition, Position};
    use crate::message::Message;
    use crate::sink::{Delivery, Run};

    fn of(written: &str, payload: serde_json::Value) -> Result<Vec<String>, Error> {
        let message = Message::builder("a.b", "a", "1").json(&payload).build().unwrap();
        let run = Run::new("mail", Partition::new(0), vec![Delivery::new(message, Position::seq(1))]);
        let context = Context::of(&run, &run.deliveries[0]);
        let mailboxes = Mailboxes::new("to", &Written::parse(written).unwrap()).unwrap();
        Ok(mailboxes.of(&context)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_template_makes_one_address_or_several_with_or_without_a_name() {
        let payload =
            serde_json::json!({ "name": "Jane, of Doe", "mail": "jane@example.com", "all": ["a@x.org", "b@x.org"] });
        let cases = [
            ("{{ payload.mail }}", vec!["jane@example.com"]),
            ("{{ payload.name }} <{{ payload.mail }}>", vec!["\"Jane, of Doe\" <jane@example.com>"]),
            ("\"The team\" <team@example.com>", vec!["\"The team\" <team@example.com>"]),
            ("{% for a in payload.all %}{{ a }},{% endfor %}", vec!["a@x.org", "b@x.org"]),
            ("{{ payload.mail if 1 < 2 }}", vec!["jane@example.com"]),
            ("{{ payload.cc | default('') }}", vec![]),
        ];
        for (written, expected) in cases {
            let got = of(written, payload.clone()).unwrap();
            assert_eq!(got.iter().map(|one| one.replace("The team <", "\"The team\" <")).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_value_adds_no_recipient() {
        for value in
            ["a@x.org, evil@y.org", "a@x.org\nevil@y.org", "a@x.org\r\nBcc: evil@y.org", "x <a@x.org>", "", "none"]
        {
            let got = of("{{ payload.mail }}", serde_json::json!({ "mail": value }));
            assert!(
                got.as_ref().is_err_and(|error| !error.text().contains("x.org")) || got == Ok(vec![]),
                "{value:?}: {got:?}"
            );
        }
        let name = serde_json::json!({ "name": "Evil <evil@y.org>, \"x\r\nBcc: evil@y.org", "mail": "a@x.org" });
        let got = of("{{ payload.name }} <{{ payload.mail }}>", name).unwrap();
        let [one] = got.as_slice() else { panic!("{got:?}") };
        assert!(one.parse::<Mailbox>().is_ok_and(|mailbox| mailbox.email.to_string() == "a@x.org"), "{one}");
    }

    #[test]
    fn an_address_that_is_none_is_refused_before_any_message() {
        assert!(Mailboxes::new("from", &Written::parse("Shop <orders at example>").unwrap()).is_err());
        assert!(Mailboxes::new("from", &Written::parse("Shop <orders@example.com>").unwrap()).is_ok());
    }
}
