//! The table of claims in the README: what the models' comments say, what a run measured, and which mutants were
//! killed.
//!
//! Above its `#[test]` a model says `/// Claim: …`, `/// Threads: …` and, once or more, `/// Break: … -> …`: what was
//! broken on purpose, and what the model then said. A line that goes on begins with two more blanks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The table stands between these two lines of the README.
const BEGIN: &str = "<!-- claims: written by .ci/loom-table.sh -->";
const END: &str = "<!-- end of claims -->";

/// What a model says of itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim {
    /// `file/test`.
    pub model: String,
    claim: String,
    threads: String,
    breaks: Vec<String>,
}

/// What a run of a model was like.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    executions: u64,
    ms: u64,
    bound: String,
    complete: bool,
}

/// The claims of all models, by file, each file's in its own order.
///
/// # Errors
/// Where the directory cannot be read, or a model lacks a part of its comment.
pub fn claims(directory: &Path) -> Result<Vec<Claim>, String> {
    let unreadable = |error| format!("{}: {error}", directory.display());
    let mut files: Vec<_> =
        std::fs::read_dir(directory).map_err(unreadable)?.collect::<Result<_, _>>().map_err(unreadable)?;
    files.sort_by_key(std::fs::DirEntry::path);
    let mut all = Vec::new();
    for path in files.iter().map(std::fs::DirEntry::path).filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if text.contains("#![cfg(loom)]") {
            all.extend(claims_of(&path.file_stem().unwrap_or_default().to_string_lossy(), &text)?);
        }
    }
    Ok(all)
}

fn claims_of(file: &str, text: &str) -> Result<Vec<Claim>, String> {
    let (mut found, mut comment, mut is_test) = (Vec::new(), Vec::<String>::new(), false);
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("/// ") {
            match comment.last_mut().filter(|_| line.starts_with("  ")) {
                Some(last) => {
                    last.push(' ');
                    last.push_str(line.trim());
                }
                None => comment.push(line.to_owned()),
            }
        } else if line == "#[test]" {
            is_test = true;
        } else {
            if let Some(test) = line.strip_prefix("fn ").filter(|_| is_test) {
                let model = format!("{file}/{}", test.split('(').next().unwrap_or(test));
                found.push(claim_of(model, &comment)?);
            }
            comment.clear();
            is_test = false;
        }
    }
    Ok(found)
}

fn claim_of(model: String, comment: &[String]) -> Result<Claim, String> {
    let parts = |tag: &str| {
        comment.iter().filter_map(|line| line.strip_prefix(tag)).map(|part| part.trim().to_owned()).collect::<Vec<_>>()
    };
    let one = |tag: &str| match &parts(tag)[..] {
        [part] => Ok(part.clone()),
        parts => Err(format!("{model}: {} lines begin with `/// {tag}`, one has to", parts.len())),
    };
    let (claim, threads, breaks) = (one("Claim:")?, one("Threads:")?, parts("Break:"));
    if !breaks.iter().all(|broken| broken.contains(" -> ")) || breaks.is_empty() {
        return Err(format!("{model}: no `/// Break: what was broken -> what the model said`"));
    }
    Ok(Claim { model, claim, threads, breaks })
}

/// The runs that a log tells of, by model, in its order.
#[must_use]
pub fn runs(log: &str) -> BTreeMap<String, Vec<Run>> {
    let run = |line: &str| {
        let (model, rest) = line.strip_prefix("model ")?.split_once(": ")?;
        let parts: Vec<&str> = rest.split(", ").collect();
        let [executions, ms, bound, end] = parts[..] else { return None };
        let run = Run {
            executions: executions.strip_suffix(" executions")?.parse().ok()?,
            ms: ms.strip_suffix(" ms")?.parse().ok()?,
            bound: bound.strip_suffix(" preemptions")?.to_owned(),
            complete: end == "complete",
        };
        Some((model.to_owned(), run))
    };
    let mut runs: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for (model, run) in log.lines().filter_map(run) {
        runs.entry(model).or_default().push(run);
    }
    runs
}

/// Of one model: how many mutants it kills, and how many of these no other model does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kills {
    all: usize,
    alone: usize,
}

/// By `file/test`, of lines `mutant, file, test`, one for each kill, after a heading.
#[must_use]
pub fn kills(lines: &str) -> BTreeMap<String, Kills> {
    let mut killers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in lines.lines().skip(1) {
        if let [mutant, file, test] = line.split('\t').collect::<Vec<_>>()[..] {
            killers.entry(mutant).or_default().push(format!("{file}/{test}"));
        }
    }
    let mut by_model: BTreeMap<String, Kills> = BTreeMap::new();
    for models in killers.values() {
        for model in models {
            let kills = by_model.entry(model.clone()).or_default();
            kills.all += 1;
            kills.alone += usize::from(models.len() == 1);
        }
    }
    by_model
}

/// What the row of a claim says beside figures: the claim, the model, the threads, the breaks.
fn words(claim: &Claim) -> [String; 4] {
    let Claim { model, claim, threads, breaks } = claim;
    let breaks: Vec<String> = breaks.iter().map(|broken| broken.replacen(" -> ", " → ", 1)).collect();
    [claim.clone(), format!("`{}`", model.replace('/', "`: `")), threads.clone(), breaks.join("; ")]
}

/// The table.
///
/// # Errors
/// Where a claim has no run.
pub fn table(
    claims: &[Claim],
    runs: &BTreeMap<String, Vec<Run>>,
    kills: Option<&BTreeMap<String, Kills>>,
) -> Result<String, String> {
    let mut out = String::from(
        "| claim | model | threads | preemptions | executions | s | also all at | mutants killed | what was broken → what it said |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for claim in claims {
        let [what, model, threads, breaks] = words(claim);
        let known = runs.get(&claim.model).and_then(|runs| runs.split_first());
        let (run, deeper) = known.ok_or_else(|| format!("{}: the log has no run of it", claim.model))?;
        let deepest = deeper.iter().rfind(|run| run.complete).map_or("–", |run| &run.bound);
        let cut = if run.complete { "" } else { ", cut" };
        let (bound, executions, seconds) =
            (&run.bound, run.executions, format!("{}.{:02}", run.ms / 1000, run.ms % 1000 / 10));
        let killed = kills.map(|kills| match kills.get(&claim.model).copied().unwrap_or_default() {
            Kills { all, alone: 0 } => all.to_string(),
            Kills { all, alone } => format!("{all}, {alone} alone"),
        });
        let killed = killed.unwrap_or_else(|| "–".to_owned());
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "| {what} | {model} | {threads} | {bound} | {executions}{cut} | {seconds} | {deepest} | {killed} | {breaks} |"
        );
    }
    Ok(out)
}

/// The page before the table, the table, and the page after it.
fn split(page: &str) -> Result<[&str; 3], String> {
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let (before, (table, after)) = parts.ok_or_else(|| format!("the page lacks the line {BEGIN} or {END}"))?;
    Ok([before, table, after])
}

/// The page with another table.
///
/// # Errors
/// Where it has no place for one.
pub fn with_table(page: &str, table: &str) -> Result<String, String> {
    let [before, _, after] = split(page)?;
    Ok(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

/// The page with these rows of the table written anew; the others stay.
///
/// # Errors
/// Where it has no table, or no row of one of these models.
pub fn with_rows(page: &str, rows: &str) -> Result<String, String> {
    let model = |row: &str| row.split(" | ").nth(1).map(str::to_owned);
    let mut fresh: BTreeMap<_, _> = rows.lines().skip(2).filter_map(|row| Some((model(row)?, row))).collect();
    let [_, table, _] = split(page)?;
    let old = table.trim_start_matches('\n').lines();
    let lines = old.map(|row| model(row).and_then(|of| fresh.remove(&of)).unwrap_or(row));
    let table: String = lines.map(|line| format!("{line}\n")).collect();
    match fresh.keys().next() {
        None => with_table(page, &table),
        Some(model) => Err(format!("the page has no row of {model}: run .ci/loom-table.sh, which writes all")),
    }
}

/// What the page's table says otherwise than the models, figures aside.
///
/// # Errors
/// Where the page has no table.
pub fn differences(page: &str, claims: &[Claim]) -> Result<Vec<String>, String> {
    let [_, table, _] = split(page)?;
    let rows: Vec<[String; 4]> = table
        .lines()
        .skip_while(|line| !line.starts_with("| ---"))
        .skip(1)
        .map(|line| line.trim_matches('|').trim().split(" | ").map(str::to_owned).collect::<Vec<_>>())
        .map(|cells| [0, 1, 2, 8].map(|at| cells.get(at).cloned().unwrap_or_default()))
        .collect();
    let expected: Vec<[String; 4]> = claims.iter().map(words).collect();
    let mut wrong: Vec<String> = expected
        .iter()
        .filter(|row| !rows.contains(row))
        .map(|row| format!("not in the README as the model says it: {}", row[1]))
        .collect();
    wrong.extend(
        rows.iter()
            .filter(|row| !expected.contains(row))
            .map(|row| format!("in the README, and no model says it: {}", row[1])),
    );
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! Text.\n#![cfg(loom)]\n\n/// Claim: I1: it holds\n///   in two lines\n/// Threads: 2\n\
        /// Break: a -> *b*\n/// Break: c -> d\n#[test]\nfn one() {\n}\n\nfn helper() {}\n";

    #[test]
    fn a_claim_goes_from_its_comment_into_the_table_and_is_found_there() {
        let claims = claims_of("x_vs_y", SOURCE).unwrap();
        let log = "test one ... \nmodel x_vs_y/one: 12 executions, 1250 ms, 2 preemptions, complete\n\
            model x_vs_y/one: 20 executions, 1 ms, 3 preemptions, complete\n\
            model x_vs_y/one: 99 executions, 9 ms, unbounded preemptions, cut\n";
        let killers = "mutant\tmodel-file\tmodel-test\nm1\tx_vs_y\tone\nm2\tx_vs_y\tone\nm2\tx_vs_y\tother\n";
        let table = table(&claims, &runs(log), Some(&kills(killers))).unwrap();
        let row =
            "| I1: it holds in two lines | `x_vs_y`: `one` | 2 | 2 | 12 | 1.25 | 3 | 2, 1 alone | a → *b*; c → d |";
        assert_eq!(table.lines().nth(2), Some(row));
        let page = with_table(&format!("before\n{BEGIN}\nold\n{END}\nafter\n"), &table).unwrap();
        assert!(page.starts_with("before\n") && page.ends_with("\nafter\n"));
        assert_eq!(differences(&page, &claims).unwrap(), [""; 0]);
        let again = table_of_one(&claims, "model x_vs_y/one: 7 executions, 10 ms, 2 preemptions, complete\n");
        let other_row = "| I2: another | `y_vs_z`: `two` | 2 | 2 | 5 | 0.01 | – | 0 | e → f |\n";
        let two = page.replace(END, &format!("{other_row}{END}"));
        let anew = with_rows(&two, &again).unwrap();
        assert_eq!(anew, two.replace("| 12 | 1.25 | 3 | 2, 1 alone |", "| 7 | 0.01 | – | – |"));
        let none = with_rows(&page.replace("`one`", "`two`"), &again).unwrap_err();
        assert!(none.contains("no row of `x_vs_y`: `one`"), "{none}");
        let slower = page.replace("| 12 | 1.25 |", "| 13 | 9.9 |");
        assert_eq!(differences(&slower, &claims).unwrap(), [""; 0]);
        let other = page.replace("it holds", "it is so");
        assert_eq!(differences(&other, &claims).unwrap().len(), 2);
        assert_eq!(differences(&page, &[]).unwrap(), ["in the README, and no model says it: `x_vs_y`: `one`"]);
    }

    fn table_of_one(claims: &[Claim], log: &str) -> String {
        table(claims, &runs(log), None).unwrap()
    }

    #[test]
    fn what_is_missing_is_named() {
        let wrong = claims_of("f", &SOURCE.replace("Threads: 2", "Two threads")).unwrap_err();
        assert_eq!(wrong, "f/one: 0 lines begin with `/// Threads:`, one has to");
        let wrong = claims_of("f", &SOURCE.replace(" -> ", ": ")).unwrap_err();
        assert_eq!(wrong, "f/one: no `/// Break: what was broken -> what the model said`");
        let claims = claims_of("f", SOURCE).unwrap();
        assert_eq!(table(&claims, &runs(""), None).unwrap_err(), "f/one: the log has no run of it");
        assert!(with_table("a page", "").unwrap_err().contains("lacks the line"));
    }
}
