"""Flags that several commands share, how --help is laid out, and JSON and progress as every command prints them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

import click

from docaudit.errors import OptionError
from docaudit.options import AuditOptions, described

if TYPE_CHECKING:
    from rich.progress import TaskID

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class State:
    """What the flags that every command has were set to."""

    debug: bool = False


def _set_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(State).debug = True


password_flag = click.option(
    "--password",
    metavar="TEXT",
    envvar="DOCAUDIT_PASSWORD",
    help="Password of an encrypted document. Better through the environment: DOCAUDIT_PASSWORD.",
)
debug_flag = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    # Before all others, so that it also covers what the others' own checks raise.
    is_eager=True,
    help="Show the traceback of an unexpected error.",
)
json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
concepts_flag = click.option(
    "--concepts",
    required=True,
    metavar="TABLE",
    type=click.Path(path_type=Path),
    help="Concept table: CSV, TSV, JSON, YAML or XLSX.",
)
retrieved_flag = click.option(
    "--retrieved",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Chunks that a retriever gave for the question (JSON list or JSON Lines: text, page or pages, id, score): "
    "did it miss what the sweep found?",
)


def documents(nargs: int = 1) -> Callable[[Command], Command]:
    """The argument DOC: a PDF, or a folder that `docaudit parse` wrote."""
    name, label = ("doc", "DOC") if nargs == 1 else ("docs", "DOC...")
    return click.argument(name, metavar=label, nargs=nargs, required=True, type=click.Path(path_type=Path))


def one_form(**forms: bool) -> str:
    """Name of the form that was chosen by its flag, text if none was.

    Raises:
        click.UsageError: Two forms were chosen.
    """
    chosen = [name for name, is_chosen in forms.items() if is_chosen]
    if len(chosen) > 1:
        named = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"{named} exclude each other", click.get_current_context())
    return chosen[0] if chosen else "text"


def table_argument(name: str = "table") -> Callable[[Command], Command]:
    """An argument that is the file of a concept table."""
    return click.argument(name, metavar=name.upper(), type=click.Path(path_type=Path))


_SHOWN_ELSEWHERE = {"password": "Better through the environment: DOCAUDIT_PASSWORD."}


def option_flags(names: Iterable[str] = tuple(AuditOptions.model_fields)) -> Callable[[Command], Command]:
    """Add the flags of these options, of all if none is named.

    The command receives them by field name, None or () for those not given.
    """
    chosen = list(names)

    def add(command: Command) -> Command:
        for name in reversed(chosen):
            if name == "waive":
                command = _because(command)
            command = _flag(name)(command)
        return command

    return add


def chosen_options(flags: Mapping[str, Any]) -> AuditOptions:
    """The options with which a command was called; raises OptionError for a value that does not fit."""
    given = {name: flags[name] for name in AuditOptions.model_fields if flags.get(name) not in (None, ())}
    reasons = flags.get("because") or ()
    if "waive" in given or reasons:
        given["waive"] = _waivers(given.get("waive", ()), reasons)
    return AuditOptions.from_keywords(None, given)


def _flag(name: str) -> Callable[[Command], Command]:
    field = AuditOptions.model_fields[name]
    flag = "--" + name.replace("_", "-")
    settings: dict[str, Any] = {"help": _help(name), "default": None}
    kind = _plain(field.annotation)
    if get_origin(kind) is Literal:
        settings["type"] = click.Choice([str(value) for value in get_args(kind)])
    elif name == "waive":
        settings |= {"multiple": True, "metavar": "CODE"}
    elif get_origin(kind) is tuple:
        settings |= {"multiple": True, "metavar": "NAME"}
    elif kind is bool:
        return click.option(f"{flag}/--no-{flag[2:]}", name, **settings)
    elif kind in (int, float):
        settings["type"] = kind
    if name == "password":
        settings["envvar"] = "DOCAUDIT_PASSWORD"
    return click.option(flag, name, **settings)


_because = click.option(
    "--because",
    multiple=True,
    metavar="REASON",
    help="Why the obligation named by --waive is waived: one for each, in the same order.",
)


def _plain(annotation: Any) -> Any:
    """The annotation without "or None"."""
    if get_origin(annotation) in (Union, UnionType):
        return next(part for part in get_args(annotation) if part is not type(None))
    return annotation


def _help(name: str) -> str:
    """What the docstring says of the field, and its default."""
    text = described(name)
    default = AuditOptions.model_fields[name].default
    if isinstance(default, str | int | float) and not isinstance(default, bool):
        text += f" [default: {default:g}]" if isinstance(default, float) else f" [default: {default}]"
    return f"{text} {_SHOWN_ELSEWHERE.get(name, '')}".strip()


def _waivers(codes: tuple[str, ...], reasons: tuple[str, ...]) -> dict[str, str]:
    if len(codes) != len(reasons):
        raise OptionError(
            f"{len(codes)} x --waive, {len(reasons)} x --because: each waiver needs its reason",
            remedy='write --waive CODE --because "why this may be waived"',
        )
    if len(set(codes)) != len(codes):
        raise OptionError("--waive names an obligation twice", remedy="write both reasons into one --because")
    return {code: reason.strip() for code, reason in zip(codes, reasons, strict=True)}


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
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


def sections_of(command: click.Command, ctx: click.Context) -> dict[str, list[click.Option]]:
    """The options of a command by heading, those without a heading first; no heading is empty."""
    by_title: dict[str, list[click.Option]] = {title: [] for title in ("Options", *SECTIONS)}
    for option in command.get_params(ctx):
        if isinstance(option, click.Option) and not option.hidden:
            by_title[SECTION_OF.get(option.name or "", "Options")].append(option)
    return {title: options for title, options in by_title.items() if options}


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
    by_task = {title: [name for name in names if name in group.commands] for title, names in TASKS.items()}
    return {title: names for title, names in (by_task | {"Further": further}).items() if names}


Progress = Callable[[int, int], None]
StageProgress = Callable[[str, int, int], None]


def print_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False))


@contextmanager
def progress_bar(label: str, unit: str = "pages") -> Iterator[Progress | None]:
    """A callable (pages or other units done, in all) that moves a bar; None where nobody would see it."""
    with progress_bars(unit, label=label) as move:
        yield None if move is None else lambda done, total: move(label, done, total)


@contextmanager
def progress_bars(unit: str, *, label: str | None = None) -> Iterator[StageProgress | None]:
    """As `progress_bar` for work in stages, one after the other: a callable (stage, units done, in all).

    Args:
        unit: Unit of the rate in each minute that is shown; with a label, of the work itself.
        label: The only stage, if there is but one: its bar is there before the first unit is done.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        # markup=False: a file name with brackets is a name, not an instruction.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeRemainingColumn(elapsed_when_finished=label is None),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=300) as bar:
        stage_task: dict[str, TaskID] = {}
        if label is not None:
            stage_task[label] = bar.add_task(label, total=None, unit=unit)

        def move(stage: str, done: int, total: int) -> None:
            if stage not in stage_task:
                for finished in stage_task.values():
                    bar.remove_task(finished)
                stage_task.clear()
                stage_task[stage] = bar.add_task(stage, total=total, unit="")
            bar.update(stage_task[stage], completed=done, total=total)
            speed = bar.tasks[0].speed
            if speed and label is None:
                bar.update(stage_task[stage], unit=f"{60 * speed:,.0f} {unit}")

        yield move
