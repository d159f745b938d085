//! The bytes of a trace: unpacked, and looked at before they are read.

use std::io::{BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;

use super::error::{At, TraceFileError};
use super::frames::Frames;
use super::options::TraceKind;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// So many bytes say what a trace is.
const LOOKED_AT: usize = 1 << 16;

/// Unpacked bytes.
pub(super) type Bytes = BufReader<Box<dyn Read + Send>>;

/// A stream that is a trace, and its name.
pub(super) struct Source {
    pub(super) bytes: Bytes,
    pub(super) name: String,
}

/// As many bytes as are there, up to the length of the buffer.
fn read_up_to(input: &mut impl Read, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Source {
    /// Looks at the first bytes, and unpacks what is packed with gzip or zstd.
    pub(super) fn new(mut input: impl Read + Send + 'static, name: &str) -> Result<Source, TraceFileError> {
        let unreadable = |error: std::io::Error| TraceFileError::unreadable(name, &error);
        let first = read_up_to(&mut input, ZSTD.len()).map_err(unreadable)?;
        let all = std::io::Cursor::new(first.clone()).chain(input);
        let plain: Box<dyn Read + Send> = if first.starts_with(&GZIP) {
            Box::new(MultiGzDecoder::new(all))
        } else if first.starts_with(&ZSTD) {
            Box::new(Frames::new(all))
        } else {
            Box::new(all)
        };
        Ok(Source { bytes: BufReader::with_capacity(LOOKED_AT, plain), name: name.to_owned() })
    }

    /// What it is: by the keys of the first object, or by tabs.
    pub(super) fn kind(&mut self) -> Result<TraceKind, TraceFileError> {
        let mut taken = Vec::new();
        let failed = |error: std::io::Error, name: &str| TraceFileError::unreadable(name, &error);
        // A packed stream comes in pieces; what is taken out is put back in front.
        while taken.len() < LOOKED_AT {
            let piece = self.bytes.fill_buf().map_err(|error| failed(error, &self.name))?;
            if piece.is_empty() {
                break;
            }
            let length = piece.len().min(LOOKED_AT - taken.len());
            taken.extend_from_slice(&piece[..length]);
            self.bytes.consume(length);
        }
        let text = String::from_utf8_lossy(&taken).into_owned();
        let rest = std::mem::replace(&mut self.bytes, BufReader::new(Box::new(std::io::empty())));
        self.bytes = BufReader::with_capacity(LOOKED_AT, Box::new(std::io::Cursor::new(taken).chain(rest)));
        kind_of(&text).ok_or_else(|| {
            let (problem, help) = why_none(&text);
            TraceFileError::new(&self.name, At::START, problem, help)
        })
    }
}

fn kind_of(text: &str) -> Option<TraceKind> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with('{') {
        let first = text.lines().next().unwrap_or_default();
        return if first.contains('\t') { Some(TraceKind::Swim) } else { csv_kind(first) };
    }
    let keys = top_keys(text);
    let has = |name: &str| keys.iter().any(|key| key == name);
    Some(if has("workloads") || has("num_jobs") {
        TraceKind::Synth
    } else if has("jobID") || has("mapTasks") || has("reduceTasks") {
        TraceKind::Rumen
    } else if SLS_KEYS.iter().any(|known| text.contains(known)) {
        TraceKind::Sls
    } else {
        return None;
    })
}

/// How keys of SLS's objects begin. The first object may be another that SLS passes over.
const SLS_KEYS: [&str; 4] = ["\"job.", "\"num.", "\"am.", "\"yarn.sls."];

/// Which CSV it is: by the names in the first line, or by numbers where each form has them.
fn csv_kind(first: &str) -> Option<TraceKind> {
    let fields: Vec<&str> = first.split(',').map(|field| field.trim().trim_matches('"')).collect();
    let has = |name: &str| fields.iter().any(|field| field.eq_ignore_ascii_case(name));
    let number = |index: usize| fields.get(index).is_some_and(|field| field.parse::<f64>().is_ok());
    match fields.len() {
        _ if has("job") && (has("submit_ms") || has("duration_ms")) => Some(TraceKind::Plain),
        _ if has("collection_id") && has("time") => Some(TraceKind::Google2019),
        13 if number(0) && number(2) && number(3) => Some(TraceKind::Google2011),
        9 if number(1) && !number(4) && number(5) => Some(TraceKind::Alibaba2018),
        _ => None,
    }
}

/// Why a text is no trace, and what would be one.
fn why_none(text: &str) -> (&'static str, &'static str) {
    let first = text.lines().next().unwrap_or_default();
    if text.trim_start().starts_with('[') {
        return (
            "a list is no trace",
            "write the objects one after the other, without [ and ] around them and commas between",
        );
    }
    if text.trim().is_empty() {
        return ("the file is empty", "it must hold jobs");
    }
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return (
            "a JSON object that is no job of a trace",
            "SLS's objects have \"job.tasks\" or \"num.nodes\", RUMEN's \"jobID\", and SYNTH's \"workloads\" or \"num_jobs\"",
        );
    }
    match first.split(',').count() {
        8 => ("eight fields a line, as in job_events of Google's trace", "give task_events: it has the tasks"),
        14 => (
            "14 fields a line, as in batch_instance of Alibaba's trace",
            "give batch_task.csv: a task has its number of instances",
        ),
        count if count > 2 => (
            "a CSV of no known form",
            "name the columns in the first line, job,submit_ms,duration_ms and others, or give task_events of Google's trace or batch_task of Alibaba's",
        ),
        _ => (
            "neither JSON objects nor lines of fields",
            "a trace is SLS, RUMEN or SYNTH JSON, SWIM's lines of six fields with tabs between them, or a CSV of jobs",
        ),
    }
}

/// The keys of the first object, as far as the text goes: strings at its own depth with a colon after them.
fn top_keys(text: &str) -> Vec<String> {
    let (mut keys, mut depth, mut string) = (Vec::new(), 0_usize, None::<String>);
    let mut characters = text.chars();
    let mut last = String::new();
    while let Some(c) = characters.next() {
        if let Some(current) = &mut string {
            match c {
                '\\' => drop(characters.next()),
                '"' => last = string.take().unwrap_or_default(),
                _ => current.push(c),
            }
            continue;
        }
        match c {
            '"' => string = Some(String::new()),
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            ':' if depth == 1 => keys.push(std::mem::take(&mut last)),
            _ => {}
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write as _;

    fn kind(text: &str) -> Result<TraceKind, String> {
        let text = text.as_bytes().to_vec();
        let mut source = Source::new(std::io::Cursor::new(text), "t").map_err(|error| error.to_string())?;
        source.kind().map_err(|error| error.to_string())
    }

    #[test]
    fn a_trace_is_told_by_its_keys() {
        assert_eq!(kind("\n {\"num.nodes\": 4}\n{\"jobID\": 1}"), Ok(TraceKind::Sls));
        assert_eq!(kind("{\"user\": \"jobID\", \"jobID\": \"job_1_1\"}"), Ok(TraceKind::Rumen));
        assert_eq!(kind("{\"a\": {\"jobID\": 1}, \"num_jobs\": 3}"), Ok(TraceKind::Synth));
        assert_eq!(kind("job0\t1\t1\t2\t3\t4\n"), Ok(TraceKind::Swim));
        assert_eq!(
            kind("[{}]").unwrap_err(),
            "t:1:1: a list is no trace; write the objects one after the other, without [ and ] around them and commas between"
        );
        for other in ["{}", "{\"queue\": \"a\"}", "{\"apps\": {\"app\": [{\"id\": 1}]}}"] {
            assert!(
                kind(other).unwrap_err().starts_with("t:1:1: a JSON object that is no job of a trace; SLS's"),
                "{other}"
            );
        }
        assert_eq!(kind(" ").unwrap_err(), "t:1:1: the file is empty; it must hold jobs");
        assert!(kind("hello").unwrap_err().starts_with("t:1:1: neither JSON objects nor lines of fields; "));
        assert_eq!(kind("user,job,submit_ms,duration_ms\n"), Ok(TraceKind::Plain));
        assert_eq!(kind("600026000,,515042969,11,,0,ann,2,2,0.0125,0.01,0.0004,0"), Ok(TraceKind::Google2011));
        assert_eq!(kind("time,type,collection_id,instance_index"), Ok(TraceKind::Google2019));
        assert_eq!(kind("M1,3,j_1,1,Terminated,87076,87090,100,0.39\n"), Ok(TraceKind::Alibaba2018));
        assert!(kind("i,t,j,1,Terminated,1,2,m_1,1,1,1,1,1,1").unwrap_err().contains("give batch_task.csv"));
        assert!(kind("a,b,c").unwrap_err().contains("a CSV of no known form"));
    }

    #[test]
    fn packed_files_are_unpacked() {
        let text = b"{\"job.id\": \"a\"}".repeat(10_000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let zstd = compress_to_vec(text.as_slice(), CompressionLevel::Fastest);
        for packed in [text.clone(), gzip.finish().unwrap(), zstd] {
            let mut source = Source::new(std::io::Cursor::new(packed), "t").unwrap();
            assert_eq!(source.kind(), Ok(TraceKind::Sls));
            let mut all = Vec::new();
            source.bytes.read_to_end(&mut all).unwrap();
            assert!(all == text);
        }
        assert!(Source::new(std::io::Cursor::new(vec![0x1f, 0x8b, 8]), "t").unwrap().kind().is_err());
    }
}
