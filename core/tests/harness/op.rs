//! Operations: everything that an embedder of a stepped scheduler can do, as small numbers.
//!
//! Any six bytes are an operation, so that property tests and fuzzing share them; numbers are taken modulo what there
//! is.

/// Bytes of one operation.
pub(crate) const OP: usize = 6;

/// Where an ask wants its containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    Anywhere,
    Node,
    Rack,
    StrictNode,
    StrictRack,
    /// Counts that do not belong together.
    Odd,
}

/// A call that must be refused, and change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    NegativeAsk,
    TooLargeAsk,
    /// `*` cannot be blacklisted.
    BlacklistAny,
    DuplicateApp,
    DuplicateNode,
    NegativeNode,
    NegativeResize,
    /// Of a container that never was.
    Completion,
    Launch,
    MoveNowhere,
}

/// Which calls are made with handles of what is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// Of a finished application, or of an attempt that another one has followed.
    Allocate,
    Finish,
    NextAttempt,
    Move,
    /// Of a removed node.
    Heartbeat,
    Resize,
    Decommission,
    Recommission,
}

/// How a container is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Giving {
    Own,
    /// It may have ended, or be of an earlier attempt.
    ById,
    /// It is another application's.
    Strangers,
    /// In one call twice, and with an ask.
    TwiceAndAsk,
}

/// An allocation file to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    /// No file: empty dynamic queues go, and changes of type are tried again.
    CleanUp,
    First,
    OtherLimits,
    OtherQueues,
    /// That is no XML.
    Torn,
    /// One value of which is wrong.
    Wrong,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A node reports up to `launches` and `ends` of the containers that AMs have on it; then, where `noise` says so,
    /// some of the ends once more, those of other nodes, and those that have long ended. It is offered, unless it only
    /// reports.
    Heartbeat {
        node: u8,
        launches: u8,
        ends: u8,
        noise: bool,
        offer: bool,
    },
    Update,
    Ask {
        app: u8,
        priority: u8,
        what: u8,
        place: Where,
        id: u8,
    },
    Poll {
        app: u8,
    },
    /// `place` says whether the AM's request names racks and nodes.
    Submit {
        queue: u8,
        user: u8,
        am: u8,
        place: u8,
    },
    Release {
        app: u8,
        container: u8,
        giving: Giving,
    },
    Complete {
        container: u8,
    },
    Launch {
        container: u8,
    },
    Advance {
        ms: u16,
    },
    /// Where `beside` says so, another one ends first, and this one before that is over.
    Finish {
        app: u8,
        beside: Option<u8>,
    },
    /// The AM's container ends first, where it `fails`.
    NextAttempt {
        app: u8,
        fails: bool,
        keep: bool,
        am: u8,
    },
    Blacklist {
        app: u8,
        node: u8,
        add: bool,
    },
    /// Where `again` says so, under the name of one that is gone.
    AddNode {
        a: u8,
        b: u8,
        again: bool,
    },
    RemoveNode {
        node: u8,
    },
    Resize {
        node: u8,
        a: u8,
        b: u8,
    },
    Decommission {
        node: u8,
    },
    Recommission {
        node: u8,
    },
    Move {
        app: u8,
        queue: u8,
    },
    /// As the watcher does it, which cleans up first, or an administrator.
    Reload {
        file: File,
        watcher: bool,
    },
    Preempt {
        kill: bool,
    },
    Kill,
    Continuous,
    SetMaximum {
        what: u8,
    },
    CreateQueue {
        what: u8,
        leaf: bool,
    },
    Bad {
        what: Bad,
        which: u8,
    },
    Stale {
        what: Stale,
        which: u8,
    },
}

/// First bytes: each is the first one of its kind, which ends before the next.
pub(crate) mod kind {
    pub(crate) const HEARTBEAT: u8 = 0;
    pub(crate) const UPDATE: u8 = 60;
    pub(crate) const ASK: u8 = 77;
    pub(crate) const POLL: u8 = 121;
    pub(crate) const SUBMIT: u8 = 130;
    pub(crate) const RELEASE: u8 = 152;
    pub(crate) const COMPLETE: u8 = 162;
    pub(crate) const LAUNCH: u8 = 171;
    pub(crate) const ADVANCE: u8 = 183;
    pub(crate) const FINISH: u8 = 194;
    pub(crate) const NEXT_ATTEMPT: u8 = 197;
    pub(crate) const BLACKLIST: u8 = 203;
    pub(crate) const ADD_NODE: u8 = 207;
    pub(crate) const REMOVE_NODE: u8 = 213;
    pub(crate) const RESIZE: u8 = 216;
    pub(crate) const DECOMMISSION: u8 = 219;
    pub(crate) const RECOMMISSION: u8 = 222;
    pub(crate) const MOVE: u8 = 224;
    pub(crate) const RELOAD: u8 = 228;
    pub(crate) const PREEMPT: u8 = 232;
    pub(crate) const KILL: u8 = 239;
    pub(crate) const CONTINUOUS: u8 = 241;
    pub(crate) const SET_MAXIMUM: u8 = 247;
    pub(crate) const CREATE_QUEUE: u8 = 248;
    pub(crate) const BAD: u8 = 249;
    pub(crate) const STALE: u8 = 252;
}

impl Op {
    pub(crate) fn of([first, a, b, c, d, e]: [u8; OP]) -> Op {
        match first {
            kind::HEARTBEAT..kind::UPDATE => Op::Heartbeat {
                node: a,
                launches: b % 8 / 4 * (c % 4),
                ends: c / 4 % 8 / 5 * (b / 8 % 4),
                noise: d % 4 == 3,
                offer: e % 8 != 7,
            },
            kind::UPDATE..kind::ASK => Op::Update,
            kind::ASK..kind::POLL => Op::Ask {
                app: a,
                priority: b,
                what: c,
                place: match b / 4 % 16 {
                    0..=5 => Where::Anywhere,
                    6..=9 => Where::Node,
                    10 | 11 => Where::Rack,
                    12 => Where::StrictNode,
                    13 => Where::StrictRack,
                    _ => Where::Odd,
                },
                id: d % 8 / 5 * (d / 8 % 3),
            },
            kind::POLL..kind::SUBMIT => Op::Poll { app: a },
            kind::SUBMIT..kind::RELEASE => Op::Submit { queue: a, user: b, am: c, place: d % 8 },
            kind::RELEASE..kind::COMPLETE => Op::Release {
                app: a,
                container: b,
                giving: [Giving::Own, Giving::Own, Giving::ById, Giving::Strangers, Giving::TwiceAndAsk]
                    [usize::from(c) % 5],
            },
            kind::COMPLETE..kind::LAUNCH => Op::Complete { container: a },
            kind::LAUNCH..kind::ADVANCE => Op::Launch { container: a },
            kind::ADVANCE..kind::FINISH => {
                Op::Advance { ms: if b % 4 == 3 { u16::from(a) * 16 } else { u16::from(a) } }
            }
            kind::FINISH..kind::NEXT_ATTEMPT => Op::Finish { app: a, beside: (b % 2 == 1).then_some(c) },
            kind::NEXT_ATTEMPT..kind::BLACKLIST => {
                Op::NextAttempt { app: a, fails: b % 2 == 1, keep: c % 4 != 3, am: d }
            }
            kind::BLACKLIST..kind::ADD_NODE => Op::Blacklist { app: a, node: b, add: c % 2 == 0 },
            kind::ADD_NODE..kind::REMOVE_NODE => Op::AddNode { a, b, again: c % 2 == 1 },
            kind::REMOVE_NODE..kind::RESIZE => Op::RemoveNode { node: a },
            kind::RESIZE..kind::DECOMMISSION => Op::Resize { node: a, a: b, b: c },
            kind::DECOMMISSION..kind::RECOMMISSION => Op::Decommission { node: a },
            kind::RECOMMISSION..kind::MOVE => Op::Recommission { node: a },
            kind::MOVE..kind::RELOAD => Op::Move { app: a, queue: b },
            kind::RELOAD..kind::PREEMPT => Op::Reload {
                file: [File::CleanUp, File::First, File::OtherLimits, File::OtherQueues, File::Torn, File::Wrong]
                    [usize::from(a) % 6],
                watcher: b % 2 == 0,
            },
            kind::PREEMPT..kind::KILL => Op::Preempt { kill: a % 4 == 3 },
            kind::KILL..kind::CONTINUOUS => Op::Kill,
            kind::CONTINUOUS..kind::SET_MAXIMUM => Op::Continuous,
            kind::SET_MAXIMUM..kind::CREATE_QUEUE => Op::SetMaximum { what: a },
            kind::CREATE_QUEUE..kind::BAD => Op::CreateQueue { what: a, leaf: b % 2 == 0 },
            kind::BAD..kind::STALE => Op::Bad {
                what: [
                    Bad::NegativeAsk,
                    Bad::TooLargeAsk,
                    Bad::BlacklistAny,
                    Bad::DuplicateApp,
                    Bad::DuplicateNode,
                    Bad::NegativeNode,
                    Bad::NegativeResize,
                    Bad::Completion,
                    Bad::Launch,
                    Bad::MoveNowhere,
                ][usize::from(a) % 10],
                which: b,
            },
            kind::STALE..=255 => Op::Stale {
                what: [
                    Stale::Allocate,
                    Stale::Finish,
                    Stale::NextAttempt,
                    Stale::Move,
                    Stale::Heartbeat,
                    Stale::Resize,
                    Stale::Decommission,
                    Stale::Recommission,
                ][usize::from(a) % 8],
                which: b,
            },
        }
    }

    /// Its name, for counting.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Op::Heartbeat { .. } => "heartbeat",
            Op::Update => "update",
            Op::Ask { .. } => "ask",
            Op::Poll { .. } => "poll",
            Op::Submit { .. } => "submit",
            Op::Release { .. } => "release",
            Op::Complete { .. } => "complete",
            Op::Launch { .. } => "launch",
            Op::Advance { .. } => "advance",
            Op::Finish { .. } => "finish",
            Op::NextAttempt { .. } => "next attempt",
            Op::Blacklist { .. } => "blacklist",
            Op::AddNode { .. } => "add node",
            Op::RemoveNode { .. } => "remove node",
            Op::Resize { .. } => "resize",
            Op::Decommission { .. } => "decommission",
            Op::Recommission { .. } => "recommission",
            Op::Move { .. } => "move",
            Op::Reload { .. } => "reload",
            Op::Preempt { .. } => "preempt",
            Op::Kill => "kill",
            Op::Continuous => "continuous",
            Op::SetMaximum { .. } => "set maximum",
            Op::CreateQueue { .. } => "create queue",
            Op::Bad { .. } => "bad call",
            Op::Stale { .. } => "stale handle",
        }
    }
}
