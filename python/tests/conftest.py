"""What the tests share: the program, with which everything is compared, and the bundled files."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tools" / "data"


class Program:
    """The program `evenweave`, built from the same code."""

    def __init__(self, path):
        self.path = path

    def run(self, *words, cwd=None):
        words = [str(word) for word in words]
        return subprocess.run([self.path, *words], capture_output=True, text=True, timeout=300, cwd=cwd)

    def simulate(self, out, *words):
        """Its JSON object."""
        ran = self.run("simulate", "--json", "--quiet", "--out", out, *words)
        assert ran.returncode in (0, 1), ran.stderr
        return json.loads(ran.stdout)

    def refused(self, *words):
        """What it says where it refuses."""
        ran = self.run(*words)
        assert ran.returncode == 2, (words, ran)
        return ran.stderr.removeprefix("evenweave: ").rstrip("\n")


@pytest.fixture(scope="session")
def program():
    return Program(os.environ["EVENWEAVE_PROGRAM"])


@pytest.fixture(scope="session")
def data():
    return DATA


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path, monkeypatch):
    """What is written by mistake is found here."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here
