"""Checks and the conversion: what they find and write is the program's."""

import json
import os

import pytest

import evenweave

WRONG = """<allocations>
  <queue name="a"><weight>much</weight></queue>
  <odd/>
</allocations>
"""


def test_findings_are_the_programs(program, data, tmp_path):
    wrong = tmp_path / "fair-scheduler.xml"
    wrong.write_text(WRONG)
    none = tmp_path / "none.xml"
    site, capacity = data / "yarn-site.xml", data / "capacity-scheduler.xml"
    cluster = "memory-mb=1048576, vcores=512"
    ran = program.run("check", "--format", "json", "--site", site, "--cluster", cluster, wrong, capacity, none)
    expected = [
        (file["file"], *(one[name] for name in ("severity", "code", "message", "line", "column", "effect", "help")))
        for file in json.loads(ran.stdout)["files"]
        for one in file["diagnostics"]
    ]
    found = evenweave.check(wrong, capacity, str(none), site=site, cluster=cluster)
    assert expected == [
        (one.file, one.severity, one.code, one.message, one.line, one.column, one.effect, one.help) for one in found
    ]
    codes = {one.code for one in found}
    assert "unreadable-file" in codes and len(codes) > 2
    broken = next(one for one in found if one.severity == "error" and one.file == str(wrong))
    assert (broken.line, str(broken).startswith(f"{wrong}:2:")) == (2, True)


def test_a_good_file_has_no_findings(tmp_path):
    path = tmp_path / "fair-scheduler.xml"
    path.write_text("<allocations><queue name='a'/></allocations>")
    assert evenweave.check(path) == []


def test_a_check_takes_what_the_program_takes(program, data):
    path = data / "fair-scheduler.xml"
    for cluster in ("much", "memory-mb=5", "50%"):
        said = program.refused("check", "--cluster", cluster, path)
        with pytest.raises(evenweave.InputError) as raised:
            evenweave.check(path, cluster=cluster)
        assert str(raised.value) == said
    with pytest.raises(evenweave.InputError, match='kind is "xml"; it must be one of allocations, capacity, site'):
        evenweave.check(path, kind="xml")
    with pytest.raises(TypeError, match="files"):
        evenweave.check(5)
    assert [one.code for one in evenweave.check("a\0b")] == ["unreadable-file"]
    assert evenweave.check(path, kind="site") != evenweave.check(path)


OPTIONS = [{}, {"percentages": True}, {"safe": True}, {"asynchronous": True, "skip_verification": True}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_conversion_is_the_programs(program, data, tmp_path, options, in_a_directory_of_its_own):
    words = {"percentages": "-pc", "safe": "--safe", "asynchronous": "-a", "skip_verification": "-s"}
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    site, allocations = data / "yarn-site.xml", data / "fair-scheduler.xml"
    ran = program.run("convert", "-y", site, "-f", allocations, "-o", theirs, *(words[name] for name in options))
    assert ran.returncode == 0, ran
    expected = {name: (theirs / name).read_text() for name in os.listdir(theirs)}
    found = evenweave.convert(site, os.path.relpath(allocations), **options)
    assert found.texts == expected and "capacity-scheduler.xml" in expected
    assert found.said == ran.stderr
    assert all(change.message in ran.stderr for change in found.changes)
    assert os.listdir(in_a_directory_of_its_own) == []
    written = evenweave.convert(site, allocations, out=ours, **options)
    assert {name: (ours / name).read_text() for name in os.listdir(ours)} == expected == written.texts


def test_what_cannot_be_converted_is_refused(program, data, tmp_path):
    wrong = tmp_path / "fair-scheduler.xml"
    wrong.write_text(WRONG)
    out = tmp_path / "out"
    out.mkdir()
    ran = program.run("convert", "-y", data / "yarn-site.xml", "-f", wrong, "-o", out)
    assert ran.returncode == 255
    with pytest.raises(evenweave.InputError) as raised:
        evenweave.convert(data / "yarn-site.xml", wrong)
    assert str(raised.value) in ran.stderr
    assert (raised.value.file, raised.value.line) == (str(wrong), 2)
    site = data / "yarn-site.xml"
    for given in ({"site": tmp_path / "none.xml"}, {"site": "a\0b"}, {"site": site, "out": tmp_path / "none"}):
        with pytest.raises((evenweave.InputError, OSError)):
            evenweave.convert(**given)
    for given in ({"site": 5}, {"site": site, "cluster": 5}):
        with pytest.raises(TypeError):
            evenweave.convert(**given)
    with pytest.raises(evenweave.InputError, match="give out"):
        evenweave.convert(site, rules_to_file=True)
