"""docaudit over HTTP: a document and a concept table go in, a justification or its report comes out.

The way of a request: guard (may it come in at all?), app (which question?), desk (is there room?), received (its files
onto disk, within limits), running (a process of its own, with a time limit), work (inside that process: the audit),
and back through app as JSON, HTML or a stream of events.

What a client is told when there is no result: a code, what happened, what to do. Never a path of the server.

Every setting of the server, with its default; a field has the same name as the flag of `docaudit serve`.

What a client may ask: the fields of a request, and the options that are his to set.

Forms as they were sent or not at all: the parser below reads what is no UTF-8 as Latin-1, and takes half a form.

The concept tables of the operator: one folder, chosen by file name and in no other way.

What the server hands to the process that does the work, and what it finds in the folder afterwards.

Answers of the server that are no model of docaudit yet: hits without a finding, and how the server is.

Folders for the files of requests: one for each, gone when the request is over, however it ends.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
import os
import re
import secrets
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model
from python_multipart.multipart import parse_options_header
from starlette.formparsers import MultiPartParser

from docaudit import document as records
from docaudit.codes import Obligation, TextLikely
from docaudit.document import ParsedDocument
from docaudit.errors import (
    DocauditError,
    ListedError,
    ModelError,
    NotBelowRootsError,
    OcrError,
    OptionError,
    OutputError,
    PasswordRequiredError,
    TooLargeError,
)
from docaudit.integrations.served import OwnFolder, strictly
from docaudit.justification import BlindSpot, Hit, LedgerRow, Model, RetrievedChunk
from docaudit.options import AuditOptions, described

_STATUS: dict[type[DocauditError], HTTPStatus] = {
    NotBelowRootsError: HTTPStatus.NOT_FOUND,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    # Not what the client sent is at fault, but the machine of the server.
    OcrError: HTTPStatus.INTERNAL_SERVER_ERROR,
    OutputError: HTTPStatus.INTERNAL_SERVER_ERROR,
    ModelError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_REMEDIES: dict[type[DocauditError], str] = {PasswordRequiredError: "send it as the option password"}
"""What is said here instead of a flag of the command line that is none of the operator's."""
_MOST_PROBLEMS = 1000


class Problem(Model):
    """Why there is no result (application/problem+json, RFC 9457); it never means that nothing was found.

    Attributes:
        status: The HTTP status, also where it comes in a stream.
        code: What kind of problem: the name of the error of docaudit, or a limit of the server.
        message: What happened.
        remedy: What can be done about it.
        problems: Every fault, where there are several in one input; the first thousand.
        file: Name of the file concerned.
        page: Page concerned.
    """

    status: int
    code: str
    message: str
    remedy: str = ""
    problems: tuple[str, ...] = ()
    file: str | None = None
    page: int | None = None


class RefusedError(Exception):
    """Ends a request with a problem; `headers` go into the answer."""

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        self.problem = problem
        self.headers = headers or {}
        super().__init__(problem.message)


def refused(
    status: HTTPStatus,
    code: str,
    message: str,
    remedy: str = "",
    *,
    problems: Iterable[str] = (),
    file: str | None = None,
    headers: dict[str, str] | None = None,
) -> RefusedError:
    """The error that ends a request in this way."""
    listed = tuple(problems)[:_MOST_PROBLEMS]
    problem = Problem(status=status, code=code, message=message, remedy=remedy, problems=listed, file=file)
    return RefusedError(problem, headers)


def problem_of(error: DocauditError, hidden: Iterable[Path]) -> Problem:
    """The problem that an error of docaudit is for a client.

    Args:
        error: The error.
        hidden: Folders of the server that no text may name.
    """
    shown = _without(hidden)
    name = type(error).__name__.removesuffix("Error")
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), None)
    listed = error.problems if isinstance(error, ListedError) else ()
    return Problem(
        status=status or HTTPStatus.UNPROCESSABLE_ENTITY,
        code=re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(),
        message=shown(error.cause),
        remedy=_REMEDIES.get(type(error)) or shown(error.remedy),
        problems=tuple(shown(one) for one in listed[:_MOST_PROBLEMS]),
        file=None if error.file is None else Path(error.file).name,
        page=error.page,
    )


def _without(hidden: Iterable[Path]) -> Callable[[str], str]:
    """A function that leaves these folders out of a text: as absolute paths, and only where one begins and ends."""
    texts = {str(path) for folder in hidden for path in (folder.absolute(), folder.resolve())} - {"/"}
    if not texts:
        return str
    either = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return partial(re.compile(rf"(?<![\w./-])(?:{either})(?:/|(?![\w-]|\.\w))").sub, "")


MIB = 1 << 20


class ServeSettings(Model):
    """Frozen settings of one server.

    Attributes:
        host: Address to listen on. Only this machine reaches the default; there is no login.
        port: Port to listen on; 0 takes a free one.
        root: Folders whose files clients may name instead of uploading them; none if empty.
        tables: Folder of concept tables that clients may choose by file name; None for none.
        keep: Folder in which each document that was uploaded is kept with its result; None keeps nothing.
        allow_host: Names beside those of the address itself under which clients may reach the server.
        max_upload_mb: MiB of the largest document.
        max_table_mb: MiB of the largest concept table.
        max_pages: Pages of the longest document.
        upload_seconds: Time limit for receiving one request.
        audit_seconds: Time limit for the work on one request, from when it begins.
        jobs: Requests that are worked on at the same time, each in a process of its own.
        queue: Requests that may wait beside those; further ones are turned away and told when to come again.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    root: tuple[Path, ...] = ()
    tables: Path | None = None
    keep: Path | None = None
    allow_host: tuple[str, ...] = ()
    max_upload_mb: int = Field(default=100, ge=1)
    max_table_mb: int = Field(default=5, ge=1)
    max_pages: int = Field(default=2000, ge=1)
    upload_seconds: float = Field(default=120.0, gt=0)
    audit_seconds: float = Field(default=600.0, gt=0)
    jobs: int = Field(default=2, ge=1, le=64)
    queue: int = Field(default=8, ge=0, le=1000)

    @property
    def only_this_machine(self) -> bool:
        """Whether nobody else can reach the server."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine itself.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    return host.lower() == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def is_address(host: str) -> bool:
    """Whether it is a number and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


Task = Literal["audit", "coverage", "sweep"]

OPTIONS = (
    "ocr",
    "ocr_lang",
    "ocr_confidence",
    "ink",
    "second_reader",
    "password",
    "attachment_depth",
    "revisions",
    "scope",
    "window_words",
    "required",
    "closest",
    "language",
    "waive",
    "canary",
)
"""Options that a client may set. The others (time, memory, processes, programs, endpoints) are the operator's."""
_Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_KINDS: dict[str, Any] = {"waive": dict[Obligation, _Reason]}


def _option(name: str) -> Any:
    known = AuditOptions.model_fields[name]
    kind = Annotated[(known.annotation, *known.metadata)] if known.metadata else known.annotation
    default = known.get_default(call_default_factory=True)
    return _KINDS.get(name, kind), Field(default=default, description=described(name))


ClientOptions = create_model(
    "ClientOptions",
    __config__=ConfigDict(frozen=True, extra="forbid"),
    __doc__="Options of an audit that a client may set; what is not named keeps its default.",
    **{name: _option(name) for name in OPTIONS},
)


class Asked(Model):
    """A request without its files, as JSON.

    Attributes:
        path: Document below a folder that is open to clients; the other way is to upload one.
        concepts: Concept table as a mapping of concepts to variants; the other way is to upload one.
        table: Concept table of the server, by its file name, instead.
        question: The question that the document is asked.
        options: Options of the audit.
        retrieved: Chunks that a retriever gave, for an audit to say what it missed.
    """

    path: str | None = Field(default=None, min_length=1, examples=["reports/2025.pdf"])
    concepts: Mapping[str, tuple[str, ...]] | None = Field(
        default=None, examples=[{"AI": ["AI", "artificial intelligence"], "electricity": ["electricity"]}]
    )
    table: str | None = Field(default=None, examples=["ai-power.csv"])
    question: str | None = Field(default=None, examples=["How much electricity does AI consume?"])
    options: ClientOptions = Field(default_factory=ClientOptions, examples=[{"language": "ja", "ocr": "off"}])

    retrieved: tuple[RetrievedChunk, ...] | None = Field(
        default=None, examples=[[{"text": "Baseload electricity for delivery", "page": 19, "id": "c7"}]]
    )

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that were set by name."""
        options: BaseModel = self.options
        # Not model_dump(exclude_unset): it would leave the password out.
        return {name: getattr(options, name) for name in sorted(options.model_fields_set)}


def asked_from_json(text: str | bytes) -> Asked:
    """A request that came as JSON; raises RefusedError."""
    return _validated(_parsed(text, "the request"))


def asked_from_form(fields: Mapping[str, str]) -> Asked:
    """A request that came as the fields of a form; empty ones are those left out. Raises RefusedError."""
    given: dict[str, Any] = {name: value for name, value in fields.items() if value.strip()}
    for name in ("concepts", "options", "retrieved"):
        if name in given:
            given[name] = _parsed(given[name], f"the field {name}")
    return _validated(given)


def _parsed(text: str | bytes, what: str) -> Any:
    try:
        return strictly(text)
    except ValueError as error:
        raise refused(
            HTTPStatus.UNPROCESSABLE_ENTITY, "not_json", f"{what} is not JSON: {error}", "write it as JSON"
        ) from error


def _validated(given: Any) -> Asked:
    try:
        return Asked.model_validate(given)
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(part) for part in one['loc']) or 'the request'}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "wrong_request",
            "the request is not as it must be",
            f"fields are {', '.join(Asked.model_fields)} and the uploads document and concepts; "
            f"options are {', '.join(OPTIONS)}",
            problems=problems,
        ) from error


_TAKEN = frozenset({"", "utf-8", "utf8", "us-ascii"})


class WholeForm(MultiPartParser):
    """A form whose texts are UTF-8 and whose last line has come; anything else raises RefusedError."""

    _complete = False

    def on_headers_finished(self) -> None:
        """Look at the head of a part: its names, and in what its text is written."""
        try:
            (self._current_part.content_disposition or b"").decode()
        except UnicodeDecodeError as error:
            raise _not_utf8("the name of a field or file") from error
        super().on_headers_finished()
        headers = dict(self._current_part.item_headers)
        if self._current_part.file is None:
            self._need_taken(headers.get(b"content-type", b""))

    def on_part_end(self) -> None:
        """Look at the text of a field."""
        part = self._current_part
        if part.file is None:
            self._need_taken(self.headers.get("content-type", "").encode("latin-1"))
            try:
                part.data.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(f"the field {part.field_name}") from error
        super().on_part_end()

    def on_end(self) -> None:
        """Note that the last line has come."""
        self._complete = True

    def need_end(self) -> None:
        """Raise RefusedError if the form was cut off: what is missing might be an option or half of the table."""
        if not self._complete:
            raise refused(
                HTTPStatus.BAD_REQUEST,
                "bad_form",
                "the form is not complete: its closing line is missing",
                "send it again",
            )

    def _need_taken(self, content_type: bytes) -> None:
        charset = parse_options_header(content_type)[1].get(b"charset", b"").decode("latin-1").lower()
        if charset not in _TAKEN:
            raise _not_utf8(f"the field {self._current_part.field_name}")


def _not_utf8(what: str) -> RefusedError:
    return refused(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "not_utf8",
        f"{what} is not UTF-8",
        "write all names and texts in UTF-8",
    )


_SUFFIXES = frozenset({".csv", ".tsv", ".json", ".yaml", ".yml", ".xlsx"})


def table_names(folder: Path | None) -> tuple[str, ...]:
    """The tables in the folder now, in order; raises OptionError if it cannot be listed."""
    if folder is None:
        return ()
    try:
        return tuple(
            sorted(
                file.name for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES and file.is_file()
            )
        )
    except OSError as error:
        raise OptionError(
            f"the folder of tables cannot be listed: {error.strerror or error}",
            file=str(folder),
            remedy="name a folder of concept tables with --tables",
        ) from error


def named_table(folder: Path | None, name: str) -> Path:
    """The table with this name; raises RefusedError if none of those listed has it."""
    if folder is not None and name in table_names(folder):
        return folder / name
    raise refused(
        HTTPStatus.NOT_FOUND,
        "no_such_table",
        "the server has no concept table of this name",
        "/v1/offer lists its tables",
    )


RESULT, REPORT, SUMMARY, PROBLEM = "result.json", "report.html", "summary.json", "problem.json"
"""Files in the folder `out`: the first three, or the last alone."""


class Job(Model):
    """One piece of work; goes to the process as JSON, which no list of processes shows.

    Attributes:
        server: Number of the process that waits for the result.
        task: What is to be done.
        place: Folder of the request.
        document: The uploaded document; None if it is named by path.
        roots: Folders that are open to clients.
        path: The document below them, as the client named it.
        table: File of the concept table.
        concepts: Concept table as a mapping of concepts to variants.
        question: The question.
        retrieved: Chunks of a retriever.
        options: Options of the audit that were set.
        report: Whether the HTML report is wanted.
        max_pages: Pages of the longest document that is taken.
        max_mb: MiB of the largest.
    """

    server: int
    task: Task
    place: Path
    document: Path | None = None
    roots: tuple[Path, ...] = ()
    path: str | None = None
    table: Path | None = None
    concepts: Mapping[str, tuple[str, ...]] | None = None
    question: str | None = None
    retrieved: tuple[RetrievedChunk, ...] | None = None
    options: Mapping[str, Any] = {}
    report: bool = False
    max_pages: int
    max_mb: int


class Step(Model):
    """How far the work has come: pages read, and pages in all."""

    done: int
    pages: int


class ConceptSummary(Model):
    """One concept: how often it was found, and on which pages, in words."""

    name: str
    required: bool
    hits: int
    on: str


class UnmetSummary(Model):
    """One obligation that is unmet: its code, what it asks, what was found, where, and what would settle it."""

    obligation: str
    title: str
    evidence: str
    where: str
    remedy: str


class Summary(Model):
    """A justification in the words of its report, in its language.

    Attributes:
        finding: The finding; `headline` says it as a title, `verdict` what it means.
        headline: See there.
        verdict: See there.
        explanation: The one sentence that explains it.
        strength: How strong it is, and why.
        hits: Hits that count, of all concepts.
        hits_in_words: Their number with its noun.
        concepts: The concepts that were searched.
        unmet: The obligations that are unmet.
        obligations: How many obligations are in each state, in words.
    """

    finding: str
    headline: str
    verdict: str
    explanation: str
    strength: str
    hits: int
    hits_in_words: str
    concepts: tuple[ConceptSummary, ...]
    unmet: tuple[UnmetSummary, ...]
    obligations: str


class SweepAnswer(Model):
    """Every occurrence of every variant in one document, as `docaudit sweep --json` gives it for each.

    Attributes:
        document: Name of the document.
        hits: Every occurrence.
        ledger: Every variant, found or not.
        pages_with_unread_parts: Pages (0: the document as a whole) with a blind spot that may hold text.
        blind_spots: What was not read.
    """

    document: str
    hits: tuple[Hit, ...]
    ledger: tuple[LedgerRow, ...]
    pages_with_unread_parts: tuple[int, ...]
    blind_spots: tuple[BlindSpot, ...]

    @classmethod
    def of(
        cls, name: str, parsed: ParsedDocument, hit_df: pd.DataFrame, ledger_df: pd.DataFrame
    ) -> SweepAnswer:
        """Hits and ledger of a sweep, and what the parse could not read."""
        spots = records.blind_spots(parsed.blind_spot_df)
        return cls(
            document=name,
            hits=records.hits(hit_df),
            ledger=records.ledger_rows(ledger_df),
            pages_with_unread_parts=tuple(
                sorted({spot.page_num for spot in spots if spot.text_likely is not TextLikely.NO})
            ),
            blind_spots=spots,
        )

    def as_json(self) -> str:
        """JSON with the same bytes for the same answer."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


class Live(Model):
    """The server answers."""

    status: Literal["ok"] = "ok"


class Ready(Model):
    """Whether the server takes work now, and what it has to do.

    Attributes:
        status: ready; full (new requests are turned away); or closing.
        versions: docaudit and the libraries that read documents.
        running: Requests that are worked on.
        waiting: Requests that are being received, or wait for their turn.
        jobs: How many are worked on at the same time.
        queue: How many may wait beside them.
    """

    status: Literal["ready", "full", "closing"]
    versions: Mapping[str, str]
    running: int
    waiting: int
    jobs: int
    queue: int


class Offer(Model):
    """What a client may name and set here.

    Attributes:
        version: Version of docaudit.
        keeps: Whether uploaded documents and their results are kept.
        tables: Concept tables of the server, by name.
        roots: Names of the folders whose documents may be named by path.
        options: Options that may be set.
        max_upload_mb: MiB of the largest document.
        max_table_mb: MiB of the largest concept table.
        max_pages: Pages of the longest document.
        audit_seconds: Time limit of one audit.
    """

    version: str
    keeps: bool
    tables: tuple[str, ...]
    roots: tuple[str, ...]
    options: tuple[str, ...]
    max_upload_mb: int
    max_table_mb: int
    max_pages: int
    audit_seconds: float


_PREFIX = "docaudit-serve-"
_MOST_BYTES = 200
_TRIES = 50


class Places(OwnFolder):
    """The folder of one server, with one folder for each request in it."""

    def __init__(self) -> None:
        super().__init__(_PREFIX)

    def new(self) -> Path:
        """A new folder for one request, with the folder `tmp` for whatever its processes keep for a while."""
        place = self.folder / secrets.token_hex(8)
        for part in (place, place / "document", place / "table", place / "out", place / "tmp"):
            part.mkdir(mode=0o700)
        return place


async def removed(place: Path) -> bool:
    """Remove the folder of a request; processes that were just killed may write into it a moment longer."""
    for _ in range(_TRIES):
        shutil.rmtree(place, ignore_errors=True)
        if not place.exists():
            return True
        await asyncio.sleep(0.1)
    return False


def keep(place: Path, folder: Path) -> Path:
    """Keep the uploads of a request and its results; raises OSError. Returns where."""
    now = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
    folder.mkdir(parents=True, exist_ok=True)
    # Under a temporary name first, so that what has its final name is complete.
    partial = Path(tempfile.mkdtemp(prefix=f".{now}-", dir=folder))
    try:
        for part in ("document", "table", "out"):
            for file in sorted((place / part).iterdir()):
                (partial / part).mkdir(exist_ok=True)
                shutil.copyfile(file, partial / part / file.name)
        return partial.rename(folder / partial.name.removeprefix("."))
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def safe_name(name: str | None, otherwise: str) -> str:
    r"""The last part of a file name that a client gave, fit to be a file here.

    >>> safe_name("C:\\reports\\2025.pdf", "document.pdf"), safe_name("../../etc/passwd", "document.pdf")
    ('2025.pdf', 'passwd')
    >>> safe_name("報告 2025.pdf", "document.pdf"), safe_name("..", "document.pdf"), safe_name("a\x00\nb.pdf", "")
    ('報告 2025.pdf', 'document.pdf', 'ab.pdf')
    """
    last = (name or "").replace("\\", "/").rsplit("/", 1)[-1]
    # Controls, direction marks, halves of characters, private and unassigned signs.
    kept = "".join(sign for sign in last if not unicodedata.category(sign).startswith("C")).strip()
    if not kept.strip("."):
        return otherwise
    stem, suffix = os.path.splitext(kept)  # noqa: PTH122 - a name, no path
    suffix = _shortened(suffix, 20)
    return _shortened(stem, _MOST_BYTES - len(suffix.encode())) + suffix


def _shortened(text: str, size: int) -> str:
    return text.encode()[:size].decode("utf-8", "ignore")
