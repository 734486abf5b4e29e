//! The example `prompts`: handlers in the process of the application.

use super::{assert_printed, example, mongodb, until_listed};
use crate::program::{Place, Relay};

#[test]
fn a_prompt_is_handled_by_both_handlers_and_a_restart_goes_on_after_it() {
    let (place, url) = (Place::empty(), mongodb());
    place.write("posthaste.toml", &format!("store = {{ type = 'mongodb', url = '{url}' }}\n"));
    for (round, prompt) in ["prompt-1", "prompt-2"].into_iter().enumerate() {
        let service = Relay::in_program(example(&place, "prompts").arg(prompt).env("MONGODB_URL", &url));
        service.prints("at attempt 2");
        until_listed(&place, "delivered", round + 1);
        service.signal("TERM");
        service.prints("stopped");
        let processed = format!("processing PromptCreatedEvent of {prompt} (correlation request of {prompt})");
        let indexed = "indexed \"Once upon a time\" at attempt 2";
        assert_printed(&service, &["1 event is written", &processed, indexed, "stopped"]);
        assert_eq!(service.ended(), 0);
    }
}
