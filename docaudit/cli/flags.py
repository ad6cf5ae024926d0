"""Every AuditOptions field as a flag of the same name: made from the model, so that no option can be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import click

from docaudit.errors import OptionError
from docaudit.options import AuditOptions, described

Command = TypeVar("Command", bound=Callable[..., Any])
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
