//! Why no destination takes a message.

use posthaste::Destination;
use posthaste::rules::route;

use super::{Cause, Explanation, Facts};

pub fn explain(facts: Facts<'_>) -> Explanation {
    let explanation = Explanation::new(Cause::NoRoute, "No destination takes this message.");
    let takes = |destination: &&Destination| route::takes(&destination.route, &destination.name, &facts.report.message);
    match facts.destinations.iter().find(takes) {
        Some(destination) => explanation
            .because(format!("The config sends it to {}, but no relay has run with that config yet.", destination.name))
            .remedy("posthaste run", "makes the destination known and delivers to it"),
        None => not_configured(facts, explanation),
    }
}

fn not_configured(facts: Facts<'_>, explanation: Explanation) -> Explanation {
    let message = &facts.report.message;
    let explanation = match &message.destination {
        Some(name) => explanation
            .because(format!("It names the destination {name}, and no relay serves one of that name."))
            .because(format!("To have it delivered, add [destinations.{name}] to the config and restart the relay.")),
        None => explanation
            .because(format!("Its event type is {}. {}", message.event_type, known_routes(facts.destinations)))
            .because("To have it delivered, add a pattern to the `events` of a destination and restart the relay."),
    };
    explanation.remedy("posthaste status", "shows the destinations that relays have made known")
}

fn known_routes(destinations: &[Destination]) -> String {
    let route = |destination: &Destination| match destination.route.patterns() {
        [] => format!("{} takes only what names it", destination.name),
        patterns => format!("{} takes {}", destination.name, patterns.join(", ")),
    };
    match destinations {
        [] => "The config has no destinations.".into(),
        some => format!("In the config, {}.", some.iter().map(route).collect::<Vec<_>>().join("; ")),
    }
}
