"""The process that does the work of one HTTP request: python -m docaudit.integrations.http_worker.

The job comes as one line of JSON on standard input; the result, or the problem, are files in its folder. Standard input
stays open as long as the server lives: at its end the process ends itself with all that it started.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal

from docaudit.audit import audit, find_hits, open_parsed, parse
from docaudit.codes import TextLikely
from docaudit.concepts.model import ConceptTable
from docaudit.coverage import CorpusReadability, measure_readability
from docaudit.document import ParsedDocument, blind_spots, hits, ledger_rows
from docaudit.errors import (
    DocauditError,
    ListedError,
    ModelError,
    NotBelowRootsError,
    OcrError,
    OutputError,
    PasswordRequiredError,
    TooLargeError,
)
from docaudit.extract.processes import end_with_children
from docaudit.integrations.folders import AllowedFolders
from docaudit.justification import BlindSpot, Hit, LedgerRow, Model, RetrievedChunk
from docaudit.options import AuditOptions
from docaudit.render.coverage import dump as dump_coverage
from docaudit.report import html_report
from docaudit.saved import dump

Task = Literal["audit", "coverage", "sweep"]
RESULT, REPORT, PROBLEM = "result.json", "report.html", "problem.json"
"""Files in the folder `out`: the first two, or the last alone."""
MAX_PROBLEMS = 1000
_STATUS: dict[type[DocauditError], HTTPStatus] = {
    NotBelowRootsError: HTTPStatus.NOT_FOUND,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    # Not what the client sent is at fault, but the machine of the server.
    OcrError: HTTPStatus.INTERNAL_SERVER_ERROR,
    OutputError: HTTPStatus.INTERNAL_SERVER_ERROR,
    ModelError: HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Job(Model):
    """One piece of work.

    Attributes:
        task: What is to be done.
        folder: Folder of the request, with the folders document, table, out and tmp.
        document: The uploaded document; None if it is named by path.
        roots: Folders that are open to clients.
        path: The document below them, as the client named it.
        table: File of the concept table; None for coverage.
        question: The question.
        retrieved: Chunks of a retriever.
        options: Options of the audit that were set.
        report: Whether the HTML report is to be made.
        max_pages: Pages of the longest document that is taken.
        max_mb: MiB of the largest.
    """

    task: Task
    folder: Path
    document: Path | None
    roots: tuple[Path, ...]
    path: str | None
    table: Path | None
    question: str | None
    retrieved: tuple[RetrievedChunk, ...] | None
    options: Mapping[str, Any]
    report: bool
    max_pages: int
    max_mb: int


class Problem(Model):
    """Why there is no result (application/problem+json, RFC 9457); it never means that nothing was found.

    Attributes:
        status: The HTTP status.
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

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: str,
        remedy: str = "",
        *,
        problems: Iterable[str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        listed = tuple(problems)[:MAX_PROBLEMS]
        self.problem = Problem(status=status, code=code, message=message, remedy=remedy, problems=listed)
        self.headers = dict(headers or {})
        super().__init__(message)


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


def problem_of(error: DocauditError, folders: Iterable[Path] = ()) -> Problem:
    """The problem that an error of docaudit is for a client; paths of these folders of the server are left out."""
    tops = sorted(
        {str(top) for folder in folders for top in (folder, folder.resolve())}, key=len, reverse=True
    )

    def shown(text: str) -> str:
        for top in tops:
            text = text.replace(f"{top}/", "")
        return text

    name = type(error).__name__.removesuffix("Error")
    is_locked = isinstance(error, PasswordRequiredError)
    return Problem(
        status=next(
            (_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS),
            HTTPStatus.UNPROCESSABLE_ENTITY,
        ),
        code=re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(),
        message=shown(error.cause),
        remedy="send it as the option password" if is_locked else shown(error.remedy),
        problems=tuple(map(shown, error.problems[:MAX_PROBLEMS])) if isinstance(error, ListedError) else (),
        file=None if error.file is None else Path(error.file).name,
        page=error.page,
    )


def do(job: Job) -> dict[str, str]:
    """The files of the folder `out` by name. Raises DocauditError, RefusedError."""
    options = AuditOptions.from_keywords(None, job.options)
    table = ConceptTable.load(job.table) if job.table is not None else None

    def check_pages(_done: int, pages: int) -> None:
        if pages > job.max_pages:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too_many_pages",
                f"the document has {pages:,} pages, more than the {job.max_pages:,} that are taken here",
                "split it, or start the server with a larger --max-pages",
            )

    place = (
        AllowedFolders(job.roots, max_mb=job.max_mb).opened(job.path)
        if job.path
        else nullcontext(job.document)
    )
    with place as document:
        assert document is not None
        saved = open_parsed(document)
        if saved is not None:
            options.read_with(saved.options)
            check_pages(0, saved.identity.pages_total)
        if job.task == "audit":
            assert table is not None
            justification = audit(
                saved or document,
                table,
                question=job.question,
                retrieved=job.retrieved,
                options=options,
                progress=check_pages,
            )
            files = {RESULT: dump(justification)}
            if job.report:
                pdf = document if document.is_file() else None
                files[REPORT] = html_report(justification, pdf, password=options.password)
            return files
        parsed = saved or parse(document, options=options, progress=check_pages)
        if table is None:
            return {RESULT: dump_coverage(CorpusReadability.of([measure_readability(parsed)], []))}
        answer = _swept(document.name, parsed, table, options)
        return {RESULT: json.dumps(answer.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"}


def _swept(name: str, parsed: ParsedDocument, table: ConceptTable, options: AuditOptions) -> SweepAnswer:
    hit_df, ledger_df = find_hits(parsed, table, options)
    spots = blind_spots(parsed.blind_spot_df)
    unread = {spot.page_num for spot in spots if spot.text_likely is not TextLikely.NO}
    return SweepAnswer(
        document=name,
        hits=hits(hit_df),
        ledger=ledger_rows(ledger_df),
        pages_with_unread_parts=tuple(sorted(unread)),
        blind_spots=spots,
    )


def main() -> None:
    """Do the job on standard input."""
    job = Job.model_validate_json(sys.stdin.buffer.readline())

    def end_with_server() -> None:
        while os.read(0, 1):  # not sys.stdin: its lock would outlive the main thread
            pass
        end_with_children(os.getpid())

    threading.Thread(target=end_with_server, daemon=True).start()
    try:
        files = do(job)
    except RefusedError as error:
        files = {PROBLEM: error.problem.model_dump_json()}
    except DocauditError as error:
        folders = [job.folder / "document", job.folder / "table", job.folder, *job.roots]
        problem = problem_of(error, [*folders, *([job.table.parent] if job.table else [])])
        # ASCII, so that a lone surrogate of a file name survives as an escape.
        files = {PROBLEM: json.dumps(problem.model_dump(mode="json"))}
    for name, text in files.items():
        (job.folder / "out" / name).write_text(text, "utf-8", "backslashreplace")


if __name__ == "__main__":
    main()
