//! The dashboard's files, as a browser gets them.

use super::client::Place;

#[tokio::test]
async fn every_address_of_the_dashboard_is_its_page_and_nothing_may_run_load_or_frame_but_its_own() {
    let place = Place::new().await;
    for path in ["/ui/", "/ui/messages?q=status:dead", "/ui/message/01890a5d", "/ui/key?key=%3Cscript%3E"] {
        let answer = place.send("GET", path, &[], "").await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-frame-options"), Some("deny"));
        assert!(answer.body.contains("/ui/assets/app.js"), "a client that cannot unpack gets it plain");
    }
    let home = place.send("GET", "/", &[], "").await;
    assert_eq!((home.status, home.header("location")), (303, Some("/ui/")));
}

#[tokio::test]
async fn files_are_compressed_and_sent_once() {
    let place = Place::new().await;
    let first = place.send("GET", "/ui/assets/app.js", &[("accept-encoding", "br, gzip")], "").await;
    assert_eq!((first.status, first.header("content-encoding")), (200, Some("gzip")));
    let etag = first.header("etag").unwrap();
    let again = place.send("GET", "/ui/assets/app.js", &[("if-none-match", etag)], "").await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    for path in ["/ui/assets/nothing.js", "/ui/assets/../Cargo.toml", "/ui/assets/vendor/README.md"] {
        assert_eq!(place.send("GET", path, &[], "").await.status, 404, "{path}");
    }
}
