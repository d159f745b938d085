//! A plain CapacityScheduler: one thread, maps and lists, every rule where `docs/rules/capacity.md` has it.
//!
//! It decides by the same rooms as the rest of `capacity`, but walks and sorts where those who have to be fast keep things in order. It
//! speaks the words of recordings: a step in, what it shows out. What it shows is held against recordings of Hadoop, and what others
//! show against it.

mod settings;

mod state;

mod counting;

mod asking;

mod ending;

mod parallel;

mod life;

mod killable;

mod commit;

mod pass;

mod preempting;

mod refresh;

mod view;

mod step;

pub use state::Plain;
pub use view::difference;
