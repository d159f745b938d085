//! Reads an allocation file and shows its queues, with their steady shares of a cluster.
//!
//! `cargo run -p evenweave --example dump_queues -- FILE [MEMORY_MB VCORES]`

use evenweave::SchedulerApi as _;
use evenweave::resource::ResourceTypes;
use evenweave::{AllocationFile, FairScheduler, Resource};
use std::process::ExitCode;

/// 100 nodes of 128 GiB and 64 vcores.
const CLUSTER: Resource = Resource::new(100 * 131_072, 100 * 64);

fn amount(text: &str, what: &str) -> Result<i64, String> {
    text.parse()
        .ok()
        .filter(|amount| *amount >= 0)
        .ok_or_else(|| format!("{what} {text:?} is not a whole number from 0"))
}

fn limit(resource: &Resource) -> String {
    let lane = |amount| if amount == i64::MAX { "-".to_owned() } else { format!("{amount}") };
    format!("{} / {}", lane(resource.memory_mb()), lane(resource.vcores()))
}

fn dump(arguments: &[String]) -> Result<(), String> {
    let (path, cluster) = match arguments {
        [path] => (path, CLUSTER),
        [path, memory, vcores] => (path, Resource::new(amount(memory, "MEMORY_MB")?, amount(vcores, "VCORES")?)),
        _ => return Err("usage: dump_queues FILE [MEMORY_MB VCORES]".to_owned()),
    };
    let bytes = std::fs::read(path).map_err(|error| format!("allocation file {path}: {error}"))?;
    let text = AllocationFile::decode(&bytes, path).map_err(|error| error.to_string())?;
    let parsed =
        AllocationFile::parse(&text, path, &ResourceTypes::standard(), &[]).map_err(|error| error.to_string())?;
    for warning in &parsed.warnings {
        eprintln!("{warning}");
    }
    let mut stepped = FairScheduler::builder().allocations(parsed.file).stepped().map_err(|error| error.to_string())?;
    stepped.add_node("the-cluster", "/rack", cluster).map_err(|refused| refused.to_string())?;
    stepped.update_now();
    println!("{:<40} {:<6} {:>6} {:>20} {:>20} {:>20}", "queue", "policy", "weight", "steady share", "min", "max");
    for queue in stepped.queues() {
        let depth = queue.name.matches('.').count();
        let last = queue.name.rsplit('.').next().unwrap_or(&queue.name);
        println!(
            "{:<40} {:<6} {:>6} {:>20} {:>20} {:>20}",
            format!("{}{last}", "  ".repeat(depth)),
            queue.policy,
            queue.weight,
            limit(&queue.steady_fair_share),
            limit(&queue.min_share),
            limit(&queue.max_share)
        );
    }
    println!("memory in MB / vcores; the cluster has {}", limit(&cluster));
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dump(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::from(2)
        }
    }
}
