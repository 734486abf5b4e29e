//! Talking to a server, to know that it is there.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Result, bail};

const PATIENCE: Duration = Duration::from_secs(2);

pub fn connect(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Sends a question and takes as many bytes of the answer.
pub fn exchange(address: SocketAddr, question: &[u8], length: usize) -> Result<Vec<u8>> {
    let mut stream = connect(address)?;
    stream.write_all(question)?;
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

/// Sends a question and wants an answer that begins like this.
pub fn ask(address: SocketAddr, question: &[u8], expected: &[u8]) -> Result<()> {
    let answer = exchange(address, question, expected.len())?;
    if answer != expected {
        bail!("answered {:?}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}
