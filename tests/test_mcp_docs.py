"""docs/mcp.md runs as it stands: its program, its configuration, its commands; and it names every tool and option."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import anyio
import click
import pytest

from docaudit.cli.app import app

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
from mcp.client.stdio import StdioServerParameters  # noqa: E402

from docaudit.integrations.mcp import ToolAuditOptions  # noqa: E402

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "mcp.md").read_text("utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\b[^\n]*\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


def test_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(block("python"), "docs/mcp.md", "exec"), {"__name__": "docs"})


def test_the_configuration_starts_a_server_with_every_tool_of_the_page() -> None:
    started = json.loads(block("json"))["mcpServers"]["docaudit"]
    assert started["command"] == "docaudit"
    words = [str(ROOT / "samples") if word.startswith("/") else word for word in started["args"]]
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "docaudit", *words],
        env={**os.environ, **started["env"], "PYTHONPATH": str(ROOT)},
    )

    async def tools() -> Any:
        async with mcp.Client(server) as client:
            return (await client.list_tools()).tools

    found = {tool.name: tool.input_schema.get("required", []) for tool in anyio.run(tools)}
    named = dict(
        re.findall(r"^\| `(\w+)` \| ([a-z, ]*?) ?\|", PAGE.partition("| finding |")[0], re.MULTILINE)
    )
    assert {name: ", ".join(needs) for name, needs in found.items()} == named


@pytest.mark.parametrize("line", re.findall(r"^docaudit .*$", block("sh"), re.MULTILINE))
def test_the_commands_have_the_arguments_they_are_shown_with(line: str) -> None:
    name, *arguments = shlex.split(line, comments=True)[1:]
    assert app.commands[name].make_context(name, arguments, parent=click.Context(app)).params


def test_every_option_is_named() -> None:
    assert [name for name in ToolAuditOptions.model_fields if f"`{name}`" not in PAGE] == []
