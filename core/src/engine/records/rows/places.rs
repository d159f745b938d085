//! Where the rows of one key lie: two bytes a row, found by location in O(1).
//!
//! Plain data. Few rows are looked through. More lie in pages of one cache line, which the blocks of locations find:
//! the memory grows with the rows, and by 16 bytes with each 64 locations that anybody knows. A block has a bit a
//! location that says whether something may be left there: whoever only wants to know that reads one cache line. Counts
//! too large for two bytes lie apart.

use rustc_hash::FxHashMap;
use std::cell::Cell;

/// So many are looked through; beyond, there are blocks.
const FEW: usize = 16;
/// Rows of a page.
const PAGE: usize = 32;
/// Locations of a block: as many as a word has bits.
const BLOCK: usize = 64;
/// In a block: there is no page.
const NO_PAGE: u32 = u32::MAX;

/// A rack or node of a key; what else there is to know of it lies with the key.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// Units left; with several workers the place of the count that they share.
    pub(super) count: u32,
    pub(super) relax: bool,
    /// The AM itself said 0: then the row still counts as a location, in Hadoop.
    pub(super) explicit_zero: bool,
    /// Its size is not that of most rows.
    pub(super) odd_size: bool,
}

/// A row in two bytes: a count of twelve bits, and four flags above. 0 is no row.
#[derive(Clone, Copy, Debug, Default)]
struct Packed(u16);

impl Packed {
    const NAMED: u16 = 1 << 15;
    const RELAX: u16 = 1 << 14;
    const EXPLICIT_ZERO: u16 = 1 << 13;
    const ODD_SIZE: u16 = 1 << 12;
    /// The count is this or more, and lies apart.
    const LARGE: u16 = (1 << 12) - 1;

    #[inline]
    fn is_row(self) -> bool {
        self.0 != 0
    }

    #[inline]
    fn count(self) -> u16 {
        self.0 & Packed::LARGE
    }

    #[inline]
    fn of(row: &Row) -> Packed {
        let flag = |is: bool, flag: u16| if is { flag } else { 0 };
        let count = u16::try_from(row.count).map_or(Packed::LARGE, |count| count.min(Packed::LARGE));
        Packed(
            Packed::NAMED
                | flag(row.relax, Packed::RELAX)
                | flag(row.explicit_zero, Packed::EXPLICIT_ZERO)
                | flag(row.odd_size, Packed::ODD_SIZE)
                | count,
        )
    }
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) enum Places {
    #[default]
    Nowhere,
    Few(Box<Few>),
    Many(Pages),
}

#[derive(Debug, Default)]
pub(super) struct Few {
    len: usize,
    locations: [u32; FEW],
    rows: [Row; FEW],
}

#[derive(Debug, Default)]
pub(super) struct Pages {
    blocks: Vec<Block>,
    pages: Vec<Page>,
    /// Counts that do not fit their rows, by location.
    large: Option<Box<FxHashMap<u32, u32>>>,
}

/// The pages of 64 locations.
#[derive(Clone, Debug)]
struct Block {
    may_be_pending: Cell<u64>,
    pages: [u32; BLOCK / PAGE],
}

#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct Page([Packed; PAGE]);

const _: () = assert!(size_of::<Page>() == 64, "one cache line");

impl Default for Block {
    fn default() -> Block {
        Block { may_be_pending: Cell::new(0), pages: [NO_PAGE; BLOCK / PAGE] }
    }
}

impl Block {
    #[inline]
    fn set_may_be_pending(&self, location: u32, may: bool) {
        let (word, bit) = (self.may_be_pending.get(), 1 << (location as usize % BLOCK));
        self.may_be_pending.set(if may { word | bit } else { word & !bit });
    }
}

impl Places {
    /// The row of a location.
    #[inline]
    pub(super) fn get(&self, location: u32) -> Option<Row> {
        match self {
            Places::Nowhere => None,
            Places::Few(few) => few.find(location).map(|at| few.rows[at]),
            Places::Many(pages) => pages.get(location),
        }
    }

    /// The row of a location is this one from now on.
    #[inline]
    pub(super) fn put(&mut self, location: u32, row: Row) {
        match self {
            Places::Nowhere => *self = Places::Few(Box::default()),
            Places::Few(few) if few.len == FEW && few.find(location).is_none() => *self = Places::Many(Pages::of(few)),
            Places::Few(_) | Places::Many(_) => {}
        }
        match self {
            Places::Nowhere => unreachable!("it has just become few"),
            Places::Few(few) => few.put(location, row),
            Places::Many(pages) => pages.put(location, row),
        }
    }

    /// Something may be left at a location that has a row, or nothing is.
    #[inline]
    pub(super) fn set_may_be_pending(&self, location: u32, may: bool) {
        if let Places::Many(pages) = self
            && let Some(block) = pages.block(location)
        {
            block.set_may_be_pending(location, may);
        }
    }

    /// Whether something may be left at a location.
    #[inline]
    pub(super) fn may_be_pending(&self, location: u32) -> bool {
        match self {
            Places::Nowhere => false,
            Places::Few(few) => few.find(location).is_some(),
            Places::Many(pages) => pages
                .block(location)
                .is_some_and(|block| block.may_be_pending.get() >> (location as usize % BLOCK) & 1 != 0),
        }
    }

    /// All rows with their locations.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Row)> {
        let (few, many) = match self {
            Places::Nowhere => (None, None),
            Places::Few(few) => (Some(few.iter()), None),
            Places::Many(pages) => (None, Some(pages.iter())),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }
}

impl Few {
    #[inline]
    fn find(&self, location: u32) -> Option<usize> {
        self.locations[..self.len].iter().position(|known| *known == location)
    }

    /// There is room for one more, if it is new.
    fn put(&mut self, location: u32, row: Row) {
        let at = self.find(location).unwrap_or(self.len);
        self.len = self.len.max(at + 1);
        (self.locations[at], self.rows[at]) = (location, row);
    }

    fn iter(&self) -> impl Iterator<Item = (u32, Row)> {
        self.locations[..self.len].iter().copied().zip(self.rows)
    }
}

impl Pages {
    /// Of each of these something may be left.
    fn of(few: &Few) -> Pages {
        let mut pages = Pages::default();
        for (location, row) in few.iter() {
            pages.put(location, row);
            pages.blocks[location as usize / BLOCK].set_may_be_pending(location, true);
        }
        pages
    }

    #[inline]
    fn block(&self, location: u32) -> Option<&Block> {
        self.blocks.get(location as usize / BLOCK)
    }

    #[inline]
    fn page(&self, location: u32) -> Option<usize> {
        let page = self.block(location)?.pages[location as usize % BLOCK / PAGE];
        (page != NO_PAGE).then_some(page as usize)
    }

    #[inline]
    fn get(&self, location: u32) -> Option<Row> {
        let packed = self.pages[self.page(location)?].0[location as usize % PAGE];
        packed.is_row().then(|| self.unpack(location, packed))
    }

    #[inline]
    fn unpack(&self, location: u32, packed: Packed) -> Row {
        let has = |flag| packed.0 & flag != 0;
        let count = match packed.count() {
            Packed::LARGE => self.large.as_ref().map_or(0, |large| large[&location]),
            count => u32::from(count),
        };
        Row {
            count,
            relax: has(Packed::RELAX),
            explicit_zero: has(Packed::EXPLICIT_ZERO),
            odd_size: has(Packed::ODD_SIZE),
        }
    }

    #[inline]
    fn put(&mut self, location: u32, row: Row) {
        let page = self.page(location).unwrap_or_else(|| self.add_page(location));
        let at = &mut self.pages[page].0[location as usize % PAGE];
        let before = std::mem::replace(at, Packed::of(&row));
        if at.count() == Packed::LARGE {
            self.large.get_or_insert_default().insert(location, row.count);
        } else if before.count() == Packed::LARGE
            && let Some(large) = &mut self.large
        {
            large.remove(&location);
        }
    }

    #[cold]
    fn add_page(&mut self, location: u32) -> usize {
        let at = location as usize / BLOCK;
        if self.blocks.len() <= at {
            self.blocks.resize_with(at + 1, Block::default);
        }
        let page = self.pages.len();
        self.blocks[at].pages[location as usize % BLOCK / PAGE] =
            u32::try_from(page).expect("fewer than locations, which are u32");
        self.pages.push(Page::default());
        page
    }

    fn iter(&self) -> impl Iterator<Item = (u32, Row)> {
        let pages = self.blocks.iter().flat_map(|block| &block.pages);
        let known = (0..).step_by(PAGE).zip(pages).filter(|(_, page)| **page != NO_PAGE);
        let rows = known.flat_map(|(first, page)| (first..).zip(&self.pages[*page as usize].0));
        rows.filter(|(_, packed)| packed.is_row()).map(|(location, packed)| (location, self.unpack(location, *packed)))
    }
}
