"""What the server hands to the process that does the work, and what it finds in the folder afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docaudit.evidence import Model
from docaudit.integrations.http.asked import Task
from docaudit.retrieved import RetrievedChunk

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
