//! Those who look at a scheduler while it works: a live page that is open, Prometheus once a second, an operator's
//! program that asks for queues and applications once a second.
//!
//! A server as `evenweave serve` has it, and those who ask it, on threads of their own. They take the processors of
//! whoever works, as they would elsewhere.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use evenweave_server::events::Ring;
use evenweave_server::records::{AppRecord, NodeRecord, NodeState};
use evenweave_server::scheduler::{Basics, Threads};
use evenweave_server::{Cluster, Limits, ResourceManager, serve};

use super::bed::Bed;
use super::shape::{NODE, NODES_A_RACK, node_name, rack_name};
use crate::api::{FairScheduler, Settings};
use crate::engine::CLUSTER_TIMESTAMP;

const EVERY: Duration = Duration::from_secs(1);
const ASKED: [&str; 4] = ["/metrics", "/ws/v1/cluster/scheduler", "/ws/v1/cluster/apps", "/events/state"];

/// See the module's text.
pub(super) struct Onlookers {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<(), String>>>,
}

impl Onlookers {
    /// They begin to look.
    ///
    /// # Errors
    /// When there is no port or thread for them.
    pub(super) fn look(bed: &Bed, scheduler: &FairScheduler) -> Result<Onlookers, String> {
        let manager = Arc::new(manager(bed, scheduler));
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let at = listener.local_addr().map_err(|error| error.to_string())?;
        let stop = Arc::new(AtomicBool::new(false));
        // ORDERING: Relaxed, here and below. The flag carries no data.
        let over = |stop: &Arc<AtomicBool>| {
            let stop = stop.clone();
            move || stop.load(Ordering::Relaxed)
        };
        let ends = over(&stop);
        let server = move || {
            serve(&manager, &Arc::new(Ring::default()), listener, Limits::default(), None, &ends)
                .map_err(|error| error.to_string())
        };
        let ends = over(&stop);
        let asks = move || {
            while !ends() {
                for path in ASKED {
                    let answer = ureq::get(format!("http://{at}{path}")).call();
                    answer.and_then(|mut answer| answer.body_mut().read_to_vec()).map_err(|error| error.to_string())?;
                }
                std::thread::sleep(EVERY);
            }
            Ok(())
        };
        let page = move || {
            let answer = ureq::get(format!("http://{at}/events")).call().map_err(|error| error.to_string())?;
            // It ends with the server.
            BufReader::new(answer.into_body().into_reader()).lines().map_while(Result::ok).for_each(drop);
            Ok(())
        };
        Ok(Onlookers {
            stop,
            threads: vec![std::thread::spawn(server), std::thread::spawn(asks), std::thread::spawn(page)],
        })
    }

    /// They go.
    ///
    /// # Errors
    /// When one of them was not answered.
    pub(super) fn go(self) -> Result<(), String> {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().unwrap_or_else(|_| Err("an onlooker panicked".to_owned()))?;
        }
        Ok(())
    }
}

fn manager(bed: &Bed, scheduler: &FairScheduler) -> ResourceManager {
    let basics = Basics::of_fair(&Settings::default());
    let threads = Arc::new(Threads::new(scheduler.clone(), basics));
    let manager = ResourceManager::new(Cluster::new(CLUSTER_TIMESTAMP, "127.0.0.1"), threads);
    let mut records = manager.records();
    for node in 0..bed.shape.nodes {
        records.node(NodeRecord {
            name: node_name(node),
            port: 8041,
            http_port: 8042,
            rack: rack_name(node / NODES_A_RACK),
            total: NODE,
            version: "3.4.2".to_owned(),
            state: NodeState::Running,
            last_health_ms: 0,
            labels: Vec::new(),
        });
    }
    for app in &bed.apps {
        records.submitted(AppRecord::new(app.number(), "user", app.queue(), 1).with_attempt(Some(app.clone())));
    }
    drop(records);
    manager
}
