"""docs/gate.md runs as it stands: its file of results, each command in order, and its program."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from docaudit.cli import main

PAGE = (Path(__file__).parent.parent / "docs" / "gate.md").read_text("utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "results.json").write_text(block("json"), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands(folder: Path) -> None:
    for extra in ("matplotlib", "mapie"):
        pytest.importorskip(extra, reason="the extra evaluate is not installed")
    for line in block("sh").splitlines():
        assert main(shlex.split(line, comments=True)[1:]) == 0, line
    assert (folder / "trade-off.svg").exists()
    assert len(json.loads((folder / "split.json").read_text())["uses"]) == 1


def test_what_its_rows_come_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "sweep", "results.json", "--thresholds", "0.4,0.7", "--json"]) == 0
    lenient, strict = (point["gate"] for point in json.loads(capsys.readouterr().out)["points"])
    assert (lenient["false_pass_ids"], strict["false_pass_ids"]) == (["Q2"], [])
    assert lenient["over_hold_ids"] == strict["over_hold_ids"] == ["Q3", "Q5"]
    assert lenient["reasons"] == {
        "pass": 2,
        "below_threshold": 0,
        "no_candidates": 1,
        "missing_score": 1,
        "retrieval_failed": 1,
    }


@pytest.mark.usefixtures("folder")
def test_the_program() -> None:
    exec(compile(block("python"), "docs/gate.md", "exec"), {})


def test_the_readme_links_to_it() -> None:
    assert "docs/gate.md" in (Path(__file__).parent.parent / "README.md").read_text("utf-8")
