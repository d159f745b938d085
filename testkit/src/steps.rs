//! Calls on a stepped scheduler that must be taken.

use evenweave::{AllocateRequest, Allocation, AppHandle, Ask, CapacityStepped, Refused, Stepped};

/// Either stepped scheduler.
pub trait Steps {
    /// As the scheduler's own.
    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused>;
}

macro_rules! steps {
    ($scheduler:ty) => {
        impl Steps for $scheduler {
            fn allocate(
                &mut self,
                app: &AppHandle,
                request: &AllocateRequest,
                answer: &mut Allocation,
            ) -> Result<(), Refused> {
                <$scheduler>::allocate(self, app, request, answer)
            }
        }
    };
}

steps!(Stepped);
steps!(CapacityStepped);

/// A call of the AM's.
pub fn call(stepped: &mut impl Steps, app: &AppHandle, request: &AllocateRequest) -> Allocation {
    let mut answer = Allocation::default();
    stepped.allocate(app, request, &mut answer).unwrap();
    answer
}

/// A call of the AM's that asks.
pub fn ask_for(stepped: &mut impl Steps, app: &AppHandle, asks: impl IntoIterator<Item = Ask>) -> Allocation {
    call(stepped, app, &AllocateRequest::new(asks))
}

/// What there is for the AM.
pub fn fetch(stepped: &mut impl Steps, app: &AppHandle) -> Allocation {
    call(stepped, app, &AllocateRequest::default())
}
