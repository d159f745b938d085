"""The package: its stubs agree with the module, its example runs, the examples of its page run."""

import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import evenweave
from evenweave import _native

PACKAGE = pathlib.Path(evenweave.__file__).parent


def stubs():
    return ast.parse((PACKAGE / "_native.pyi").read_text())


def shape(arguments):
    """Of a stub: name, kind and default of each parameter."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    named = zip(arguments.kwonlyargs, arguments.kw_defaults)
    shown = [(argument.arg, "positional", value) for argument, value in zip(positional, defaults)]
    shown += [(argument.arg, "named", value) for argument, value in named]
    return [(name, kind, ... if value is None else ast.literal_eval(value)) for name, kind, value in shown]


def real_shape(function):
    def one(parameter):
        kind = "named" if parameter.kind is parameter.KEYWORD_ONLY else "positional"
        return parameter.name, kind, ... if parameter.default is parameter.empty else parameter.default

    return [one(parameter) for parameter in inspect.signature(function).parameters.values()]


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_stubs_agree_with_the_module():
    body = stubs().body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    assert public([*functions, *classes]) == public(vars(_native))
    for name, function in functions.items():
        assert shape(function.args) == real_shape(getattr(_native, name)), name
    compared = 0
    for name, stub in classes.items():
        real = getattr(_native, name)
        members = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
        fields = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
        assert public([*members, *fields]) == public(vars(real)), name
        assert [ast.unparse(base) for base in stub.bases] == [
            base.__name__ for base in real.__bases__ if base is not object
        ]
        for member, node in members.items():
            kinds = {ast.unparse(decorator) for decorator in node.decorator_list}
            if "property" in kinds:
                assert inspect.isgetsetdescriptor(vars(real)[member]), (name, member)
            elif not member.startswith("_"):
                expected = shape(node.args)
                # A bound class method has no `cls`, a method of a class has `self`.
                expected = expected[1:] if "classmethod" in kinds else expected
                assert expected == real_shape(getattr(real, member)), (name, member)
                compared += 1
    assert compared > 20


def test_what_is_exported_is_there_and_has_a_text():
    assert evenweave.__version__
    for name in evenweave.__all__:
        assert getattr(evenweave, name).__doc__, name
    assert (PACKAGE / "py.typed").exists()


def test_defaults_are_the_programs(program):
    """`--help` names them: what the program has as a default is the default here."""
    text = program.run("simulate", "--help").stdout
    blocks = re.split(r"\n +(?:-\w, )?--", text)
    found = {}
    for block in blocks[1:]:
        name = re.match(r"[\w-]+", block)[0].replace("-", "_")
        default = re.search(r"\[default: ([^\]]+)\]\s*$", block.rstrip())
        found[name] = default and re.sub(r"\s+", " ", default[1])
    signature = inspect.signature(evenweave.simulate).parameters
    ours = {"trace", "frame", "progress", "properties"}
    theirs = {"json", "quiet", "help"}
    assert public(found) - theirs == set(signature) - ours
    same = 0
    for name in set(signature) - ours:
        value = signature[name].default
        if value is None or value is False:
            continue
        assert str(value).replace(".0", "") == found[name].replace(".0", ""), name
        same += 1
    assert same > 8


def test_the_example_runs(root, tmp_path):
    ran = subprocess.run(
        [sys.executable, root / "python" / "examples" / "waits.py", tmp_path / "waits.png"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert ran.returncode == 0, ran.stderr
    picture = (tmp_path / "waits.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
    assert "waits" in ran.stdout


def examples(root):
    return re.findall(r"```python\n(.*?)```", (root / "docs" / "python.md").read_text(), flags=re.DOTALL)


@pytest.mark.filterwarnings("ignore::evenweave.SimulationWarning")
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_examples_of_the_page_run(root, data, number, monkeypatch):
    """They run in a checkout."""
    monkeypatch.chdir(root)
    all_examples = examples(root)
    assert len(all_examples) == 4
    exec(compile(all_examples[number], f"example {number + 1} of docs/python.md", "exec"), {"__name__": "example"})
