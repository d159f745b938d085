//! The desk of a simulated cluster: what others wish goes to the driver, and texts of queues are looked through.
//!
//! Called by a server's threads; the driver does what is wished on its own.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, SendTimeoutError, Sender, bounded};
use evenweave::config::capacity::CapacityFile;
use evenweave::config::{CheckOptions, Diagnostic};
use evenweave::reservation::ReservationIdError;
use evenweave_server::controls::{Action, Controls, Standing};
use evenweave_server::scheduler::QueuesText;

use crate::api::{AllocationFile, Resource, Settings, SiteFile, SiteProperties};
use crate::load::inputs::{Inputs, Rules};
use crate::load::run::NODE;
use crate::load::wishes::{Job, Wish, Wished};

/// A server gives its answers up after 30 s: both waits together are shorter.
const PATIENCE: Duration = Duration::from_secs(12);

/// By what a text of queues is looked through.
enum Linter {
    Fair(Box<Settings>),
    Capacity(Box<SiteProperties>),
}

/// See the module's text.
pub(super) struct Desk {
    to_driver: Sender<Wished>,
    load_percent: AtomicU32,
    queues: Mutex<QueuesText>,
    linter: Linter,
    /// At the start, to compare limits with.
    cluster: Resource,
}

impl Desk {
    pub(super) fn new(inputs: &Inputs, nodes: u32, to_driver: Sender<Wished>) -> Desk {
        let linter = match &inputs.rules {
            Rules::Fair { settings, .. } => Linter::Fair(Box::new(settings.clone())),
            Rules::Capacity { site, .. } => Linter::Capacity(Box::new(site.clone())),
        };
        let queues = QueuesText { name: inputs.queues_name().to_owned(), text: inputs.queues_text().to_owned() };
        let cluster = Resource::from_fn(|index| NODE.get(index) * i64::from(nodes));
        Desk { to_driver, load_percent: AtomicU32::new(100), queues: Mutex::new(queues), linter, cluster }
    }

    fn queues(&self) -> QueuesText {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn wish(&self, wish: Wish) -> Result<String, String> {
        let (reply, answer) = bounded(1);
        let ended = || "the simulated cluster has ended".to_owned();
        self.to_driver.send_timeout(Wished { wish, reply }, PATIENCE).map_err(|error| match error {
            SendTimeoutError::Timeout(_) => "the simulated cluster is busy: nothing was done".to_owned(),
            SendTimeoutError::Disconnected(_) => ended(),
        })?;
        let done = answer.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                "the simulated cluster is busy: it may still be done; look before you ask again".to_owned()
            }
            RecvTimeoutError::Disconnected => ended(),
        })??;
        Ok(done.said)
    }
}

impl Controls for Desk {
    fn standing(&self) -> Standing {
        // ORDERING: Relaxed. A figure to be shown.
        Standing { load_percent: self.load_percent.load(Ordering::Relaxed), queues: self.queues() }
    }

    fn act(&self, action: Action) -> Result<String, String> {
        match action {
            Action::AddNodes { count } => self.wish(Wish::AddNodes(count)),
            Action::LoseNode { node } => self.wish(Wish::LoseNode(node)),
            Action::Load { percent } => {
                let said = self.wish(Wish::Load(percent))?;
                // ORDERING: Relaxed. A figure to be shown.
                self.load_percent.store(percent, Ordering::Relaxed);
                Ok(said)
            }
            Action::Submit { user, queue, tasks, seconds, reservation, label } => {
                let reservation = reservation.map(|id| id.parse()).transpose();
                let reservation = reservation.map_err(|error: ReservationIdError| error.to_string())?;
                self.wish(Wish::Submit(Job { user, queue, tasks, seconds, reservation, label }))
            }
        }
    }

    fn check(&self, text: &str) -> Vec<Diagnostic> {
        let name = self.queues().name;
        match &self.linter {
            Linter::Fair(settings) => {
                let mut options = CheckOptions::with_settings(settings);
                options.cluster = Some(self.cluster);
                AllocationFile::check(text, &name, &options).diagnostics
            }
            Linter::Capacity(site) => match SiteFile::parse(text, &name) {
                Err(error) => vec![error.diagnostic()],
                Ok(file) => {
                    let mut found = file.warnings().to_vec();
                    found.extend(CapacityFile::check(site, &file, Some(&self.cluster)).1);
                    found
                }
            },
        }
    }

    fn taken(&self, text: String) {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner).text = text;
    }
}
