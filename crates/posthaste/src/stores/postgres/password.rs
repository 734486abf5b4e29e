//! The password, which may be another one for each connection: tokens of cloud providers last for minutes, and secrets that are mounted
//! as files are replaced while a relay runs.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::Options;
use crate::error::{Error, Kind, Result};
use crate::secret::Secret;

/// Longest time that a program may take to print a password.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the password comes from.
pub(super) enum Password {
    /// The URL, if it has one.
    OfTheUrl,
    Given(Secret),
    InFile(PathBuf),
    Printed(Vec<String>),
}

impl Password {
    pub(super) fn of(options: &Options) -> Result<Self> {
        let given = options.password.clone().map(Self::Given);
        let in_file = options.password_file.clone().map(Self::InFile);
        let printed = (!options.password_command.is_empty()).then(|| Self::Printed(options.password_command.clone()));
        let mut sources = [given, in_file, printed].into_iter().flatten();
        match (sources.next(), sources.next()) {
            (source, None) => Ok(source.unwrap_or(Self::OfTheUrl)),
            _ => Err(Error::new(
                Kind::Invalid,
                "only one of password, password_file and password_command can say what the password is",
            )),
        }
    }

    /// The password for the connection that is about to be made. Nothing if the URL has it.
    pub(super) async fn now(&self) -> Result<Option<Secret>> {
        match self {
            Self::OfTheUrl => Ok(None),
            Self::Given(password) => Ok(Some(password.clone())),
            Self::InFile(path) => read(path.clone()).await.map(Some),
            Self::Printed(command) => print(command).await.map(Some),
        }
    }
}

/// A secret that is being replaced may be missing for a moment, so this is worth another try.
async fn read(path: PathBuf) -> Result<Secret> {
    let name = path.display().to_string();
    let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await;
    let text = read.map_err(std::io::Error::other).flatten().map_err(|error| {
        Error::new(Kind::Unavailable, format!("password_file {name} cannot be read")).caused_by(error)
    })?;
    without_line_end(&text, &format!("password_file {name}"))
}

/// Neither the arguments nor what the program prints are shown: both may hold secrets.
async fn print(command: &[String]) -> Result<Secret> {
    let [program, arguments @ ..] = command else {
        return Err(Error::new(Kind::Invalid, "password_command is empty"));
    };
    let failed = |why: String| Error::new(Kind::Unavailable, format!("password_command {program}: {why}"));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(PATIENCE, command.output()).await {
        Ok(output) => output.map_err(|error| failed("cannot be run".into()).caused_by(error))?,
        Err(_) => return Err(failed(format!("printed no password within {} s", PATIENCE.as_secs()))),
    };
    if !output.status.success() {
        return Err(failed(format!("failed with {}", output.status)));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| failed("printed what is no text".into()))?;
    without_line_end(&text, &format!("password_command {program}"))
}

/// Editors and `echo` end a text with a newline that nobody means.
fn without_line_end(text: &str, source: &str) -> Result<Secret> {
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(Error::new(Kind::Unavailable, format!("{source} holds no password"))),
        password => Ok(Secret::new(password)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(script: &str) -> Password {
        Password::Printed(["sh", "-c", script].map(String::from).to_vec())
    }

    #[tokio::test]
    async fn a_password_is_read_each_time_without_the_end_of_its_line() {
        let path = std::env::temp_dir().join(format!("posthaste-{}", uuid::Uuid::now_v7()));
        let password = Password::InFile(path.clone());
        for text in ["first\n", "second"] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(password.now().await.unwrap(), Some(Secret::new(text.trim())));
        }
        std::fs::remove_file(&path).unwrap();
        let missing = password.now().await.unwrap_err();
        assert!(missing.is_temporary() && missing.to_string().contains(&path.display().to_string()), "{missing}");
    }

    #[tokio::test]
    async fn a_program_prints_the_password_and_its_failures_tell_no_secret() {
        assert_eq!(printed("echo s3cret").now().await.unwrap(), Some(Secret::new("s3cret")));
        for script in ["echo s3cret; echo s3cret >&2; exit 3", "true s3cret", "printf '\\377s3cret'"] {
            let error = printed(script).now().await.unwrap_err().to_string();
            assert!(error.starts_with("password_command sh") && !error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn two_sources_of_a_password_are_refused() {
        let mut options = Options::new("postgres://app@db/app");
        options.password_file = Some("/run/secrets/db".into());
        options.password_command = vec!["token".into()];
        let error = Password::of(&options).err().unwrap().to_string();
        assert!(error.contains("password_file") && error.contains("password_command"), "{error}");
    }
}
