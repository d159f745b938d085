//! Traces of Google and Alibaba, and the plain CSV: what jobs become of their lines.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

use std::io::Cursor;

use evenweave_tools::traces::{Item, Job, Trace, TraceKind, TraceOptions};

fn read(text: &str, kind: TraceKind) -> Vec<Job> {
    let options = TraceOptions { largest_machine: [10_000, 10], ..TraceOptions::default() };
    let trace = Trace::read(Cursor::new(text.as_bytes().to_vec()), "t", &options).unwrap();
    assert_eq!(trace.kind(), kind);
    let job = |item| match item {
        Item::Job(job) => Some(*job),
        Item::Node(_) | Item::Refused(_) => None,
    };
    trace.map(Result::unwrap).filter_map(job).collect()
}

/// Name, arrival, and of each entry count, delay, duration, memory and vcores.
fn line(job: &Job) -> String {
    let tasks: Vec<String> = job
        .tasks
        .iter()
        .map(|task| {
            let of = |name: &str| task.resource.get(name).map_or_else(|| "-".to_owned(), ToString::to_string);
            let (memory, vcores) = (of("memory-mb"), of("vcores"));
            format!("{}x{}+{} {memory}/{vcores}", task.count, task.delay_ms, task.duration_ms)
        })
        .collect();
    let Job { user, am_type, arrival_ms, .. } = job;
    format!("{} {user} {am_type} {arrival_ms}: {}", job.id.as_deref().unwrap(), tasks.join(", "))
}

fn lines(text: &str, kind: TraceKind) -> Vec<String> {
    read(text, kind).iter().map(line).collect()
}

#[test]
fn googles_of_2011() {
    let event = |seconds: i64, job: u32, task: u32, kind: u32| {
        format!("{},,{job},{task},,{kind},ann,2,2,0.15,0.11,0.1,0\n", seconds * 1_000_000)
    };
    let text = [
        // Job 1 begins before job 2 and ends after it; its task 1 is evicted and begins anew.
        event(600, 1, 0, 0),
        event(600, 1, 1, 0),
        event(610, 1, 0, 1),
        event(610, 1, 1, 1),
        event(620, 2, 0, 0),
        event(621, 2, 0, 1),
        event(630, 1, 1, 2),
        event(630, 1, 1, 0),
        event(640, 2, 0, 4),
        event(650, 1, 1, 1),
        event(700, 1, 1, 5),
        event(910, 1, 0, 4),
        // Known from before the trace, and never begun.
        event(0, 3, 0, 0),
        event(2000, 4, 0, 0),
        event(2000, 4, 0, 1),
    ]
    .concat();
    // The last runs on: what is known of it is nothing. Of job 3 no task begins.
    assert_eq!(
        lines(&text, TraceKind::Google2011),
        [
            "1 ann mapreduce 0: 1x0+50000 1100/2, 1x0+300000 1100/2",
            "2 ann mapreduce 20000: 1x0+19000 1100/2",
            "4 ann mapreduce 1400000: 1x0+1 1100/2",
        ]
    );
}

/// What is in memory is bounded by what runs: the first jobs come before the last lines are read.
#[test]
fn jobs_come_while_the_trace_is_read() {
    let text: String = (0..5_000_u64)
        .map(|job| {
            let at = |seconds: u64| (600 + job + seconds) * 1_000_000;
            format!("{},,{job},0,,0,a,2,2,0.1,0.1,0,0\n{},,{job},0,,1,a,2,2,0.1,0.1,0,0\n", at(0), at(0))
                + &format!("{},,{job},0,,4,a,2,2,0.1,0.1,0,0\n", at(0))
        })
        .collect::<String>()
        + "a broken line\n";
    let trace = Trace::read(Cursor::new(text.into_bytes()), "t", &TraceOptions::default()).unwrap();
    let jobs = trace.take_while(Result::is_ok).count();
    assert!((4_600..4_800).contains(&jobs), "{jobs} jobs came before the line that is broken");
}

#[test]
fn googles_of_2019() {
    let text = "time,type,collection_id,instance_index,collection_type,user,cpus,memory\n\
                600000000,SUBMIT,7,0,0,bob,0.5,0.25\n600000000,0,7,1,JOB,bob,0.5,0.25\n\
                600000000,SUBMIT,8,0,1,bob,0.5,0.25\n601000000,QUEUE,7,0,0,bob,,\n602000000,3,7,0,0,bob,,\n\
                602000000,SCHEDULE,7,1,0,bob,,\n612000000,6,7,0,0,bob,,\n612000000,FINISH,7,1,0,bob,,\n";
    assert_eq!(lines(text, TraceKind::Google2019), ["7 bob mapreduce 0: 2x0+10000 2500/5"]);
}

#[test]
fn alibabas() {
    let text = "M1,3,j_1,1,Terminated,87076,87090,100,0.39\nM1,1,j_2,1,Terminated,87080,87081,50,101\n\
                R2_1,2,j_1,1,Terminated,87091,87100,250,0.5\ntask_x,1,j_3,1,Failed,87000,0,100,0.39\n\
                M1,1,j_4,1,Running,0,0,100,0.39\nM1,1,j_5,1,Terminated,87070,87080,,\n";
    assert_eq!(
        lines(text, TraceKind::Alibaba2018),
        [
            "j_5 default dag -6000: 1x0+10000 -/-",
            "j_1 default dag 0: 3x0+14000 39/1, 2x15000+9000 50/3",
            "j_2 default dag 4000: 1x0+1000 10100/1",
        ]
    );
}

#[test]
fn the_plain_one() {
    let text = "user,job,submit_ms,duration_ms,count,task,queue,memory_mb,host,type,vcores,delay_ms\n\
                ann,\"a,b\",1000,20000,10,map,root.a,2048,/r/h,,1,\nann,\"a,b\",,30000,,reduce,,,,,,\n\n\
                ,c,5,7,,,,,,dag,,90\n";
    let jobs = read(text, TraceKind::Plain);
    assert_eq!(
        jobs.iter().map(line).collect::<Vec<_>>(),
        ["a,b ann mapreduce 1000: 10x0+20000 2048/1, 1x0+30000 -/-", "c default dag 5: 1x90+7 -/-"]
    );
    let tasks = &jobs[0].tasks;
    assert_eq!((tasks[0].host.as_ref().unwrap().name.as_str(), tasks[1].kind.as_str()), ("h", "reduce"));
    assert_eq!((jobs[0].queue.as_str(), jobs[1].queue.as_str()), ("root.a", "default"));
}
