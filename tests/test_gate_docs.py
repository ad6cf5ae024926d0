"""docs/gate.md runs as it stands: its file of results, each command in order, and its program."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from docaudit.cli import main
from tests.gates import frozen
from tests.test_gate_choice import questions
from tests.test_gate_run import CONFIG, DOCUMENTS, QUERIES, written

PAGE = (Path(__file__).parent.parent / "docs" / "gate.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def block(language: str) -> str:
    (found,) = blocks(language)
    return found


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
    assert json.loads((folder / "adopted.json").read_text())["held_out_uses"] == 1


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
def test_the_programs() -> None:
    pytest.importorskip("mapie", reason="the extra evaluate is not installed")
    known: dict[str, Any] = {}
    for code in blocks("python"):
        exec(compile(code, "docs/gate.md", "exec"), known)
    fit, independent = frozen(questions(200, 100)), frozen(questions(200, 100, start=1000))
    assert 0.9 < known["probability"](fit, independent, 0.75) < 1
    chosen, said = known["promise"](independent, [0.6, 0.7])
    assert chosen == 0.7  # of normal scores around 0.4 with the spread 0.12, 5 % reach 0.6 and 1 % reach 0.7
    assert "At 0.7" in said


def test_the_reference_retriever_needs_what_the_page_names(tmp_path: Path) -> None:
    for name in ("config", "documents", "queries"):
        start = PAGE.index(f"- `{name}.json`:")
        said = set(
            re.findall(r"`(\w+)`", PAGE[start : PAGE.index("\n- ", start + 1) if name != "queries" else None])
        )
        made = {"config": CONFIG, "documents": DOCUMENTS[0], "queries": QUERIES[0]}[name]
        assert set(made) <= said, name
    arguments = written(tmp_path, CONFIG, DOCUMENTS, QUERIES)
    assert main(["gate", "run", *arguments, "--out", str(tmp_path / "results.json")]) == 0


def test_the_readme_links_to_it() -> None:
    assert "docs/gate.md" in (Path(__file__).parent.parent / "README.md").read_text("utf-8")
