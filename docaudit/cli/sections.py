"""How --help is laid out: options of an audit under headings, commands by what they are for."""

from __future__ import annotations

import click

SECTIONS = {
    "What counts as absent": ("scope", "window_words", "required", "canary", "waive", "because"),
    "Reading": (
        "ocr",
        "ocr_engine",
        "ocr_lang",
        "ocr_confidence",
        "ink",
        "second_reader",
        "attachment_depth",
        "revisions",
        "password",
    ),
    "Explanation": ("language", "closest", "explain_with", "explain_seconds"),
    "Limits": (
        "workers",
        "page_seconds",
        "document_seconds",
        "memory_mb",
        "attachment_mb",
        "regex_seconds",
        "sweep_seconds",
    ),
}
"""Headings and the options of AuditOptions below them; every other option of a command stands under "Options"."""
SECTION_OF = {name: title for title, names in SECTIONS.items() for name in names}


class SectionedCommand(click.Command):
    """A command that has flags of AuditOptions: its --help shows them under the headings of SECTIONS."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, the command's own first."""
        for title, options in sections_of(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl([record for one in options if (record := one.get_help_record(ctx))])


def sections_of(command: click.Command, ctx: click.Context) -> dict[str, list[click.Option]]:
    """The options of a command by heading, those without a heading first; no heading is empty."""
    shown = [one for one in command.get_params(ctx) if isinstance(one, click.Option) and not one.hidden]
    found: dict[str, list[click.Option]] = {title: [] for title in ("Options", *SECTIONS)}
    for option in shown:
        found[SECTION_OF.get(option.name or "", "Options")].append(option)
    return {title: options for title, options in found.items() if options}


TASKS = {
    "Ask a document": ("audit", "coverage", "sweep", "parse", "explain"),
    "Make the concept table": ("init", "accept", "reject", "suggest", "lint", "strength", "diff"),
    "Check and pass on": ("report", "verify", "compare", "sample"),
    "Many documents": ("corpus",),
    "Answering tools": ("gate", "evaluate", "mcp"),
    "For other programs": ("serve",),
}
"""Commands by what they are for; a command that is not named here stands under "Further"."""


class TaskGroup(click.Group):
    """The program: its --help lists the commands by task."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by task, each with the first sentence of its help."""
        wide = max(map(len, self.commands))
        for title, names in tasks_of(self).items():
            rows = [
                (name, self.commands[name].get_short_help_str(formatter.width - wide - 6)) for name in names
            ]
            with formatter.section(title):
                formatter.write_dl([(name.ljust(wide), what) for name, what in rows])


def tasks_of(group: click.Group) -> dict[str, list[str]]:
    """The commands that a group has, by task."""
    named = {name for names in TASKS.values() for name in names}
    further = [name for name in sorted(group.commands) if name not in named]
    found = {title: [name for name in names if name in group.commands] for title, names in TASKS.items()}
    return {title: names for title, names in (found | {"Further": further}).items() if names}
