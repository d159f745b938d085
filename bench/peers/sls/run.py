#!/usr/bin/env python3
"""run.py [--scheduler fair|capacity] [--evenweave PROGRAM] [INPUT ...]: Hadoop 3.4.2's Scheduler Load Simulator and `evenweave simulate --ams sls`
over the same inputs, one after the other.

INPUT: a folder with jobs.synth.json or jobs.rumen.json (packed or not), sls-runner.xml, and a file of queues of each scheduler. Without one:
two inputs of the tests, and `large`. Of each: the time on the clock and of the processors, the memory at its peak, and how long
the jobs ran. SLS runs in real time. It needs Maven and JDK 17. EVENWEAVE: the program; by default the release build of this tree."""
import argparse
import csv
import gzip
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
INPUTS = [ROOT / "simulator/tests/data/sls/synth", ROOT / "simulator/tests/data/sls/rumen", HERE / "large"]
CLASSES = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
CLASS = {"fair": CLASSES + "fair.FairScheduler", "capacity": CLASSES + "capacity.CapacityScheduler"}
# SLS loses a job now and then, and then does not end: nothing has ended for so many seconds.
STALLED = 90
ATTEMPTS = 8


def unpack(folder, to):
    """The trace, unpacked, and its type."""
    for kind in ("synth", "rumen"):
        for name, opener in ((f"jobs.{kind}.json", open), (f"jobs.{kind}.json.gz", gzip.open)):
            if (folder / name).exists():
                with opener(folder / name, "rb") as packed, open(to, "wb") as plain:
                    shutil.copyfileobj(packed, plain)
                return kind.upper()
    sys.exit(f"{folder}: neither jobs.synth.json nor jobs.rumen.json is there; SLS 3.4.2 reads no other form")


def settings(source, scheduler, work):
    """sls-runner.xml as the input has it, with the scheduler and ports that are free: SLS reads no other file of properties."""
    tree = xml.parse(source)
    more = {"yarn.resourcemanager.scheduler.class": CLASS[scheduler], "hadoop.tmp.dir": str(work / "tmp"),
            "yarn.node-attribute.fs-store.root-dir": (work / "tmp").as_uri(), "yarn.sls.metrics.web.address.port": "0"}
    for service in ("", "scheduler.", "resource-tracker.", "admin.", "webapp."):
        more[f"yarn.resourcemanager.{service}address"] = "127.0.0.1:0"
    for name, value in more.items():
        own = xml.SubElement(tree.getroot(), "property")
        xml.SubElement(own, "name").text = name
        xml.SubElement(own, "value").text = value
    return tree


def lines(path):
    try:
        with open(path) as file:
            return sum(1 for _ in file)
    except FileNotFoundError:
        return 0


def measured(command, table, work, stalls):
    """Runs a command: seconds on the clock, of the processors, MiB at the peak. Nothing if it has stalled."""
    begun = time.monotonic()
    with open(work / "output", "w") as output:
        child = subprocess.Popen(command, cwd=work, stdout=output, stderr=output, start_new_session=True)
    seen, since = 0, begun
    while True:
        ended, status, used = os.wait4(child.pid, os.WNOHANG)
        now = time.monotonic()
        if ended:
            break
        time.sleep(0.02 if now - begun < 5 else 0.2)
        rows = lines(table)
        if rows != seen:
            seen, since = rows, now
        if stalls and now - since > STALLED:
            os.killpg(child.pid, signal.SIGKILL)
            os.wait4(child.pid, 0)
            child.returncode = -signal.SIGKILL
            return None
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} ended with {child.returncode}: {(work / 'output').read_text()[-2000:]}")
    return now - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def runtimes(path):
    """The runtime of each job in s, by the times that the trace has of it, and the end of the last after the start of the first."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    span = lambda row: (int(row["simulate_start_time"]), int(row["simulate_end_time"]))
    jobs = {}
    for row in rows:
        start, end = span(row)
        jobs.setdefault((row["real_start_time"], row["real_end_time"]), []).append((end - start) / 1000)
    return jobs, (max(span(row)[1] for row in rows) - min(span(row)[0] for row in rows)) / 1000


def row(name, times, path):
    clock, processor, memory = times
    jobs, last = runtimes(path)
    every = sorted(runtime for same in jobs.values() for runtime in same)
    of = lambda part: every[min(len(every) - 1, int(part * len(every)))]
    print(f"| {name} | {clock:.1f} s | {processor:.2f} s | {memory:.0f} MiB | {len(every)} | {statistics.mean(every):.1f} s "
          f"| {of(0.5):.1f} s | {of(0.95):.1f} s | {last:.1f} s |", flush=True)
    return jobs


def compare(folder, scheduler, evenweave, classpath):
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as base:
        work = pathlib.Path(base)
        trace = work / "jobs.json"
        kind = unpack(folder, trace)
        conf = work / "conf"
        conf.mkdir()
        queues = f"{scheduler}-scheduler.xml"
        shutil.copy(folder / queues, conf)
        settings(folder / "sls-runner.xml", scheduler, work).write(conf / "sls-runner.xml")
        # The nodes' names are nobody's: looking them up fails at once, instead of asking a name server.
        (conf / "hosts").write_text(f"127.0.0.1 localhost\n127.0.0.1 {socket.gethostname()}\n")
        theirs, ours = work / "sls", work / "ours"
        sls = ["java", "-Xmx2g", f"-Djdk.net.hosts.file={conf / 'hosts'}", f"-Dsls.log={work / 'sls.log'}",
               "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-cp", f"{HERE}:{conf}:{classpath}",
               "org.apache.hadoop.yarn.sls.SLSRunner", "-tracetype", kind, "-tracelocation", str(trace), "-output", str(theirs)]
        own = [evenweave, "simulate", str(trace), "--config", str(folder / queues), "--site", str(folder / "sls-runner.xml"),
               # SLS sets this, whatever the settings say.
               "-D", "yarn.resourcemanager.scheduler.monitor.enable=true",
               "--ams", "sls", "--times", "stock", "--out", str(ours), "--quiet"]
        print(f"\n{folder.name}, {scheduler}\n\n| program | on the clock | of the processors | memory | jobs | runtime, mean | 50 % | 95 % | last end |\n"
              + "| --- " * 9 + "|")
        mine = row("`simulate`", measured(own, ours / "jobruntime-1.csv", work, False), ours / "jobruntime-1.csv")
        table, lost = theirs / "jobruntime.csv", 0
        while (times := measured(sls, table, work, True)) is None:
            lost += 1
            print(f"SLS: stalled with {lines(table) - 1} jobs ended; once more", file=sys.stderr)
            if lost == ATTEMPTS:
                sys.exit(f"SLS has lost a job in each of {lost} runs")
            shutil.rmtree(theirs)
        real = row("SLS", times, table)
        # Jobs that the trace tells apart.
        pairs = [(mine[job][0], real[job][0]) for job in mine if len(mine[job]) == 1 and len(real.get(job, [])) == 1]
        near = [sum(abs(a - b) <= slack for a, b in pairs) for slack in (1.05, 2.05, 5.05)]
        print(f"\nOf {len(pairs)} jobs the runtimes differ by at most 1 s: {near[0]}, 2 s: {near[1]}, 5 s: {near[2]}. Runs of SLS that lost a job: {lost}",
              flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--scheduler", choices=list(CLASS), default=None, help="default: both")
    arguments.add_argument("--evenweave", default=str(ROOT / "target/release/evenweave"))
    arguments.add_argument("inputs", nargs="*", type=pathlib.Path)
    given = arguments.parse_args()
    with tempfile.NamedTemporaryFile("r") as file:
        subprocess.run(["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:build-classpath", f"-Dmdep.outputFile={file.name}"],
                       check=True, stdout=sys.stderr)
        classpath = pathlib.Path(file.name).read_text().strip()
    for folder in given.inputs or INPUTS:
        for scheduler in [given.scheduler] if given.scheduler else CLASS:
            compare(folder.resolve(), scheduler, given.evenweave, classpath)


if __name__ == "__main__":
    main()
