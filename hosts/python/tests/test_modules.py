"""What ``langgraph.json`` names of a project's modules."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runyard_host.errors import AppError
from runyard_host.modules import load_export


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    known = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def write(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def load(project: Path, path: str, export: str) -> object:
    return load_export({"path": str(project / path), "export": export})


def test_a_file_is_loaded_once_and_is_the_module_that_others_import(project: Path) -> None:
    write(
        project, {"agent_a.py": "class State: ...\n", "other_a.py": "from agent_a import State\n"}
    )
    assert load(project, "agent_a.py", "State") is load(project, "other_a.py", "State")


def test_a_file_in_a_package_may_import_its_neighbours(project: Path) -> None:
    write(
        project,
        {
            "src/speaker/__init__.py": "",
            "src/speaker/word.py": "WORD = 'hello'\n",
            "src/speaker/agent.py": "from .word import WORD\n",
        },
    )
    assert load(project, "src/speaker/agent.py", "WORD") == "hello"
    assert load_export({"module": "speaker.word", "export": "WORD"}) == "hello"


def test_files_of_one_name_do_not_mix(project: Path) -> None:
    write(
        project,
        {"one/graph.py": "NAME = 1\n", "two/graph.py": "NAME = 2\n", "json.py": "NAME = 3\n"},
    )
    assert [load(project, f"{name}.py", "NAME") for name in ("one/graph", "two/graph", "json")] == [
        1,
        2,
        3,
    ]
    assert sys.modules["json"].__name__ == "json"


def test_a_failure_says_where_the_project_is_wrong(project: Path) -> None:
    write(
        project,
        {
            "throws.py": "def fail():\n    raise TypeError('on purpose')\n\nfail()\n",
            "syntax.py": "graph = {\n",
            "other.py": "agent = 1\n",
            "needs.py": "import no_such_package\n",
        },
    )
    for path, export, words in [
        ("throws.py", "graph", ["./throws.py", "TypeError: on purpose", "line 2, in fail"]),
        ("syntax.py", "graph", ["./syntax.py", "SyntaxError"]),
        ("other.py", "graph", ['./other.py has no "graph". It has agent.']),
        ("absent.py", "graph", ["There is no file ./absent.py"]),
        ("needs.py", "graph", ["No module named 'no_such_package'"]),
    ]:
        with pytest.raises(AppError) as caught:
            load(project, path, export)
        assert caught.value.code == "bad_request"
        for word in words:
            assert word in str(caught.value)
        assert "importlib" not in str(caught.value)
