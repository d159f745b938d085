//! A file of reservations: a CSV whose first line names the columns. Each other line is a stage; stages of one
//! reservation stand together.
//!
//! | column | meaning |
//! | --- | --- |
//! | `reservation` | its name in this file |
//! | `queue` | the plan |
//! | `user` | who books it; `default` |
//! | `book_s` | when it is booked, in seconds after the start; 0 |
//! | `arrival_s`, `deadline_s` | between these times it runs |
//! | `every_s` | after so long it comes again; empty: once |
//! | `stages` | `all`, `any`, `order` or `order-no-gap`; `all` |
//! | `containers`, `gang` | so many containers, of which so many must run at once; 1 |
//! | `memory_mb`, `vcores` | the size of a container |
//! | `duration_s` | how long each of them runs |
//! | `job` | `yes`: the job that was booked for comes at the arrival; `no`: it stands in the trace, or there is none; `yes` |
//!
//! Of the columns that belong to the whole reservation its first line counts; others may leave them empty.

use std::io::Read;

use super::csv::{Header, Row};
use super::error::TraceFileError;
use super::lines::Lines;
use super::source::Source;
use evenweave::Resource;
use evenweave::reservation::{Interpreter, ReservationDefinition, Stage};

const COLUMNS: [&str; 14] = [
    "reservation!",
    "queue!",
    "arrival_s!",
    "deadline_s!",
    "memory_mb!",
    "vcores!",
    "duration_s!",
    "user",
    "book_s",
    "every_s",
    "stages",
    "containers",
    "gang",
    "job",
];
const EXAMPLE: &str = "the first line names the columns, such as reservation,queue,user,arrival_s,deadline_s,containers,memory_mb,vcores,\
duration_s; others are such as nightly,root.nightly,ann,3600,18000,20,4096,2,3600";
/// A plan of more than these cannot be followed in any time that somebody waits for.
const MOST: usize = 10_000;

/// A reservation that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booking {
    /// Its name in the file.
    pub name: String,
    /// The plan.
    pub queue: String,
    /// Who books it.
    pub user: String,
    /// When, in ms after the start.
    pub book_ms: u64,
    /// From when on it runs, in ms after the start.
    pub arrival_ms: u64,
    /// Until when, in ms after the start.
    pub deadline_ms: u64,
    /// After how long it comes again, in ms.
    pub every_ms: Option<u64>,
    /// How its stages belong together.
    pub interpreter: Interpreter,
    /// What it is made of.
    pub stages: Vec<Stage>,
    /// The job that it is made for comes at the arrival.
    pub has_job: bool,
    /// Its first line.
    pub line: u64,
}

impl Booking {
    /// What is asked for, by a clock that showed `start_ms` at the start.
    pub fn definition(&self, start_ms: i64) -> ReservationDefinition {
        let time = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let after = |ms: u64| start_ms.saturating_add(time(ms));
        let (arrival, deadline) = (after(self.arrival_ms), after(self.deadline_ms));
        let definition = ReservationDefinition::new(arrival, deadline, self.interpreter, self.stages.clone());
        let definition = definition.named(&self.name);
        match self.every_ms {
            Some(period) => definition.every(time(period)),
            None => definition,
        }
    }

    /// Whether its stages run one after the other.
    pub fn is_in_order(&self) -> bool {
        matches!(self.interpreter, Interpreter::Order | Interpreter::OrderNoGap)
    }

    /// The stages that come together, in turn: those with an order one by one, of others all, or the first where any
    /// will do.
    pub fn turn(&self, number: usize) -> Option<&[Stage]> {
        let first = number == 0;
        match self.interpreter {
            Interpreter::Order | Interpreter::OrderNoGap => self.stages.get(number).map(std::slice::from_ref),
            Interpreter::Any => self.stages.get(..1).filter(|_| first),
            Interpreter::All => Some(&self.stages[..]).filter(|_| first),
        }
    }
}

/// Reads a file of reservations; `name` stands in errors.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_bookings(input: impl Read + Send + 'static, name: &str) -> Result<Vec<Booking>, TraceFileError> {
    let mut lines = Lines::new(Source::new(input, name)?, EXAMPLE);
    let mut line = String::new();
    if !lines.next(&mut line)? {
        return Err(lines.wrong(1, "the file is empty", EXAMPLE));
    }
    let header = Header::read(&Row::of(&lines, &line)?, COLUMNS)?;
    let mut list: Vec<Booking> = Vec::new();
    while lines.next(&mut line)? {
        let row = Row::of(&lines, &line)?;
        header.fits(&row)?;
        let at = header.at(0);
        let name = row.wanted(at, "reservation", row.get(at), "give the reservation a name")?;
        let stage = stage(&row, &header)?;
        if let Some(last) = list.last_mut().filter(|last| last.name == name) {
            last.stages.push(stage);
            continue;
        }
        if let Some(before) = list.iter().find(|before| before.name == name) {
            let help =
                format!("put its stages together (the others begin in line {}), or give it another name", before.line);
            return Err(row.wrong(at, format!("reservation {name:?} stands in two places"), help));
        }
        if list.len() >= MOST {
            return Err(row.wrong(at, format!("there are more than {MOST} reservations"), "give fewer"));
        }
        let booking = booking(&row, &header, name, stage, lines.number)?;
        list.push(booking);
    }
    Ok(list)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number above is as good as the most")]
fn ms(row: &Row<'_>, at: usize, name: &str) -> Result<Option<u64>, TraceFileError> {
    Ok(row.part(at, name)?.map(|seconds| (seconds * 1000.0).round().min(4e15) as u64))
}

fn booking(row: &Row<'_>, header: &Header<14>, name: &str, stage: Stage, line: u64) -> Result<Booking, TraceFileError> {
    let at = |index| header.at(index);
    let wanted = |index, name: &str| -> Result<u64, TraceFileError> {
        let help = "write the seconds since the start, such as 3600";
        row.wanted(at(index), name, ms(row, at(index), name)?, help)
    };
    let queue = row.wanted(at(1), "queue", row.get(at(1)), "name the plan, such as root.nightly")?.to_owned();
    let (arrival_ms, deadline_ms) = (wanted(2, "arrival_s")?, wanted(3, "deadline_s")?);
    if deadline_ms <= arrival_ms {
        return Err(row.wrong(at(3), "deadline_s is not after arrival_s", "give a later deadline"));
    }
    let book_ms = ms(row, at(8), "book_s")?.unwrap_or(0);
    if book_ms > arrival_ms {
        return Err(row.wrong(at(8), "book_s is after arrival_s", "book before the reservation begins"));
    }
    let every_ms = ms(row, at(9), "every_s")?;
    if every_ms.is_some_and(|every| every < deadline_ms - arrival_ms) {
        let help = "give a period that the time from arrival_s to deadline_s fits into, such as 86400";
        return Err(row.wrong(at(9), "every_s is shorter than the reservation", help));
    }
    let interpreter = match row.get(at(10)) {
        None | Some("all") => Interpreter::All,
        Some("any") => Interpreter::Any,
        Some("order") => Interpreter::Order,
        Some("order-no-gap") => Interpreter::OrderNoGap,
        Some(other) => {
            return Err(row.wrong(at(10), format!("stages is {other:?}"), "write all, any, order or order-no-gap"));
        }
    };
    let has_job = match row.get(at(13)) {
        None | Some("yes") => true,
        Some("no") => false,
        Some(other) => return Err(row.wrong(at(13), format!("job is {other:?}"), "write yes or no")),
    };
    let user = row.get(at(7)).unwrap_or("default").to_owned();
    let (name, stages) = (name.to_owned(), vec![stage]);
    Ok(Booking { name, queue, user, book_ms, arrival_ms, deadline_ms, every_ms, interpreter, stages, has_job, line })
}

fn stage(row: &Row<'_>, header: &Header<14>) -> Result<Stage, TraceFileError> {
    let at = |index| header.at(index);
    let count = |index, name: &str| -> Result<i32, TraceFileError> {
        let count = row.whole(at(index), name, 1)?.unwrap_or(1);
        let help = format!("{name} must be a whole number from 1 to {}", i32::MAX);
        i32::try_from(count).map_err(|_| row.wrong(at(index), format!("{name} is {count}"), help))
    };
    let (containers, gang) = (count(11, "containers")?, count(12, "gang")?);
    if containers % gang != 0 {
        let help = format!("write a number that divides {containers}");
        return Err(row.wrong(at(12), format!("{containers} containers are no whole number of gangs of {gang}"), help));
    }
    let amount = |index, name: &str, example: &str| -> Result<i64, TraceFileError> {
        let help = format!("write the {name} of a container, such as {example}");
        row.wanted(at(index), name, row.whole(at(index), name, 0)?, &help)
    };
    let size = Resource::new(amount(4, "memory_mb", "4096")?, amount(5, "vcores", "2")?);
    let help = "write how long a container runs, in seconds, such as 3600";
    let duration = row.wanted(at(6), "duration_s", ms(row, at(6), "duration_s")?, help)?;
    if duration == 0 {
        return Err(row.wrong(at(6), "duration_s is less than a millisecond", help));
    }
    let duration = i64::try_from(duration).unwrap_or(i64::MAX);
    Ok(Stage::new(size, containers, duration).in_gangs_of(gang))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "reservation,queue,user,book_s,arrival_s,deadline_s,every_s,stages,containers,gang,memory_mb,vcores,duration_s,job\n";

    fn read(lines: &str) -> Result<Vec<Booking>, String> {
        let text = format!("{HEAD}{lines}");
        read_bookings(std::io::Cursor::new(text.into_bytes()), "r.csv").map_err(|error| error.to_string())
    }

    #[test]
    fn stages_of_one_reservation_stand_together() {
        let list = read(
            "nightly,root.n,ann,10,3600,18000,86400,order,20,4,4096,2,60.5,no\nnightly,,,,,,,,3,,512,1,1,\nsmall,p,,,0,1,,,,,1,0,1,\n",
        );
        let list = list.unwrap();
        let [nightly, small] = &list[..] else { panic!("{list:?}") };
        assert_eq!((nightly.user.as_str(), nightly.book_ms, nightly.every_ms), ("ann", 10_000, Some(86_400_000)));
        assert_eq!((nightly.arrival_ms, nightly.deadline_ms, nightly.has_job), (3_600_000, 18_000_000, false));
        assert_eq!(nightly.interpreter, Interpreter::Order);
        let first = Stage::new(Resource::new(4096, 2), 20, 60_500).in_gangs_of(4);
        assert_eq!(nightly.stages, [first, Stage::new(Resource::new(512, 1), 3, 1000)]);
        assert_eq!((small.user.as_str(), small.has_job, small.line), ("default", true, 4));
        assert_eq!(small.interpreter, Interpreter::All);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (lines, said) in [
            ("a,q,,,5,5,,,,,1,1,1,\n", "r.csv:2:9: deadline_s is not after arrival_s"),
            ("a,q,,6,5,9,,,,,1,1,1,\n", "r.csv:2:6: book_s is after arrival_s"),
            ("a,q,,,0,9,8,,,,1,1,1,\n", "r.csv:2:11: every_s is shorter than the reservation"),
            ("a,q,,,0,9,,some,,,1,1,1,\n", "stages is \"some\""),
            ("a,q,,,0,9,,,7,2,1,1,1,\n", "7 containers are no whole number of gangs of 2"),
            ("a,q,,,0,9,,,,,1,1,0,\n", "duration_s is less than a millisecond"),
            ("a,q,,,0,9,,,,,,1,1,\n", "memory_mb is empty"),
            ("a,,,,0,9,,,,,1,1,1,\n", "queue is empty"),
            ("a,q,,,0,9,,,,,1,1,1,perhaps\n", "job is \"perhaps\""),
            ("a,q,,,0,9,,,,,1,1,1,\nb,q,,,0,9,,,,,1,1,1,\na,q,,,0,9,,,,,1,1,1,\n", "stands in two places"),
        ] {
            let error = read(lines).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
