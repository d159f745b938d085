//! Writes the table of claims into the README from the log of a run, or says what differs; see `.ci/loom-table.sh`.

use std::process::ExitCode;

#[cfg(not(loom))]
fn run() -> Result<(), String> {
    use evenweave_loom_tests::claims::{claims, differences, kills, runs, table, with_rows, with_table};
    use std::path::Path;

    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (page, claims) = (here.join("README.md"), claims(&here.join("tests"))?);
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [check] if check == "--check" => match &differences(&read(&page)?, &claims)?[..] {
            [] => Ok(()),
            wrong => Err(format!("{}\nrun .ci/loom-table.sh", wrong.join("\n"))),
        },
        [log, files @ ..] => {
            let mutants = here.join("mutants/kills.tsv");
            let kills = mutants.is_file().then(|| read(&mutants)).transpose()?.map(|lines| kills(&lines));
            let of_files = |model: &str| files.iter().any(|file| model.starts_with(&format!("{file}/")));
            let some: Vec<_> = claims.into_iter().filter(|of| files.is_empty() || of_files(&of.model)).collect();
            let table = table(&some, &runs(&read(Path::new(log))?), kills.as_ref())?;
            let text = if files.is_empty() { with_table } else { with_rows }(&read(&page)?, &table)?;
            std::fs::write(&page, text).map_err(|error| format!("{}: {error}", page.display()))
        }
        _ => Err("usage: loom-table LOG [FILE…] | --check".to_owned()),
    }
}

#[cfg(loom)]
fn run() -> Result<(), String> {
    Err("the table is written by a build without --cfg loom".to_owned())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("loom-table: {wrong}");
            ExitCode::FAILURE
        }
    }
}
