//! Calls of an AM's that must be taken.

use evenweave::{AllocateRequest, Allocation, AppHandle, Ask, SchedulerApi};

/// A call of the AM's.
pub fn call(stepped: &mut impl SchedulerApi, app: &AppHandle, request: &AllocateRequest) -> Allocation {
    let mut answer = Allocation::default();
    stepped.allocate(app, request, &mut answer).unwrap();
    answer
}

/// A call of the AM's that asks.
pub fn ask_for(stepped: &mut impl SchedulerApi, app: &AppHandle, asks: impl IntoIterator<Item = Ask>) -> Allocation {
    call(stepped, app, &AllocateRequest::new(asks))
}

/// What there is for the AM.
pub fn fetch(stepped: &mut impl SchedulerApi, app: &AppHandle) -> Allocation {
    call(stepped, app, &AllocateRequest::default())
}
