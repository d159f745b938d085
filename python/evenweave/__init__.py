"""Evenweave: a scheduler that decides as Hadoop YARN's FairScheduler and CapacityScheduler do.

- `simulate` runs a day of jobs in virtual time, under one file of queues or several, and gives frames.
- `check` finds what is wrong in configuration files, `convert` makes a CapacityScheduler's of a FairScheduler's.
- `Stepped` is a scheduler to step through: nodes, applications and heartbeats go in, containers come out.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple, Union

from . import _frames, _native
from ._native import App, Container, Ended, InputError, Node, Refused, SimulationWarning, Stepped

__all__ = [
    "App",
    "Change",
    "Container",
    "Converted",
    "Ended",
    "Finding",
    "InputError",
    "Node",
    "Progress",
    "Refused",
    "Remark",
    "Simulation",
    "SimulationWarning",
    "Stepped",
    "check",
    "convert",
    "simulate",
]
__version__: str = _native.__version__

Path = Union[str, "os.PathLike[str]"]
Span = Union[str, float, timedelta]


class Remark(NamedTuple):
    """What went otherwise in a run than its figures tell."""

    run: int
    config: str
    text: str


class Progress(NamedTuple):
    """How far a run is: its number from 0, virtual time, jobs that have come, those of them that have no end yet, and
    containers."""

    run: int
    now_ms: int
    jobs: int
    open: int
    granted: int


@dataclass(frozen=True)
class Simulation:
    """What came of a simulation."""

    jobs: Any
    """A row a job: the columns of `jobs-N.csv`, after `run`, `config` and `seed`. `run` is that N."""
    intervals: Any
    """A row a queue at the end of an interval: the columns of `intervals-N.csv`, after the same."""
    queues: Any
    """A row a run and queue, over all seeds, all queues together first: the columns of `queues.csv`."""
    summary: dict[str, Any]
    """What `evenweave simulate --json` prints."""
    remarks: list[Remark]
    """What the program prints below a run: jobs without an end and why, refused jobs, added AMs, and others."""
    warnings: list[str]
    """What was also said as a `SimulationWarning`."""
    words: str
    """What the program prints."""
    cut: bool
    """Whether a run ended at `until` and not by itself."""
    unended: int
    """Jobs that have no end, over all runs."""
    report: str | None = field(default=None)
    """The report, where `out` was given."""

    def __repr__(self) -> str:
        runs = len(self.summary["runs"])
        return f"<Simulation of {runs} run{'' if runs == 1 else 's'}; print(….words) shows what came of it>"


def simulate(
    trace: Path | Sequence[Path] | None = None,
    *,
    config: Path | Sequence[Path] | None = None,
    nodes: int | Sequence[int] | None = None,
    site: Path | Sequence[Path] | None = None,
    properties: Mapping[str, Any] | None = None,
    scheduler: str | None = None,
    sweep: str | Sequence[str] | None = None,
    node_memory: int | None = None,
    node_vcores: int | None = None,
    rack_size: int | None = None,
    node_file: Path | None = None,
    node_events: Path | None = None,
    reservations: Path | None = None,
    machine_memory: int = 65_536,
    machine_vcores: int = 32,
    ams: str = "mapreduce",
    no_added_ams: bool = False,
    times: str = "first-job",
    seed: int = 42,
    seeds: int = 1,
    task_time: Span = "20s",
    queue: str | Sequence[str] | None = None,
    load: float = 1.0,
    slow_start: float = 0.05,
    failures: float = 0.0,
    place_tasks: bool = False,
    no_skip: bool = False,
    until: Span | None = None,
    every: Span = "60s",
    decisions: Path | None = None,
    decision_steps: int | None = None,
    out: Path | None = None,
    frame: str | None = None,
    progress: bool | Callable[[Progress], object] = False,
) -> Simulation:
    """Runs jobs in virtual time under one file of queues or several, as `evenweave simulate` does.

    Arguments have the names, the units and the defaults of the program's options; docs/simulator.md explains them.
    Without a trace it takes the bundled day, without a config the two bundled files. A duration is a text such as
    "90m", a number of seconds, or a timedelta. Several nodes or a sweep such as "root.a.weight=1..8" make a grid.

    `frame` is "pandas", "polars" or "dict" (columns as lists); by default it is pandas, or polars where pandas is not
    installed. No file is written unless `out` or `decisions` names one. With `progress` it tells how far it is, on
    standard error or to a function.

    Bad input raises `InputError`, a ValueError with the program's text; it has `file`, `line` and `column`. A file that
    cannot be read or written raises an OSError. Ctrl-C ends the run. What is cut short, refused or has no end is a
    `SimulationWarning`, and stands in the result.
    """
    given = dict(
        trace=trace,
        config=config,
        nodes=nodes,
        site=site,
        properties=dict(properties) if isinstance(properties, Mapping) else properties,
        scheduler=scheduler,
        sweep=sweep,
        node_memory=node_memory,
        node_vcores=node_vcores,
        rack_size=rack_size,
        node_file=node_file,
        node_events=node_events,
        reservations=reservations,
        machine_memory=machine_memory,
        machine_vcores=machine_vcores,
        ams=ams,
        no_added_ams=no_added_ams,
        times=times,
        seed=seed,
        seeds=seeds,
        task_time=task_time,
        queue=queue,
        load=load,
        slow_start=slow_start,
        failures=failures,
        place_tasks=place_tasks,
        no_skip=no_skip,
        until=until,
        every=every,
        decisions=decisions,
        decision_steps=decision_steps,
        out=out,
    )
    make = _frames.maker(frame)
    told = None
    if callable(progress):
        told = lambda *moment: progress(Progress(*moment))  # noqa: E731
    elif progress:
        told = _Lines()
    try:
        found = _native.simulate(given, told)
    finally:
        if isinstance(told, _Lines):
            told.clear()
    for text in found["warnings"]:
        warnings.warn(text, SimulationWarning, stacklevel=2)
    report = found["report"]
    return Simulation(
        jobs=make(found["jobs"]),
        intervals=make(found["intervals"]),
        queues=make(found["queues"]),
        summary=json.loads(found["summary"]),
        remarks=[Remark(*remark) for remark in found["remarks"]],
        warnings=found["warnings"],
        words=found["words"],
        cut=found["cut"],
        unended=found["unended"],
        report=None if report is None else os.fspath(report),
    )


class _Lines:
    """How far a run is, on standard error: one line that changes, or a line every ten seconds where it is no
    terminal."""

    def __init__(self) -> None:
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.pause = 0.2 if self.terminal else 10.0
        self.begun = self.next = time.monotonic()
        self.next += self.pause

    def __call__(self, run: int, now_ms: int, jobs: int, open: int, granted: int) -> None:
        now = time.monotonic()
        if now < self.next or sys.stderr is None:
            return
        self.next = now + self.pause
        hours, minutes = now_ms // 3_600_000, now_ms // 60_000 % 60
        text = f"{hours:02}:{minutes:02} of the day, {jobs} jobs, {open} open, {granted} containers"
        if self.terminal:
            sys.stderr.write(f"\r\x1b[Ksimulate {now - self.begun:4.0f}s  {text}")
        else:
            sys.stderr.write(f"evenweave: simulate, {now - self.begun:.0f} s: {text}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        if self.terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@dataclass(frozen=True)
class Finding:
    """What `check` found. Lines and columns count from 1, and are None where there is no place."""

    file: str
    severity: str
    code: str
    message: str
    line: int | None
    column: int | None
    effect: str | None
    help: str | None

    def __str__(self) -> str:
        place = "" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file}{place}: {self.severity}[{self.code}]: {self.message}"


def check(
    path: Path,
    *more: Path,
    site: Path | Sequence[Path] | None = None,
    cluster: str | None = None,
    node_labels: str | None = None,
    kind: str | None = None,
) -> list[Finding]:
    """Finds what is wrong in configuration files, or is probably a mistake, as `evenweave check` does.

    `site` are the yarn-site.xml files that the others are used with; they are checked, too. `cluster` is the cluster's
    total, such as "memory-mb=1048576, vcores=512". `node_labels` are the labels that nodes have, such as
    "gpu,spare(exclusive=false)". `kind` ("allocations", "capacity" or "site") says what the files are, where their
    names are not to say it. A file that cannot be read is a finding, `unreadable-file`.
    """
    given = dict(files=[path, *more], site=site, cluster=cluster, node_labels=node_labels, kind=kind)
    found = []
    for file in json.loads(_native.check(given))["files"]:
        for one in file["diagnostics"]:
            found.append(
                Finding(
                    file=one.get("source", file["file"]),
                    severity=one["severity"],
                    code=one["code"],
                    message=one["message"],
                    line=one["line"],
                    column=one["column"],
                    effect=one["effect"],
                    help=one["help"],
                )
            )
    return found


class Change(NamedTuple):
    """What changes in meaning by a conversion, and what can be done about it."""

    code: str
    message: str
    help: str | None


@dataclass(frozen=True)
class Converted:
    """What came of a conversion."""

    texts: dict[str, str]
    """The files by name: yarn-site.xml, capacity-scheduler.xml, and mapping-rules.json if there is one."""
    notices: list[str]
    """What Hadoop's FairScheduler says of its file."""
    warnings: list[str]
    """The converter's."""
    changes: list[Change]
    """What changes in meaning."""
    said: str
    """What the program prints on standard error."""


def convert(
    site: Path,
    allocations: Path | None = None,
    *,
    rules: Path | None = None,
    cluster: str | None = None,
    percentages: bool = False,
    asynchronous: bool = False,
    rules_to_file: bool = False,
    no_terminal_rule_check: bool = False,
    skip_placement_rules: bool = False,
    skip_verification: bool = False,
    disable_preemption: str | None = None,
    safe: bool = False,
    out: Path | None = None,
) -> Converted:
    """Makes a CapacityScheduler's configuration of a FairScheduler's, as `evenweave convert` and `yarn fs2cs` do.

    `site` is the FairScheduler's yarn-site.xml, `allocations` its allocation file (by default the one that the site
    names). `safe` corrects harmful output of Hadoop's converter. With `out`, an existing directory, the files are
    written there; otherwise they are only in `texts`. What cannot be converted raises `InputError`.
    """

    def words(directory: str) -> list[str]:
        line = ["-y", _absolute("site", site), "-o", directory]
        if allocations is not None:
            line += ["-f", _absolute("allocations", allocations)]
        if rules is not None:
            line += ["-r", _absolute("rules", rules)]
        for name, text, option in (("cluster", cluster, "-c"), ("disable_preemption", disable_preemption, "-dp")):
            if text is not None:
                line += [option, _text(name, text)]
        flags = {
            "-pc": percentages,
            "-a": asynchronous,
            "-e": rules_to_file,
            "-t": no_terminal_rule_check,
            "-sp": skip_placement_rules,
            "-s": skip_verification,
        }
        return line + [option for option, given in flags.items() if given]

    def run(directory: str) -> Converted:
        found = _native.convert(words(directory), safe)
        texts = {}
        for name in ("yarn-site.xml", "capacity-scheduler.xml", "mapping-rules.json"):
            path = os.path.join(directory, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    texts[name] = file.read()
        changes = [Change(*change) for change in found["changes"]]
        return Converted(texts, found["notices"], found["warnings"], changes, found["said"])

    if rules_to_file and out is None:
        raise InputError("rules_to_file writes a file of its own; give out, a directory")
    if out is not None:
        return run(_absolute("out", out))
    with tempfile.TemporaryDirectory(prefix="evenweave-") as directory:
        return run(directory)


def _absolute(name: str, path: Path) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        text = path
    return os.path.abspath(_text(name, text, "a path: a text or a pathlib.Path"))


def _text(name: str, text: Any, right: str = "a text") -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} is of type {type(text).__name__}; it must be {right}")
    return text
