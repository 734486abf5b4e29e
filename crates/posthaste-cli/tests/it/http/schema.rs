//! The OpenAPI document against a real relay, by Schemathesis: whatever is sent, the answer is one that the document knows.

use std::path::Path;
use std::process::Command;

use super::address;
use crate::program::Place;

const TOKEN: &str = "operator-token-0123456789";

#[test]
fn whatever_is_sent_is_answered_as_the_openapi_document_says() {
    let schemathesis = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/python/bin/schemathesis");
    assert!(schemathesis.exists(), "no Schemathesis: cargo xtask clients");
    let place = Place::migrated();
    let http = format!("[http]\nbind = '127.0.0.1:0'\n[http.tokens.ann]\nrole = 'operator'\ntoken = '{TOKEN}'\n");
    place.write("posthaste.toml", &format!("{http}[destinations.out]\ntype = 'stdout'\n"));
    let relay = place.relay();
    for order in ["order/1", "order/2"] {
        place.enqueue(order, []);
    }
    let document = format!("http://{}/openapi.json", address(&relay));
    let header = format!("Authorization: Bearer {TOKEN}");
    let output = Command::new(schemathesis)
        .current_dir(&place.folder)
        .args(["run", &document, "--header", &header, "--max-examples", "10", "--seed", "1", "--request-timeout", "60"])
        // A stream has no end. And what a text has to look like is said by the answer, not by the schema.
        .args(["--exclude-path", "/api/v1/stream", "--exclude-checks", "positive_data_acceptance", "--no-color"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    relay.stop();
}
