//! Where the files come from: out of the program, or from a folder while someone works on them.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use axum::body::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::embedded::FILES;

#[derive(Debug, Clone, Default)]
pub enum Files {
    #[default]
    Embedded,
    /// Read again at each request, so that a change is seen at once.
    Folder(PathBuf),
}

/// A file as it is sent.
pub struct Served {
    pub content_type: &'static str,
    pub etag: Cow<'static, str>,
    pub gzip: Bytes,
}

impl Files {
    pub fn get(&self, path: &str) -> Option<Served> {
        let content_type = content_type(path)?;
        match self {
            Self::Embedded => {
                let file = FILES.iter().find(|file| file.path == path)?;
                Some(Served { content_type, etag: file.etag.into(), gzip: Bytes::from_static(file.gzip) })
            }
            Self::Folder(folder) => {
                let gzip = read(folder, Path::new(path)).ok()?;
                // Never the same as one that a browser has.
                Some(Served { content_type, etag: format!("\"{}\"", uuid::Uuid::now_v7().simple()).into(), gzip })
            }
        }
    }
}

/// A file below the folder, and never one above it.
fn read(folder: &Path, path: &Path) -> io::Result<Bytes> {
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&std::fs::read(folder.join(path))?)?;
    Ok(encoder.finish()?.into())
}

/// For a client that does not understand compressed answers.
pub fn unpacked(gzip: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut plain)?;
    Ok(plain)
}

fn content_type(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_serves_what_is_in_it_and_nothing_beside_it() {
        let files = Files::Folder(concat!(env!("CARGO_MANIFEST_DIR"), "/ui").into());
        assert!(files.get("index.html").is_some_and(|file| !unpacked(&file.gzip).unwrap().is_empty()));
        for path in
            ["../Cargo.toml", "../src/main.rs", "/etc/passwd.txt", "a/../../build.js", "nothing.js", "README.md"]
        {
            assert!(files.get(path).is_none(), "{path}");
        }
    }
}
