//! `/apps`

use super::app::Seen;
use super::asked::{Answer, Asked, Outcome};
use super::filters::Filter;
use crate::manager::ResourceManager;
use crate::records::AppRecord;
use crate::value::{Object, Value};

/// Where Hadoop's map of so many applications has one: a limit takes the first ones of it.
fn place(timestamp: u64, number: u32, count: usize) -> u32 {
    const PRIME: u32 = 371_237;
    // As Java's maps grow: twice as large where three quarters are taken.
    let mut buckets = 16_usize;
    while count >= buckets / 4 * 3 {
        buckets *= 2;
    }
    let low = |of: u64| u32::try_from(of & u64::from(u32::MAX)).unwrap_or_default();
    let hash = PRIME.wrapping_mul(6521).wrapping_add(low(timestamp ^ (timestamp >> 32)));
    let hash = PRIME.wrapping_mul(hash).wrapping_add(number);
    (hash ^ (hash >> 16)) & low(buckets as u64 - 1)
}

pub(crate) fn apps(of: &ResourceManager, asked: &Asked) -> Outcome {
    let filter = Filter::asked(of, asked)?;
    let seen = Seen::of(of);
    let records = of.records();
    let mut apps: Vec<&AppRecord> = records.apps().collect();
    let (timestamp, count) = (of.cluster().timestamp, apps.len());
    apps.sort_by_key(|app| (place(timestamp, app.number, count), app.number));
    let mut found = Vec::new();
    for app in apps.into_iter().filter(|app| filter.takes(app)) {
        let may = of.may(&asked.user, app);
        if found.len() == filter.limit {
            break;
        }
        if may || !of.cluster().per_user_apps {
            found.push(Value::from(seen.app(app, may, &filter.without)));
        }
    }
    Ok(Answer::natural("apps", Object::new().with("app", found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_lie_as_in_javas_map() {
        let mut numbers: Vec<u32> = (1..=7).collect();
        numbers.sort_by_key(|number| place(1_700_000_000_000, *number, 7));
        assert_eq!(numbers, [1, 3, 2, 5, 4, 7, 6]);
    }
}
