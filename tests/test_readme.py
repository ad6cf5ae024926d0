"""The README runs: its library example, and every docaudit command in it parses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from docaudit.cli.app import app

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
    assert command.make_context(name, arguments, parent=click.Context(app)).params


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make (\w+)", "\n".join(blocks("sh")), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
