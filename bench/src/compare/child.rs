//! A run of a program: its records, its memory, its end. Two threads read what it says while this one waits.

use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use evenweave_tools::clock::{nanos, now_ns, peak_resident_mib_of};
use serde_json::Value;

use super::machine::load;

/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(50);
/// So much of what a program says before it fails is shown.
const LINES: usize = 12;

/// What a run gave.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) command: String,
    /// One a repeat.
    pub(super) records: Vec<Value>,
    /// The machine's load average before and after.
    pub(super) load: [f64; 2],
    /// The most that was resident, as far as looks have shown.
    pub(super) peak_mib: u64,
}

/// The last lines of what was said.
pub(super) fn last_lines(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// Runs it to its end.
///
/// # Errors
/// That it cannot be started, fails, takes too long or gives no records; that this program is to stop.
pub(super) fn run(command: &[OsString], limit: Duration, stopped: &dyn Fn() -> bool) -> Result<Outcome, String> {
    let (program, arguments) = command.split_first().ok_or("there is nothing to run")?;
    let line = command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let before = load();
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", program.to_string_lossy()))?;
    let said = child.stdout.take().map(reader);
    let complained = child.stderr.take().map(reader);
    let mut peak_mib = 0;
    let status = wait(&mut child, limit, stopped, &mut peak_mib);
    let [said, complained] =
        [said, complained].map(|thread| thread.and_then(|thread| thread.join().ok()).unwrap_or_default());
    let status = status?;
    if !status.success() {
        return Err(format!("`{line}` ended with {status}\n{}", last_lines(&complained)));
    }
    let text = String::from_utf8_lossy(&said);
    let records: Vec<Value> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|record| {
            serde_json::from_str(record).map_err(|error| format!("`{line}` printed no record: {error}: {record}"))
        })
        .collect::<Result<_, String>>()?;
    // The median of all repeats follows them on this side; it would count one twice.
    let records: Vec<Value> = records.into_iter().filter(|record| record.get("median_of").is_none()).collect();
    if records.is_empty() {
        return Err(format!("`{line}` printed no record"));
    }
    Ok(Outcome { command: line, records, load: [before, load()], peak_mib })
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        // What came before an error is what there is to show.
        let _ = from.read_to_end(&mut all);
        all
    })
}

fn wait(
    child: &mut Child,
    limit: Duration,
    stopped: &dyn Fn() -> bool,
    peak_mib: &mut u64,
) -> Result<ExitStatus, String> {
    let start = now_ns();
    loop {
        *peak_mib = peak_resident_mib_of(child.id()).max(*peak_mib);
        if let Some(status) = child.try_wait().map_err(|error| format!("its end cannot be seen: {error}"))? {
            return Ok(status);
        }
        let why = if stopped() {
            "interrupted".to_owned()
        } else if now_ns() - start > nanos(limit) {
            format!("not over after {} s; --limit gives it longer", limit.as_secs())
        } else {
            std::thread::sleep(LOOK);
            continue;
        };
        // It may have ended by itself meanwhile, which is as good.
        let _ = child.kill();
        let _ = child.wait();
        return Err(why);
    }
}
