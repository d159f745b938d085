//! The steps of a recording, and what each shows.

use super::settings::{number, properties, text};
use super::state::{Plain, Refused};
use serde_json::{Map, Value, json};

impl Plain {
    /// Does a step; what it shows.
    pub fn step(&mut self, step: &Value) -> Value {
        let mut shown = Map::new();
        let (mut reason, op) = ("", text(step, "op"));
        let outcome = match op {
            "node-add" => {
                self.add_node(text(step, "node"), text(step, "rack"), self.resource(step.get("resource")));
                Ok(())
            }
            "node-remove" => {
                reason = "node-lost";
                self.remove_node(text(step, "node"))
            }
            "heartbeat" => {
                reason = "preempted";
                self.find_node(text(step, "node")).map(|node| self.heartbeat(node))
            }
            "submit" => self.submit(step),
            "ask" => self.ask(step, &mut shown),
            "release" => {
                reason = "released";
                self.release(number(step, "app"), number(step, "container"))
            }
            "launch" => self.launch(number(step, "app"), number(step, "container")),
            "complete" => {
                reason = "completed";
                self.complete(number(step, "app"), number(step, "container"))
            }
            "finish" => {
                reason = "app-finished";
                self.finish(number(step, "app"))
            }
            "advance" => {
                let ms = step.get("ms").and_then(Value::as_u64).unwrap_or_default();
                self.now_ms = self.now_ms.saturating_add(ms);
                Ok(())
            }
            "priority" => {
                let priority = step.get("priority").and_then(Value::as_i64).unwrap_or_default();
                self.set_priority(number(step, "app"), i32::try_from(priority).unwrap_or_default())
            }
            "move" => self.move_app(number(step, "app"), text(step, "queue")),
            "reload" => self.reload(properties(step.get("capacity"))),
            "preempt" => {
                reason = "preempted";
                self.preempt(&mut shown)
            }
            "update" => Ok(()),
            _ => Err(Refused::new("not-built")),
        };
        if let Err(refused) = outcome {
            let mut error = Map::from_iter([("kind".to_owned(), json!(refused.kind))]);
            if let Some(message) = refused.message {
                error.insert("message".to_owned(), json!(message));
            }
            shown.insert("error".to_owned(), Value::Object(error));
        }
        self.acquire_masters();
        self.show_step(&mut shown, reason);
        if matches!(op, "update" | "move" | "reload") {
            self.show_queues(&mut shown, false);
        }
        Value::Object(shown)
    }

    /// Adds to what the last step shows what is only shown at the end.
    pub fn show_end(&mut self, shown: &mut Value) {
        if let Some(shown) = shown.as_object_mut() {
            self.show_queues(shown, true);
            self.show_nodes(shown);
        }
    }
}
