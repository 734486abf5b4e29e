//! The program `posthaste`: relay, command line and demo around the library.
#![expect(
    unreachable_pub,
    reason = "nothing of a program can be reached from outside; `pub` says what a module offers the others"
)]

use std::io;
use std::process::ExitCode;

use clap::Parser;
use posthaste::error::full_text;

use crate::cli::Cli;
use crate::exit::Exit;

/// One thread allocates messages and another frees them, which is slow with the system's allocator: with this one a drain of SQLite is
/// a third faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod cli;
mod clock;
mod commands;
mod config;
mod context;
mod exit;
mod explain;
mod expressions;
#[cfg(feature = "http")]
mod failures;
mod health;
#[cfg(feature = "http")]
mod http;
mod logging;
mod operator;
#[cfg(feature = "otlp")]
mod otlp;
mod output;
mod paging;
mod selection;
mod sinks;
mod sources;
mod store;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = run(cli);
    match ended {
        Ok(exit) => exit.into(),
        Err(error) if is_broken_pipe(&error) => Exit::Ok.into(),
        Err(error) => {
            output::error(full_text(error.as_ref()));
            Exit::of(&error).into()
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    // This thread runs the engine, the others run what the engine starts: together one for each core.
    let others = std::thread::available_parallelism().map_or(1, |cores| cores.get() - 1).max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(others).enable_all().build()?;
    let ended = runtime.block_on(commands::execute(cli));
    // A thread that is stuck in a write to a full pipe is not waited for.
    runtime.shutdown_background();
    ended
}

/// Whether the reader of our output has closed it, as in `posthaste list | head`. A connection to a store that broke does not count.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_kind = |cause: &(dyn std::error::Error + 'static)| Some(cause.downcast_ref::<io::Error>()?.kind());
    let ours = error.chain().take_while(|cause| !cause.is::<posthaste::Error>());
    ours.filter_map(io_kind).any(|kind| kind == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use posthaste::error::{Error, Kind};

    use super::*;

    #[test]
    fn only_a_reader_of_ours_that_has_left_ends_the_program_in_silence() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_broken_pipe(&broken().into()));
        let store = Error::new(Kind::Unavailable, "the database is gone").caused_by(broken());
        assert!(!is_broken_pipe(&store.into()), "the database, not the reader");
    }

    #[test]
    fn an_error_of_a_store_is_printed_once_although_its_causes_are_a_chain() {
        let store = Error::new(Kind::Unavailable, "the database is gone").caused_by(io::Error::other("refused"));
        let error = anyhow::Error::from(store).context("cannot list");
        assert_eq!(full_text(error.as_ref()), "cannot list: the database is gone: refused");
    }
}
