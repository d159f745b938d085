//! Hadoop's words for what comes of a try: states, and `ActivityDiagnosticConstant`.

use evenweave::Resource;
use evenweave::parts::java::{hash_order, resource_text, types_in_order};
use evenweave::reason::{AppEnd, KeyEnd, QueueEnd};

use crate::scheduler::Basics;

/// Not Hadoop's.
pub(super) const MAX_CONTAINERS: &str =
    "Initial check: node runs as many containers as max-containers-per-node lets it";
pub(super) const NODE_FULL: &str = "Initial check: node resource is insufficient for minimum allocation";
pub(super) const NOTHING_WANTED: &str = "Application does not need more resource";

/// What Hadoop shows as a state, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) state: &'static str,
    pub(super) why: Option<String>,
}

impl Said {
    pub(super) fn plain(state: &'static str) -> Said {
        Said { state, why: None }
    }

    pub(super) fn because(state: &'static str, why: impl Into<String>) -> Said {
        Said { state, why: Some(why.into()) }
    }
}

/// Of a queue. `is_leaf`: who has no room shows in the leaf alone.
pub(super) fn of_queue(end: QueueEnd, is_leaf: bool, app_id: impl Fn(u32) -> String) -> Said {
    match end {
        QueueEnd::NothingWanted => Said::because("SKIPPED", "Queue does not need more resource"),
        QueueEnd::NodeFull => Said::because("REJECTED", "Queue skipped because node resource is insufficient"),
        QueueEnd::AtMaximum => Said::because("REJECTED", "Queue hits max-capacity limit"),
        QueueEnd::NoRoom { app } if is_leaf => Said::because("REJECTED", format!("{NO_ROOM} from {}", app_id(app))),
        QueueEnd::NoRoom { .. } | QueueEnd::Nothing => Said::plain("SKIPPED"),
        QueueEnd::Allocates | QueueEnd::Reserves => Said::plain("ACCEPTED"),
    }
}

const NO_ROOM: &str = "Queue does not have enough headroom for inner highest-priority request";

/// Of an application as a whole. `is_reserved`: of one that has reserved the node before.
pub(super) fn of_app(end: AppEnd, is_reserved: bool) -> Said {
    match end {
        AppEnd::QueueAtMaximum => Said::because("REJECTED", "Queue hits max-capacity limit"),
        AppEnd::UserAtLimit => Said::because("REJECTED", "Queue hits user max-capacity limit"),
        AppEnd::NothingWanted | AppEnd::Nothing => Said::plain("SKIPPED"),
        AppEnd::Reserves if is_reserved => Said::plain("SKIPPED"),
        AppEnd::Reserves => Said::plain("RESERVED"),
        AppEnd::Allocates => Said::plain("ALLOCATED"),
    }
}

/// What a try is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Request,
    Node,
}

/// Of a try.
pub(super) fn of_try(end: &KeyEnd, basics: &Basics) -> (Level, Said) {
    let short = |state, asked: &Resource, available: &Resource| {
        let why = format!("Node does not have sufficient resource for request{}", lacking(basics, asked, available));
        (Level::Node, Said::because(state, why))
    };
    let skipped = |why: &str| (Level::Node, Said::because("SKIPPED", why));
    match end {
        KeyEnd::NothingWanted => (Level::Request, Said::because("SKIPPED", "Request does not need more resource")),
        KeyEnd::ReservedEnough => {
            (Level::Request, Said::because("SKIPPED", "Request skipped based on reservation algo"))
        }
        KeyEnd::NoRoomInQueue => (Level::Request, Said::because("REJECTED", NO_ROOM)),
        KeyEnd::Blacklisted => skipped("Node is blacklisted"),
        KeyEnd::TooFar => skipped("Node skipped because of off-switch delay"),
        KeyEnd::Strict => skipped("Node skipped because relax locality is not allowed"),
        KeyEnd::NotHere => skipped("Node skipped because node/rack locality cannot be satisfied"),
        KeyEnd::LargerThanNode { asked, total } => {
            let why = format!("Node's total resource is insufficient for request{}", lacking(basics, asked, total));
            (Level::Node, Said::because("SKIPPED", why))
        }
        KeyEnd::NothingToUnreserve => skipped("Node can't find a container to be unreserved when needed"),
        KeyEnd::NoRoom { asked, available } => short("SKIPPED", asked, available),
        KeyEnd::Reserved { asked, available } => short("RESERVED", asked, available),
        KeyEnd::StaysReserved { asked, available } => short("RE_RESERVED", asked, available),
        KeyEnd::Allocated { .. } => (Level::Node, Said::plain("ALLOCATED")),
    }
}

/// Of which types there is too little, and of what: with the default calculator memory alone counts.
fn lacking(basics: &Basics, asked: &Resource, available: &Resource) -> String {
    let types = &basics.types;
    let counted = types_in_order(types).into_iter().take(if basics.dominant { types.len() } else { 1 });
    let short = hash_order(counted.filter(|of| asked.get(*of) > available.get(*of)).map(|of| types.name(of)));
    let (asked, available) = (resource_text(types, asked), resource_text(types, available));
    format!(", insufficient resources=[{}]\nrequired={asked}, available={available}", short.join(", "))
}
