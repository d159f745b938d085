//! A small ResourceManager on tokio: nodes and ApplicationMasters call it over TCP, a line of JSON a call.
//!
//! `cargo run -p evenweave --example resource_manager`
//!
//! Three parts speak to each other as in YARN, each by its own connection:
//! - a NodeManager registers, then reports each 20 ms what it has started and what has ended; the answer says what to
//!   stop;
//! - a client submits an application, and its AM asks for tasks until it has had all of them;
//! - an AM starts its tasks at the NodeManagers themselves.
//!
//! The scheduler is behind `Rm`. Its calls that wait for the control run on tokio's blocking threads; heartbeats and AM
//! calls never wait for a worker and are made where they arrive. `docs/embedding.md` says what each call may do.

#![expect(clippy::unwrap_used, reason = "an example: what cannot be has no handling of its own")]

use evenweave::prelude::*;
use evenweave::refused::TryAgain;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{interval, sleep};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const NODES: u32 = 20;
const APPS: u32 = 10;
const TASKS: u32 = 12;
const HEARTBEAT: Duration = Duration::from_millis(20);

// ---------------------------------------------------------------------------------------------------- the
// ResourceManager

struct Rm {
    scheduler: FairScheduler,
    /// Where each node takes containers.
    addresses: Mutex<HashMap<NodeId, String>>,
    /// What crosses the wire, and what the scheduler calls it.
    containers: Mutex<HashMap<ContainerName, ContainerId>>,
    /// Who waits for the AM's container of an application.
    mail: Arc<Mutex<HashMap<u32, Arc<Notify>>>>,
}

impl Rm {
    fn start() -> Result<Arc<Rm>, Failure> {
        let mail = Arc::new(Mutex::new(HashMap::<u32, Arc<Notify>>::new()));
        let waiting = mail.clone();
        let scheduler = FairScheduler::builder()
            .settings(Settings::from_properties([
                ("yarn.scheduler.fair.assignmultiple", "true"),
                ("yarn.scheduler.fair.update-interval-ms", "20"),
            ])?)
            .node_stops(true)
            // On a worker: it only wakes somebody up.
            .on_grants(Arc::new(move |app| {
                if let Some(notify) = waiting.lock().unwrap().get(&app) {
                    notify.notify_one();
                }
            }))
            .start()?;
        Ok(Arc::new(Rm { scheduler, addresses: Mutex::default(), containers: Mutex::default(), mail }))
    }

    async fn serve(self: Arc<Rm>, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let rm = self.clone();
            tokio::spawn(async move {
                let mut wire = Wire::over(stream);
                // The first line says who calls.
                let Ok(first) = wire.read().await else { return };
                let outcome = if first["node"].is_string() {
                    rm.node(&mut wire, &first).await
                } else {
                    rm.application(&mut wire, &first).await
                };
                if let Err(failure) = outcome {
                    // The other side is gone, or is told why and hung up on.
                    let _ = wire.write(&json!({ "error": failure.to_string() })).await;
                }
            });
        }
    }

    /// A NodeManager's connection. When it breaks the node is lost, and its containers end.
    async fn node(&self, wire: &mut Wire, first: &Value) -> Result<(), Failure> {
        let (name, rack) = (text(first, "node")?.to_owned(), text(first, "rack")?.to_owned());
        let total = Resource::new(number(first, "memory")?, number(first, "vcores")?);
        let scheduler = self.scheduler.clone();
        let node = spawn_blocking(move || scheduler.add_node(&name, &rack, total)).await??;
        self.addresses.lock().unwrap().insert(node.id(), text(first, "address")?.to_owned());
        let outcome = self.heartbeats(wire, &node).await;
        let scheduler = self.scheduler.clone();
        spawn_blocking(move || scheduler.remove_node(&node)).await??;
        outcome
    }

    async fn heartbeats(&self, wire: &mut Wire, node: &NodeHandle) -> Result<(), Failure> {
        wire.write(&json!({})).await?;
        let mut stops = Vec::new();
        loop {
            let report = wire.read().await?;
            if report["bye"] == true {
                return Ok(());
            }
            let mut heartbeat = Heartbeat::new(node);
            heartbeat.add_launched(self.ids(&report["launched"]));
            heartbeat.add_completed(self.ids(&report["completed"]));
            // A full channel gives the report back: what ended must not be forgotten.
            while let Err(not_sent) = self.scheduler.heartbeat(heartbeat) {
                if not_sent.reason != Refused::TryAgain(TryAgain::Busy) {
                    return Err(not_sent.reason.into());
                }
                heartbeat = not_sent.returned;
                sleep(Duration::from_millis(1)).await;
            }
            node.take_stops(&mut stops);
            let stop: Vec<String> = stops.drain(..).map(|id| self.scheduler.container_name(id).to_string()).collect();
            wire.write(&json!({ "stop": stop })).await?;
        }
    }

    /// The containers that a node names; those that nobody was given are left out.
    fn ids(&self, names: &Value) -> Vec<ContainerId> {
        let known = self.containers.lock().unwrap();
        let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.filter_map(|name| known.get(&name.parse::<ContainerName>().ok()?).copied()).collect()
    }

    /// A client's connection, which becomes its AM's. When it breaks the application ends.
    async fn application(&self, wire: &mut Wire, first: &Value) -> Result<(), Failure> {
        let number_of_app = u32::try_from(number(first, "app")?)?;
        let submission = Submission::new(number_of_app, text(first, "user")?).with_am(Resource::new(512, 1));
        let notify = Arc::new(Notify::new());
        self.mail.lock().unwrap().insert(number_of_app, notify.clone());
        let scheduler = self.scheduler.clone();
        let app = spawn_blocking(move || scheduler.submit(submission)).await??;
        let outcome = self.calls(wire, &app, &notify).await;
        let scheduler = self.scheduler.clone();
        spawn_blocking(move || scheduler.finish(&app)).await??;
        self.mail.lock().unwrap().remove(&number_of_app);
        outcome
    }

    async fn calls(&self, wire: &mut Wire, app: &AppHandle, notify: &Notify) -> Result<(), Failure> {
        let mut answer = Allocation::default();
        // The RM itself fetches the AM's container.
        while answer.granted.is_empty() {
            notify.notified().await;
            self.scheduler.allocate(app, &AllocateRequest::default(), &mut answer)?;
        }
        wire.write(&self.answer(&answer)).await?;
        loop {
            let call = wire.read().await?;
            if call["bye"] == true {
                return Ok(());
            }
            let mut request = AllocateRequest::default();
            if let Some(count) = call["tasks"].as_u64() {
                request.asks.push(Ask::anywhere(1, Resource::new(1024, 1), u32::try_from(count)?));
            }
            while let Err(refused) = self.scheduler.allocate(app, &request, &mut answer) {
                if refused != Refused::TryAgain(TryAgain::Busy) {
                    return Err(refused.into());
                }
                sleep(Duration::from_millis(1)).await;
            }
            wire.write(&self.answer(&answer)).await?;
        }
    }

    fn answer(&self, answer: &Allocation) -> Value {
        let (mut known, addresses) = (self.containers.lock().unwrap(), self.addresses.lock().unwrap());
        let granted = answer.granted.iter().map(|container| {
            let name = self.scheduler.container_name(container.id);
            known.insert(name, container.id);
            json!({ "container": name.to_string(), "address": addresses.get(&container.node) })
        });
        let granted = granted.collect::<Vec<_>>();
        let ended = answer.ended.iter().map(
            |end| json!({ "container": self.scheduler.container_name(end.id).to_string(), "why": end.reason.as_str() }),
        );
        json!({ "granted": granted, "ended": ended.collect::<Vec<_>>() })
    }
}

// ---------------------------------------------------------------------------------------------------- a NodeManager

/// What a NodeManager has to report with its next heartbeat.
#[derive(Default)]
struct Running {
    launched: Vec<String>,
    completed: Vec<String>,
    alive: Vec<String>,
}

impl Running {
    fn end(&mut self, container: &str) {
        if let Some(at) = self.alive.iter().position(|name| name == container) {
            self.completed.push(self.alive.swap_remove(at));
        }
    }
}

async fn node_manager(rm: impl ToSocketAddrs, i: u32, mut leave: watch::Receiver<bool>) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let running = Arc::new(Mutex::new(Running::default()));
    let starts = tokio::spawn(take_starts(listener, running.clone()));
    let mut wire = Wire::over(TcpStream::connect(rm).await?);
    let rack = format!("/rack-{}", i % 4);
    wire.call(&json!({ "node": format!("node-{i}"), "rack": rack, "address": address, "memory": 8192, "vcores": 8 }))
        .await?;
    let mut beat = interval(HEARTBEAT);
    while !*leave.borrow_and_update() {
        beat.tick().await;
        let report = {
            let mut running = running.lock().unwrap();
            json!({ "launched": std::mem::take(&mut running.launched), "completed": std::mem::take(&mut running.completed) })
        };
        let answer = wire.call(&report).await?;
        let mut running = running.lock().unwrap();
        answer["stop"].as_array().into_iter().flatten().filter_map(Value::as_str).for_each(|name| running.end(name));
    }
    starts.abort();
    wire.write(&json!({ "bye": true })).await
}

/// What AMs start here ends by itself after the time that they say; an AM itself says none, and is stopped.
async fn take_starts(listener: TcpListener, running: Arc<Mutex<Running>>) -> Result<(), Failure> {
    loop {
        let mut wire = Wire::over(listener.accept().await?.0);
        let start = wire.read().await?;
        let container = text(&start, "start")?.to_owned();
        {
            let mut running = running.lock().unwrap();
            running.launched.push(container.clone());
            running.alive.push(container.clone());
        }
        wire.write(&json!({})).await?;
        if let Some(ms) = start["ms"].as_u64() {
            let running = running.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(ms)).await;
                running.lock().unwrap().end(&container);
            });
        }
    }
}

// ---------------------------------------------------------------------------------------------------- an
// ApplicationMaster

/// Gives how many of its tasks ended well.
async fn application_master(rm: impl ToSocketAddrs, i: u32) -> Result<u32, Failure> {
    let mut wire = Wire::over(TcpStream::connect(rm).await?);
    let own = wire.call(&json!({ "app": i, "user": format!("user-{}", i % 3) })).await?;
    start(&own["granted"][0], Value::Null).await?;
    let (mut done, mut ask) = (0, json!({ "tasks": TASKS }));
    while done < TASKS {
        let answer = wire.call(&ask).await?;
        ask = json!({});
        for granted in answer["granted"].as_array().into_iter().flatten() {
            start(granted, json!(30)).await?;
        }
        let ended = answer["ended"].as_array().into_iter().flatten();
        done += u32::try_from(ended.filter(|end| end["why"] == "completed").count())?;
        sleep(HEARTBEAT).await;
    }
    wire.write(&json!({ "bye": true })).await?;
    Ok(done)
}

async fn start(granted: &Value, ms: Value) -> Result<(), Failure> {
    let mut node = Wire::over(TcpStream::connect(text(granted, "address")?).await?);
    node.call(&json!({ "start": text(granted, "container")?, "ms": ms })).await.map(drop)
}

// ---------------------------------------------------------------------------------------------------- the wire

struct Wire(Lines<BufReader<OwnedReadHalf>>, OwnedWriteHalf);

impl Wire {
    fn over(stream: TcpStream) -> Wire {
        let (read, write) = stream.into_split();
        Wire(BufReader::new(read).lines(), write)
    }

    async fn read(&mut self) -> Result<Value, Failure> {
        let line = self.0.next_line().await?.ok_or("the other side has gone")?;
        Ok(serde_json::from_str(&line)?)
    }

    async fn write(&mut self, value: &Value) -> Result<(), Failure> {
        Ok(self.1.write_all(format!("{value}\n").as_bytes()).await?)
    }

    async fn call(&mut self, value: &Value) -> Result<Value, Failure> {
        self.write(value).await?;
        let answer = self.read().await?;
        if answer["error"].is_null() { Ok(answer) } else { Err(answer["error"].to_string().into()) }
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str, Failure> {
    value[key].as_str().ok_or_else(|| format!("{value} has no text {key:?}").into())
}

fn number(value: &Value, key: &str) -> Result<i64, Failure> {
    value[key].as_i64().ok_or_else(|| format!("{value} has no number {key:?}").into())
}

// ---------------------------------------------------------------------------------------------------- all together

/// Gives how many tasks ran. All that was used is free at the end.
async fn run() -> Result<u32, Failure> {
    let rm = Rm::start()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(rm.clone().serve(listener));
    let (leave, leaves) = watch::channel(false);
    let mut nodes: JoinSet<_> = (0..NODES).map(|i| node_manager(address, i, leaves.clone())).collect();
    let mut apps: JoinSet<_> = (1..=APPS).map(|i| application_master(address, i)).collect();
    let mut tasks = 0;
    while let Some(done) = apps.join_next().await {
        tasks += done??;
    }
    // The AMs' own containers are stopped by their nodes, which say so.
    while rm.scheduler.nodes().iter().any(|node| node.free != node.total) {
        sleep(HEARTBEAT).await;
    }
    println!("{tasks} tasks of {APPS} applications on {} nodes", rm.scheduler.nodes().len());
    leave.send(true)?;
    while let Some(left) = nodes.join_next().await {
        left??;
    }
    while !rm.scheduler.nodes().is_empty() {
        sleep(HEARTBEAT).await;
    }
    server.abort();
    let stats = rm.scheduler.stats();
    println!("{} containers granted, {} completed, {} left", stats.granted, stats.completed, stats.running);
    assert_eq!((stats.granted, stats.running), (u64::from(tasks + APPS), 0), "each task and each AM, once");
    let scheduler = rm.scheduler.clone();
    spawn_blocking(move || scheduler.shutdown()).await?.unwrap();
    Ok(tasks)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    run().await.map(drop)
}

#[cfg(test)]
#[tokio::test(flavor = "multi_thread")]
async fn all_tasks_run_and_nothing_is_left() {
    let limit = Duration::from_secs(120);
    let tasks = tokio::time::timeout(limit, run()).await.expect("it does not hang").expect("nobody fails");
    assert_eq!(tasks, APPS * TASKS);
}
