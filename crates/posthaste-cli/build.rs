//! Packs the dashboard: every file of `ui/` is compressed, named by its checksum and listed, for `http/pages/embedded.rs` to include.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What a browser asks for. Types, and notes for people, stay out of the program.
const SERVED: [&str; 6] = ["html", "js", "mjs", "css", "svg", "txt"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=ui");
    #[cfg(feature = "http")]
    pack(Path::new("ui"), &PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()))?;
    Ok(())
}

#[cfg(feature = "http")]
fn pack(folder: &Path, out: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    gather(folder, &mut files)?;
    files.sort();
    let mut list = String::from("pub static FILES: &[File] = &[\n");
    for (n, file) in files.iter().enumerate() {
        let bytes = slim(file, fs::read(file)?);
        let packed = out.join(format!("ui-{n}.gz"));
        let mut encoder = flate2::write::GzEncoder::new(fs::File::create(&packed)?, flate2::Compression::best());
        encoder.write_all(&bytes)?;
        encoder.finish()?;
        let mut sum = flate2::Crc::new();
        sum.update(&bytes);
        let path = file.strip_prefix(folder).unwrap_or(file).display().to_string();
        let etag = format!("\"{:08x}-{:x}\"", sum.sum(), bytes.len());
        let _ = writeln!(list, "    File {{ path: {path:?}, etag: {etag:?}, gzip: include_bytes!({packed:?}) }},");
    }
    list.push_str("];\n");
    fs::write(out.join("ui.rs"), list)
}

/// Our own scripts and styles without comments, types and indentation, which browsers do not read. Lines stay where they are, for whoever debugs.
#[cfg(feature = "http")]
fn slim(file: &Path, bytes: Vec<u8>) -> Vec<u8> {
    let open = match file.extension().and_then(|kind| kind.to_str()) {
        Some("js") => "/**",
        Some("css") => "/*",
        _ => return bytes,
    };
    let (mut slim, mut rest) = (String::new(), String::from_utf8_lossy(&bytes).into_owned());
    while let Some((before, comment)) = rest.split_once(open) {
        slim.push_str(before);
        let (comment, after) = comment.split_once("*/").unwrap_or((comment, ""));
        slim.extend(comment.chars().filter(|c| *c == '\n'));
        rest = after.to_owned();
    }
    slim.push_str(&rest);
    let code = |line: &str| if line.trim_start().starts_with("//") { "" } else { line.trim() }.to_owned();
    slim.lines().map(|line| code(line) + "\n").collect::<String>().into_bytes()
}

#[cfg(feature = "http")]
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|found| SERVED.iter().any(|served| found == *served)) {
            files.push(path);
        }
    }
    Ok(())
}
