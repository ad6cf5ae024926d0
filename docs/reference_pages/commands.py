"""The page about the commands: what --help says of each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from docaudit.cli.app import EXIT_CODES, app
from docaudit.cli.flags import SectionedCommand, sections_of, tasks_of
from reference_pages.markdown import page, row, table

HEAD = """# Commands

`docaudit COMMAND --help` says the same. `--debug` (the traceback of an unexpected error) and `--help` are taken by all
and are left out here. Every error is one line on stderr, and exit code 2.

This page is written by docs/generate.py from the help of the commands.
"""
EVERYWHERE = {"--debug", "--help"}


def commands_text() -> str:
    """The reference page of the commands."""
    lines = [HEAD]
    for title, names in tasks_of(app).items():
        lines.append(f"- {title}: {', '.join(f'[{name}](#docaudit-{name})' for name in names)}")
    lines += ["", "```text", *EXIT_CODES.removeprefix("\b\n").splitlines(), "```"]
    for names in tasks_of(app).values():
        for name in names:
            for shown_as, command in _leaves(f"docaudit {name}", app.commands[name]):
                lines += ["", *_command(shown_as, command)]
    return page(lines)


def _leaves(shown_as: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The command, and if it is a group all its commands."""
    yield shown_as, command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _leaves(f"{shown_as} {name}", command.commands[name])


def _command(shown_as: str, command: click.Command) -> list[str]:
    """One command: how it is called, what it does, exit code, options."""
    context = click.Context(command, info_name=shown_as)
    text, exit_code = _split(inspect.cleandoc(command.help or ""))
    lines = [
        f"## {shown_as}",
        "",
        "```text",
        " ".join([shown_as, *command.collect_usage_pieces(context)]),
        "```",
        "",
    ]
    lines += [text, ""]
    if exit_code:
        lines += [f"**Exit code**: {exit_code}", ""]
    return [*lines, *_options(command, context)]


def _options(command: click.Command, context: click.Context) -> list[str]:
    """The options of a command in full; those that audit has as well by name, but for audit itself."""
    if not isinstance(command, SectionedCommand):
        own = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        return _listed("options", own, context)
    grouped = sections_of(command, context)
    lines = _listed("options", grouped.pop("Options"), context)
    for title, options in grouped.items():
        if command is app.commands["audit"]:
            lines += _listed(title.lower(), options, context)
        else:
            names = ", ".join(f"`{one.opts[0]}`" for one in options)
            lines += [f"{title}, as in [docaudit audit](#docaudit-audit): {names}.", ""]
    return lines


def _listed(title: str, options: list[click.Option], context: click.Context) -> list[str]:
    """A table of options."""
    shown = [one for one in options if EVERYWHERE.isdisjoint(one.opts)]
    records = [record for one in shown if (record := one.get_help_record(context))]
    if not records:
        return []
    return [*table(title, "meaning"), *(row(f"`{flag}`", what) for flag, what in records), ""]


def _split(text: str) -> tuple[str, str]:
    """What a command does, and what its exit codes mean: the sentences from "Exit code" on."""
    before, mark, after = re.sub(r"(?<!\n)\n(?!\n)", " ", text).partition("Exit code")
    return before.strip(), f"{after.removeprefix(':').strip()}" if mark else ""
