"""Bad input, interrupts and threads."""

import os
import pathlib
import signal
import threading
import time

import numpy
import pytest

import evenweave

pytestmark = pytest.mark.filterwarnings("ignore::evenweave.SimulationWarning")

BROKEN = {
    "broken.xml": "<allocations>\n  <queue name='a'>\n</allocations>\n",
    "weight.xml": "<allocations>\n  <queue name='a'><weight>much</weight></queue>\n</allocations>\n",
    "capacity.xml": """<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>
<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>ten</value></property>
</configuration>
""",
    "latin.xml": b"<allocations>\n\xe9</allocations>",
    "other.xml": "<queues/>",
    "empty.xml": "",
    "site.xml": "<configuration>\n<property><name>yarn.sls.nm.vcores</name><value>x</value></property></configuration>",
    "assign.xml": "<configuration>\n"
    "<property><name>yarn.scheduler.fair.max.assign</name><value>x</value></property></configuration>",
    "jobs.csv": "job,submit\n",
    "jobs.json": '[{"job.start.ms": "soon"}]',
    "events.csv": "time_s,event,node,rack,memory_mb,vcores\n1,stop,node1,,,\n",
}


@pytest.fixture
def broken(tmp_path):
    for name, text in BROKEN.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path


# What is given, and whether the exception has a line.
REFUSED = [
    ({"config": "broken.xml"}, True),
    ({"config": "weight.xml"}, True),
    ({"config": "capacity.xml"}, True),
    ({"config": "latin.xml"}, True),
    ({"config": "other.xml"}, False),
    ({"config": "empty.xml"}, False),
    ({"site": "site.xml"}, False),
    ({"site": "assign.xml"}, True),
    ({"trace": "jobs.csv"}, None),
    ({"trace": "jobs.json"}, None),
    ({"node_events": "events.csv"}, True),
]


@pytest.mark.parametrize("given, line", REFUSED, ids=lambda value: str(value))
def test_bad_files_are_refused_as_by_the_program(program, broken, tmp_path, given, line):
    [(name, file)] = given.items()
    path = str(broken / file)
    option = [path] if name == "trace" else [f"--{name.replace('_', '-')}", path]
    said = program.refused("simulate", "--out", tmp_path / "out", *option)
    with pytest.raises(evenweave.InputError) as raised:
        evenweave.simulate(**{name: path})
    assert isinstance(raised.value, ValueError)
    assert str(raised.value) == said
    if line is not None:
        assert (raised.value.line is not None) == line
    if raised.value.line is not None:
        assert raised.value.file == path
        assert f"{path}:{raised.value.line}:{raised.value.column}" in said


@pytest.mark.parametrize("name", ["config", "site", "trace", "node_file", "node_events", "reservations"])
def test_files_that_are_not_there_are_os_errors(program, tmp_path, name):
    path = tmp_path / "none.xml"
    option = [path] if name == "trace" else [f"--{name.replace('_', '-')}", path]
    said = program.refused("simulate", "--out", tmp_path / "out", *option)
    with pytest.raises(FileNotFoundError) as raised:
        evenweave.simulate(**{name: path})
    assert said in str(raised.value)
    assert raised.value.filename == str(path)
    with pytest.raises(OSError):
        evenweave.simulate(**{name: tmp_path})
    with pytest.raises(ValueError, match="NUL|nul|null"):
        evenweave.simulate(**{name: "a\0b"})


def test_out_must_be_a_directory(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(OSError, match="it must be a directory in which files can be written"):
        evenweave.simulate(out=file / "x", until="1m")


# An option, a value that it does not take, and the program's word for it.
BOUNDS = [
    ("nodes", 0, "0"),
    ("nodes", 1_000_001, "1000001"),
    ("nodes", 10**30, str(10**30)),
    ("nodes", -1, "-1"),
    ("node_memory", 0, "0"),
    ("node_memory", 2**63, str(2**63)),
    ("node_vcores", 0, "0"),
    ("rack_size", 0, "0"),
    ("rack_size", 2**32, str(2**32)),
    ("machine_memory", 10**9 + 1, "1000000001"),
    ("machine_vcores", 0, "0"),
    ("seed", -1, "-1"),
    ("seed", 2**64, str(2**64)),
    ("seeds", 0, "0"),
    ("seeds", 1001, "1001"),
    ("load", 0, "0"),
    ("load", float("nan"), "NaN"),
    ("load", float("inf"), "inf"),
    ("slow_start", 1.5, "1.5"),
    ("failures", -0.1, "-0.1"),
    ("every", "25h", "25h"),
    ("every", 0, "0"),
    ("every", "soon", "soon"),
    ("until", "-1h", "-1h"),
    ("until", float("inf"), "inf"),
    ("task_time", "5 weeks", "5 weeks"),
    ("ams", "spark", "spark"),
    ("times", "now", "now"),
    ("scheduler", "fifo", "fifo"),
    ("sweep", "root.a", "root.a"),
    ("sweep", "root.a.weight=1..1e9", "root.a.weight=1..1e9"),
]


@pytest.mark.parametrize("name, value, word", BOUNDS)
def test_bounds_are_the_programs(program, name, value, word):
    ran = program.run("simulate", f"--{name.replace('_', '-')}={word}")
    assert ran.returncode == 2, "the program takes it"
    with pytest.raises(evenweave.InputError, match=name):
        evenweave.simulate(**{name: value})


@pytest.mark.parametrize(
    "given",
    [
        {"nodes": 22, "node_file": "x"},
        {"reservations": "x", "decisions": "y"},
        {"decision_steps": 5},
    ],
)
def test_what_excludes_each_other_is_refused(given):
    with pytest.raises(evenweave.InputError):
        evenweave.simulate(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"trace": 5},
        {"trace": b"x"},
        {"config": [None]},
        {"config": object()},
        {"nodes": "22"},
        {"nodes": 2.5},
        {"nodes": True},
        {"nodes": [1, "2"]},
        {"seed": "42"},
        {"seed": 1.0},
        {"load": "1"},
        {"load": True},
        {"until": []},
        {"every": {}},
        {"queue": 5},
        {"queue": [5]},
        {"sweep": 1},
        {"properties": ["a=b"]},
        {"properties": {1: "2"}},
        {"properties": {"a": object()}},
        {"place_tasks": 1},
        {"no_skip": "yes"},
        {"scheduler": 1},
        {"out": 3},
        {"frame": 1},
    ],
    ids=str,
)
def test_wrong_types_are_type_errors_that_name_the_argument(given):
    [name] = given
    with pytest.raises(TypeError, match=name if name != "properties" else "type"):
        evenweave.simulate(**given)


def test_what_has_an_index_is_a_whole_number():
    a = evenweave.simulate(nodes=numpy.int64(5), until="5m", seed=numpy.uint8(3), frame="dict")
    b = evenweave.simulate(nodes=5, until="5m", seed=3, frame="dict")
    assert a.summary["decisions"] == b.summary["decisions"]


def test_paths_may_be_any_that_python_has(tmp_path):
    path = tmp_path / "f.xml"
    path.write_text("<allocations/>")
    for given in (path, str(path), [path], (str(path),), iter([path])):
        found = evenweave.simulate(config=given, until="1m", nodes=1, frame="dict")
        assert found.summary["queues_file"] == str(path)


def test_surrogates_in_texts_are_refused():
    with pytest.raises((ValueError, UnicodeError)):
        evenweave.simulate(queue="\ud800", until="1m")


@pytest.fixture
def interrupts():
    """What is started in the background of a shell ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_run(tmp_path, interrupts):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()

    def too_long(_):
        assert time.monotonic() - begun < 20, "it goes on"

    timer.start()
    # A day a thousand times.
    with pytest.raises(KeyboardInterrupt):
        evenweave.simulate(seeds=1000, out=tmp_path / "out", frame="dict", progress=too_long)
    assert time.monotonic() - begun < 10
    assert not (tmp_path / "out").exists() or os.listdir(tmp_path / "out") == [], "nothing is left"
    # It still works.
    evenweave.simulate(until="1m", nodes=1, frame="dict")


def test_other_threads_go_on_meanwhile():
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    evenweave.simulate(until="6h", frame="dict")
    ended = time.monotonic()
    done.set()
    thread.join()
    within = [at for at in ticks if begun < at < ended]
    assert ended - begun > 0.1, "too short to tell"
    # Rows become lists at the end; until then nothing holds the interpreter.
    assert len(within) > (ended - begun) / 0.005 / 10
    gaps = [b - a for a, b in zip(within, within[1:])]
    assert max(gaps) < 0.7 * (ended - begun)


def test_progress_is_told_and_may_end_the_run():
    told = []
    evenweave.simulate(until="12h", progress=told.append, frame="dict")
    assert told and all(isinstance(one, evenweave.Progress) for one in told)
    assert told[-1].now_ms > 0 and told[-1].granted > 0

    class Enough(Exception):
        pass

    def stop(_):
        raise Enough

    begun = time.monotonic()
    with pytest.raises(Enough):
        evenweave.simulate(seeds=1000, progress=stop, frame="dict")
    assert time.monotonic() - begun < 10


def test_runs_on_several_threads_do_not_meet():
    expected = evenweave.simulate(until="30m", frame="dict").summary["decisions"]
    found = []

    def run():
        found.append(evenweave.simulate(until="30m", frame="dict").summary["decisions"])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
