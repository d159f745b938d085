//! What an ApplicationMaster asks and is told: the allocate call (rules/capacity.md 10).

use super::settings::{number, text};
use super::state::{Container, Plain, Refused};
use crate::capacity::allocator::Row;
use crate::capacity::asks::{ANY, Replaced};
use crate::config::capacity::AppOrdering;
use crate::resource::Resource;
use serde_json::{Map, Value, json};

impl Plain {
    pub(super) fn check_running(&self, app: u32) -> Result<(), Refused> {
        let app = self.apps.get(&app).ok_or_else(|| Refused::new("no-such-app"))?;
        if app.managed && !app.has_am { Err(Refused::new("no-am")) } else { Ok(()) }
    }

    pub(super) fn is_valid(&self, size: &Resource, largest: &Resource) -> bool {
        (0..self.arith.types).all(|i| (0..=largest.get(i)).contains(&size.get(i)))
    }

    pub(super) fn normal(&self, size: &Resource, largest: &Resource) -> Resource {
        self.arith.normalize(size, &self.minimum, largest, &self.minimum)
    }

    pub(super) fn ask(&mut self, step: &Value, shown: &mut Map<String, Value>) -> Result<(), Refused> {
        let app = number(step, "app");
        self.check_running(app)?;
        let largest = self.largest_in(&self.app(app).queue);
        let mut rows = Vec::new();
        for ask in step.get("asks").and_then(Value::as_array).into_iter().flatten() {
            let size = self.resource(ask.get("resource"));
            if !self.is_valid(&size, &largest) {
                return Err(Refused::new("invalid-resource"));
            }
            let int = |field: &str| {
                let value = ask.get(field).and_then(Value::as_i64).unwrap_or_default();
                i32::try_from(value).unwrap_or_default()
            };
            let relax = ask.get("relax").and_then(Value::as_bool).unwrap_or(true);
            rows.push((int("priority"), text(ask, "location").to_owned(), Row { count: int("count"), size, relax }));
        }
        let names = |field: &str| {
            let list = step.get(field).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let (add, remove) = (names("blacklist-add"), names("blacklist-remove"));
        if add.iter().any(|name| name == ANY) {
            return Err(Refused::new("invalid-blacklist"));
        }
        let (headroom, warned) = self.allocate(app, rows, &add, &remove);
        shown.insert("headroom".to_owned(), self.amounts(&headroom));
        if !warned.is_empty() {
            shown.insert("preemption-warning".to_owned(), json!(warned));
        }
        Ok(())
    }

    /// The call itself: what is asked for is replaced, what is new is acquired. Gives the headroom, and what is marked.
    pub(super) fn allocate(
        &mut self,
        app: u32,
        rows: Vec<(i32, String, Row)>,
        add: &[String],
        remove: &[String],
    ) -> (Resource, Vec<u32>) {
        let largest = self.largest();
        let mut by_key: std::collections::BTreeMap<i32, Vec<(String, Row)>> = std::collections::BTreeMap::new();
        let anywhere = rows.iter().any(|(_, location, _)| location == ANY);
        for (key, location, row) in rows {
            let size = self.normal(&row.size, &largest);
            by_key.entry(key).or_default().push((location, Row { size, ..row }));
        }
        for (key, rows) in by_key {
            let replaced = self.app_mut(app).asks.replace(key, rows);
            self.asks_replaced(app, replaced);
        }
        let local = self.app_mut(app);
        local.blacklist.extend(add.iter().cloned());
        remove.iter().for_each(|name| {
            local.blacklist.remove(name);
        });
        let told = std::mem::take(&mut local.to_tell).into_iter().collect();
        self.acquire(app);
        let headroom = self.headroom(app);
        let waits = self.app(app).managed && !self.app(app).has_am;
        if anywhere && !waits {
            self.demand_changed(app);
        }
        (headroom, told)
    }

    /// The `*` row of a key was replaced: what is pending, and whether its user is active.
    pub(super) fn asks_replaced(&mut self, app: u32, replaced: Option<Replaced>) {
        let Some(replaced) = replaced else { return };
        let (leaf, user) = (self.app(app).leaf, self.app(app).user.clone());
        if replaced.ended {
            self.cease_if_idle(app);
        } else if replaced.begins {
            let weight = self.tree.user_weight(leaf, &user);
            self.leaf_mut(leaf).users.begins_to_ask(&user, app, || weight);
        }
        self.add_pending(leaf, &replaced.after.minus(&replaced.before));
    }

    pub(super) fn cease_if_idle(&mut self, app: u32) {
        let local = self.app(app);
        if local.asks.is_idle() {
            let (leaf, user) = (local.leaf, local.user.clone());
            self.leaf_mut(leaf).users.ceases_to_ask(&user, app);
        }
    }

    /// Its AM has seen all that it has.
    pub(super) fn acquire(&mut self, app: u32) {
        if let Some(app) = self.apps.get_mut(&app) {
            app.containers.values_mut().for_each(|container: &mut Container| container.asked = None);
        }
    }

    /// The ResourceManager takes the containers of AMs at once.
    pub(super) fn acquire_masters(&mut self) {
        for (app, number) in std::mem::take(&mut self.new_containers) {
            let Some(local) = self.apps.get_mut(&app).filter(|app| app.managed && !app.has_am) else { continue };
            local.has_am = true;
            if let Some(container) = local.containers.get_mut(&number) {
                container.am = true;
            }
            self.acquire(app);
        }
    }

    /// rules/capacity.md 10.6: only fair leaves with size-based weight react.
    fn demand_changed(&mut self, app: u32) {
        let leaf = self.app(app).leaf;
        if self.ordering(leaf) == (AppOrdering::Fair { size_based_weight: true }) {
            self.leaf_mut(leaf).to_reorder.insert((app, app));
        }
    }

    pub(super) fn release(&mut self, app: u32, container: u32) -> Result<(), Refused> {
        self.check_running(app)?;
        self.acquire(app);
        self.end_container(app, container, true);
        self.allocate(app, Vec::new(), &[], &[]);
        Ok(())
    }
}
