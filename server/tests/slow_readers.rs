//! Those who ask for large answers and do not take them: what they hold is bounded, and others are answered.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use evenweave::{FairScheduler, Settings};
use evenweave_server::events::Ring;
use evenweave_server::records::AppRecord;
use evenweave_server::scheduler::{Basics, Steps};
use evenweave_server::{Cluster, Limits, ResourceManager, serve};

/// An answer of so many bytes, or a little more: what lies in the kernel's buffers is less.
const LARGE: usize = 16 << 20;
const READERS: usize = 5;

/// Asks for the list of applications, and reads the head of the answer; the length of its body.
fn ask(at: SocketAddr, reader: usize) -> (TcpStream, u16, usize) {
    let mut stream = TcpStream::connect(at).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a time");
    // Each asks for something else, so that no two are given the same answer.
    let path = format!("/ws/v1/cluster/apps?reader={reader}");
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n").as_bytes())
        .expect("sent");
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).expect("a head");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("letters").to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect(&head);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    (stream, status, length.expect(&head))
}

fn rest(stream: &mut TcpStream) -> usize {
    let (mut bytes, mut read) = (vec![0; 1 << 16], 0);
    // One that is reset has ended.
    while let Ok(many @ 1..) = stream.read(&mut bytes) {
        read += many;
    }
    read
}

#[test]
fn slow_readers_make_room_for_others() {
    let settings = Settings::from_properties([]).expect("Hadoop's defaults");
    let basics = Basics::of_fair(&settings);
    let stepped = FairScheduler::builder().settings(settings).stepped().expect("a scheduler");
    let manager = ResourceManager::new(Cluster::new(1, "rm:8088"), Arc::new(Steps::new(stepped, basics)));
    for number in 1..=64 {
        let mut record = AppRecord::new(number, "ann", "root.a", 5);
        record.name = "x".repeat(LARGE / 64);
        manager.records().submitted(record);
    }
    let (manager, listener) = (Arc::new(manager), TcpListener::bind("127.0.0.1:0").expect("a port"));
    let at = listener.local_addr().expect("an address");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // ORDERING: Relaxed, here and below. The flag carries no data.
        let ends = || over.load(Ordering::Relaxed);
        // Room for one more while there are two, and no end for those who wait.
        let limits = Limits { unread_bytes: 5 * LARGE / 2, write_time: Duration::from_secs(600), ..Limits::default() };
        scope
            .spawn(move || serve(&manager, &Arc::new(Ring::default()), listener, limits, None, &ends).expect("served"));
        let asked = std::panic::catch_unwind(|| {
            let mut slow: Vec<_> = (0..READERS).map(|reader| ask(at, reader)).collect();
            assert!(slow.iter().all(|(_, status, _)| *status == 200));
            let taken: Vec<bool> = slow.iter_mut().map(|(stream, _, length)| rest(stream) == *length).collect();
            // While there were two a third was worked out. For each further one somebody made room, the first before
            // all; who is next hangs on how much the kernel has taken of each.
            let whole = taken.iter().filter(|taken| **taken).count();
            assert!(whole == 3 && !taken[0] && taken[READERS - 1], "{taken:?}");
            // What was held is free.
            for reader in 0..4 {
                let (mut stream, status, length) = ask(at, READERS + reader);
                assert_eq!((status, rest(&mut stream)), (200, length));
            }
        });
        over.store(true, Ordering::Relaxed);
        if let Err(why) = asked {
            std::panic::resume_unwind(why);
        }
    });
}
