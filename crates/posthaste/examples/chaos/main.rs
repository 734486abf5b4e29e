//! The parts of a chaos run that are not the program: applications that write and that handle, consumers that record what arrives,
//! links that break.
//!
//! `cargo xtask chaos` starts them, each in a process of its own. Each is told what to be by one argument, a JSON object, and ends
//! when its input does, so that none outlives the run.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is how a command-line program speaks")]
#![expect(clippy::disallowed_methods, reason = "a test tool: its tasks end with it, and it records by the wall clock")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Deserialize;

use self::applications::StoreAt;
use self::consumers::Consumer;
use self::handlers::Handling;
use self::links::Link;
use self::writer::Writer;

mod applications;
mod consumers;
mod handlers;
mod links;
mod record;
mod writer;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a process is.
#[derive(Debug, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Role {
    /// Creates the tables of an application.
    Prepare { store: StoreAt },
    /// An application.
    Writer(Writer),
    /// Says how far each key came, which is what was committed.
    Numbers { store: StoreAt },
    /// An application that handles messages itself.
    Handlers(Handling),
    /// Records what was handled.
    Handled { store: StoreAt, record: PathBuf },
    /// Receives, and records what it received.
    Consumer { consumer: Consumer, record: PathBuf },
    /// Listens at one address for each link and passes on to another, as the lines of its input say.
    Links { links: Vec<Link> },
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let role = match serde_json::from_str(&argument) {
        Ok(role) => role,
        Err(error) => {
            eprintln!("started by cargo xtask chaos, with a role: {error}");
            return ExitCode::from(2);
        }
    };
    match play(role).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn play(role: Role) -> Result<(), Failure> {
    match role {
        Role::Prepare { store } => store.open().await?.prepare().await,
        Role::Numbers { store } => {
            for (key, number) in store.open().await?.numbers().await? {
                println!("{key}\t{number}");
            }
            Ok(())
        }
        Role::Handlers(handling) => handling.run().await,
        Role::Handled { store, record } => {
            let record = record::Record::create(&record)?;
            let note = &mut |id: &str, key: &str, number| {
                record.note("", id, format!("{key} {number}|").as_bytes(), record::Done::Taken);
            };
            store.open().await?.handled(note).await?;
            record.flush();
            Ok(())
        }
        Role::Writer(writer) => writer.run(end_of_input()).await,
        Role::Consumer { consumer, record } => consumer.run(record::Record::create(&record)?, end_of_input()).await,
        Role::Links { links } => links::run(links).await,
    }
}

/// The process that started this one has ended, or wants this one to.
async fn end_of_input() {
    let end = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    let _ = end.await;
}

/// Tells the one who started this where it listens, or that it works.
fn ready(address: Option<SocketAddr>) {
    println!("ready {}", address.map_or(String::new(), |address| address.to_string()));
}
