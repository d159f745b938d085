//! `/apps`

use super::app::Seen;
use super::filters::Filter;
use super::request::{Answer, Asked, Outcome};
use super::rights::Rights;
use crate::java::{hash_of_app, place};
use crate::manager::ResourceManager;
use crate::records::AppRecord;
use crate::value::{Object, Value};

pub(crate) fn apps(of: &ResourceManager, asked: &Asked) -> Outcome {
    let filter = Filter::asked(of, asked)?;
    let seen = Seen::of(of);
    let rights = Rights::of(of, &asked.user, |records| records.apps().filter(|app| filter.takes(app)).collect());
    let records = of.records();
    let mut apps: Vec<&AppRecord> = records.apps().collect();
    let (timestamp, count) = (of.cluster().timestamp, apps.len());
    // A limit takes the first ones of Hadoop's map.
    apps.sort_by_key(|app| (place(hash_of_app(timestamp, app.number), count), app.number));
    let mut found = Vec::new();
    for app in apps.into_iter().filter(|app| filter.takes(app)) {
        let may = rights.may(app);
        if found.len() == filter.limit {
            break;
        }
        if may || !of.cluster().per_user_apps {
            found.push(Value::from(seen.app(app, may, &filter.without)));
        }
    }
    Ok(Answer::natural("apps", Object::new().with("app", found)))
}
