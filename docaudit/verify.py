"""Replay of a saved justification: is it what docaudit finds in this document, and has nobody changed it?

digest -> fingerprint of the table -> hash of the document -> versions -> the audit once more, with the recorded
options -> what a retriever missed -> another engine, by plain search. Every difference is listed; a check that cannot
be made says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from docaudit.audit import audit, open_parsed
from docaudit.differences import Difference, differences
from docaudit.evidence import DocumentIdentity, Model
from docaudit.justification import AbsenceJustification
from docaudit.options import AuditOptions
from docaudit.parsed import ParsedDocument
from docaudit.redact import hides_rows, redact
from docaudit.retrieval import contradictions
from docaudit.retrieved import RetrievedChunk
from docaudit.saved import as_data, digest_of
from docaudit.stopping import Progress
from docaudit.witness import witness
from docaudit.wording import worded_again

if TYPE_CHECKING:
    from docaudit.extract import Source


class Step(StrEnum):
    """What is checked."""

    DIGEST = "digest"
    FINGERPRINT = "fingerprint"
    DOCUMENT = "document"
    VERSIONS = "versions"
    REPLAY = "replay"
    RETRIEVAL = "retrieval"
    SECOND_ENGINE = "second_engine"


class Check(Model):
    """One check with its result.

    Attributes:
        step: What was checked.
        state: confirmed, differs, or not_run.
        evidence: What was compared, or why it could not be, as a sentence.
        differences: Fields that differ, one by one.
    """

    step: Step
    state: Literal["confirmed", "differs", "not_run"]
    evidence: str
    differences: tuple[Difference, ...] = ()


class Verification(Model):
    """The result of a replay.

    Attributes:
        document: Name of the document as the justification gives it.
        checks: All checks in order.
    """

    document: str
    checks: tuple[Check, ...]

    @property
    def verified(self) -> bool:
        """Whether nothing differs and the audit was repeated. Other versions alone are no difference in the result."""
        states = {check.step: check.state for check in self.checks}
        return states[Step.REPLAY] == "confirmed" and not any(
            state == "differs" for step, state in states.items() if step is not Step.VERSIONS
        )


@dataclass(frozen=True)
class Opened:
    """The document to check against: a file, or a parse of one that was kept."""

    sha256: str
    file: Path
    parsed: ParsedDocument | None


@contextmanager
def opened(source: Source | ParsedDocument) -> Iterator[Opened]:
    """The source, with its hash; bytes and open files lie in a temporary file for the time of the block.

    Raises InputError and its subclasses.
    """
    parsed = source if isinstance(source, ParsedDocument) else None
    if isinstance(source, (str, os.PathLike)):
        parsed = open_parsed(source)
    if parsed is not None:
        yield Opened(parsed.identity.sha256, Path(), parsed)
        return
    from docaudit.extract.document import identified

    assert not isinstance(source, ParsedDocument)
    with identified(source) as file:
        yield Opened(file.sha256, file.path, None)


NOT_REPLAYED = frozenset({"digest", "document.name", "options.workers"})
"""Fields that a replay cannot confirm: the file may have another name here, and the number of workers changes nothing.
The digest covers them."""


_TAKEN_OVER = (
    "digest",
    "document.name",
    "question",
    "concept_table.info (descriptions)",
    "concept_table.variants (id, source, reference, name of the reviewer, date, note, own columns, order)",
    "options (workers, reasons of waivers, and what makes no difference for this document)",
)


def verify(
    justification: AbsenceJustification,
    source: Source | ParsedDocument,
    *,
    password: str | None = None,
    retrieved: Sequence[RetrievedChunk] | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a justification against its document.

    Args:
        justification: As it was saved and loaded again (docaudit.load_justification).
        source: The document: a PDF as `audit` takes it. A saved parse, or its folder, is swept and justified again, but
            not read again, and the result says so.
        password: Password of an encrypted document; it is in no justification.
        retrieved: The chunks that the audit was given. Without them it cannot be repeated what they held, only whether
            the hits that they are compared with are those of the document.
        progress: Called with pages done and pages in all.

    Raises what `audit` raises if the document cannot be opened.
    """
    identity, table = justification.document, justification.concept_table
    assert identity is not None, "a justification without a document cannot be made"
    assert table is not None, "nor can one without a table"
    with opened(source) as document:
        checks = [_digest(justification), _fingerprint(justification), _document(identity, document)]
        if document.sha256 != identity.sha256:
            checks += [_not_run(step, "this is another document") for step in _NEED_THE_DOCUMENT]
            return Verification(document=identity.name, checks=tuple(checks))
        # A file may not make anybody send text to a model: its wording is checked, not asked for again.
        options = justification.options.model_copy(update={"password": password, "explain_with": "template"})
        now = audit(
            document.parsed or document.file,
            table,
            question=justification.question,
            retrieved=retrieved,
            options=options,
            progress=progress,
        )
        if justification.options.explain_with == "model":
            now = worded_again(now, justification)
        if justification.redacted:
            now = redact(now)
        checks += [
            _versions(justification, now),
            _replay(justification, now, read_again=document.parsed is None),
        ]
        if justification.retrieval is not None or retrieved is not None:
            checks.append(_retrieval(justification, now))
        checks.append(_second_engine(justification, document, options))
        checks[0] = _where_to_look(justification, checks)
    return Verification(document=identity.name, checks=tuple(checks))


def _digest(saved: AbsenceJustification) -> Check:
    whole = digest_of(saved) == saved.digest
    said = "its content fits the digest" if whole else "its content was changed after docaudit wrote it"
    return Check(step=Step.DIGEST, state="confirmed" if whole else "differs", evidence=said)


def _where_to_look(saved: AbsenceJustification, checks: Sequence[Check]) -> Check:
    """The check of the digest; where only it differs, with the fields that a replay takes over as they stand."""
    digest = checks[0]
    if digest.state != "differs" or any(check.state == "differs" for check in checks[1:]):
        return digest
    fields = [
        *_TAKEN_OVER,
        *(["absence_explanation"] if saved.explained_by.method == "model" else []),
        *(["concept_table_fingerprint"] if hides_rows(saved) else []),
    ]
    where = (
        f"{digest.evidence}; the audit gives the same, so it is one of the fields that a replay takes over and cannot "
        f"confirm: {', '.join(fields)}"
    )
    return digest.model_copy(update={"evidence": where})


def _fingerprint(saved: AbsenceJustification) -> Check:
    assert saved.concept_table is not None
    if hides_rows(saved):
        return _not_run(
            Step.FINGERPRINT,
            "rows of its concept table that nobody accepted are redacted: the fingerprint is of the whole table",
        )
    now = saved.concept_table.fingerprint
    if now == saved.concept_table_fingerprint:
        return Check(
            step=Step.FINGERPRINT, state="confirmed", evidence="its concept table fits the fingerprint"
        )
    return Check(
        step=Step.FINGERPRINT,
        state="differs",
        evidence="its concept table is not the one that the fingerprint was made of",
        differences=(
            Difference(field="concept_table_fingerprint", saved=saved.concept_table_fingerprint, now=now),
        ),
    )


def _document(identity: DocumentIdentity, document: Opened) -> Check:
    if document.sha256 == identity.sha256:
        return Check(
            step=Step.DOCUMENT, state="confirmed", evidence=f"the file is the one audited ({document.sha256})"
        )
    return Check(
        step=Step.DOCUMENT,
        state="differs",
        evidence="the file is another one, or was changed; `docaudit compare` audits it as a new edition",
        differences=(Difference(field="document.sha256", saved=identity.sha256, now=document.sha256),),
    )


def _versions(saved: AbsenceJustification, now: AbsenceJustification) -> Check:
    assert saved.document is not None
    assert now.document is not None
    found = differences(_sorted(saved.document.versions), _sorted(now.document.versions))
    if not found:
        return Check(step=Step.VERSIONS, state="confirmed", evidence="by the same versions of all engines")
    named = tuple(one.model_copy(update={"field": f"document.versions.{one.field}"}) for one in found)
    said = "written by other versions: a difference in the replay may come from them"
    return Check(step=Step.VERSIONS, state="differs", evidence=said, differences=named)


def _replay(saved: AbsenceJustification, now: AbsenceJustification, *, read_again: bool) -> Check:
    ignored = NOT_REPLAYED | ({"concept_table_fingerprint"} if hides_rows(saved) else set())
    found = tuple(
        one
        for one in differences(_without_retrieval(saved), _without_retrieval(now), ignored)
        if not one.field.startswith("document.versions")
    )
    how = "" if read_again else " (the pages were not read again: this is a saved parse)"
    if not found:
        return Check(
            step=Step.REPLAY, state="confirmed", evidence=f"the audit gives the same in every field{how}"
        )
    fields = "1 field" if len(found) == 1 else f"{len(found)} fields"
    return Check(
        step=Step.REPLAY,
        state="differs",
        evidence=f"the audit gives another result in {fields}{how}",
        differences=found,
    )


def _without_retrieval(justification: AbsenceJustification) -> dict[str, Any]:
    return {name: part for name, part in as_data(justification).items() if name != "retrieval"}


def _retrieval(saved: AbsenceJustification, now: AbsenceJustification) -> Check:
    """What the chunks held, where they are given; else only whether it is said of hits that are there."""
    if now.retrieval is not None:
        parts = [as_data(one).get("retrieval", {}) for one in (saved, now)]
        found = tuple(
            one.model_copy(update={"field": f"retrieval.{one.field}"})
            for one in differences(parts[0], parts[1])
        )
        said = "the chunks hold other hits than it says" if found else "the chunks hold the hits that it says"
        state: Literal["confirmed", "differs"] = "differs" if found else "confirmed"
        return Check(step=Step.RETRIEVAL, state=state, evidence=said, differences=found)
    assert saved.retrieval is not None, "one of them has chunks"
    wrong = contradictions(saved.retrieval, now.hits, now.cooccurrences, now.required)
    if wrong:
        differing = tuple(Difference(field="retrieval", saved="", now=one) for one in wrong)
        return Check(
            step=Step.RETRIEVAL,
            state="differs",
            evidence="it compares chunks with other hits than those of the audit",
            differences=differing,
        )
    return _not_run(
        Step.RETRIEVAL,
        "it speaks of hits that are there; which of them the chunks held can be repeated only with the chunks",
    )


def _second_engine(saved: AbsenceJustification, document: Opened, options: AuditOptions) -> Check:
    """What PDFium alone sees, searched without the sweep."""
    if document.parsed is not None:
        return _not_run(Step.SECOND_ENGINE, "a saved parse has no pages that another engine could read")
    from docaudit.extract.second_text import read_second_text

    assert saved.document is not None
    pages = range(1, saved.document.pages_total + 1)
    seen = witness(saved, read_second_text(document.file, options, pages))
    if not seen.pages_read:
        return _not_run(Step.SECOND_ENGINE, "the second engine cannot read this document")
    found = [Difference(field="hits", saved=one, now="not seen by PDFium") for one in seen.unconfirmed]
    found += [Difference(field="hits", saved="", now=f"seen by PDFium: {one}") for one in seen.missed]
    said = (
        f"PDFium reads {seen.pages_read} of {len(pages)} pages; it confirms {seen.passages - len(seen.unconfirmed)} of "
        f"{seen.passages} passages, and sees {len(seen.missed)} places of {seen.variants} variants that have no hit"
    )
    return Check(
        step=Step.SECOND_ENGINE,
        state="differs" if found else "confirmed",
        evidence=said,
        differences=tuple(found),
    )


def _sorted(versions: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(versions.items()))


def _not_run(step: Step, why: str) -> Check:
    return Check(step=step, state="not_run", evidence=why)


_NEED_THE_DOCUMENT = (Step.VERSIONS, Step.REPLAY, Step.SECOND_ENGINE)
