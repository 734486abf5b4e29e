//! Twilio as its own description says: Prism answers from the vendor's OpenAPI file, and refuses a request that does not fit it.

use std::process::Command;

use super::ask::ask;
use super::cache;
use super::catalog::Service;
use super::node_modules;

pub const SERVICE: Service = Service {
    name: "prism",
    needs: node_modules::NEEDS,
    find: || node_modules::find(CACHED, "@stoplight/prism-cli/dist/index.js"),
    fetch: || {
        cache::make(CACHED, |folder| {
            node_modules::install_into(folder, &["@stoplight/prism-cli@5.16.0"])?;
            node_modules::unpack(folder, "@twilio/cli-core@8.3.2")
        })
    },
    command: |node| {
        let described = cache::folder(CACHED)?.join(DESCRIPTION);
        let mut command: Command = node_modules::command(CACHED, node)?;
        command.args(["mock", "--host", &node.address.ip().to_string(), "--port", &node.address.port().to_string()]);
        command.args(["--errors", "--verboseLevel", "warn"]).arg(described);
        Ok(command)
    },
    answers: |addresses| {
        let question = b"GET /nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        addresses.iter().try_for_each(|address| ask(*address, question, b"HTTP/1.1 404 Not Found"))
    },
    ..Service::PLAIN
};

const CACHED: &str = "prism-5.16.0-twilio-8.3.2";
/// The package of Twilio's own command line has it.
const DESCRIPTION: &str = "package/src/services/twilio-api/twilio_api_v2010.json";
