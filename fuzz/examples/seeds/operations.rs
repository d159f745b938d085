//! Recorded scenarios as inputs of the target `operations`: the same steps in the same order, on a cluster that the
//! name chooses.
//!
//! A step becomes the operation of its kind, of the same application and node as far as numbers that are taken modulo
//! what there is can say so. What came of it in the recording does not follow it here: the books of the target say what
//! must.

use crate::harness::{OP, SHAPE, kind};
use serde_json::Value;

/// One scenario's input.
pub(crate) fn input(scenario: &Value) -> Vec<u8> {
    let name = scenario["name"].as_str().unwrap_or_default();
    let mut chance = Chance::of(name);
    let mut out: Vec<u8> = (0..=SHAPE).map(|_| chance.next()).collect();
    let (mut apps, mut nodes): (Vec<i64>, Vec<String>) = (Vec::new(), Vec::new());
    for step in scenario["steps"].as_array().into_iter().flatten() {
        out.extend(operation(step, &mut apps, &mut nodes, &mut chance));
    }
    out
}

/// Bytes that are the same for the same name.
struct Chance(u64);

impl Chance {
    fn of(name: &str) -> Chance {
        Chance(
            name.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    fn next(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.to_be_bytes()[0]
    }
}

/// The last byte of a number.
fn low(number: i64) -> u8 {
    number.to_le_bytes()[0]
}

fn place<T: PartialEq>(list: &[T], one: &T) -> u8 {
    list.iter().position(|other| other == one).map_or(0, |at| low(i64::try_from(at).unwrap_or_default()))
}

fn operation(step: &Value, apps: &mut Vec<i64>, nodes: &mut Vec<String>, chance: &mut Chance) -> [u8; OP] {
    let app = step["app"].as_i64().unwrap_or_default();
    let node = step["node"].as_str().unwrap_or_default().to_owned();
    let container = low(step["container"].as_i64().unwrap_or_default());
    let (by_app, by_node) = (place(apps, &app), place(nodes, &node));
    let of = Chance::of(step["queue"].as_str().unwrap_or_default()).next();
    match step["op"].as_str().unwrap_or_default() {
        "node-add" => {
            nodes.push(node);
            let gib = low(step["resource"]["memory-mb"].as_i64().unwrap_or_default() / 1024);
            [kind::ADD_NODE, gib, low(step["resource"]["vcores"].as_i64().unwrap_or_default()), 0, 0, 0]
        }
        "node-remove" => {
            nodes.retain(|other| *other != node);
            [kind::REMOVE_NODE, by_node, 0, 0, 0, 0]
        }
        "heartbeat" => [kind::HEARTBEAT, by_node, 0, 0, 0, 0],
        "update" => [kind::UPDATE; OP],
        "submit" => {
            apps.push(app);
            let user = Chance::of(step["user"].as_str().unwrap_or_default()).next();
            [kind::SUBMIT, of, user, if step["am"].is_object() { 2 } else { 0 }, 0, 0]
        }
        "ask" if step["asks"].as_array().is_some_and(|asks| !asks.is_empty()) => {
            let asks = step["asks"].as_array().expect("just seen");
            let priority = low(asks[0]["priority"].as_i64().unwrap_or_default()) % 3;
            let count = low(asks.iter().filter_map(|ask| ask["count"].as_i64()).max().unwrap_or_default());
            let gib = low(asks[0]["resource"]["memory-mb"].as_i64().unwrap_or_default() / 1024);
            let relaxed = asks.iter().all(|ask| ask["relax"] != false);
            // Where: anywhere, a rack, a node; the last two strictly or not.
            let place = match (asks.len(), relaxed) {
                (1, _) => 0,
                (2, true) => 10,
                (2, false) => 13,
                (_, true) => 6,
                (_, false) => 12,
            };
            // The priority is the rest by 3, the place what is above the last two bits.
            let b = (0..4).map(|rest| place * 4 + rest).find(|b| b % 3 == priority).unwrap_or(place * 4);
            [kind::ASK, by_app, b, gib % 8 * 8 + count % 8, 0, 0]
        }
        "ask" if step["blacklist-add"].is_array() || step["blacklist-remove"].is_array() => {
            [kind::BLACKLIST, by_app, chance.next(), u8::from(step["blacklist-remove"].is_array()), 0, 0]
        }
        "release" => [kind::RELEASE, by_app, container.wrapping_sub(1), 0, 0, 0],
        "complete" => [kind::COMPLETE, container, 0, 0, 0, 0],
        "launch" => [kind::LAUNCH, container, 0, 0, 0, 0],
        "finish" => {
            apps.retain(|other| *other != app);
            [kind::FINISH, by_app, 0, 0, 0, 0]
        }
        "advance" => {
            let ms = step["ms"].as_i64().unwrap_or_default();
            if ms < 256 {
                [kind::ADVANCE, low(ms), 0, 0, 0, 0]
            } else {
                [kind::ADVANCE, low((ms / 16).min(255)), 3, 0, 0, 0]
            }
        }
        "move" => [kind::MOVE, by_app, of, 0, 0, 0],
        "reload" => [kind::RELOAD, chance.next(), 0, 0, 0, 0],
        "preempt" => [kind::PREEMPT, 0, 0, 0, 0, 0],
        "kill" => [kind::KILL; OP],
        "continuous" => [kind::CONTINUOUS; OP],
        // An AM's empty call.
        _ => [kind::POLL, by_app, 0, 0, 0, 0],
    }
}
