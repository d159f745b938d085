//! The applications of a leaf queue as a persistent table: positions, in chunks, and these in groups, that unchanged
//! versions share.
//!
//! # Where it stands
//! The control changes its copy; a published version is a clone, O(applications / ([`CHUNK`] x [`CHUNK`])), and a
//! change copies one group and one chunk. A worker finds what has changed between two versions by comparing groups,
//! then chunks, by address. Positions stay while an application is a member, so its place in a worker's winner tree
//! does too.

use crate::engine::books::ledger::AppShared;
use crate::sync::Arc;

/// Members a chunk, and chunks a group.
const CHUNK: usize = 64;

/// One member.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) app: Arc<AppShared>,
    /// Counts entries: the order in which members came, which Hadoop's lists have.
    pub(crate) sequence: u64,
}

/// Some neighbouring positions.
#[derive(Clone, Debug)]
struct Chunk {
    members: [Option<Member>; CHUNK],
    /// A bit a position: whether there is a member.
    occupied: u64,
}

const _: () = assert!(CHUNK == u64::BITS as usize, "a bit a position");

/// Some neighbouring chunks. One in which nobody ever was is left out, and has no bit: most leaves have one chunk, and
/// nobody walks over the places of the others.
#[derive(Clone, Debug)]
struct Group {
    chunks: [Option<Arc<Chunk>>; CHUNK],
    present: u64,
}

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    groups: Vec<Arc<Group>>,
    len: usize,
}

/// What differs between two versions at one position.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    pub(crate) position: u32,
    pub(crate) old: Option<&'a Member>,
    pub(crate) new: Option<&'a Member>,
}

fn position(chunk: usize, at: usize) -> u32 {
    u32::try_from(chunk * CHUNK + at).expect("positions are u32")
}

impl Chunk {
    fn empty() -> Chunk {
        Chunk { members: std::array::from_fn(|_| None), occupied: 0 }
    }

    /// Its members with their places in it. As fast as there are members, however few.
    fn iter(&self) -> impl Iterator<Item = (usize, &Member)> {
        let mut left = self.occupied;
        std::iter::from_fn(move || {
            let at = left.trailing_zeros() as usize;
            // Of none left the place is behind the last.
            let member = self.members.get(at)?.as_ref()?;
            left &= left - 1;
            Some((at, member))
        })
    }
}

impl Group {
    fn empty() -> Group {
        Group { chunks: std::array::from_fn(|_| None), present: 0 }
    }

    /// The chunks that are there, with their places in the group.
    fn iter(&self) -> impl Iterator<Item = (usize, &Chunk)> {
        let mut left = self.present;
        std::iter::from_fn(move || {
            let at = left.trailing_zeros() as usize;
            let chunk = self.chunks.get(at)?;
            left &= left - 1;
            Some((at, &**chunk.as_ref()?))
        })
    }

    /// The last of them that somebody is in.
    fn last_occupied(&self) -> Option<(usize, &Chunk)> {
        self.iter().filter(|(_, chunk)| chunk.occupied != 0).last()
    }
}

impl Members {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Puts a member at a position, or takes it away.
    pub(crate) fn set(&mut self, position: u32, member: Option<Member>) {
        let (chunk, at) = (position as usize / CHUNK, position as usize % CHUNK);
        let (group, chunk) = (chunk / CHUNK, chunk % CHUNK);
        while self.groups.len() <= group {
            self.groups.push(Arc::new(Group::empty()));
        }
        let group = Arc::make_mut(&mut self.groups[group]);
        group.present |= 1 << chunk;
        let chunk = Arc::make_mut(group.chunks[chunk].get_or_insert_with(|| Arc::new(Chunk::empty())));
        let entry = &mut chunk.members[at];
        self.len = self.len + usize::from(member.is_some()) - usize::from(entry.is_some());
        chunk.occupied = chunk.occupied & !(1 << at) | u64::from(member.is_some()) << at;
        *entry = member;
    }

    /// The chunk of a number, where somebody ever was in it.
    fn chunk(&self, number: usize) -> Option<&Arc<Chunk>> {
        self.groups.get(number / CHUNK)?.chunks[number % CHUNK].as_ref()
    }

    /// All chunks with their numbers.
    fn chunks(&self) -> impl Iterator<Item = (usize, &Chunk)> {
        let groups = self.groups.iter().enumerate();
        groups.flat_map(|(group, chunks)| chunks.iter().map(move |(at, chunk)| (group * CHUNK + at, chunk)))
    }

    /// All members with their positions, in no order that means anything.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (u32, &Member)> {
        self.chunks().flat_map(|(chunk, members)| members.iter().map(move |(at, member)| (position(chunk, at), member)))
    }

    /// No member's position is this or above.
    pub(crate) fn end(&self) -> u32 {
        let mut groups = self.groups.iter().enumerate().rev();
        let last = groups.find_map(|(group, chunks)| Some((group * CHUNK, chunks.last_occupied()?)));
        last.map_or(0, |(group, (at, members))| position(group + at, CHUNK - members.occupied.leading_zeros() as usize))
    }

    /// All members, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<AppShared>> {
        self.positions().map(|(_, member)| &member.app)
    }

    /// Where another version differs. O(groups + changed groups x [`CHUNK`] + changed chunks x [`CHUNK`]).
    pub(crate) fn changes<'a>(&'a self, new: &'a Members) -> impl Iterator<Item = Change<'a>> {
        let groups = self.groups.len().max(new.groups.len());
        let changed = (0..groups).filter(|group| match (self.groups.get(*group), new.groups.get(*group)) {
            (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
            _ => true,
        });
        let chunks = changed.flat_map(|group| group * CHUNK..(group + 1) * CHUNK);
        let changed = chunks.filter(|chunk| match (self.chunk(*chunk), new.chunk(*chunk)) {
            (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
            (None, None) => false,
            _ => true,
        });
        changed.flat_map(move |chunk| {
            (0..CHUNK).filter_map(move |at| {
                let entry = |members: &'a Members| members.chunk(chunk).and_then(|chunk| chunk.members[at].as_ref());
                let (old, new) = (entry(self), entry(new));
                let same = match (old, new) {
                    (Some(old), Some(new)) => old.sequence == new.sequence && old.app.slot == new.app.slot,
                    (None, None) => true,
                    _ => false,
                };
                (!same).then_some(Change { position: position(chunk, at), old, new })
            })
        })
    }
}

/// The control's side of a table: which positions are free.
#[derive(Debug, Default)]
pub(crate) struct MemberTable {
    pub(crate) members: Members,
    free: Vec<u32>,
    next: u32,
    sequence: u64,
}

impl MemberTable {
    /// Adds a member; returns its position.
    pub(crate) fn add(&mut self, app: Arc<AppShared>) -> u32 {
        let position = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        self.sequence += 1;
        self.members.set(position, Some(Member { app, sequence: self.sequence }));
        position
    }

    pub(crate) fn remove(&mut self, position: u32) {
        self.members.set(position, None);
        self.free.push(position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::books::ledger::NewApp;

    fn app(number: u32) -> Arc<AppShared> {
        Arc::new(AppShared::new(NewApp::example(number), 1))
    }

    #[test]
    fn a_version_keeps_what_it_was_and_shows_what_changed() {
        let mut table = MemberTable::default();
        let positions: Vec<_> = (0..200).map(|n| table.add(app(n))).collect();
        let before = table.members.clone();
        table.remove(positions[70]);
        let reused = table.add(app(999));
        assert_eq!(reused, positions[70]);
        table.remove(positions[130]);
        assert_eq!((before.len(), table.members.len()), (200, 199));
        let changes: Vec<_> = before
            .changes(&table.members)
            .map(|change| (change.position, change.old.map(|m| m.app.id.number), change.new.map(|m| m.app.id.number)))
            .collect();
        assert_eq!(changes, [(positions[70], Some(70), Some(999)), (positions[130], Some(130), None)]);
        assert_eq!(before.iter().count(), 200);
        let places = |members: &Members| members.positions().map(|(position, _)| position).collect::<Vec<_>>();
        assert_eq!(places(&before), (0..200).collect::<Vec<_>>());
        assert_eq!(places(&table.members), (0..200).filter(|place| *place != positions[130]).collect::<Vec<_>>());
    }

    /// What a publish clones, and what a change copies, however many there are.
    #[test]
    fn a_version_shares_all_but_what_it_has_changed() {
        const MANY: u32 = 100_000;
        let (mut table, one) = (MemberTable::default(), app(1));
        let positions: Vec<_> = (0..MANY).map(|_| table.add(one.clone())).collect();
        for position in [positions[99_999], positions[50_000], positions[0]] {
            let before = table.members.clone();
            table.remove(position);
            let now = &table.members;
            assert!(now.groups.len() <= MANY as usize / CHUNK / CHUNK + 1, "a clone has {} words", now.groups.len());
            let others = before.groups.iter().zip(&now.groups).filter(|(old, new)| !Arc::ptr_eq(old, new));
            let others: Vec<_> = others.flat_map(|(old, new)| old.chunks.iter().zip(&new.chunks)).collect();
            assert_eq!(others.len(), CHUNK, "one group is another");
            let is_same = |old: &Option<Arc<Chunk>>, new: &Option<Arc<Chunk>>| match (old, new) {
                (Some(old), Some(new)) => Arc::ptr_eq(old, new),
                (old, new) => old.is_none() && new.is_none(),
            };
            assert_eq!(others.iter().filter(|(old, new)| !is_same(old, new)).count(), 1, "and one chunk of it");
            let changes: Vec<_> = before.changes(now).map(|change| change.position).collect();
            assert_eq!(changes, [position]);
        }
    }

    #[test]
    fn the_end_is_behind_the_last_member() {
        let mut table = MemberTable::default();
        assert_eq!(table.members.end(), 0);
        let positions: Vec<_> = (0..130).map(|n| table.add(app(n))).collect();
        assert_eq!(table.members.end(), 130);
        positions[64..].iter().for_each(|position| table.remove(*position));
        assert_eq!(table.members.end(), 64);
        positions[..63].iter().for_each(|position| table.remove(*position));
        assert_eq!((table.members.end(), table.members.len()), (64, 1));
        let mut members = Members::default();
        members.set(9000, Some(Member { app: app(1), sequence: 1 }));
        assert_eq!((members.end(), members.positions().map(|(position, _)| position).collect()), (9001, vec![9000]));
    }
}
