"""docaudit as tools for an assistant, over the Model Context Protocol (extra `mcp`).

server -> tools -> running | replies | asked, and server -> transport -> messages: each message is looked at before the
SDK parses it, and refused in the words of refusals.

What a client may ask for, and how it becomes a concept table and options: limits of the server are kept here.

How a refusal is worded, wherever it comes from: nobody may take it for a finding, and it repeats no password.

What the tools answer: short enough for a language model, with the whole pydantic model where it is asked for.

Work in a thread: its progress is told while it runs, and it ends when its call is cancelled.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docaudit.codes import AbsenceReason, Finding, LedgerState, ObligationState, PageState, Strength
from docaudit.concepts.model import ConceptTable
from docaudit.coverage import KindSummary, Readability
from docaudit.document import ParsedDocument, SweepResult, blind_spots, hits, ledger_rows
from docaudit.errors import ConceptTableError, OptionError, Stop, StoppedError
from docaudit.integrations.served import Roots
from docaudit.justification import (
    AbsenceJustification,
    DocumentIdentity,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    Model,
    ObligationCheck,
    RetrievalCheck,
)
from docaudit.options import AuditOptions, Scope, described
from docaudit.render.view import headline, verdict
from docaudit.saved import as_data, dump
from docaudit.verify import Check, Verification

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


_NO_FINDING = "This is an error, not a finding: it says nothing about what the document mentions."
_MOST = 4000
"""Characters of an error that are told: a table may have a fault in each row."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def refusal(cause: str) -> str:
    """The cause, shortened if it is long, and that it is no finding."""
    more = len(cause) - _MOST
    shown = cause if more <= 0 else f"{cause[:_MOST]}… ({more:,} more characters)"
    return str(whole(f"{shown}\n{_NO_FINDING}"))


def faults(error: ValidationError) -> str:
    """What is wrong with arguments, one fault in each line, without the values: one of them may be a password."""
    listed = error.errors(include_url=False, include_input=False, include_context=False)
    return "\n".join(f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in listed)


def whole(value: Any) -> Any:
    """Without half characters (of broken fonts, or a client's own), which no message can carry."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole(part) for part in value]
    if isinstance(value, dict):
        return {whole(key): whole(part) for key, part in value.items()}
    return value


_SHOWN = 10
_SAY = {
    Finding.MENTIONED: "The required concepts are found where they must meet. Read the hits and their pages before you "
    "answer; do not deny that the document mentions it.",
    Finding.ABSENT: "You may say that the document does not mention it within the stated coverage: name the document, "
    "the pages, and that these words were searched. Do not say that it does not exist, or that nothing could be found.",
    Finding.NOT_ESTABLISHED: "Absence is NOT established. Do not say that the document does not mention it. Say that "
    "it was not found in what could be read, name what is unmet with its pages, and what would settle it.",
}


class AuditReply(Model):
    """The finding of an audit, in short.

    Attributes:
        headline: The finding as a title.
        verdict: What the finding means, in one sentence.
        how_to_say: How to word it for a person, and what not to say.
        document: Which document was audited, by what.
        finding: mentioned; absent_within_coverage (all obligations are met or waived); not_established (something was
            not read or not searched: nothing may be denied).
        unmet: What was not shown, on which pages, and what would settle it.
        waived: What a person waived, with the reason.
        hits: The first hits; hits_total counts all.
        cooccurrences: The first places where concepts meet; cooccurrences_total counts all.
        near_misses: Text close to a variant, each with why it is no hit.
        pages_with_text: Pages with text in their text layer, of pages_total.
        ink_read_share: Ink under text that was read, of all ink; null if it was not measured.
        retrieval: What of the hits was among the retrieved chunks; null if none were given.
        justification: The whole, with every hit, variant and blind spot; null unless detail is full.
    """

    headline: str
    verdict: str
    how_to_say: str
    document: DocumentIdentity
    question: str | None
    finding: Finding
    reason: AbsenceReason | None
    strength: Strength
    absence_explanation: str
    suggested_requery: str | None
    unmet: tuple[ObligationCheck, ...]
    waived: tuple[ObligationCheck, ...]
    required: tuple[str, ...]
    concept_hits: Mapping[str, int]
    concept_pages: Mapping[str, tuple[int, ...]]
    hits_total: int
    hits: tuple[Hit, ...]
    cooccurrences_total: int
    cooccurrences: tuple[Meeting, ...]
    closest_mentions: tuple[Mention, ...]
    near_misses: tuple[Mention, ...]
    pages_total: int
    pages_with_text: int
    pages_by_state: Mapping[PageState, int]
    ink_read_share: float | None
    digest: str
    retrieval: RetrievalCheck | None = None
    justification: AbsenceJustification | None = None

    @classmethod
    def of(cls, found: AbsenceJustification, *, max_hits: int, full: bool) -> AuditReply:
        """The short form, with the whole if it is wanted."""
        assert found.coverage is not None
        same = {name: getattr(found, name) for name in cls.model_fields if name in type(found).model_fields}
        same |= {name: getattr(found.coverage, name) for name in _COVERAGE}
        short = {
            "headline": headline(found),
            "verdict": verdict(found),
            "how_to_say": _SAY[found.finding],
            "waived": tuple(one for one in found.obligations if one.state is ObligationState.WAIVED),
            "hits_total": len(found.hits),
            "hits": found.hits[:max_hits],
            "cooccurrences_total": len(found.cooccurrences),
            "cooccurrences": found.cooccurrences[:_SHOWN],
            "near_misses": found.near_misses[:_SHOWN],
            "justification": found if full else None,
        }
        return cls(**{**same, **short})

    def as_data(self) -> dict[str, Any]:
        """The reply as JSON has it; the justification as it is saved."""
        data = self.model_dump(mode="json")
        if self.justification is not None:
            data["justification"] = as_data(self.justification)
        return data

    def as_text(self) -> str:
        """The short form as JSON; of the whole the very bytes of `docaudit audit --json`."""
        if self.justification is not None:
            return dump(self.justification)
        return as_json(self.as_data())


_COVERAGE = ("pages_total", "pages_with_text", "pages_by_state", "ink_read_share")


class SweepReply(Model):
    """What the words of a table hit in a document. It is no finding: only an audit may say that something is absent.

    Attributes:
        document: Which document was searched.
        hits_total: Rows in all; `hits` has those from `offset` on.
        concept_hits: Hits by concept; possible ones (accents_differ, ocr_fuzzy) are left out, as in an audit.
        searched_in_full: Every variant was searched and nothing that may hold text was left unread. If false, no hit
            means nothing.
        not_searched: Variants that were not searched in full, and why.
        pages_with_unread_parts: Pages (0: the document as a whole) with a part that may hold text and was not read.
        ledger: Every variant, found or not; null unless detail is full.
    """

    document: DocumentIdentity
    hits_total: int
    offset: int
    hits: tuple[Hit, ...]
    concept_hits: Mapping[str, int]
    searched_in_full: bool
    not_searched: tuple[LedgerRow, ...]
    pages_with_unread_parts: tuple[int, ...]
    ledger: tuple[LedgerRow, ...] | None = None

    @classmethod
    def of(
        cls, parsed: ParsedDocument, result: SweepResult, *, offset: int, max_hits: int, full: bool
    ) -> SweepReply:
        """A part of the hits, and what was not searched."""
        found, ledger = hits(result.hit_df), ledger_rows(result.ledger_df)
        unread = {
            spot.page_num for spot in blind_spots(parsed.blind_spot_df) if spot.text_likely.value != "no"
        }
        failed = tuple(row for row in ledger if row.state is not LedgerState.SEARCHED)
        counts = dict.fromkeys((row.concept for row in ledger), 0)
        for hit in found:
            counts[hit.concept] += not hit.match_kind.is_possible
        return cls(
            document=parsed.identity,
            hits_total=len(found),
            offset=offset,
            hits=found[offset : offset + max_hits],
            concept_hits=counts,
            searched_in_full=not failed and not unread,
            not_searched=failed,
            pages_with_unread_parts=tuple(sorted(unread)),
            ledger=ledger if full else None,
        )


class CoverageReply(Model):
    """How much of a document a program can read.

    Attributes:
        document: Which document was read.
        complete: Nothing that may hold text is left unread.
        readable_share: pages_read_in_full of pages_total, 0 to 1.
        kinds: What was not read, by kind, with pages, meaning and remedy; those that may hold text first.
        readability: The whole, with every page and blind spot; null unless detail is full.
    """

    document: DocumentIdentity
    complete: bool
    readable_share: float
    pages_total: int
    pages_read_in_full: int
    pages_not_read_in_full: tuple[int, ...]
    parts_not_read_outside_pages: int
    kinds: tuple[KindSummary, ...]
    readability: Readability | None = None

    @classmethod
    def of(cls, read: Readability, *, full: bool) -> CoverageReply:
        """The short form, with the whole if it is wanted."""
        same = {name: getattr(read, name) for name in cls.model_fields if name in type(read).model_fields}
        short = {
            "complete": read.complete,
            "pages_total": read.coverage.pages_total,
            "kinds": tuple(_fewer_details(kind) for kind in read.kinds),
            "readability": read if full else None,
        }
        return cls(**{**same, **short})


def _fewer_details(kind: KindSummary) -> KindSummary:
    first = dict(list(kind.details.items())[:_SHOWN])
    return kind.model_copy(update={"details": first})


class VerifyReply(Model):
    """Whether a saved justification is what docaudit finds in this document, and unchanged.

    Attributes:
        verified: Nothing differs, and the audit was repeated.
        document: Name of the document as the justification gives it.
        checks: All checks in order.
    """

    verified: bool
    document: str
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, found: Verification) -> VerifyReply:
        """The checks with their result."""
        return cls(verified=found.verified, document=found.document, checks=found.checks)


class FileEntry(Model):
    """A file that can be named in other calls. JSON is a concept table or a saved justification."""

    path: str
    kind: Literal["pdf", "saved_parse", "table", "json"]
    size_bytes: int | None


class FilesReply(Model):
    """Files below the folders that the server was started with.

    Attributes:
        folders: Names of the folders; with several, paths begin with one of them.
        files: In the order of folders and names.
        more: There are more: ask with a part of the name.
    """

    folders: tuple[str, ...]
    files: tuple[FileEntry, ...]
    more: bool


def as_json(data: Any) -> str:
    """JSON on one line: lists of pages with a line for each page would be most of what a model reads."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


_TELL_SECONDS = 0.25
"""How often progress is told: a client need not hear of each page."""

Result = TypeVar("Result")
Tell = Callable[[float, float | None, str | None], Awaitable[None]]


async def in_thread(work: Callable[[Stop], Result], slots: anyio.CapacityLimiter, tell: Tell) -> Result:
    """What the work returns, or its error. It runs in a thread, as soon as a slot is free.

    If the call is cancelled, the work and its child processes are ended, and the slot is free when they are.
    """
    pages = _Pages()
    stop = Stop(pages.done)
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(stop))
        except Exception as error:  # noqa: BLE001 - raised again below, outside the group, which would wrap it
            outcome.set_exception(error)

    async with anyio.create_task_group() as group:
        group.start_soon(_watch, pages, stop, tell)
        if not slots.available_tokens:
            await tell(0, None, "waiting for other calls")
        # Not abandoned: a cancelled call waits here, stopped by _watch, until nothing of it runs any more.
        await anyio.to_thread.run_sync(run, limiter=slots)
        group.cancel_scope.cancel()
    await anyio.lowlevel.checkpoint()  # a call that was cancelled ends here, with no result
    await pages.tell(tell)
    return outcome.result()


@contextmanager
def within(seconds: float, stop: Stop) -> Iterator[None]:
    """End work that takes longer; raises OptionError then."""
    ended = threading.Event()

    def end() -> None:
        ended.set()
        stop.stop()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except StoppedError as error:
        if not ended.is_set():
            raise
        raise OptionError(
            f"it was not done after the {seconds:g} s that this server allows; nothing is known",
            remedy="do it on the command line, or start the server with a larger --document-seconds",
        ) from error
    finally:
        timer.cancel()


class _Pages:
    """The pages done last; threads write it, and nobody waits for anybody."""

    def __init__(self) -> None:
        self._now: tuple[int, int] | None = None
        self._told: tuple[int, int] | None = None

    def done(self, done: int, total: int) -> None:
        self._now = (done, total)

    async def tell(self, tell: Tell) -> None:
        """Tell it if it is news."""
        now = self._now
        if now is not None and now != self._told:
            self._told = now
            await tell(now[0], now[1], f"{now[0]:,} of {now[1]:,} pages read")


async def _watch(pages: _Pages, stop: Stop, tell: Tell) -> None:
    try:
        while True:
            await anyio.sleep(_TELL_SECONDS)
            await pages.tell(tell)
    finally:
        stop.stop()
