//! Handling: which stage a worker's message leads to.
//!
//! # Where it stands
//! Messages come one at a time: the internal lane first, then a batch of external ones. The worker is the only writer
//! of its nodes: one thread in the threaded driver, a plain call in the stepped one. The code is the same.
//!
//! # Batches
//! The newest snapshot is taken over at the start of a batch and before each report. At the end of a batch leases are
//! handed back (`reconcile`), so that no room is idle in the hands of a worker that blocks.

use crate::engine::decider::Decider;
use crate::engine::intake::inbox::Next;
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::intake::to_worker::{AskChange, Asking, External, Internal, Round, grouped};
use crate::engine::shard::Shard;
use crate::id::LabelId;
use smallvec::{SmallVec, smallvec};

impl<D: Decider> Shard<D> {
    /// Handles one internal message. The caller keeps the message: after a panic it may be handled a second time.
    pub(crate) fn handle_internal(&mut self, message: &mut Internal<D>) -> Next {
        match message {
            Internal::News(news) => self.apply_news(&news.app, &news.rows, news.blacklist.as_deref()),
            Internal::Reopened { app, key } => self.reopen(*app, *key),
            Internal::GiveBack { app, rows } => self.apply_give_back(app, rows),
            Internal::FirstAsk { app, asks, label } => {
                let labels: SmallVec<[LabelId; 4]> = smallvec![*label; asks.len()];
                let asks = grouped(asks, |size| *size, &labels);
                self.apply_asks(&AskChange { app: Asking::New(app.clone()), asks, blacklist: None });
            }
            Internal::CloseApp { app, successor } => {
                let handed_over =
                    successor.as_ref().map_or_else(Vec::new, |successor| self.hand_over(app.slot, successor));
                self.close_app(app.slot);
                self.waits.wake_mail_waiters(app.slot);
                self.tell_control(ControlMessage::AppClosed { slot: app.slot, handed_over });
            }
            Internal::Recover(node, recovery) => self.answer_recovery(node, recovery),
            Internal::AddNode { node, total, label, running } => {
                self.add_node(node.clone(), *total, *label);
                running.iter().for_each(|recovery| self.answer_recovery(node, recovery));
            }
            Internal::RemoveNode(node) => {
                let place_is_free = self.remove_node(node);
                self.tell_control(ControlMessage::NodeClosed { node: node.clone(), place_is_free });
            }
            Internal::ResizeNode { node, total, kill } => self.resize_node(node, *total, *kill),
            Internal::Decommission { node, on } => {
                if let Some(place) = self.place_of(node) {
                    let node = &mut self.nodes[place as usize];
                    (node.decommissioning, node.drained) = (*on, false);
                }
            }
            Internal::Relabel(nodes) => {
                // What has led to it was published before.
                self.sync();
                D::relabelled(self, nodes);
            }
            Internal::Own(message) => D::told(self, message),
            Internal::Round(Round::Offers) => self.offer_all(),
            Internal::Round(Round::Continuous) => D::all_offered(self),
            Internal::TakeSnapshot => self.sync(),
            Internal::Look(look) => look.run(self),
            Internal::Barrier(reply) => {
                // Who waits for quiet, then sends on, wants that to be worked off with what has been published since,
                // and after what time has made due.
                self.sync();
                while self.scan_for_expired(self.shared.clock.now_ms()) {}
                // And looks at books in which nothing is leased.
                self.hand_back_leases();
                // Whoever asked may have gone.
                let _ = reply.send(());
            }
            Internal::Shutdown => return Next::Stop,
        }
        Next::GoOn
    }

    /// Handles one external message. The caller keeps it, as an internal one.
    #[inline]
    pub(crate) fn handle_external(&mut self, message: &mut External) {
        match message {
            External::Report(report) => {
                let (launched, completed) = (report.launched(self.worker), report.completed().iter().copied());
                // Of the node that had the place before: late, and of no use to anybody.
                if self.nodes.get(report.node).is_some_and(|at| at.generation == report.generation) {
                    self.report(report.node, report.stamp, report.offer, launched, completed);
                }
            }
            External::Heartbeat(heartbeat) => self.heartbeat(heartbeat),
            External::Heartbeats(batch) => {
                for heartbeat in &*batch {
                    self.heartbeat(heartbeat);
                }
            }
            // Where it is not known any more it is over.
            External::Group(asks) if self.find_app(asks.app).is_some_and(|app| !app.closed) => {
                self.change_group(asks.app.index, &asks.asked());
            }
            External::Group(_) => {}
            External::Asks(change) => self.apply_asks(change),
            External::Release(container) => self.release_all(std::slice::from_ref(container)),
            External::Releases(containers) => self.release_all(containers),
            External::Barrier(reply) => {
                // Whoever asked may have gone.
                let _ = reply.send(());
            }
        }
    }
}
