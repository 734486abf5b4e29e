//! The config: found, read, overridden from the environment, and turned into a validated plan.
//!
//! ```text
//! file ─► tree ─► overrides ─► references ─► parse ─► resolve ─► Plan
//! ```
//!
//! Every step notes its problems and goes on, so that a person sees all of them at once.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub use self::fit::fit;
pub use self::problem::Problem;
pub use self::resolve::{DestinationPlan, LogFormat, LogPlan, Plan};
#[cfg(feature = "http")]
pub use self::resolve_http::{HttpPlan, ReadyPlan, Role, TokenPlan};
#[cfg(feature = "otlp")]
pub use self::resolve_otlp::OtlpPlan;
pub use self::resolve_source::SourcePlan;
pub use self::resolve_store::StorePlan;
use self::tree::Tree;

mod fit;
#[cfg(test)]
mod hostile;
mod overrides;
mod parse;
mod parse_notify;
mod parse_source;
mod problem;
mod references;
mod resolve;
mod resolve_destination;
mod resolve_http;
mod resolve_map;
mod resolve_notify;
mod resolve_otlp;
mod resolve_source;
mod resolve_store;
#[cfg(test)]
mod tests;
mod tree;

/// What `posthaste init` writes. A test proves that it says what the defaults are.
pub const DEFAULT_TOML: &str = include_str!("config/default.toml");

/// Where the config is looked for, in this order, when no path is given.
pub const DEFAULT_PATHS: [&str; 2] = ["posthaste.toml", "posthaste.yaml"];

/// The variables of the process, as far as the config cares.
pub type Env = BTreeMap<String, String>;

/// Why there is no plan.
#[derive(Debug)]
pub enum Error {
    /// No file, and nothing in the environment either.
    NotFound,
    Unreadable {
        path: PathBuf,
        why: String,
    },
    /// The file is not TOML or YAML; the text shows where.
    Syntax {
        path: PathBuf,
        why: String,
    },
    /// Everything that is wrong with it.
    Problems {
        path: Option<PathBuf>,
        problems: Vec<Problem>,
    },
}

/// Reads the config at `path`, or the first of [`DEFAULT_PATHS`], or the environment alone.
pub fn load(path: Option<&Path>, env: &Env) -> Result<Plan, Error> {
    let path = match path {
        Some(path) => Some(path.to_owned()),
        None => DEFAULT_PATHS.iter().map(PathBuf::from).find(|path| path.exists()),
    };
    let tree = match &path {
        Some(path) => Tree::read(path)?,
        None if overrides::any(env) => Tree::default(),
        None => return Err(Error::NotFound),
    };
    let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    plan(tree, env, &folder).map_err(|problems| Error::Problems { path, problems })
}

/// The steps after reading. `folder` is where relative paths start.
fn plan(mut tree: Tree, env: &Env, folder: &Path) -> Result<Plan, Vec<Problem>> {
    let mut problems = overrides::apply(&mut tree, env);
    let unread = references::replace(&mut tree, env, folder);
    let file = fit(tree.value.clone(), "", &mut problems).unwrap_or_default();
    let plan = resolve::resolve(file, folder, &mut problems);
    // A value that could not be read is missing for that reason alone.
    problems.retain(|problem| unread.iter().all(|other| other.key != problem.key));
    problems.extend(unread);
    if problems.is_empty() {
        return Ok(plan);
    }
    problems.sort_by(|a, b| a.key.cmp(&b.key));
    Err(problems.into_iter().map(|problem| tree.with_provenance(problem)).collect())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => {
                let [toml, yaml] = DEFAULT_PATHS;
                write!(
                    f,
                    "no config: there is no {toml} or {yaml} here\n\n  Write one with `posthaste init`, or name one with --config FILE or POSTHASTE_CONFIG."
                )
            }
            Self::Unreadable { path, why } => write!(f, "cannot read the config {}: {why}", path.display()),
            Self::Syntax { path, why } => write!(f, "{} cannot be parsed\n\n{}", path.display(), why.trim_end()),
            Self::Problems { path, problems } => {
                let place = match path {
                    Some(path) => path.display().to_string(),
                    None => "the config from the environment".into(),
                };
                let count = problems.len();
                writeln!(f, "{place} has {count} {}", if count == 1 { "problem" } else { "problems" })?;
                let width = problems.iter().map(|problem| problem.key.chars().count()).max().unwrap_or(0).min(40);
                problems.iter().try_for_each(|Problem { key, text }| write!(f, "\n  {key:width$}  {text}"))
            }
        }
    }
}

impl std::error::Error for Error {}
