"""Simulations: the figures are the program's, to the last digit."""

import csv
import datetime
import os

import pandas
import polars
import pytest

import evenweave

pytestmark = pytest.mark.filterwarnings("ignore::evenweave.SimulationWarning")

FAIR = """<allocations>
  <queue name="a"><weight>1</weight></queue>
  <queue name="b"><weight>3</weight></queue>
</allocations>
"""
CAPACITY = """<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
  <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>40</value></property>
  <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>0.5</value></property>
</configuration>
"""
JOBS = """{"job.start.ms": 0, "job.end.ms": 95375, "job.queue.name": "root.a", "job.id": "job, 1", "job.user": "ann",
 "job.tasks": [{"container.host": "/rack1/n1", "container.start.ms": 6664, "container.end.ms": 23707,
                "container.priority": 20, "container.type": "map"}]}
{"job.start.ms": 1000, "job.end.ms": 25375, "job.queue.name": "root.b", "job.id": "0012", "job.user": "bob",
 "job.tasks": [{"container.host": "/rack1/n2", "container.start.ms": 111822, "container.end.ms": 133985,
                "container.priority": 20, "container.type": "map", "count": 3}]}
"""


@pytest.fixture
def files(tmp_path):
    """Files of queues and a trace, by name."""
    paths = {}
    for name, text in [("fair.xml", FAIR), ("capacity.xml", CAPACITY), ("jobs.json", JOBS)]:
        path = tmp_path / name
        path.write_text(text)
        paths[name.split(".")[0]] = path
    return paths


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def shown(value, digits):
    """As the CSV files have it."""
    if value is None:
        return ""
    return str(value) if digits is None else f"{value:.{digits}f}"


def as_written(columns, names, digits):
    table = {name: [shown(value, digits(name)) for value in columns[name]] for name in names}
    return [dict(zip(table, values)) for values in zip(*table.values())]


def job_digits(name):
    return {"slowdown": 3, "lost_mib_s": 0}.get(name)


def interval_digits(name):
    return 4 if name in ("memory_used", "vcores_used") else None


def queue_digits(name):
    if name in ("memory_used", "jain", "share_not_had"):
        return 4
    whole = ("point", "queues_file", "seeds", "queue", "jobs", "not_done", "preempted", "nodes")
    return None if name in whole or name.startswith("root.") else 3


def without_times(summary):
    """Without what a clock has measured."""
    if isinstance(summary, dict):
        return {name: without_times(value) for name, value in summary.items() if name != "wall_s"}
    return [without_times(value) for value in summary] if isinstance(summary, list) else summary


def of_run(columns, run, seed):
    rows = [row for row in range(len(columns["run"])) if (columns["run"][row], columns["seed"][row]) == (run, seed)]
    return {name: [values[row] for row in rows] for name, values in columns.items()}


CASES = [
    pytest.param([], {}, ["--until", "3h"], {"until": "3h"}, id="bundled"),
    pytest.param(
        [],
        {"config": ["capacity"]},
        ["--until", "2h", "--nodes", "30", "--seed", "7", "--load", "1.5", "--failures", "0.02", "--place-tasks"],
        {"until": 7200, "nodes": 30, "seed": 7, "load": 1.5, "failures": 0.02, "place_tasks": True},
        id="capacity",
    ),
    pytest.param(
        [],
        {"config": ["fair"]},
        ["--until", "1h", "--nodes", "20,30", "--sweep", "root.a.weight=1,4", "--seeds", "2", "--every", "5m"],
        {
            "until": datetime.timedelta(hours=1),
            "nodes": [20, 30],
            "sweep": "root.a.weight=1,4",
            "seeds": 2,
            "every": "5m",
        },
        id="grid",
    ),
    pytest.param(
        ["jobs"],
        {"config": ["fair", "capacity"]},
        ["--nodes", "2", "--node-memory", "4096", "--ams", "sls", "--every", "5s", "-D", "yarn.sls.nm.vcores=3"],
        {"nodes": 2, "node_memory": 4096, "ams": "sls", "every": 5, "properties": {"yarn.sls.nm.vcores": 3}},
        id="trace",
    ),
]


@pytest.mark.parametrize("traces, configs, words, arguments", CASES)
def test_figures_are_the_programs(program, files, tmp_path, traces, configs, words, arguments):
    traces = [files[name] for name in traces]
    configs = [files[name] for name in configs.get("config", [])]
    out = tmp_path / "out"
    for path in configs:
        words = [*words, "--config", path]
    expected = program.simulate(out, *words, *traces)
    found = evenweave.simulate(traces or None, config=configs or None, frame="dict", **arguments)
    assert without_times(found.summary) == without_times(expected)

    grid = (out / "grid.csv").exists()
    queues = rows(out / ("grid.csv" if grid else "queues.csv"))
    columns = {{"run": "point", "config": "queues_file"}.get(name, name): list_ for name, list_ in found.queues.items()}
    assert as_written(columns, list(queues[0]), queue_digits) == queues
    assert list(columns) == list(queues[0]), "no column is left out"

    seed = arguments.get("seed", 42)
    points = max(found.queues["run"])
    compared = 0
    for run in range(1, points + 1):
        written = rows(out / f"jobs-{run}.csv")
        jobs = of_run(found.jobs, run, seed)
        made = sorted(as_written(jobs, list(written[0]), job_digits), key=lambda row: int(row["application"]))
        assert made == sorted(written, key=lambda row: int(row["application"]))
        assert set(written[0]) <= set(jobs)
        written = rows(out / f"intervals-{run}.csv")
        assert as_written(of_run(found.intervals, run, seed), list(written[0]), interval_digits) == written
        compared += len(jobs["job"]) + len(written)
    assert compared > 5
    # Of the other seeds there are jobs, too.
    assert len(found.jobs["run"]) == sum(run["jobs"] for run in expected["runs"])


def test_files_are_the_programs_and_nothing_else_is_written(
    program, files, tmp_path, in_a_directory_of_its_own
):
    words = ["--until", "1h", "--config", files["fair"], "--nodes", "22"]
    program.simulate(tmp_path / "theirs", *words)
    ours = tmp_path / "ours"
    found = evenweave.simulate(config=files["fair"], nodes=22, until="1h", out=ours, frame="dict")
    assert found.report == str(ours / "report.html")
    names = sorted(os.listdir(ours))
    assert names == sorted(os.listdir(tmp_path / "theirs"))
    assert names == ["intervals-1.csv", "jobruntime-1.csv", "jobs-1.csv", "queues.csv", "report.html"]
    for name in names:
        if name != "report.html":
            assert (ours / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    assert len(found.jobs["job"]) > 0, "rows are kept as well"
    assert evenweave.simulate(config=files["fair"], nodes=22, until="5m", frame="dict").report is None
    assert os.listdir(in_a_directory_of_its_own) == []


def test_decisions_are_a_scenario_of_the_program(program, files, tmp_path):
    path = tmp_path / "run.jsonl"
    evenweave.simulate(config=files["fair"], nodes=5, until="20m", decisions=path, decision_steps=2000, frame="dict")
    ran = program.run("replay", path)
    assert ran.returncode == 0 and "1" in ran.stdout, ran


@pytest.fixture
def small(files):
    return dict(trace=files["jobs"], config=[files["fair"], files["capacity"]], nodes=2)


def test_frames_have_the_same_values(small):
    columns = evenweave.simulate(**small, frame="dict")
    panda = evenweave.simulate(**small)
    polar = evenweave.simulate(**small, frame="polars")
    assert isinstance(panda.jobs, pandas.DataFrame) and isinstance(polar.jobs, polars.DataFrame)
    for name in ("jobs", "intervals", "queues"):
        expected = getattr(columns, name)
        frame = getattr(panda, name)
        assert list(frame.columns) == list(expected)
        for column, values in expected.items():
            found = [None if pandas.isna(value) else value for value in frame[column]]
            assert found == values, (name, column)
        assert getattr(polar, name).to_dict(as_series=False) == expected
    assert sorted(set(panda.jobs["run"])) == [1, 2]
    assert list(panda.jobs["job"][:2]) == ["job, 1", "0012"], "names are no numbers"
    assert str(panda.jobs["wait_ms"].dtype) == "Int64" and str(panda.jobs["application"].dtype) == "int64"
    assert panda.jobs["wait_ms"].mean() > 0


def test_a_seed_may_be_as_large_as_the_programs(small):
    for frame in ("pandas", "polars", "dict"):
        found = evenweave.simulate(**small, seed=2**64 - 1, frame=frame)
        assert found.summary["seed"] == 2**64 - 1
        assert set(found.jobs["seed"]) == {2**64 - 1}


def test_frames_need_a_library(small, monkeypatch):
    there = {"polars"}
    monkeypatch.setattr("evenweave._frames.find_spec", lambda name: name if name in there else None)
    assert isinstance(evenweave.simulate(**small).jobs, polars.DataFrame)
    with pytest.raises(ImportError, match="pandas is not installed; install it"):
        evenweave.simulate(**small, frame="pandas")
    there.clear()
    with pytest.raises(ImportError, match="neither pandas nor polars is installed; install one"):
        evenweave.simulate(**small)
    assert isinstance(evenweave.simulate(**small, frame="dict").jobs, dict)
    with pytest.raises(ValueError, match="frame is 'arrow'; it must be one of pandas, polars, dict"):
        evenweave.simulate(**small, frame="arrow")


@pytest.mark.filterwarnings("default::evenweave.SimulationWarning")
def test_what_is_cut_short_is_said(program, files, tmp_path):
    with pytest.warns(evenweave.SimulationWarning, match="jobs have no end, where the run was told to end"):
        found = evenweave.simulate(config=files["fair"], until="20m", nodes=2, frame="dict")
    assert found.cut and found.unended > 0
    ran = program.run("simulate", "--config", files["fair"], "--until", "20m", "--nodes", "2", "--out", tmp_path / "o")
    for remark in found.remarks:
        assert (remark.run, remark.config) == (1, str(files["fair"]))
        assert f"  {remark.text}\n" in ran.stdout
    assert any(f"{found.unended} jobs have no end" in remark.text for remark in found.remarks)
    # But for how long it took.
    same = [line for line in found.words.splitlines() if " h in " not in line]
    assert same and all(line in ran.stdout.splitlines() for line in same)


@pytest.mark.filterwarnings("error::evenweave.SimulationWarning")
def test_what_comes_to_its_end_is_not_warned_of(small):
    found = evenweave.simulate(**small)
    assert not found.cut and found.unended == 0 and found.warnings == []


def test_refused_jobs_are_warned_of(program, files, tmp_path):
    """The second job names a queue that no rule takes; the first one runs."""
    jobs = tmp_path / "other.json"
    jobs.write_text(JOBS.replace("root.b", "root.a.x.."))
    ran = program.run("simulate", "--quiet", "--config", files["fair"], "--nodes", "2", "--out", tmp_path / "o", jobs)
    [said] = [line for line in ran.stderr.splitlines() if " refused, the first: " in line]
    with pytest.warns(evenweave.SimulationWarning) as warned:
        found = evenweave.simulate(jobs, config=files["fair"], nodes=2, frame="dict")
    assert said.removeprefix("evenweave: warning: ") in [str(one.message) for one in warned]
    assert found.summary["refused"] == 1 and found.jobs["job"] == ["job, 1"]


def test_jobs_that_are_all_refused_are_an_error(program, files, tmp_path):
    jobs = tmp_path / "other.json"
    jobs.write_text(JOBS.replace("root.b", "root.a.x..").replace('"root.a"', '"root.b.y.."'))
    words = ["--config", files["fair"], "--nodes", "2", "--out", tmp_path / "o", jobs]
    said = program.refused("simulate", *words)
    with pytest.raises(evenweave.InputError) as raised:
        evenweave.simulate(jobs, config=files["fair"], nodes=2)
    assert str(raised.value) == said
