//! The text files of the repository.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Folders that hold nothing written by hand.
const GENERATED: &[&str] = &["target", ".git", "node_modules"];

const TEXT: &[&str] = &["rs", "sql", "md", "toml", "yaml", "yml", "sh", "py", "js", "ts", "html", "css"];

#[derive(Debug, Default)]
pub struct Tree {
    files: Vec<File>,
}

/// One file, by its path from the root.
#[derive(Debug)]
pub struct File {
    pub path: String,
    pub text: String,
}

impl Tree {
    /// Everything below `root`.
    pub fn read(root: &str) -> Result<Self> {
        let mut tree = Self::default();
        tree.descend(Path::new(root))?;
        tree.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(tree)
    }

    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
        Self { files: files.iter().map(file).collect() }
    }

    pub fn files(&self) -> &[File] {
        &self.files
    }

    pub fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a File> {
        self.files.iter().filter(move |file| file.path.rsplit('.').next() == Some(extension))
    }

    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    fn descend(&mut self, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !GENERATED.contains(&name.as_str()) {
                self.descend(&path)?;
            } else if TEXT.iter().any(|extension| path.extension().is_some_and(|found| found == *extension)) {
                let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let path = path.strip_prefix(".").unwrap_or(&path).to_string_lossy().into_owned();
                self.files.push(File { path, text });
            }
        }
        Ok(())
    }
}
