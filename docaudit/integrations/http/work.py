"""The process that does the work of one request, and ends with it: python -m docaudit.integrations.http.work.

The job comes as JSON on standard input. Standard output has a line for each step; results, or the problem, are files.
The process dies with the server, and what reads the document dies with the process: nothing is left to look for.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from docaudit import reporting
from docaudit.audit import audit, find_hits, open_parsed, parse
from docaudit.concepts import ConceptTable
from docaudit.coverage import measure_readability
from docaudit.errors import DocauditError
from docaudit.integrations.http.answers import SweepAnswer
from docaudit.integrations.http.job import PROBLEM, REPORT, RESULT, SUMMARY, Job, Step
from docaudit.integrations.http.problems import Problem, RefusedError, problem_of, refused
from docaudit.integrations.http.summary import summary_of
from docaudit.options import AuditOptions
from docaudit.parsed import ParsedDocument
from docaudit.readability import CorpusReadability
from docaudit.render import coverage_files
from docaudit.roots import Roots
from docaudit.saved import dump

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


class Worker:
    """The work on one job; each step is written to `steps` as a line of JSON."""

    def __init__(self, job: Job, steps: IO[str]) -> None:
        self._job = job
        self._steps = steps
        self._options = AuditOptions.from_keywords(None, job.options)

    def run(self) -> dict[str, str]:
        """Do it: the files of the folder `out` by name. Raises DocauditError, RefusedError."""
        with self._document() as document:
            if self._job.task == "audit":
                return self._audit(document)
            parsed = self._parsed(document)
            if self._job.task == "coverage":
                return {RESULT: coverage_files.dump(CorpusReadability.of([measure_readability(parsed)], []))}
            hit_df, ledger_df = find_hits(parsed, self._table(), self._options)
            answer = SweepAnswer.of(document.name, parsed, hit_df, ledger_df)
            return {RESULT: answer.as_json()}

    def _audit(self, document: Path) -> dict[str, str]:
        table = self._table()
        saved = self._saved(document)
        finding = audit(
            document if saved is None else saved,
            table,
            question=self._job.question,
            retrieved=self._job.retrieved,
            options=self._options,
            progress=self._step,
        )
        files = {RESULT: dump(finding)}
        if self._job.report:
            pdf = document if document.is_file() else None
            files[REPORT] = reporting.html_report(finding, pdf, password=self._options.password)
            files[SUMMARY] = summary_of(finding).model_dump_json()
        return files

    @contextmanager
    def _document(self) -> Iterator[Path]:
        if self._job.document is not None:
            yield self._job.document
            return
        assert self._job.path is not None
        with Roots(self._job.roots, max_mb=self._job.max_mb).opened(self._job.path) as path:
            yield path

    def _table(self) -> ConceptTable:
        if self._job.concepts is not None:
            return ConceptTable.from_variants(self._job.concepts)
        assert self._job.table is not None
        return ConceptTable.load(self._job.table)

    def _saved(self, document: Path) -> ParsedDocument | None:
        parsed = open_parsed(document)
        if parsed is not None:
            self._options.read_with(parsed.options)
            self._need_pages(parsed.identity.pages_total)
        return parsed

    def _parsed(self, document: Path) -> ParsedDocument:
        saved = self._saved(document)
        if saved is not None:
            return saved
        return parse(document, options=self._options, progress=self._step)

    def _step(self, done: int, pages: int) -> None:
        self._need_pages(pages)
        print(Step(done=done, pages=pages).model_dump_json(), file=self._steps, flush=True)

    def _need_pages(self, pages: int) -> None:
        if pages > self._job.max_pages:
            raise refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "too_many_pages",
                f"the document has {pages:,} pages, more than the {self._job.max_pages:,} that are taken here",
                "split it, or start the server with a larger --max-pages",
            )


def main() -> None:
    """Do the job on standard input."""
    job = Job.model_validate_json(sys.stdin.buffer.read())
    _end_with(job.server)
    # Whatever a library prints goes to the log of the server, and is not taken for a step.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as steps:
        os.dup2(2, 1)
        for name, text in _done(job, steps).items():
            (job.place / "out" / name).write_text(text, "utf-8", "backslashreplace")


def _done(job: Job, steps: IO[str]) -> dict[str, str]:
    try:
        return Worker(job, steps).run()
    except RefusedError as error:
        problem = error.problem
    except DocauditError as error:
        problem = problem_of(error, _hidden(job))
    return {PROBLEM: _text(problem)}


def _hidden(job: Job) -> list[Path]:
    parts = [job.place / part for part in ("document", "table", "tmp", "out")]
    beside = [job.table.parent] if job.table is not None else []
    return [*parts, *beside, job.place, job.place.parent, *job.roots]


def _text(problem: Problem) -> str:
    data: dict[str, Any] = problem.model_dump(mode="json")
    return json.dumps(data, ensure_ascii=True)  # half a character of a file name survives as an escape


def _end_with(server: int) -> None:
    """Have the system end this process when the server ends, however that ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != server:
        sys.exit("the server has ended before")


if __name__ == "__main__":
    main()
