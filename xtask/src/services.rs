//! The servers that tests need, started on private ports with their data under `target/services`.
//!
//! A server that is not installed is installed; one that cannot be had is an error with the remedy, never a skipped test. The
//! system's own servers, if it runs any, are not touched: they have other ports and other data.

use anyhow::{Result, bail};

use self::catalog::{CATALOG, Service};
use self::instance::Instance;

mod catalog;
mod install;
mod instance;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Start servers and wait until they answer
    Up {
        /// Those that the tests need, unless named
        names: Vec<String>,
    },
    /// Stop servers
    Down {
        /// All that run, unless named
        names: Vec<String>,
    },
    /// Show which servers run, and where
    Status {
        /// All, unless named
        names: Vec<String>,
    },
}

pub fn run(args: &Args) -> Result<()> {
    match &args.what {
        What::Up { names } if names.is_empty() => up_for_tests(),
        What::Up { names } => named(names)?.into_iter().try_for_each(up),
        What::Down { names } => named(names)?.into_iter().try_for_each(down),
        What::Status { names } => named(names).map(|services| status(&services)),
    }
}

/// Starts what the tests need.
pub fn up_for_tests() -> Result<()> {
    let mut needed = CATALOG.iter().filter(|service| service.tests_need_it).peekable();
    if needed.peek().is_none() {
        println!("services: the tests need none");
    }
    needed.try_for_each(up)
}

/// The services of these names; all, if none is given.
fn named(names: &[String]) -> Result<Vec<&'static Service>> {
    let unknown: Vec<_> = names.iter().filter(|name| CATALOG.iter().all(|service| service.name != **name)).collect();
    if !unknown.is_empty() {
        let known: Vec<_> = CATALOG.iter().map(|service| service.name).collect();
        bail!("no such service: {unknown:?}; there are {known:?}");
    }
    Ok(CATALOG.iter().filter(|service| names.is_empty() || names.iter().any(|name| name == service.name)).collect())
}

fn up(service: &'static Service) -> Result<()> {
    let name = service.name;
    if let Some(instance) = Instance::running(service) {
        println!("{name}: runs at {}", instance.address());
        return Ok(());
    }
    let program = match install::find(service.programs) {
        Some(program) => program,
        None => {
            println!("{name}: not installed, installing it");
            (service.install)()?;
            install::find(service.programs).ok_or_else(|| anyhow::anyhow!("{name}: installed, but not found"))?
        }
    };
    let instance = Instance::start(service, &program)?;
    println!("{name}: started at {}", instance.address());
    Ok(())
}

fn down(service: &'static Service) -> Result<()> {
    match Instance::running(service) {
        Some(instance) => {
            instance.stop()?;
            println!("{}: stopped", service.name);
        }
        None => println!("{}: does not run", service.name),
    }
    Ok(())
}

fn status(services: &[&'static Service]) {
    println!("{:<12} {:<16} {:<22} program", "service", "state", "address");
    for service in services {
        let program = install::find(service.programs).map_or("not installed".into(), |path| path.display().to_string());
        let (state, address) = match Instance::running(service) {
            Some(instance) if instance.answers() => ("runs", instance.address().to_string()),
            Some(instance) => ("does not answer", instance.address().to_string()),
            None => ("stopped", String::new()),
        };
        println!("{:<12} {state:<16} {address:<22} {program}", service.name);
    }
}
