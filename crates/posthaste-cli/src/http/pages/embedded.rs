//! The files of `ui/` as the build script packed them.

/// One file, compressed.
pub struct File {
    pub path: &'static str,
    pub etag: &'static str,
    pub gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/ui.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET_BYTES: usize = 80_000;

    #[test]
    fn all_pages_together_are_no_larger_than_a_picture() {
        // The licences of others are there for people who ask; no page loads them.
        let loaded = FILES.iter().filter(|file| !file.path.ends_with(".txt"));
        let bytes: usize = loaded.map(|file| file.gzip.len()).sum();
        assert!(bytes <= BUDGET_BYTES, "{bytes} bytes compressed");
    }

    #[test]
    fn the_first_page_names_every_script_and_style_so_that_nothing_loads_one_after_another() {
        let index = FILES.iter().find(|file| file.path == "index.html").unwrap();
        let page = String::from_utf8(super::super::files::unpacked(index.gzip).unwrap()).unwrap();
        for file in FILES.iter().filter(|file| !["html", "txt"].iter().any(|kind| file.path.ends_with(kind))) {
            assert!(page.contains(&format!("\"/ui/assets/{}\"", file.path)), "{} is not named", file.path);
        }
        assert!(
            !page.contains("<style") && !page.contains("style=") && !page.contains("://"),
            "nothing inline or from elsewhere"
        );
    }
}
