//! Leases: room under a limit, and outstanding asks, handed to workers in pieces.
//!
//! # Where it stands
//! `grant` spends from here; `control` and an application's home worker set what there is. Shared by all workers.
//!
//! # Protocol of [`Room`] (room under one limit of one queue, one resource type)
//! One shared word holds what is *taken*: spent plus leased. A worker spends from its own padded piece; when that does
//! not suffice it hands the piece back and takes a new one, one eighth of what is left and at least what it needs, but
//! only while `taken` stays within the limit that its own snapshot shows. When the shared word is dry it recalls the
//! others' unspent pieces into it and tries once more. The limit itself is not stored: a lower one needs no writing.
//!
//! # Protocol of [`AskPool`] (the outstanding `*` count of one request key)
//! One shared word says what is left, of which asks that is (epoch), and of which of the AM's replacements (version). A
//! worker takes one unit off the word; of many units, and from its second of one replacement on, it leases a piece,
//! which the word then says. The AM's replacement changes the epoch where the size or the relaxation is another:
//! workers are told of it. Else it is a *recount*: one exchange of the word, which every worker sees where it lies.
//! Where a piece is leased either one closes the word under the new stamp, voids every piece by swapping it, and only
//! then opens the word with the new count. What was granted before is linearised before the replacement. A worker that
//! finds nothing left says so in the word by the exchange that finds it; so the recount that brings more finds the
//! note, and tells. With one worker, which is then its application's home too, nobody shares: it keeps the count with
//! what else it knows of the key, and publishes it here.
//!
//! # Invariants
//! I2: `taken` = spent + leased, and no refill takes it above the refiller's limit. I3: after a replacement by k at
//! most k are taken before the next one. I7: a refusal leaves the words as they were, except that unspent pieces move.
//!
//! # What races, and why it is safe
//! Last room: `loom-tests/tests/lease_vs_lease.rs`; recall: `recall_vs_spend.rs`; a worker that blocks:
//! `refill_vs_block.rs`; a lowered limit: `grant_vs_lower_limit.rs`; a replacement: `replace_vs_take.rs`; a recount:
//! `recount_vs_take.rs`; a worker that finds nothing left: `recount_vs_dry.rs`.
//!
//! Rooms by node label: [`label_room`].
//!
//! # Trade-offs
//! Room in the piece of a worker whose nodes are full is idle until handed back (before it blocks) or recalled. With
//! one worker there is nobody to share with: it counts asks itself, and rooms are not consulted at all. A version comes
//! again after 32,768 recounts: only what is in hand for so long, between two steps of one call, would be taken for
//! newer.
mod count;
pub mod label_room;
mod pool;
mod room;
pub mod watch;
mod word;

pub use count::AskCount;
pub use pool::AskPool;
pub use room::Room;
pub use word::{NotTaken, Recounted, Taken, TakenUnit};
