"""README.md and all pages of docs/ run as they stand; what does not run says so, and is counted here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import pytest

from docaudit.cli.app import app
from tests import pdfs
from tests.pages import BLOCKS, PAGES, ROOT, Block, blocks_of

pytestmark = pytest.mark.slow

# Blocks of Python or commands that no test runs. Each says why; a new one must be counted here.
NOT_RUN = {"README.md": 1}
SAYS_NO_AI = ("Electricity prices rose in the second quarter.", "Most of it came from coal.")
SAYS_AI = ("Artificial intelligence in data centers consumes more electricity every year.",)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what examples speak of: report.pdf, new-edition.pdf, concepts.csv, old.csv, samples/, docaudit."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    (tmp_path / "report.pdf").write_bytes(pdfs.document(pdfs.text(*SAYS_NO_AI), pdfs.text(*pdfs.PROSE)))
    (tmp_path / "new-edition.pdf").write_bytes(pdfs.document(pdfs.text(*SAYS_AI), pdfs.text(*pdfs.PROSE)))
    table = (ROOT / "samples" / "ai-power.csv").read_text("utf-8")
    (tmp_path / "concepts.csv").write_text(table, "utf-8")
    (tmp_path / "old.csv").write_text("".join(table.splitlines(keepends=True)[:-1]), "utf-8")
    program = tmp_path / ".bin" / "docaudit"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m docaudit "$@"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("DOCAUDIT_CACHE", str(tmp_path / ".cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(one.runs for one in blocks_of(page))], ids=lambda page: page.name
)
def test_page(page: Path, desk: Path) -> None:
    """All blocks of a page in order, in one folder, Python with the names of the blocks before."""
    blocks = blocks_of(page)
    for block in blocks:
        if block.file:
            (desk / block.file).write_text(block.code, "utf-8")
    names: dict[str, Any] = {}
    printed = ""
    for block in blocks:
        if block.runs and block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.code, block.page, "exec"), names)
        elif block.runs:
            printed = run_commands(block)
        elif block.language == "text":  # what the commands before it print, in part
            for line in block.code.splitlines():
                assert line.strip() in ("…", *map(str.strip, printed.splitlines())), f"{block.where}: {line}"


def run_commands(block: Block) -> str:
    """Run each command of a block; a comment may say which exit code it has, else it is 0. All that was printed."""
    printed = ""
    for line in block.commands:
        said = re.search(r"#.*exit code (\d+)", line)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == int(said[1] if said else 0), (
            f"{block.where}: {line}\n{done.stdout}{done.stderr}"
        )
        printed += done.stdout + done.stderr
    return printed


@pytest.mark.parametrize("block", [one for one in BLOCKS if one.calls], ids=lambda one: one.where)
def test_commands_have_the_arguments_they_are_shown_with(block: Block) -> None:
    for name, *arguments in block.calls:
        command = app.commands[name]
        if isinstance(command, click.Group):
            name, *arguments = arguments
            command = command.commands[name]
        assert command.make_context(name, arguments, parent=click.Context(app)).params


def test_commands_in_the_text_exist() -> None:
    for page in PAGES:
        for name in re.findall(r"`docaudit ([a-z]\w*)", page.read_text("utf-8")):
            assert name in app.commands, f"{page.name}: docaudit {name}"


def test_what_is_not_run_is_counted_and_says_why() -> None:
    unrun = [one for one in BLOCKS if one.language in ("python", "sh") and not one.runs]
    by_others = {one for one in unrun if one.note.startswith("run by ")}
    for block in by_others:
        test = ROOT / block.note.removeprefix("run by ")
        assert Path(block.page).name in test.read_text("utf-8"), f"{block.where}: {block.note}"
    for block in set(unrun) - by_others:
        assert re.fullmatch(r"not run: .+", block.note), f"{block.where}: {block.note}"
    assert Counter(one.page for one in unrun if one not in by_others) == NOT_RUN


def test_the_justification_that_is_read_is_that_of_the_sample() -> None:
    """Each excerpt in docs/read-a-justification.md is a part of the saved one."""
    saved = json.loads(
        (ROOT / "samples/expected/justifications/commodity-report.ai-power.json").read_text("utf-8")
    )
    excerpts = [
        one for one in BLOCKS if one.page == "docs/read-a-justification.md" and one.language == "json"
    ]
    assert len(excerpts) == 5
    for block in excerpts:
        assert part_of(json.loads(block.code), saved), block.where


def part_of(some: Any, whole: Any) -> bool:
    """Whether every field of an excerpt, and every row of a list, stands in the whole."""
    if isinstance(some, dict):
        return isinstance(whole, dict) and all(
            key in whole and part_of(some[key], whole[key]) for key in some
        )
    if isinstance(some, list):
        return bool(some) == bool(whole) and all(any(part_of(one, row) for row in whole) for one in some)
    return bool(some == whole)


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^make (\w+)", "\n".join(one.code for one in BLOCKS), re.MULTILINE)
    assert {"audit", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
