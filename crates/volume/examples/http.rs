//! A volume's plaintext by HTTP, whole or in ranges, on 127.0.0.1:
//!
//! ```console
//! $ cargo run --example http -- disk.img key-file 8080 &
//! $ curl -r 1024-2047 http://127.0.0.1:8080/
//! ```

use algkit_volume::{Header, Limits, ReadAt};
use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// The longest request with its header fields, in bytes.
const MAX_REQUEST: u64 = 8 << 10;

/// Answers clients, each in a thread, until the listener fails.
pub fn serve(storage: &dyn ReadAt, listener: &TcpListener) -> io::Result<()> {
    thread::scope(|scope| {
        loop {
            let (client, _) = listener.accept()?;
            scope.spawn(move || {
                // A client that leaves has itself to blame.
                let _ = answer(storage, &client);
            });
        }
    })
}

/// One request, and its answer (RFC 9110, section 14: byte ranges).
pub fn answer(storage: &dyn ReadAt, mut client: &TcpStream) -> Result<(), Box<dyn Error>> {
    client.set_read_timeout(Some(Duration::from_secs(30)))?;
    let size = storage.size()?;
    let mut lines = BufReader::new(client.take(MAX_REQUEST)).lines();
    let request = lines.next().ok_or("no request")??;
    let mut range = None;
    for line in lines {
        let line = line?;
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("range") => range = Some(value.trim().to_owned()),
            Some(_) => {}
            None => break,
        }
    }
    let (status, start, len) = match range.as_deref().map(|range| bounds(range, size)) {
        None | Some(Bounds::Ignored) => ("200 OK".to_owned(), 0, size),
        Some(Bounds::Part(start, len)) => {
            let last = start + len - 1;
            (format!("206 Partial Content\r\nContent-Range: bytes {start}-{last}/{size}"), start, len)
        }
        Some(Bounds::Outside) => (format!("416 Range Not Satisfiable\r\nContent-Range: bytes */{size}"), 0, 0),
    };
    let has_body = request.starts_with("GET ");
    let (status, len) =
        if has_body || request.starts_with("HEAD ") { (status, len) } else { ("405 Method Not Allowed".to_owned(), 0) };
    let fields = "Accept-Ranges: bytes\r\nContent-Type: application/octet-stream\r\nConnection: close";
    write!(client, "HTTP/1.1 {status}\r\nContent-Length: {len}\r\n{fields}\r\n\r\n")?;
    let mut buffer = vec![0; 1 << 20];
    let (mut at, end) = (start, if has_body { start + len } else { start });
    while at < end {
        let chunk = &mut buffer[..(end - at).min(1 << 20) as usize];
        storage.read_at(at, chunk)?;
        client.write_all(chunk)?;
        at += chunk.len() as u64;
    }
    Ok(())
}

/// What a range asks for.
enum Bounds {
    /// From where, and how many bytes.
    Part(u64, u64),
    /// Nothing that is there.
    Outside,
    /// What a server need not understand.
    Ignored,
}

/// `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-LENGTH`.
fn bounds(range: &str, size: u64) -> Bounds {
    let Some((first, last)) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Bounds::Ignored;
    };
    let (start, end) = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => (first, last.saturating_add(1).min(size)),
        (Ok(first), Err(_)) if last.is_empty() => (first, size),
        (Err(_), Ok(len)) if first.is_empty() => (size.saturating_sub(len), size),
        _ => return Bounds::Ignored,
    };
    if start < end { Bounds::Part(start, end - start) } else { Bounds::Outside }
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments = env::args().skip(1).collect::<Vec<_>>().try_into();
    let [image, key, port] = arguments.map_err(|_| "usage: http IMAGE KEY-FILE PORT")?;
    let file = File::open(&image)?;
    let header = Header::read(&file)?;
    let unlocked = header.unlock(&file, &fs::read(key)?, None, &Limits::default())?;
    let volume = header.open(file, &unlocked.key)?;
    Ok(serve(&volume, &TcpListener::bind(("127.0.0.1", port.parse()?))?)?)
}
