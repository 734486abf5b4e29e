//! The servers that tests need, started on private ports with their data under `target/services`.
//!
//! A server that is not installed is installed; one that cannot be had is an error with the remedy, never a skipped test. The
//! system's own servers, if it runs any, are not touched: they have other ports and other data.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use self::catalog::{CATALOG, Service};
use self::instance::Instance;
use crate::root::THIS_PROGRAM;

mod ask;
pub mod cache;
mod catalog;
mod emulate;
pub mod go;
mod in_use;
pub mod install;
mod instance;
mod kafka;
mod mailpit;
mod mariadb;
pub mod mongodb;
mod mysql;
mod nats;
mod node_modules;
mod patience;
mod pgbouncer;
mod ports;
pub mod postgres;
mod prism;
mod private;
mod rabbitmq;
mod redis;
mod smtp_sink;
mod tidb;
mod valkey;

pub use self::in_use::InUse;
pub use self::private::Server;
pub use self::{catalog::remove, patience::until, ports::addresses as free_addresses};

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
    /// Become a private server, in the foreground
    Serve {
        name: String,
        /// Where its data is, or will be
        #[arg(long)]
        folder: PathBuf,
        #[arg(long)]
        address: SocketAddr,
        /// More options for the server itself
        #[arg(last = true)]
        options: Vec<String>,
    },
    /// Wait until a private server answers
    Await {
        name: String,
        #[arg(value_delimiter = ',')]
        addresses: Vec<SocketAddr>,
    },
    /// Stop what a run of tests has started, as soon as that run ends and with it the input
    #[command(hide = true)]
    StopAfter,
}

pub fn run(args: Args) -> Result<()> {
    match args.what {
        What::Up { names } if names.is_empty() => up(&for_tests(), Stay::ForGood),
        What::Up { names } => up(&named(&names)?, Stay::ForGood),
        What::Down { names } => down(&named(&names)?),
        What::Status { names } => named(&names).map(|services| status(&services)),
        What::Serve { name, folder, address, options } => {
            private::serve(Service::named(&name)?, folder, address, &options)
        }
        What::Await { name, addresses } => patience::wait_for_answer(Service::named(&name)?, &addresses, []),
        What::StopAfter => in_use::stop_after_input(),
    }
}

/// What the tests need.
pub fn for_tests() -> Vec<&'static Service> {
    CATALOG.iter().filter(|service| service.tests_need_it).collect()
}

/// The services of these names that the tests do without, unless somebody asks for them.
pub fn on_request(names: &[String]) -> Result<Vec<&'static Service>> {
    let named = names.iter().map(|name| Service::named(name)).collect::<Result<Vec<_>>>()?;
    Ok(named.into_iter().filter(|service| !service.tests_need_it).collect())
}

/// The services of these names; all, if none is given.
pub fn named(names: &[impl AsRef<str>]) -> Result<Vec<&'static Service>> {
    if names.is_empty() {
        return Ok(CATALOG.iter().collect());
    }
    names.iter().map(|name| Service::named(name.as_ref())).collect()
}

/// How long a server that is started stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stay {
    /// Until somebody stops it.
    ForGood,
    /// Until the last run that uses it ends.
    WhileInUse,
}

/// Installs what is missing, then starts all at once.
fn up(services: &[&'static Service], stay: Stay) -> Result<()> {
    let _lock = lock()?;
    private::sweep()?;
    keep_this_program()?;
    obtain(services)?;
    services.iter().for_each(|service| instance::keep_ports_back(service));
    all_at_once(services, |service| start(service, stay))
}

/// Installs what is missing: packages in one go, then everything else at once.
fn obtain(services: &[&'static Service]) -> Result<()> {
    install_packages(services)?;
    all_at_once(services, |service| {
        if (service.find)().is_none() {
            let begun = Instant::now();
            (service.fetch)()?;
            println!("{}: fetched in {:.1} s", service.name, begun.elapsed().as_secs_f64());
        }
        Ok(())
    })
}

fn install_packages(services: &[&'static Service]) -> Result<()> {
    let absent = services.iter().filter(|service| (service.find)().is_none());
    let needed = absent.flat_map(|service| service.needs).filter(|(program, _)| install::find(program).is_none());
    let mut packages: Vec<_> = needed.map(|(_, package)| *package).collect();
    packages.sort_unstable();
    packages.dedup();
    if packages.is_empty() {
        return Ok(());
    }
    let begun = Instant::now();
    println!("installing {}", packages.join(", "));
    install::apt(&packages)?;
    println!("installed in {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Starts a server, unless it runs and answers. One that ran before stays as long as it would have; who asks for it to stay for good
/// gets that.
fn start(service: &'static Service, stay: Stay) -> Result<()> {
    let (name, running) = (service.name, Instance::running(service));
    if stay == Stay::ForGood {
        instance::stays(service, true)?;
    } else if running.is_none() {
        instance::stays(service, false)?;
    }
    if let Some(instance) = running {
        if instance.answers() {
            println!("{name}: runs at {}", instance.address());
            return Ok(());
        }
        println!("{name}: does not answer, starting it again");
        instance.stop()?;
    }
    let begun = Instant::now();
    let instance = Instance::start(service)?;
    println!("{name}: started at {} in {:.1} s", instance.address(), begun.elapsed().as_secs_f64());
    Ok(())
}

fn down(services: &[&'static Service]) -> Result<()> {
    let _lock = lock()?;
    private::sweep()?;
    all_at_once(services, |service| {
        match Instance::running(service) {
            Some(instance) => {
                instance.stop()?;
                println!("{}: stopped", service.name);
            }
            None => println!("{}: does not run", service.name),
        }
        Ok(())
    })
}

fn status(services: &[&'static Service]) {
    println!("{:<12} {:<16} {:<47} program", "service", "state", "address");
    for service in services {
        let program = (service.find)().map_or("not installed".into(), |path| path.display().to_string());
        let (state, address) = match Instance::running(service) {
            Some(instance) if instance.answers() => ("runs", instance.address()),
            Some(instance) => ("does not answer", instance.address()),
            None => ("stopped", String::new()),
        };
        println!("{:<12} {state:<16} {address:<47} {program}", service.name);
    }
}

/// Does something for all services, each in a thread of its own. Every failure is told.
fn all_at_once(services: &[&'static Service], work: impl Fn(&'static Service) -> Result<()> + Sync) -> Result<()> {
    let work = &work;
    let results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = services.iter().map(|service| scope.spawn(move || work(service))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow!("panicked")))).collect()
    });
    let failures: Vec<_> = results.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    if failures.is_empty() { Ok(()) } else { Err(anyhow!(failures.join("\n\n"))) }
}

/// One starts or stops servers of this checkout at a time.
fn lock() -> Result<File> {
    fs::create_dir_all("target/services").context("cannot create target/services")?;
    let lock = File::create("target/services/.lock")?;
    lock.lock()?;
    Ok(lock)
}

/// Where tests find it, to start private servers. Cargo may replace the one that runs at any time.
fn keep_this_program() -> Result<()> {
    let half = "target/services/.xtask-half";
    fs::copy(THIS_PROGRAM, half)?;
    Ok(fs::rename(half, "target/services/.xtask")?)
}
