//! Simulates a slow link: a TCP proxy with a delay and a rate limit, so that a local object store behaves like a remote
//! one. The kernel's netem is a module that many kernels lack; this is a server of the target like any other, on the
//! loopback address.
//!
//! What comes at one moment leaves half the round trip later, in either direction. A new connection waits for a
//! whole round trip first, which its handshake would take. All connections share the rate, that of each direction.

use crate::error::LabError;
use fs::Link;
use std::{
    io::{ErrorKind, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Bytes that travel together.
const PIECE: usize = 64 << 10;
/// Pieces under way in a direction of a connection; more make the sender wait, as a full buffer does.
const UNDER_WAY: usize = 1024;

/// One direction of all connections: when what it carries is through.
#[derive(Debug)]
struct Lane {
    link: Link,
    /// Until when it is taken.
    taken: Mutex<Option<Instant>>,
}

impl Lane {
    /// Returns the time at which `bytes` that come `now` have arrived at the other end.
    fn arrival(&self, now: Instant, bytes: usize) -> Instant {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = taken.map_or(now, |taken| taken.max(now));
        let seconds = self.link.bits_per_s.map_or(0.0, |rate| bytes as f64 * 8.0 / rate);
        let through = begin + Duration::from_secs_f64(seconds);
        *taken = Some(through);
        through + self.link.round_trip / 2
    }
}

/// Hands connections to `port` on to `server`, both of the loopback address, until this process ends.
///
/// # Errors
/// The port cannot be had.
pub fn serve_link(port: u16, server: u16, link: Link) -> Result<(), LabError> {
    let error = LabError::io("listen on", Path::new("a port of the loopback address"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(error)?;
    serve(&listener, server, link);
    Ok(())
}

fn serve(listener: &TcpListener, server: u16, link: Link) {
    let lane = || Arc::new(Lane { link, taken: Mutex::new(None) });
    let (there, back) = (lane(), lane());
    for client in listener.incoming().flatten() {
        let (there, back) = (there.clone(), back.clone());
        thread::spawn(move || {
            thread::sleep(link.round_trip);
            // A server that is not there is one whose connections end.
            let _ = join(client, server, there, back);
        });
    }
}

fn join(client: TcpStream, server: u16, there: Arc<Lane>, back: Arc<Lane>) -> std::io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    carry(client.try_clone()?, server.try_clone()?, there);
    carry(server, client, back);
    Ok(())
}

/// Carries what `from` says to `to`, in two threads: one that takes and one that waits.
fn carry(from: TcpStream, to: TcpStream, lane: Arc<Lane>) {
    let (sender, receiver) = sync_channel(UNDER_WAY);
    thread::spawn(move || take(from, &sender, &lane));
    thread::spawn(move || deliver(to, &receiver));
}

fn take(mut from: TcpStream, sender: &SyncSender<(Instant, Vec<u8>)>, lane: &Lane) {
    let mut piece = vec![0; PIECE];
    loop {
        let length = match from.read(&mut piece) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(length) if length > 0 => length,
            _ => return,
        };
        let arrival = lane.arrival(Instant::now(), length);
        if sender.send((arrival, piece[..length].to_vec())).is_err() {
            return;
        }
    }
}

/// To the end, which is handed on like all else.
fn deliver(mut to: TcpStream, receiver: &Receiver<(Instant, Vec<u8>)>) {
    for (arrival, piece) in receiver {
        thread::sleep(arrival.saturating_duration_since(Instant::now()));
        if to.write_all(&piece).is_err() {
            break;
        }
    }
    // One that is closed already needs no end.
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_one_another_at_the_rate_and_arrive_half_a_round_trip_later() {
        let link = Link::written("20", "8").unwrap();
        let lane = Lane { link, taken: Mutex::new(None) };
        let (now, ms) = (Instant::now(), Duration::from_millis);
        // 8 Mbit/s are 1 000 bytes a millisecond.
        assert_eq!(lane.arrival(now, 1_000), now + ms(1 + 10));
        assert_eq!(lane.arrival(now, 2_000), now + ms(3 + 10));
        assert_eq!(lane.arrival(now + ms(100), 5_000), now + ms(105 + 10));
        let free = Lane { link: Link::written("20", "0").unwrap(), taken: Mutex::new(None) };
        assert_eq!(free.arrival(now, 1 << 30), now + ms(10));
        assert_eq!(free.arrival(now, 1 << 30), now + ms(10));
    }

    #[test]
    fn a_connection_comes_through_whole_in_both_directions_and_to_its_end() {
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (echo, front) = (listen(), listen());
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let (server, port) = (port(&echo), port(&front));
        thread::spawn(move || {
            let (mut stream, _) = echo.accept().unwrap();
            let mut all = Vec::new();
            stream.read_to_end(&mut all).unwrap();
            all.reverse();
            stream.write_all(&all).unwrap();
        });
        thread::spawn(move || serve(&front, server, Link::written("2", "4000").unwrap()));
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut sent: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
        client.write_all(&sent).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        sent.reverse();
        assert!(answer == sent, "{} bytes came back of {}", answer.len(), sent.len());
    }
}
