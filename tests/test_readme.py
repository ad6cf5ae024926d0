"""The README runs: its library example, and every docaudit command in it parses."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from docaudit.cli.app import app
from docaudit.concepts import ConceptTable
from docaudit.saved import load

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", blocks("python"))
def test_library_example(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize("line", re.findall(r"^docaudit .*$", "\n".join(blocks("sh")), re.MULTILINE))
def test_commands_have_the_arguments_they_are_shown_with(line: str) -> None:
    name, *arguments = shlex.split(line, comments=True)[1:]
    command = app.commands[name]
    if isinstance(command, click.Group):
        name, *arguments = arguments
        command = command.commands[name]
    assert command.make_context(name, arguments, parent=click.Context(app)).params


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make (\w+)", "\n".join(blocks("sh")), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_whole_review_as_a_new_user_would_do_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Question, init, accept, suggest, reject, review, lint, strength, audit: each line of the README, in order."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.setenv("DOCAUDIT_CACHE", str(tmp_path / "cache"))

    def run(line: str, keys: str = "") -> int:
        command = [sys.executable, "-m", *shlex.split(line, comments=True)]
        return subprocess.run(command, cwd=tmp_path, input=keys, text=True, timeout=300).returncode

    block = next(one for one in blocks("sh") if "docaudit init review.csv" in one)
    lines = re.findall(r"^docaudit .*$", block, re.MULTILINE)
    for line in lines:
        assert run(line, keys="r\nno\nr\nno\nq\n") == 0, (
            line
        )  # two rejected, each with a note, then the person stops
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
