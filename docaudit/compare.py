"""A new edition of a document: which absences that were justified for the old one still hold?

The new document is audited with the concept table, the question and the options of the old justification.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from docaudit.audit import audit
from docaudit.codes import Finding
from docaudit.document import ParsedDocument
from docaudit.errors import Progress
from docaudit.justification import AbsenceJustification, DocumentIdentity, Model, ObligationCheck

if TYPE_CHECKING:
    from docaudit.extract.source import Source


class Fate(StrEnum):
    """What became of an absence, or of a concept, in the new edition."""

    HOLDS = "holds"
    VOIDED = "voided"
    NOT_ESTABLISHED = "not_established"
    WAS_NOT_ABSENT = "was_not_absent"
    NOW_ABSENT = "now_absent"


class ConceptChange(Model):
    """One concept in both editions.

    Attributes:
        concept: Its name.
        fate: holds (no hit before, none now, and all could be searched), voided (hits now), not_established (no hit,
            but the new audit has an unmet obligation), was_not_absent (it had hits before, or the old audit left an
            obligation unmet), now_absent (only the new audit could establish it).
        hits_before: Hits in the old edition.
        hits_now: Hits in the new one.
        pages_now: Pages of the new one with a hit.
    """

    concept: str
    fate: Fate
    hits_before: int
    hits_now: int
    pages_now: tuple[int, ...]


class Comparison(Model):
    """What an old justification is worth for a new edition.

    Attributes:
        question: The question of the old audit.
        before: The document that was audited.
        now: The document that it is compared with.
        same_document: Both have the same hash.
        finding_before: Finding of the old audit.
        finding_now: Finding of the same audit of the new edition.
        fate: What became of the old finding "absent": holds, voided, or not_established; was_not_absent if there was
            none to hold, now_absent if the new audit is the first to establish it.
        concepts: Each concept that is searched.
        unmet: Obligations that the new audit leaves unmet.
        audit: The justification for the new edition.
    """

    question: str | None
    before: DocumentIdentity
    now: DocumentIdentity
    same_document: bool
    finding_before: Finding
    finding_now: Finding
    fate: Fate
    concepts: tuple[ConceptChange, ...]
    unmet: tuple[ObligationCheck, ...]
    audit: AbsenceJustification


def compare(
    old: AbsenceJustification,
    source: Source | ParsedDocument,
    *,
    password: str | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Audit a new edition as the old one was audited, and say which absences still hold.

    Waivers do not come along: a person answered for what stands in the old edition. Nor do the chunks of a retriever.

    Args:
        old: The justification for the old edition.
        source: The new document: a PDF as `audit` takes it, a saved parse, or its folder.
        password: Password of an encrypted document.
        progress: Called with pages done and pages in all.

    Raises what `audit` raises.
    """
    # A person waived what stands in the old edition; nobody has looked at the new one.
    options = old.options.model_copy(update={"waive": {}, "password": password, "explain_with": "template"})
    now = audit(source, old.concept_table, question=old.question, options=options, progress=progress)
    return Comparison(
        question=old.question,
        before=old.document,
        now=now.document,
        same_document=old.document.sha256 == now.document.sha256,
        finding_before=old.finding,
        finding_now=now.finding,
        fate=_fate(old.finding, now.finding),
        concepts=tuple(_concept(name, old, now) for name in now.concept_hits),
        unmet=now.unmet,
        audit=now,
    )


def _fate(before: Finding, now: Finding) -> Fate:
    if before is not Finding.ABSENT:
        return Fate.NOW_ABSENT if now is Finding.ABSENT else Fate.WAS_NOT_ABSENT
    return {
        Finding.ABSENT: Fate.HOLDS,
        Finding.MENTIONED: Fate.VOIDED,
        Finding.NOT_ESTABLISHED: Fate.NOT_ESTABLISHED,
    }[now]


def _concept(name: str, old: AbsenceJustification, now: AbsenceJustification) -> ConceptChange:
    before, found = old.concept_hits.get(name, 0), now.concept_hits[name]
    if before or (old.unmet and (found or now.unmet)):
        fate = Fate.WAS_NOT_ABSENT
    elif found:
        fate = Fate.VOIDED
    elif now.unmet:
        fate = Fate.NOT_ESTABLISHED
    else:
        fate = Fate.NOW_ABSENT if old.unmet else Fate.HOLDS
    return ConceptChange(
        concept=name, fate=fate, hits_before=before, hits_now=found, pages_now=now.concept_pages[name]
    )
