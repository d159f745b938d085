//! The FairScheduler's reasons in words. A reason is two texts: what stands against it, the same each time, and the
//! figures.
//!
//! For people: everything is made anew at each call.

use crate::fair::decision::{AmShare, NotOffered, NotReserved, Obstacle};
use crate::id::Locality;
use crate::policy::Precedence;
use crate::queue::RunningLimit;
use crate::resource::{Resource, ResourceTypes};
use std::fmt;

/// A reason in words. Shown, it is one sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What stands against it.
    pub what: String,
    /// The figures; empty where there are none.
    pub figures: String,
}

impl Told {
    /// What, and the figures.
    pub fn new(what: impl Into<String>, figures: impl Into<String>) -> Told {
        Told { what: what.into(), figures: figures.into() }
    }

    /// What alone.
    fn plain(what: impl Into<String>) -> Told {
        Told::new(what, "")
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.figures.is_empty() { Ok(()) } else { write!(f, ": {}", self.figures) }
    }
}

/// Puts reasons into words, amounts by the names of their types.
///
/// ```
/// use evenweave::reason::{Obstacle, Words};
/// use evenweave::{Resource, resource::ResourceTypes};
///
/// let types = ResourceTypes::standard();
/// let obstacle = Obstacle::LargerThanNode { total: Resource::new(2048, 2) };
/// let told = Words::new(&types).obstacle(&Resource::new(4096, 1), &obstacle);
/// assert_eq!(told.to_string(), "larger than the whole node: wants 4096 MB, 1 vcores, the node has 2048 MB, 2 vcores");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    types: &'a ResourceTypes,
}

/// How near to what was asked for.
#[must_use]
pub fn nearness(locality: Locality) -> &'static str {
    match locality {
        Locality::Node => "node-local",
        Locality::Rack => "rack-local",
        Locality::OffSwitch => "off-switch",
    }
}

/// Why one sibling comes before another.
#[must_use]
pub fn precedence(precedence: Precedence) -> &'static str {
    match precedence {
        Precedence::Demand => "the other wanted nothing at the last update",
        Precedence::MinShare => "it is below its min share, the other is not",
        Precedence::PartOfMinShare => "it has the smaller part of its min share",
        Precedence::Weight => "the larger weight of two of which one is not positive",
        Precedence::UsageToWeight => "it uses less for its weight",
        Precedence::DominantShare => "its dominant share over its weight is smaller",
        Precedence::StartTime => "it started earlier",
        Precedence::Name => "by name, all else being equal",
        Precedence::Policy => "so the policy says",
    }
}

impl Words<'_> {
    /// By the names of these types.
    #[must_use]
    pub fn new(types: &ResourceTypes) -> Words<'_> {
        Words { types }
    }

    /// Amounts with their units; those without a limit are left out.
    #[must_use]
    pub fn amounts(&self, resource: &Resource) -> String {
        let shown = self.types.names().enumerate().map(|(i, name)| (name, resource.get(i)));
        let shown: Vec<String> = shown
            .filter(|(_, amount)| *amount != i64::MAX)
            .map(|(name, amount)| match name {
                "memory-mb" => format!("{amount} MB"),
                name => format!("{amount} {name}"),
            })
            .collect();
        if shown.is_empty() { "no limit".to_owned() } else { shown.join(", ") }
    }

    /// An AM share that is reached.
    #[must_use]
    pub fn am_share(&self, share: &AmShare) -> Told {
        let (used, asked, limit) = (self.amounts(&share.used), self.amounts(&share.asked), self.amounts(&share.limit));
        let what = "its AM would take the AMs of its queue above their share (maxAMShare)";
        Told::new(what, format!("AMs use {used}, this one wants {asked}, they may use {limit}"))
    }

    /// A queue that uses more than its max share.
    #[must_use]
    pub fn above_max_share(&self, queue: &str, usage: &Resource, max_share: &Resource) -> Told {
        let figures = format!("uses {}, max share {}", self.amounts(usage), self.amounts(max_share));
        Told::new(format!("{queue} uses more than its max share"), figures)
    }

    /// Why a request key got nothing.
    #[must_use]
    pub fn obstacle(&self, key: &Resource, obstacle: &Obstacle) -> Told {
        let wants = self.amounts(key);
        match obstacle {
            Obstacle::NothingOutstanding => Told::plain("nothing is outstanding at `*`"),
            Obstacle::RackNotAsked => {
                Told::plain("nothing is asked for on the node's rack, and `*` is strict (relaxLocality false)")
            }
            Obstacle::NodeNotAsked => {
                Told::plain("nothing is asked for on the node, and its rack's ask is strict (relaxLocality false)")
            }
            Obstacle::LargerThanNode { total } => {
                let figures = format!("wants {wants}, the node has {}", self.amounts(total));
                Told::new("larger than the whole node", figures)
            }
            Obstacle::MaxShare { queue, usage, max_share } => {
                let (uses, max) = (self.amounts(usage), self.amounts(max_share));
                let what = format!("one more would take {queue} above its max share");
                Told::new(what, format!("wants {wants}; {queue} uses {uses}, max share {max}"))
            }
            Obstacle::RackNotRelaxed => {
                Told::plain("the rack was asked for with 0 containers and strictly: only the node itself will do")
            }
            Obstacle::TooFar { allowed, opportunities } => {
                let what = format!("delay scheduling: {} at most for now", nearness(*allowed));
                Told::new(what, format!("opportunities missed at this level: {opportunities}"))
            }
            Obstacle::DoesNotFit { size, free, locality: _, not_reserved } => {
                let Told { what, figures } = self.not_reserved(not_reserved);
                let what = format!("does not fit what is free, and may not reserve the node: {what}");
                let fit = format!("wants {}, free {}", self.amounts(size), self.amounts(free));
                Told::new(what, if figures.is_empty() { fit } else { format!("{fit}; {figures}") })
            }
            Obstacle::Overtaken => {
                Told::plain("overtaken: other workers have taken the ask, the AM share or the room under a limit")
            }
            Obstacle::NoRecord => Told::plain("the worker can hold no further container"),
        }
    }

    /// Why a node is not reserved.
    #[must_use]
    pub fn not_reserved(&self, why: &NotReserved) -> Told {
        match why {
            NotReserved::NotStarved { usage, fair_share } => {
                let figures = format!("uses {}, fair share {}", self.amounts(usage), self.amounts(fair_share));
                Told::new("it is not below its fair share", figures)
            }
            NotReserved::BelowThreshold { threshold } => {
                Told::new("too small for that", format!("the threshold is {}", self.amounts(threshold)))
            }
            NotReserved::RoomOwed => Told::plain("room on it is kept for it already"),
            NotReserved::OthersNode => Told::plain("another application has reserved it"),
            NotReserved::TooManyNodes { reserved, nodes } => {
                let figures = format!("{reserved} reserved of {nodes} nodes");
                Told::new("as many nodes are reserved for it as may be (reservable-nodes)", figures)
            }
        }
    }

    /// Why an application is offered nothing at all.
    #[must_use]
    pub fn not_offered(&self, why: &NotOffered) -> Told {
        match why {
            NotOffered::Ended => Told::plain("it has ended"),
            NotOffered::Waiting { limit: None } => Told::new(
                "it waits for a limit of running applications that is not reached any more; it starts when one that \
                 holds the limit ends, or with the next reload",
                "",
            ),
            NotOffered::Waiting { limit: Some(RunningLimit::Queue { queue, running, limit }) } => {
                let what = format!("it waits: {queue} has as many running applications as it may (maxRunningApps)");
                Told::new(what, format!("{running} of {limit}"))
            }
            NotOffered::Waiting { limit: Some(RunningLimit::User { user, running, limit }) } => {
                let what = format!("it waits: user {user} has as many running applications as he may (maxRunningApps)");
                Told::new(what, format!("{running} of {limit}"))
            }
            NotOffered::NothingOutstanding => Told::plain("it asks for nothing"),
            NotOffered::NothingAnywhere => {
                Told::plain("it asks for nodes or racks and for nothing at `*`, without which they are not served")
            }
            NotOffered::NothingPending { outstanding } => {
                let what = "nothing was pending at the last update (what it asks for counts from the next one on)";
                Told::new(what, format!("it asks for {}", self.amounts(outstanding)))
            }
            NotOffered::AboveMaxShare { queue, usage, max_share } => self.above_max_share(queue, usage, max_share),
            NotOffered::AmShare(share) => self.am_share(share),
        }
    }
}
