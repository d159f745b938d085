//! What a real ResourceManager has answered, asked again through the router.

use std::io::Read;
use std::path::Path;

use evenweave_server::recording::{Case, Recording};
use flate2::read::GzDecoder;

fn played(name: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{name}.json.gz"));
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a recording");
    GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    Recording::parse(&text).expect("a recording").play().expect("a state that can be made")
}

/// So many of so many are the same; what is not is told.
fn check(name: &str, same: usize, of: usize) {
    let cases = played(name);
    let differing: Vec<_> = cases.iter().filter_map(|case| Some((&case.name, case.difference.as_ref()?))).collect();
    for (case, difference) in &differing {
        println!(
            "{name} {case}: {} expected {:.300} got {:.300}",
            difference.place, difference.expected, difference.got
        );
    }
    assert_eq!((cases.len() - differing.len(), cases.len()), (same, of), "{name}");
}

#[test]
fn fair_empty() {
    check("fair-empty", 18, 18);
}

#[test]
fn fair_tree() {
    check("fair-tree", 49, 49);
}

#[test]
fn fair_waiting() {
    check("fair-waiting", 69, 69);
}

#[test]
fn fair_custom() {
    check("fair-custom", 43, 43);
}

#[test]
fn fair_dynamic() {
    check("fair-dynamic", 62, 62);
}

#[test]
fn fair_ends() {
    check("fair-ends", 173, 173);
}

#[test]
fn fair_reservation() {
    check("fair-reservation", 296, 296);
}

#[test]
fn fair_reservation_acls() {
    check("fair-reservation-acls", 47, 47);
}

#[test]
fn fair_reservation_policies() {
    check("fair-reservation-policies", 10, 10);
}

#[test]
fn fair_reservation_off() {
    check("fair-reservation-off", 14, 14);
}

#[test]
fn capacity_reservation() {
    check("capacity-reservation", 296, 296);
}

#[test]
fn capacity_reservation_acls() {
    check("capacity-reservation-acls", 47, 47);
}

#[test]
fn capacity_reservation_off() {
    check("capacity-reservation-off", 14, 14);
}

#[test]
fn capacity_empty() {
    check("capacity-empty", 17, 17);
}

#[test]
fn capacity_tree() {
    check("capacity-tree", 49, 49);
}

#[test]
fn capacity_waiting() {
    check("capacity-waiting", 59, 59);
}

#[test]
fn fair_router() {
    check("fair-router", 22, 22);
}

#[test]
fn capacity_router() {
    check("capacity-router", 46, 46);
}

#[test]
fn capacity_custom() {
    // A resource that nothing was configured for shows how much a container may have, as of the first ResourceManager
    // of the process: the recorder had run another state before.
    check("capacity-custom", 41, 43);
}

#[test]
fn capacity_dynamic() {
    check("capacity-dynamic", 55, 55);
}

#[test]
fn capacity_ends() {
    check("capacity-ends", 179, 179);
}

#[test]
fn capacity_of_units_by_resource_type() {
    // The legacy queue mode is off in the file that the ResourceManager starts with.
    check("capacity-units", 55, 55);
}

#[test]
fn capacity_deep_absolute() {
    // Of an application that is killed, Hadoop's map of its containers says which was released last.
    check("capacity-deep-absolute", 215, 218);
}

#[test]
fn capacity_limits() {
    // Of a node that is lost, the same.
    check("capacity-limits", 88, 90);
}

#[test]
fn capacity_reservation_lost() {
    check("capacity-reservation-lost", 12, 12);
}

/// Submissions and asks that are refused, of many kinds; and paths whose bytes are no UTF-8.
#[test]
fn capacity_refused() {
    check("capacity-refused", 75, 75);
}

#[test]
fn fair_refused() {
    check("fair-refused", 74, 74);
}

#[test]
fn label_partitions() {
    check("label-partitions", 77, 77);
}

#[test]
fn label_admin() {
    check("label-admin", 43, 43);
}

#[test]
fn fair_preempt() {
    // What ApplicationMasters may have in a queue is as of an earlier pass there.
    check("fair-preempt", 73, 76);
}
