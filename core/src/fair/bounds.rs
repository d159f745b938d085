//! Bounds of what is asked for: they let a descent pass over whole subtrees, or be counted without being made.

use crate::fair::app::FairApp;
use crate::fair::queue::FairQueue;
use crate::resource::Resource;

/// Of an application, or of all below a queue. Each is widened at once by what is new, and computed anew with each
/// update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// No outstanding ask is smaller in any type.
    floor: Resource,
    /// None that is not uneven is larger in any type.
    ceiling: Resource,
    /// Some ask is large enough for a reservation.
    may_reserve: bool,
    /// A visit may do more than count where nothing fits.
    uneven: bool,
}

impl Bounds {
    /// Where nobody asks for anything.
    pub(crate) const NOTHING: Bounds =
        Bounds { floor: Resource::UNBOUNDED, ceiling: Resource::ZERO, may_reserve: false, uneven: false };

    /// Of both.
    #[inline]
    pub(crate) fn with(&self, types: usize, other: &Bounds) -> Bounds {
        Bounds {
            floor: self.floor.least_of_types(types, &other.floor),
            ceiling: self.ceiling.most_of_types(types, &other.ceiling),
            may_reserve: self.may_reserve || other.may_reserve,
            uneven: self.uneven || other.uneven,
        }
    }

    /// Whether nothing of the other is beyond these.
    #[inline]
    pub(crate) fn admit(&self, types: usize, other: &Bounds) -> bool {
        self.floor.fits_in_types(types, &other.floor)
            && other.ceiling.fits_in_types(types, &self.ceiling)
            && (self.may_reserve || !other.may_reserve)
            && (self.uneven || !other.uneven)
    }
}

impl FairApp {
    /// One that is even asks for one size.
    pub(crate) fn bounds(&self) -> Bounds {
        let FairApp { floor, may_reserve, uneven, .. } = *self;
        let ceiling = if uneven || floor == Resource::UNBOUNDED { Resource::ZERO } else { floor };
        Bounds { floor, ceiling, may_reserve, uneven }
    }
}

impl FairQueue {
    /// Of all below.
    pub(crate) fn bounds(&self) -> Bounds {
        let FairQueue { floor, ceiling, may_reserve, uneven, .. } = *self;
        Bounds { floor, ceiling, may_reserve, uneven }
    }

    pub(crate) fn set_bounds(&mut self, bounds: &Bounds) {
        let Bounds { floor, ceiling, may_reserve, uneven } = *bounds;
        (self.floor, self.ceiling, self.may_reserve, self.uneven) = (floor, ceiling, may_reserve, uneven);
    }

    /// Lets them admit others too; false if they did.
    pub(crate) fn widen(&mut self, types: usize, bounds: &Bounds) -> bool {
        let before = self.bounds();
        let is_new = !before.admit(types, bounds);
        if is_new {
            self.set_bounds(&before.with(types, bounds));
        }
        is_new
    }
}
