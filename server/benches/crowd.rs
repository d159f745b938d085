//! A crowd that reads a running server: how many answers, how late, how many refusals, and what that does to the
//! scheduler and its memory.
//!
//! ```sh
//! evenweave serve --nodes 1000 &
//! cargo bench -p evenweave-server --bench crowd -- --at 127.0.0.1:8088 --pid $!
//! ```
//! Readers ask in turn for the queues and for 100 applications, each once in `--every` ms after the last answer. Others
//! listen to the events, and `--dead` of those never read. The first and the last quarter of a minute are without them,
//! to compare.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

const PATHS: [&str; 2] = ["/ws/v1/cluster/scheduler", "/ws/v1/cluster/apps?limit=100"];
const ALONE: Duration = Duration::from_secs(15);
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
struct Plan {
    at: SocketAddr,
    pid: Option<u32>,
    readers: u64,
    every_ms: u64,
    listeners: u64,
    dead: u64,
    seconds: u64,
}

/// What has happened.
#[derive(Debug, Default)]
struct Seen {
    over: AtomicBool,
    refused: AtomicU64,
    not_200: AtomicU64,
    broken: AtomicU64,
    heard: AtomicU64,
}

impl Seen {
    // ORDERING: Relaxed, here and below: counts that are read when all have ended, and a flag without data.
    fn one(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

fn plan() -> Option<Plan> {
    let given: Vec<String> = std::env::args().collect();
    let of = |name: &str| given.iter().position(|one| one == name).and_then(|at| given.get(at + 1));
    let number = |name: &str, or: u64| of(name).map_or(Some(or), |text| text.parse().ok());
    Some(Plan {
        at: of("--at")?.parse().ok()?,
        pid: of("--pid").and_then(|pid| pid.parse().ok()),
        readers: number("--readers", 1000)?,
        every_ms: number("--every", 1000)?,
        listeners: number("--listeners", 100)?,
        dead: number("--dead", 50)?,
        seconds: number("--seconds", 120)?,
    })
}

/// Status and length of an answer.
async fn get(to: &mut SendRequest<Body>, at: SocketAddr, path: &str) -> Option<(u16, usize)> {
    let request = Request::get(path).header(header::HOST, at.to_string()).body(Body::empty()).ok()?;
    let response = to.send_request(request).await.ok()?;
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(Body::new(response.into_body()), usize::MAX).await.ok()?;
    Some((status, body.len()))
}

async fn connect(at: SocketAddr) -> Option<SendRequest<Body>> {
    let stream = TcpStream::connect(at).await.ok()?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
    tokio::spawn(connection);
    Some(sender)
}

/// Asks again and again; how long each answer took, in µs.
async fn read(plan: Plan, seen: Arc<Seen>, number: u64) -> Vec<u64> {
    let mut took = Vec::new();
    sleep(Duration::from_millis(plan.every_ms.max(1000) * number / plan.readers.max(1))).await;
    while !seen.is_over() {
        let Some(mut to) = connect(plan.at).await else {
            Seen::one(&seen.refused);
            sleep(Duration::from_secs(1)).await;
            continue;
        };
        for path in PATHS.iter().cycle() {
            if seen.is_over() {
                return took;
            }
            let begun = Instant::now();
            match timeout(PATIENCE, get(&mut to, plan.at, path)).await {
                Ok(Some((200, _))) => took.push(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)),
                Ok(Some(_)) => Seen::one(&seen.not_200),
                Ok(None) | Err(_) => {
                    Seen::one(&seen.broken);
                    break;
                }
            }
            sleep(Duration::from_millis(plan.every_ms)).await;
        }
    }
    took
}

/// Listens to the events, and reads them or not.
async fn listen(plan: Plan, seen: Arc<Seen>, reads: bool) {
    let Ok(mut stream) = TcpStream::connect(plan.at).await else { return Seen::one(&seen.refused) };
    let asked = format!("GET /events HTTP/1.1\r\nhost: {}\r\n\r\n", plan.at);
    if stream.write_all(asked.as_bytes()).await.is_err() {
        return Seen::one(&seen.broken);
    }
    let mut part = vec![0; 1 << 14];
    while !seen.is_over() {
        if !reads {
            sleep(Duration::from_secs(1)).await;
            continue;
        }
        match timeout(PATIENCE, stream.read(&mut part)).await {
            Ok(Ok(count)) if count > 0 => {
                seen.heard.fetch_add(count as u64, Ordering::Relaxed);
            }
            _ => return Seen::one(&seen.broken),
        }
    }
}

fn resident_mb(pid: Option<u32>) -> String {
    let status = pid.and_then(|pid| std::fs::read_to_string(format!("/proc/{pid}/status")).ok()).unwrap_or_default();
    let of = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or(" ?").trim().to_owned();
    format!("resident {} (most ever {}), threads {}", of("VmRSS:"), of("VmHWM:"), of("Threads:"))
}

/// Containers granted since the start.
async fn granted(at: SocketAddr) -> Option<u64> {
    let mut to = connect(at).await?;
    let request = Request::get("/metrics").header(header::HOST, at.to_string()).body(Body::empty()).ok()?;
    let response = to.send_request(request).await.ok()?;
    let body = axum::body::to_bytes(Body::new(response.into_body()), usize::MAX).await.ok()?;
    let text = String::from_utf8(body.to_vec()).ok()?;
    text.lines().find_map(|line| line.strip_prefix("evenweave_containers_allocated_total ")?.parse().ok())
}

/// Allocations a second over some time.
async fn rate(plan: &Plan, over: Duration, what: &str) {
    let (before, begun) = (granted(plan.at).await, Instant::now());
    sleep(over).await;
    let (after, passed) = (granted(plan.at).await, begun.elapsed().as_secs_f64());
    match (before, after) {
        (Some(before), Some(after)) => {
            let rate = (after - before) as f64 / passed;
            println!("{what}: {rate:.0} allocations/s; {}", resident_mb(plan.pid));
        }
        _ => println!("{what}: the server says nothing; {}", resident_mb(plan.pid)),
    }
}

async fn crowd(plan: Plan) {
    rate(&plan, ALONE, "before").await;
    let seen = Arc::new(Seen::default());
    let readers: Vec<_> =
        (0..plan.readers).map(|number| tokio::spawn(read(plan.clone(), seen.clone(), number))).collect();
    let listeners: Vec<_> = (0..plan.listeners)
        .map(|number| tokio::spawn(listen(plan.clone(), seen.clone(), number >= plan.dead)))
        .collect();
    let begun = Instant::now();
    let parts = 4;
    for part in 1..=parts {
        rate(&plan, Duration::from_secs(plan.seconds / parts), &format!("crowd, part {part}")).await;
    }
    let passed = begun.elapsed().as_secs_f64();
    seen.over.store(true, Ordering::Relaxed);
    let mut took = Vec::new();
    for reader in readers {
        took.extend(reader.await.unwrap_or_default());
    }
    drop(listeners);
    took.sort_unstable();
    let at = |percent: usize| took.get((took.len() * percent / 100).min(took.len().saturating_sub(1))).copied();
    let ms = |percent| at(percent).unwrap_or_default() as f64 / 1e3;
    println!(
        "{:.0} answers/s: p50 {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        took.len() as f64 / passed,
        ms(50),
        ms(99),
        ms(100)
    );
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!("refused {}, other than 200 {}, broken off {}", of(&seen.refused), of(&seen.not_200), of(&seen.broken));
    println!(
        "events: {:.1} MB/s read by {} listeners",
        of(&seen.heard) as f64 / passed / 1e6,
        plan.listeners - plan.dead
    );
    rate(&plan, ALONE, "after").await;
}

fn main() {
    let Some(plan) = plan() else {
        println!("crowd: give --at ADDRESS:PORT of a running server, and --pid for its memory; see the file's text");
        return;
    };
    println!("{plan:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(crowd(plan));
}
