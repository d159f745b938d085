//! A line of SWIM's: six fields with a tab between them. In files with input paths three more follow, which are not
//! read.
//!
//! | field | unit |
//! | --- | --- |
//! | job id | text |
//! | submit time | seconds since the trace began |
//! | gap | seconds since the job before |
//! | map input, shuffle, reduce output | bytes |
//! | input path, and two that are empty in what SWIM publishes | text, in some files |

const FIELDS: [&str; 6] = ["job id", "submit time", "gap", "map input bytes", "shuffle bytes", "reduce output bytes"];
/// With the input path and the two after it.
const MAX_FIELDS: usize = 9;
/// What a line must be.
pub const SWIM_EXAMPLE: &str = "a line has six fields with tabs between them: job id, submit time in seconds, seconds since the job \
before, map input bytes, shuffle bytes, reduce output bytes; for example: job0<TAB>49<TAB>49<TAB>740773<TAB>2339561<TAB>627471; an input path and two more fields may follow";

/// The fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwimLine<'l> {
    /// The job.
    pub id: &'l str,
    /// Seconds since the trace began.
    pub submitted: u64,
    /// Bytes that its maps read.
    pub map_input: u64,
    /// Bytes between maps and reduces.
    pub shuffle: u64,
    /// Bytes that its reduces write.
    pub output: u64,
}

/// What is wrong with a line.
#[derive(Debug)]
pub struct FieldProblem {
    /// The byte of the line at which it stands.
    pub offset: usize,
    /// How many bytes it has.
    pub length: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub expected: String,
}

impl<'l> SwimLine<'l> {
    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it has not six fields of the right kind, or too many.
    pub fn parse(line: &'l str) -> Result<SwimLine<'l>, FieldProblem> {
        let mut numbers = [0_u64; 6];
        let (mut offset, mut count) = (0, 0);
        let fail = |offset: usize, length: usize, problem: String, expected: String| {
            let column = line[..offset].chars().count() + 1;
            Err(FieldProblem { offset, length, column, problem, expected })
        };
        for field in line.split('\t') {
            if count == MAX_FIELDS {
                return fail(offset, field.len(), "a tenth field".to_owned(), SWIM_EXAMPLE.to_owned());
            }
            if (1..FIELDS.len()).contains(&count) {
                match field.parse() {
                    Ok(number) => numbers[count] = number,
                    Err(_) => {
                        let problem = format!("{} {field:?} is not a whole number", FIELDS[count]);
                        let expected = format!(
                            "{} must be a whole number from 0 to {}, digits only, for example 740773",
                            FIELDS[count],
                            u64::MAX
                        );
                        return fail(offset, field.len(), problem, expected);
                    }
                }
            }
            offset += field.len() + 1;
            count += 1;
        }
        if count < FIELDS.len() {
            let problem = format!("the line ends after {count} of six fields: {} is missing", FIELDS[count]);
            return fail(line.len(), 0, problem, SWIM_EXAMPLE.to_owned());
        }
        let id = line.split('\t').next().unwrap_or_default();
        let [_, submitted, _, map_input, shuffle, output] = numbers;
        Ok(SwimLine { id, submitted, map_input, shuffle, output })
    }
}
