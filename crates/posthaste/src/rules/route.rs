//! Which messages a destination gets.

use crate::destination::{Destination, Name, Route};
use crate::message::Message;

/// Whether `message` goes to the destination `name` that has this route. A message that names its destination goes there and
/// nowhere else; any other one goes wherever a pattern matches its event type.
pub fn takes(route: &Route, name: &Name, message: &Message) -> bool {
    match &message.destination {
        Some(wanted) => wanted == name.as_str(),
        None => route.patterns().iter().any(|pattern| matches(pattern, &message.event_type)),
    }
}

/// Whether a destination takes a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It does.
    Taken,
    /// Its route does not lead there.
    NotRouted,
    /// Its filter leaves the message out.
    FilteredOut,
    /// Its filter cannot be asked, for this reason.
    Unfit(String),
}

impl Admission {
    /// `None` for what the destination does not get; otherwise why it cannot be delivered, if there is a reason.
    pub(crate) fn unfit(self) -> Option<Option<String>> {
        match self {
            Self::Taken => Some(None),
            Self::Unfit(why) => Some(Some(why)),
            Self::NotRouted | Self::FilteredOut => None,
        }
    }
}

/// Whether a destination takes `message`: by its route, then by its filter.
pub fn admission(destination: &Destination, message: &Message) -> Admission {
    match takes(&destination.route, &destination.name, message) {
        true => filtered(destination, message),
        false => Admission::NotRouted,
    }
}

/// What the destination's filter says about a message that is on its route.
pub fn filtered(destination: &Destination, message: &Message) -> Admission {
    match destination.filter.as_ref().map(|filter| filter.takes(message)) {
        None | Some(Ok(true)) => Admission::Taken,
        Some(Ok(false)) => Admission::FilteredOut,
        Some(Err(why)) => Admission::Unfit(why),
    }
}

/// Whether `text` matches `pattern`, where `*` stands for any text. Linear in both but for the backtrack to the last star.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && pattern[p] == text[t] {
            p += 1;
            t += 1;
        } else if let Some((after_star, matched)) = star {
            p = after_star + 1;
            t = matched + 1;
            star = Some((after_star, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&b| b == b'*')
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::destination::Filter;

    #[test]
    fn a_message_that_names_its_destination_goes_nowhere_else() {
        let (orders, others) = (Name::from("orders"), Name::from("others"));
        let message = Message::builder("order.created", "order", "1").build().expect("a valid message");
        let named = Message { destination: Some("others".into()), ..message.clone() };
        let everything = Route::matching(["*"]);
        assert!(takes(&everything, &orders, &message) && takes(&everything, &others, &message));
        assert!(!takes(&everything, &orders, &named), "it names another one");
        assert!(takes(&Route::default(), &others, &named), "whatever the routes say");
        assert!(!takes(&Route::matching(["user.*"]), &orders, &message), "no pattern matches");
    }

    #[test]
    fn a_filter_is_asked_about_whatever_is_on_the_route_named_or_not() {
        let filter = Filter::new("aggregate 1", |message| match message.aggregate_id.as_str() {
            "1" => Ok(true),
            "2" => Ok(false),
            _ => Err("neither 1 nor 2".into()),
        });
        let orders = Destination::new("orders").route(Route::matching(["order.*"])).filter(filter);
        let about = |event_type: &str, id: &str| Message::builder(event_type, "order", id).build().expect("valid");
        assert_eq!(admission(&orders, &about("order.paid", "1")), Admission::Taken);
        assert_eq!(admission(&orders, &about("order.paid", "2")), Admission::FilteredOut);
        assert_eq!(admission(&orders, &about("order.paid", "3")), Admission::Unfit("neither 1 nor 2".into()));
        assert_eq!(admission(&orders, &about("user.born", "3")), Admission::NotRouted, "the filter is not asked");
        let named = Message { destination: Some("orders".into()), ..about("user.born", "2") };
        assert_eq!(admission(&orders, &named), Admission::FilteredOut);
    }

    #[test]
    fn what_cannot_be_asked_about_is_not_left_out_but_unfit() {
        assert_eq!(Admission::Taken.unfit(), Some(None));
        assert_eq!(Admission::Unfit("no number".into()).unfit(), Some(Some("no number".into())));
        assert_eq!((Admission::NotRouted.unfit(), Admission::FilteredOut.unfit()), (None, None));
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let cases = [
            ("order.*", "order.created", true),
            ("order.*", "order.line.added", true),
            ("order.*", "orders.created", false),
            ("*", "", true),
            ("*.created", "order.created", true),
            ("*.created", "order.created.v1", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("exactly", "exact", false),
            ("a**", "a", true),
            ("*ab", "aab", true),
            ("*ab*", "aacab", true),
            ("", "", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
