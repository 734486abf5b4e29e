//! What Mailpit has got, read by its API. In which order it came is read in its database, because the API shows milliseconds.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use futures_util::future::join_all;
use serde_json::Value;

use crate::servers::{self, Private};
use crate::sinks::everything::{get, get_json};

/// A Mailpit, and what was read of it.
pub(super) struct Mailpit {
    pub(super) smtp: String,
    http: String,
    database: PathBuf,
    read: Mutex<HashMap<String, Mail>>,
}

/// One mail as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Mail {
    pub(super) message: Value,
    pub(super) headers: Value,
    /// The files, in their order: name, type, content.
    pub(super) files: Vec<(String, String, Vec<u8>)>,
}

impl Mail {
    pub(super) fn text(&self) -> &str {
        self.message["Text"].as_str().expect("a text")
    }

    pub(super) fn html(&self) -> &str {
        self.message["HTML"].as_str().expect("a text")
    }

    pub(super) fn subject(&self) -> &str {
        self.message["Subject"].as_str().expect("a text")
    }

    /// The addresses under a name such as `To`.
    pub(super) fn addresses(&self, name: &str) -> Vec<&str> {
        let list = self.message[name].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().map(|one| one["Address"].as_str().expect("an address")).collect()
    }

    fn is_to(&self, address: &str) -> bool {
        ["To", "Cc", "Bcc"].iter().any(|name| self.addresses(name).contains(&address))
    }

    /// All values of a header.
    pub(super) fn header(&self, name: &str) -> Vec<&str> {
        let values = self.headers[name].as_array().map(Vec::as_slice).unwrap_or_default();
        values.iter().map(|value| value.as_str().expect("a text")).collect()
    }
}

impl Mailpit {
    /// The one that all tests share.
    pub(super) fn shared() -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/services/mailpit/data/0");
        Self::at(servers::address("mailpit"), &servers::file("mailpit", "data/0/http"), folder.join("mail.db"))
    }

    /// One of a test's own.
    pub(super) fn of(server: &Private) -> Self {
        let http = std::fs::read_to_string(server.folder(0).join("http")).expect("it says where it is");
        Self::at(server.address(), &http, server.folder(0).join("mail.db"))
    }

    fn at(smtp: String, http: &str, database: PathBuf) -> Self {
        Self { smtp, http: format!("http://{}", http.trim()), database, read: Mutex::default() }
    }

    /// What this address got, in order of arrival.
    pub(super) async fn mails_to(&self, address: &str) -> Vec<Mail> {
        let order = self.order();
        let found = get_json(&format!("{}/api/v1/search?limit=5000&query=addressed:%22{address}%22", self.http)).await;
        let summaries = found["messages"].as_array().expect("a list");
        let mut ids: Vec<&str> = summaries.iter().map(|mail| mail["ID"].as_str().expect("an id")).collect();
        ids.sort_by_key(|id| order.get(*id).copied().unwrap_or(i64::MAX));
        let missing: Vec<&&str> = ids.iter().filter(|id| !self.read.lock().unwrap().contains_key(**id)).collect();
        for some in missing.chunks(16) {
            let read = join_all(some.iter().map(|id| self.read(id))).await;
            let named = some.iter().map(|id| (**id).to_string()).zip(read);
            self.read.lock().unwrap().extend(named);
        }
        let read = self.read.lock().unwrap();
        // The search also finds the address in names.
        ids.iter().map(|id| read[*id].clone()).filter(|mail| mail.is_to(address)).collect()
    }

    async fn read(&self, id: &str) -> Mail {
        let message = get_json(&format!("{}/api/v1/message/{id}", self.http)).await;
        let headers = get_json(&format!("{}/api/v1/message/{id}/headers", self.http)).await;
        let mut files = Vec::new();
        for file in message["Attachments"].as_array().expect("a list") {
            let text = |name: &str| file[name].as_str().expect("a text").to_owned();
            let content = get(&format!("{}/api/v1/message/{id}/part/{}", self.http, text("PartID"))).await;
            files.push((text("FileName"), text("ContentType"), content));
        }
        Mail { message, headers, files }
    }

    fn order(&self) -> HashMap<String, i64> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let database = rusqlite::Connection::open_with_flags(&self.database, flags).expect("Mailpit has a database");
        database.busy_timeout(std::time::Duration::from_secs(60)).expect("it can wait");
        let mut rows = database.prepare("SELECT ID, rowid FROM mailbox").expect("it keeps mail there");
        let rows = rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).expect("it can be read");
        rows.collect::<Result<_, _>>().expect("it can be read")
    }

    /// What the server answers from now on: `{"Recipient": {"ErrorCode": 451, "Probability": 100}}`.
    pub(super) async fn chaos(&self, triggers: &Value) {
        let request = reqwest::Client::new().put(format!("{}/api/v1/chaos", self.http));
        let answer = request.body(triggers.to_string()).send().await.expect("Mailpit answers");
        assert!(answer.status().is_success(), "{}", answer.status());
    }
}
