"""The walk through a review in docs/keyword-table.md, from a question to a defended answer, as a new user does it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from docaudit.concepts.model import ConceptTable
from docaudit.saved import load
from tests.pages import DOCS, ROOT, blocks_of

pytestmark = pytest.mark.slow


def test_the_whole_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Question, init, accept, suggest, reject, review, lint, strength, audit: each line in order."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.setenv("DOCAUDIT_CACHE", str(tmp_path / "cache"))

    def run(line: str, keys: str = "") -> int:
        command = [sys.executable, "-m", *shlex.split(line, comments=True)]
        return subprocess.run(command, cwd=tmp_path, input=keys, text=True, timeout=300).returncode

    (block,) = (one for one in blocks_of(DOCS / "keyword-table.md") if one.note.startswith("run by "))
    lines = re.findall(r"^docaudit .*$", block.code, re.MULTILINE)
    assert len(lines) == 10
    for line in lines:
        # Two are rejected, each with a note, then the person stops.
        assert run(line, keys="r\nno\nr\nno\nq\n") == 0, line
    rows = ConceptTable.load(tmp_path / "review.csv").variants
    assert {row.text: row.reference for row in rows}["electricity"] == "IEA glossary"
    assert sum(row.status == "rejected" for row in rows) == 3
    assert all(row.reviewer == "kim" and row.date for row in rows)

    review, audit = next(line for line in lines if "--review " in line), lines[-1]
    assert run(review, keys="o\nq\n") == 0
    assert run(audit) == 3  # one row is left open: absence is not established, and the audit says why
    saved = load((tmp_path / "out" / "justification.json").read_bytes())
    assert [check.obligation for check in saved.unmet] == ["variants_reviewed"]
    assert run(review, keys="r\nno\nq\n") == 0  # what is open comes first
    assert run(audit) == 0
