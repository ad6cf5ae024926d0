"""What a client may ask for, and how it becomes a concept table and options: limits of the server are kept here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from docaudit.concepts import ConceptTable
from docaudit.errors import ConceptTableError, OptionError
from docaudit.options import AuditOptions, Scope, described
from docaudit.roots import Roots

_MOST_ROWS = 20_000
"""Rows of a table that is written into the call; a larger one is a file."""


@dataclass(frozen=True)
class Limits:
    """What the server was started with, and no client can exceed.

    Attributes:
        page_seconds: Most that a client may ask for as page_seconds.
        document_seconds: Most that a client may ask for as document_seconds; the search has no more, either.
        jobs: Calls that are worked on at the same time; others wait.
        password: Password of encrypted documents; no client says or sees it.
    """

    page_seconds: float = AuditOptions.model_fields["page_seconds"].default
    document_seconds: float = AuditOptions.model_fields["document_seconds"].default
    jobs: int = 2
    password: str | None = None


def _as_in_audit(name: str) -> Any:
    """The field of AuditOptions with this name: its default and what it means."""
    return Field(default=AuditOptions.model_fields[name].default, description=described(name))


class ReadingAsked(BaseModel):
    """How a document is to be read. A saved parse was read already: leave these out for it.

    Remedies name the same options as on the command line: --ocr full is {"ocr": "full"}.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ocr: Literal["auto", "off", "full"] = _as_in_audit("ocr")
    ocr_lang: str | None = _as_in_audit("ocr_lang")
    ocr_confidence: float = _as_in_audit("ocr_confidence")
    second_reader: bool = _as_in_audit("second_reader")
    attachment_depth: int = _as_in_audit("attachment_depth")
    revisions: bool = _as_in_audit("revisions")
    page_seconds: float = _as_in_audit("page_seconds")
    document_seconds: float = _as_in_audit("document_seconds")


class AuditAsked(ReadingAsked):
    """How a document is to be read (for a saved parse, only what the finding looks at), and how it is judged.

    Remedies name the same options as on the command line: --ocr full is {"ocr": "full"}.
    """

    scope: Scope = _as_in_audit("scope")
    window_words: int = _as_in_audit("window_words")
    required: tuple[str, ...] = _as_in_audit("required")
    closest: int = _as_in_audit("closest")
    language: Literal["en", "ja"] = _as_in_audit("language")


Row = dict[str, str]
Concepts = Annotated[
    str | dict[str, list[str] | str] | list[Row],
    Field(
        description="The concept table: which words stand for which concept. Either the path of a CSV, TSV, JSON, YAML "
        'or XLSX file; or an object of concept to variants, as {"AI": ["AI", "machine learning"], "power": '
        '["electricity"]}; or a list of rows with concept and variant and, as wanted, match (word, prefix, substring, '
        "regex), case (auto, sensitive, insensitive), inflect (auto, off), status, role (required, context). A zero is "
        "worth what its table is worth: name every word by which the document could say it."
    ),
]


def table_of(concepts: str | dict[str, list[str] | str] | list[Row], roots: Roots) -> ConceptTable:
    """The table that a client names or writes; raises ConceptTableError, and NotBelowRootsError for its path."""
    if isinstance(concepts, str):
        with roots.opened(concepts) as path:
            return ConceptTable.load(path)
    rows = sum(map(len, concepts.values())) if isinstance(concepts, dict) else len(concepts)
    if rows > _MOST_ROWS:
        raise ConceptTableError(
            f"has {rows:,} rows, and a call takes {_MOST_ROWS:,}",
            remedy="save it as a file, and name the file",
        )
    return ConceptTable.from_tree(concepts)


def options_for(path: Path, asked: ReadingAsked | None, limits: Limits) -> AuditOptions:
    """The options for a document at this path; raises OptionError for what does not exist or exceeds the limits."""
    given = {} if asked is None else asked.model_dump(exclude_unset=True)
    saved = (path / "document.json").is_file()
    most = {
        "page_seconds": limits.page_seconds,
        "document_seconds": limits.document_seconds,
        "sweep_seconds": limits.document_seconds,
    }
    for name, limit in most.items():
        if name in given and given[name] > limit:
            raise OptionError(
                f"option {name}: {given[name]:g} is more than the {limit:g} s that this server allows",
                remedy="ask for less, or leave it out",
            )
        # A saved parse keeps the times with which it was read.
        if AuditOptions.model_fields[name].default > limit and not (saved and name != "sweep_seconds"):
            given.setdefault(name, limit)
    return AuditOptions.from_keywords(None, {**given, "password": limits.password})


def need_replayable(saved: AuditOptions, limits: Limits) -> None:
    """Raise OptionError if a justification took more time than a client gets here, by default or by asking."""
    for name in ("page_seconds", "document_seconds", "sweep_seconds"):
        own = limits.page_seconds if name == "page_seconds" else limits.document_seconds
        limit = max(own, AuditOptions.model_fields[name].default)
        if getattr(saved, name) > limit:
            raise OptionError(
                f"it was made with {name} {getattr(saved, name):g}, more than the {limit:g} s that this server allows",
                remedy="verify it on the command line",
            )
