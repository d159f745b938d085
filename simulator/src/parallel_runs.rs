//! Many runs on as many cores as there are: each thread takes the next run that nobody has.

use std::sync::Mutex;

use evenweave_tools::Failure;

/// Makes runs `0..count`, and gives what came of each, in order. After one that fails no other begins.
pub(super) fn on_all_cores<T: Send>(
    count: usize,
    one: &(dyn Fn(usize) -> Result<T, Failure> + Sync),
) -> Vec<Result<T, Failure>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    let (tasks, taken) = crossbeam_channel::unbounded();
    (0..count).for_each(|number| tasks.send(number).expect("the other end is held here"));
    drop(tasks);
    let results: Mutex<Vec<(usize, Result<T, Failure>)>> = Mutex::new(Vec::with_capacity(count));
    let work = || {
        while let Ok(number) = taken.try_recv() {
            let result = one(number);
            let failed = result.is_err();
            results.lock().expect("nothing panics while it holds the lock").push((number, result));
            if failed {
                while taken.try_recv().is_ok() {}
            }
        }
    };
    let panicked = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().any(|thread| thread.join().is_err())
    });
    let mut results = results.into_inner().expect("nothing panics while it holds the lock");
    results.sort_by_key(|(number, _)| *number);
    let mut list: Vec<_> = results.into_iter().map(|(_, result)| result).collect();
    if panicked {
        list.push(Err(Failure::Scheduler("a simulation has panicked".to_owned())));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_order_and_a_failure_ends_it() {
        let all = on_all_cores(100, &|number| Ok(number * 2));
        assert!(all.into_iter().map(Result::unwrap).eq((0..100).map(|number| number * 2)));
        let some = on_all_cores(1000, &|number| if number == 5 { Err(Failure::input("five")) } else { Ok(()) });
        assert!(some.len() < 1000 && some.iter().filter(|result| result.is_err()).count() == 1);
        assert!(on_all_cores(0, &|_| Ok(())).is_empty());
    }
}
