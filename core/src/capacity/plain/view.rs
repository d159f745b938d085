//! What recordings show of a step: containers, reservations, queues, applications, nodes. What is zero is left out.

use super::settings::text;
use super::state::Plain;
use crate::capacity::order::AppOrder;
use crate::capacity::tree::Status;
use crate::capacity::users::Sharing;
use crate::resource::Resource;
use serde_json::{Map, Value, json};

fn put_number(of: &mut Map<String, Value>, field: &str, number: i64) {
    if number != 0 {
        of.insert(field.to_owned(), json!(number));
    }
}

/// A 32-bit float; what is no finite number is a text.
fn put_float(of: &mut Map<String, Value>, field: &str, value: f32) {
    if value == 0.0 {
        return;
    }
    let shown = match value {
        _ if value.is_nan() => json!("NaN"),
        f32::INFINITY => json!("Infinity"),
        f32::NEG_INFINITY => json!("-Infinity"),
        finite => json!(finite),
    };
    of.insert(field.to_owned(), shown);
}

impl Plain {
    pub(super) fn amounts(&self, amounts: &Resource) -> Value {
        let names = self.tree.file.settings().types.names().enumerate();
        Value::Object(names.map(|(i, name)| (name.to_owned(), json!(amounts.get(i)))).collect())
    }

    fn put_amounts(&self, of: &mut Map<String, Value>, field: &str, amounts: &Resource) {
        if !amounts.is_zero() {
            of.insert(field.to_owned(), self.amounts(amounts));
        }
    }

    /// Containers and reservations.
    pub(super) fn show_step(&mut self, shown: &mut Map<String, Value>, reason: &str) {
        let allocated = std::mem::take(&mut self.allocated);
        if !allocated.is_empty() {
            shown.insert("allocated".to_owned(), Value::Array(allocated));
        }
        let ended = std::mem::take(&mut self.ended);
        if !ended.is_empty() {
            let ended = ended.iter().map(|(app, n)| json!({"app": app, "container": n, "reason": reason}));
            shown.insert("completed".to_owned(), ended.collect());
        }
        let reserved = self.nodes.iter().flatten().filter_map(|node| {
            let (app, number) = node.reservation?;
            let made = self.apps.get(&app)?.reservations.iter().find(|reserved| reserved.number == number)?;
            let (size, key) = (self.amounts(&made.size), made.key);
            Some(json!({"app": app, "container": number, "node": node.name, "priority": key, "resource": size}))
        });
        let reserved: Vec<Value> = reserved.collect();
        if !reserved.is_empty() {
            shown.insert("reserved".to_owned(), Value::Array(reserved));
        }
    }

    pub(super) fn show_nodes(&self, shown: &mut Map<String, Value>) {
        let nodes =
            self.nodes.iter().flatten().map(|node| json!({"node": node.name, "free": self.amounts(&node.free)}));
        shown.insert("nodes".to_owned(), nodes.collect());
    }

    pub(super) fn show_queues(&mut self, shown: &mut Map<String, Value>, last: bool) {
        let mut slots = self.tree.slots().to_vec();
        slots.sort_by(|a, b| self.tree.get(*a).config.path.cmp(&self.tree.get(*b).config.path));
        let queues = slots.into_iter().map(|slot| self.show_queue(slot, last)).collect();
        shown.insert("queues".to_owned(), queues);
        let apps = self.apps.keys().map(|app| self.show_app(*app)).collect();
        shown.insert("apps".to_owned(), apps);
    }

    fn show_queue(&mut self, slot: u32, last: bool) -> Value {
        let (node, counts) = (self.tree.get(slot), &self.counts[slot as usize]);
        let figures = &node.figures.labels[0];
        let mut out = Map::from_iter([("name".to_owned(), json!(node.config.path))]);
        if node.status != Status::Running {
            out.insert("state".to_owned(), json!(node.status.to_string()));
        }
        let not_one = |value: f32| if value == 1.0 { 0.0 } else { value };
        put_float(&mut out, "capacity", figures.capacity);
        put_float(&mut out, "absolute-capacity", figures.absolute_capacity);
        put_float(&mut out, "maximum-capacity", not_one(figures.maximum_capacity));
        put_float(&mut out, "absolute-maximum-capacity", not_one(figures.absolute_maximum_capacity));
        put_float(&mut out, "normalized-weight", figures.normalized_weight);
        put_float(&mut out, "used-capacity", counts.used_capacity);
        put_float(&mut out, "absolute-used-capacity", counts.absolute_used_capacity);
        self.put_amounts(&mut out, "guaranteed", &figures.effective_minimum);
        self.put_amounts(&mut out, "maximum", &figures.effective_maximum);
        if last {
            self.put_amounts(&mut out, "maximum-allocation", &node.config.maximum_allocation);
        }
        self.put_amounts(&mut out, "used", &counts.used);
        self.put_amounts(&mut out, "reserved", &counts.reserved);
        self.put_amounts(&mut out, "pending", &counts.pending.amount());
        put_number(&mut out, "applications", self.applications(slot));
        put_number(&mut out, "containers", counts.containers);
        if self.leaves[slot as usize].is_some() {
            self.show_leaf(slot, last, &mut out);
        }
        Value::Object(out)
    }

    fn show_leaf(&mut self, slot: u32, last: bool, out: &mut Map<String, Value>) {
        let node = self.tree.get(slot);
        let (leaf, settings) = (self.leaf(slot), node.leaf().expect("a leaf queue"));
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        out.insert("leaf".to_owned(), json!(true));
        put_number(out, "active-applications", count(leaf.active.len()));
        put_number(out, "pending-applications", count(leaf.pending.len()));
        put_number(out, "max-applications", i64::from(node.figures.max_applications));
        put_number(out, "max-applications-per-user", i64::from(node.figures.max_applications_per_user));
        if last {
            put_float(out, "user-limit", settings.user_limit);
            put_float(out, "user-limit-factor", settings.user_limit_factor);
            put_float(out, "am-percent", settings.max_am_resource_percent);
            put_float(out, "minimum-allocation-factor", settings.minimum_allocation_factor);
        }
        self.put_amounts(out, "am-limit", &leaf.am_limit);
        self.put_amounts(out, "am-used", &leaf.am_used);
        self.put_amounts(out, "current-limit", &leaf.stored_limit);
        put_number(out, "active-users", leaf.users.active_users());
        let names: Vec<String> = leaf.users.iter().map(|(name, _)| name.to_owned()).collect();
        let users: Vec<Value> = names.iter().map(|name| self.show_user(slot, name, last)).collect();
        if !users.is_empty() {
            out.insert("users".to_owned(), Value::Array(users));
        }
    }

    fn show_user(&mut self, slot: u32, name: &str, last: bool) -> Value {
        let mut out = Map::from_iter([("user".to_owned(), json!(name))]);
        let user = self.leaf(slot).users.get(name).expect("a user with a record").clone();
        self.put_amounts(&mut out, "used", &user.used);
        self.put_amounts(&mut out, "am-used", &user.am_used);
        put_number(&mut out, "active-applications", i64::from(user.active));
        put_number(&mut out, "pending-applications", i64::from(user.pending));
        if user.weight != 1.0 {
            out.insert("weight".to_owned(), json!(user.weight));
        }
        if last {
            let bounds = self.bounds(slot);
            let limit = self.leaf_mut(slot).users.limit_of(name, Sharing::Active, &bounds.inputs());
            self.put_amounts(&mut out, "limit", &limit);
        }
        Value::Object(out)
    }

    fn show_app(&self, number: u32) -> Value {
        let app = self.app(number);
        let (leaf, ordering, rank) = (self.leaf(app.leaf), self.ordering(app.leaf), self.rank(number));
        let active = leaf.active.contains(&rank, AppOrder::of(&ordering), |other| self.rank(other));
        let pending = || leaf.pending.contains(&rank, AppOrder::Waiting, |other| self.rank(other));
        let state = if active {
            "active"
        } else if pending() {
            "pending"
        } else {
            "non-runnable"
        };
        let queue = &self.tree.get(app.leaf).config.path;
        let mut out = Map::new();
        out.insert("app".to_owned(), json!(number));
        out.insert("queue".to_owned(), json!(queue));
        out.insert("state".to_owned(), json!(state));
        put_number(&mut out, "priority", i64::from(app.priority));
        self.put_amounts(&mut out, "used", &app.used);
        self.put_amounts(&mut out, "reserved", &app.reserved);
        self.put_amounts(&mut out, "pending", &app.asks.pending().amount());
        Value::Object(out)
    }
}

/// Where what is shown differs first from what was recorded, and both. Error messages are not compared.
#[must_use]
pub fn difference(recorded: &Value, shown: &Value) -> Option<(String, String, String)> {
    differ("", recorded, shown)
}

#[expect(clippy::cast_possible_truncation, reason = "fractions are 32-bit floats")]
fn differ(place: &str, recorded: &Value, shown: &Value) -> Option<(String, String, String)> {
    let told = || Some((place.trim_start_matches('.').to_owned(), recorded.to_string(), shown.to_string()));
    match (recorded, shown) {
        (Value::Object(a), Value::Object(b)) => {
            let name = ["name", "user"].iter().map(|field| text(recorded, field)).find(|name| !name.is_empty());
            let place = name.map_or_else(|| place.to_owned(), |name| format!("{place} {name}"));
            let fields = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            let compared = fields.filter(|key| *key != "message");
            let of = |map: &Map<String, Value>, key: &str| map.get(key).cloned().unwrap_or(Value::Null);
            compared.into_iter().find_map(|key| differ(&format!("{place}.{key}"), &of(a, key), &of(b, key)))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let both = a.iter().zip(b).enumerate();
            both.into_iter().find_map(|(i, (a, b))| differ(&format!("{place}[{i}]"), a, b))
        }
        (Value::Number(a), Value::Number(b)) => {
            let same = match (a.as_i64(), b.as_i64()) {
                (Some(a), Some(b)) => a == b,
                _ => a.as_f64().map(|a| (a as f32).to_bits()) == b.as_f64().map(|b| (b as f32).to_bits()),
            };
            if same { None } else { told() }
        }
        (a, b) if a == b => None,
        // An empty list is as good as none.
        (Value::Null, Value::Array(b)) if b.is_empty() => None,
        (Value::Array(a), Value::Null) if a.is_empty() => None,
        _ => told(),
    }
}
