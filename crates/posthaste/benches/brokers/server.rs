//! A server for one case, with data of its own.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where a server of the tests is, for those that take long to start.
pub(super) fn shared(name: &str) -> String {
    let path = format!("{}/../../target/services/{name}/address", env!("CARGO_MANIFEST_DIR"));
    let address = std::fs::read_to_string(path);
    address.unwrap_or_else(|_| panic!("no {name}: cargo xtask services up {name}")).trim().to_owned()
}

pub(super) struct Server {
    pub(super) address: SocketAddr,
    child: Child,
    folder: PathBuf,
}

impl Server {
    /// `arguments` are made of a folder and a port.
    pub(super) fn start(name: &str, program: &str, arguments: impl Fn(&str, &str) -> Vec<String>) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let address = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
        // As `cargo xtask services` has found it.
        let found = format!("{}/../../target/services/{name}/program", env!("CARGO_MANIFEST_DIR"));
        let program = std::fs::read_to_string(found).map_or_else(|_| program.to_owned(), |path| path.trim().to_owned());
        let child = Command::new(program)
            .args(arguments(&folder.display().to_string(), &address.port().to_string()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let deadline = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < deadline, "{name} starts in time");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { address, child, folder }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
