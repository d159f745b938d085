//! Calls as recordings have them, by number: for replay and tests.

use super::handles::AppHandle;
use super::policy::Policy;
use super::stepped::Stepped;
use crate::app::Ask;
use crate::event::Refused;
#[cfg(doc)]
use crate::event::refused::*;
use crate::id::ContainerId;
use crate::resource::Resource;

/// Calls of a [`Stepped`] that name applications and containers by number.
pub trait ByNumber {
    /// Returns the handle of an application by its number, if it has not ended.
    ///
    /// # Errors
    /// [`NotFound::App`] if it is unknown or has ended.
    fn app_numbered(&self, number: u32) -> Result<AppHandle, Refused>;

    /// An AM's call as recordings have it: as its last act it fetches all containers of the application. Returns the
    /// headroom, and the numbers of the containers that are marked for preemption.
    ///
    /// # Errors
    /// Those of [`SchedulerApi::allocate`](crate::SchedulerApi::allocate). Nothing has changed then.
    fn allocate_numbered(
        &mut self,
        number: u32,
        asks: &[Ask],
        blacklist_add: &[&str],
        blacklist_remove: &[&str],
    ) -> Result<(Resource, Vec<u32>), Refused>;

    /// The numbers of an application's containers that are to be preempted, smallest first: what its handle's
    /// [`strict_preemptions`](AppHandle::strict_preemptions) has.
    ///
    /// # Errors
    /// [`NotFound::App`] if it is unknown or has ended.
    fn preemptions_numbered(&self, number: u32) -> Result<Vec<u32>, Refused>;

    /// The AM gives a container back; one that is not its own is ignored.
    ///
    /// # Errors
    /// [`NotFound::App`] if the application is unknown or has ended; [`TryAgain::NoAm`].
    fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused>;

    /// The node of a container says that it runs.
    ///
    /// # Errors
    /// [`NotFound::App`] if the application is unknown; [`NotFound::Container`] if the container is, or has ended.
    fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused>;

    /// The node of a container says that it is done.
    ///
    /// # Errors
    /// [`NotFound::App`] if the application is unknown; [`NotFound::Container`] if the container is, or has ended and
    /// its node does not wait for it.
    fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused>;
}

impl<P: Policy> ByNumber for Stepped<P> {
    fn app_numbered(&self, number: u32) -> Result<AppHandle, Refused> {
        self.steps.app(number)
    }

    fn allocate_numbered(
        &mut self,
        number: u32,
        asks: &[Ask],
        blacklist_add: &[&str],
        blacklist_remove: &[&str],
    ) -> Result<(Resource, Vec<u32>), Refused> {
        let app = self.steps.calling(number)?;
        let request = self.steps.request(asks, blacklist_add, blacklist_remove);
        let mut answer = std::mem::take(&mut self.steps.scratch);
        let outcome = P::allocate_stepped(&mut self.steps, &app, &request, &mut answer);
        let headroom = answer.headroom;
        let warned = answer.strict_preemptions.iter().map(|id| id.number()).collect();
        self.steps.scratch = answer;
        outcome.map(|()| (headroom, warned))
    }

    fn preemptions_numbered(&self, number: u32) -> Result<Vec<u32>, Refused> {
        let marked = self.app_numbered(number)?.strict_preemptions();
        let mut numbers: Vec<_> = marked.into_iter().map(ContainerId::number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn release_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.release_numbered(number, container)?;
        P::released(&mut self.steps, number, container)
    }

    fn launch_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.launch_numbered(number, container)
    }

    fn complete_numbered(&mut self, number: u32, container: u32) -> Result<(), Refused> {
        self.steps.complete_numbered(number, container)
    }
}
