"""What the file of results in docs/gate.md comes to; that the page runs is tested by tests/test_docs_run.py."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docaudit.cli import main
from tests.gates import frozen
from tests.pages import DOCS, blocks_of
from tests.test_gate_choice import questions
from tests.test_gate_run import CONFIG, DOCUMENTS, QUERIES, written

pytestmark = pytest.mark.slow

PAGE = DOCS / "gate.md"


def test_what_its_rows_come_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (results,) = (block for block in blocks_of(DOCS / "gate.md") if block.file == "results.json")
    (tmp_path / "results.json").write_text(results.code, "utf-8")
    monkeypatch.chdir(tmp_path)
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


def test_what_its_functions_give() -> None:
    pytest.importorskip("mapie", reason="the extra evaluate is not installed")
    (code,) = (block.code for block in blocks_of(PAGE) if "def promise" in block.code)
    known: dict[str, Any] = {}
    exec(compile(code, "docs/gate.md", "exec"), known)
    fit, independent = frozen(questions(200, 100)), frozen(questions(200, 100, start=1000))
    assert 0.9 < known["probability"](fit, independent, 0.75) < 1
    chosen, said = known["promise"](independent, [0.6, 0.7])
    assert chosen == 0.7  # of normal scores around 0.4 with the spread 0.12, 5 % reach 0.6 and 1 % reach 0.7
    assert "At 0.7" in said


def test_the_reference_retriever_needs_what_the_page_names(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    for name, made in (("config", CONFIG), ("documents", DOCUMENTS[0]), ("queries", QUERIES[0])):
        said = text[text.index(f"- `{name}.json`:") :]
        assert set(made) <= set(re.findall(r"`(\w+)`", re.split(r"\n(?:- |\n)", said)[0])), name
    arguments = written(tmp_path, CONFIG, DOCUMENTS, QUERIES)
    assert main(["gate", "run", *arguments, "--out", str(tmp_path / "results.json")]) == 0
