"""AbsenceJustification and its parts: what docaudit concludes, with everything needed to check it.

Four layers of evidence must be there, or there is no justification: parsing (document, coverage, blind spots),
keywords (the concept table), sweep (ledger and hits) and explanation (the one sentence). The models are frozen;
`answer` is null by type. Method: "A RAG that says 'not in this document' has to show four kinds of evidence".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from docaudit.concepts import ConceptTable
from docaudit.errors import ExitCode, MissingEvidenceError
from docaudit.evidence import (
    BlindSpot,
    ControlGroup,
    DocumentIdentity,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    Model,
    PageFact,
    ParseCoverage,
)
from docaudit.options import AuditOptions
from docaudit.retrieved import RetrievalCheck

SCHEMA_VERSION: Literal["2"] = "2"


class Finding(StrEnum):
    """What the audit concludes."""

    MENTIONED = "mentioned"
    ABSENT = "absent_within_coverage"
    NOT_ESTABLISHED = "not_established"

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command line for this finding."""
        return {
            Finding.MENTIONED: ExitCode.MENTIONED,
            Finding.ABSENT: ExitCode.ABSENT,
            Finding.NOT_ESTABLISHED: ExitCode.NOT_ESTABLISHED,
        }[self]


class AbsenceReason(StrEnum):
    """Why there is no answer; null where the finding is `mentioned`."""

    CONCEPT_NOT_FOUND = "concept_not_found"
    OFF_TOPIC = "concept_found_but_off_topic"
    AMBIGUOUS_QUESTION = "ambiguous_question"


class Strength(StrEnum):
    """How strongly the hits alone speak for absence; unmet obligations weigh separately."""

    STRONG = "strong"
    MODERATE = "moderate"
    WEAK = "weak"


class Obligation(StrEnum):
    """What must be shown before `absent_within_coverage` may be said."""

    PAGES_READABLE = "pages_readable"
    INK_READ = "ink_read"
    PARTS_OPENED = "parts_opened"
    REFERENCES_RESOLVED = "references_resolved"
    VARIANTS_SEARCHED = "variants_searched"
    VARIANTS_REVIEWED = "variants_reviewed"
    QUESTION_COVERED = "question_covered"
    CONTROL_FOUND = "control_found"
    READERS_AGREE = "readers_agree"


class ObligationState(StrEnum):
    """Not run and met are never the same value."""

    MET = "met"
    UNMET = "unmet"
    WAIVED = "waived"
    NOT_RUN = "not_run"


class ObligationCheck(Model):
    """One obligation with its evidence.

    Attributes:
        obligation: Which one.
        state: met, unmet, waived or not_run (a check that this version does not run is never "met").
        evidence: What was measured, as a sentence.
        pages: Pages concerned, if any.
        remedy: What would settle it; empty if it is met.
        waived_because: The reason of the person who waived it.
    """

    obligation: Obligation
    state: ObligationState
    evidence: str
    pages: tuple[int, ...] = ()
    remedy: str = ""
    waived_because: str | None = None

    @classmethod
    def of(
        cls, obligation: Obligation, met: bool, evidence: str, pages: Sequence[int] = (), remedy: str = ""
    ) -> ObligationCheck:
        """A check that was run; pages and remedy count only if it is unmet."""
        if met:
            return cls(obligation=obligation, state=ObligationState.MET, evidence=evidence)
        unmet = ObligationState.UNMET
        return cls(obligation=obligation, state=unmet, evidence=evidence, pages=tuple(pages), remedy=remedy)

    @classmethod
    def not_run(cls, obligation: Obligation, evidence: str) -> ObligationCheck:
        """A check that was not run, and why."""
        return cls(obligation=obligation, state=ObligationState.NOT_RUN, evidence=evidence)


class ExplanationRecord(Model):
    """Who worded the explanation, and what became of wordings that did not hold.

    Attributes:
        method: template, or model (worded by a language model and checked).
        model: Name of the model that was asked; empty if none was.
        refused: Why each wording of the model was not taken, in order; the template stands in after the last.
    """

    method: Literal["template", "model"] = "template"
    model: str = ""
    refused: tuple[str, ...] = ()


class AbsenceJustification(Model):
    """The result of an audit: a finding with the four layers of evidence that carry it.

    Raises MissingEvidenceError, with the name of the layer, if one of the four is missing.

    Attributes:
        kind: Always "absence"; an AnswerWithEvidence has "answer".
        schema_version: Version of this form; a file of another version is refused.
        answer: Always null.
        question: The question as it was asked; null if the finding speaks of the concepts alone.
        finding: mentioned, absent_within_coverage or not_established.
        reason: Why there is no answer; null if the finding is `mentioned`.
        strength: strong (no hit of a required concept), moderate (hits that never meet), weak (they meet).
        obligations: All obligations with their evidence.
        unmet: Those of them that are unmet; absent_within_coverage is never said while one is.
        concept_hits: Rows of hit_df per concept, possible hits (accents_differ, ocr_fuzzy) left out.
        concept_pages: Pages on which each concept has a hit.
        closest_mentions: Mentions of concepts that are found, and nearest pairs; empty if no concept has a hit.
        near_misses: Text close to a variant without a hit, each with why it is not one.
        absence_explanation: One sentence; its numbers all stand in the other fields.
        explained_by: Who worded that sentence.
        suggested_requery: A clearer question; only if the reason is ambiguous_question.
        required: Concepts that must meet for "mentioned".
        hits: Every occurrence of every variant.
        cooccurrences: Where concepts meet.
        ledger: What became of every variant, also of those without a hit.
        blind_spots: What was not read.
        coverage: What could and could not be read, in numbers.
        concept_table: The whole concept table, also rows that are proposed or rejected.
        concept_table_fingerprint: SHA-256 over what is searched; notes and the order of rows do not change it.
        document: Which document was audited, by which versions.
        pages: Every page of the page tree, with its state.
        controls: Words known to be there, and whether they were found.
        retrieval: What of the hits a retriever gave; null, and not in the saved form, if no chunks were given.
        options: The options of the audit, so that it can be repeated.
        redacted: The text of the document was left out.
        digest: SHA-256 over all other fields as they are saved; a file that was edited does not fit it.
    """

    kind: Literal["absence"] = "absence"
    schema_version: Literal["2"] = SCHEMA_VERSION
    answer: None = None
    question: str | None
    finding: Finding
    reason: AbsenceReason | None
    strength: Strength
    absence_explanation: str
    explained_by: ExplanationRecord = ExplanationRecord()
    suggested_requery: str | None = None
    concept_hits: Mapping[str, int]
    concept_pages: Mapping[str, tuple[int, ...]]
    required: tuple[str, ...]
    obligations: tuple[ObligationCheck, ...]
    unmet: tuple[ObligationCheck, ...]
    closest_mentions: tuple[Mention, ...]
    near_misses: tuple[Mention, ...]
    hits: tuple[Hit, ...]
    cooccurrences: tuple[Meeting, ...]
    ledger: tuple[LedgerRow, ...]
    blind_spots: tuple[BlindSpot, ...]
    coverage: ParseCoverage | None
    concept_table: ConceptTable | None
    concept_table_fingerprint: str
    document: DocumentIdentity | None
    pages: tuple[PageFact, ...] = ()
    controls: tuple[ControlGroup, ...] = ()
    retrieval: RetrievalCheck | None = None
    options: AuditOptions
    redacted: bool = False
    digest: str = ""

    @property
    def waived(self) -> tuple[Obligation, ...]:
        """Obligations that a person waived: a finding that rests on them is that person's word, not shown."""
        return tuple(one.obligation for one in self.obligations if one.state is ObligationState.WAIVED)

    def __repr__(self) -> str:
        """The finding in one line: a notebook shows this, and the whole has every hit."""
        name = self.document.name if self.document else ""
        return f"<AbsenceJustification of {name!r}: {self.finding.value}, {self.strength.value}; {len(self.hits)} hits>"

    __str__ = __repr__

    @model_validator(mode="after")
    def _four_layers(self) -> AbsenceJustification:
        if self.document is None or self.coverage is None:
            raise MissingEvidenceError("parsing", "document or coverage is missing")
        if self.concept_table is None or not self.concept_table.variants:
            raise MissingEvidenceError("keywords", "the concept table is missing or empty")
        swept = {(row.concept, row.variant) for row in self.ledger}
        unswept = [v.text for v in self.concept_table.active if (v.concept, v.text) not in swept]
        if unswept:
            raise MissingEvidenceError("sweep", f"the ledger has no row for {', '.join(unswept[:5])}")
        if not self.absence_explanation.strip():
            raise MissingEvidenceError("explanation", "the explanation is empty")
        return self

    @model_validator(mode="after")
    def _consistent(self) -> AbsenceJustification:
        unmet = tuple(check for check in self.obligations if check.state is ObligationState.UNMET)
        if unmet != self.unmet:
            raise ValueError("unmet must be exactly the obligations whose state is unmet")
        if self.finding is Finding.ABSENT and unmet:
            raise ValueError("absent_within_coverage cannot be said while an obligation is unmet")
        if (self.finding is Finding.MENTIONED) != (self.reason is None):
            raise ValueError("reason is null exactly when the finding is mentioned")
        if self.suggested_requery is not None and self.reason is not AbsenceReason.AMBIGUOUS_QUESTION:
            raise ValueError("suggested_requery needs the reason ambiguous_question")
        return self


class AnswerWithEvidence(Model):
    """The sibling of AbsenceJustification: an answer with the passages that carry it, for QA tools that use both.

    Attributes:
        kind: Always "answer".
        schema_version: Version of this form.
        question: The question as it was asked.
        answer: The answer.
        evidence: The passages that carry it; at least one. `concept` and `variant` are empty where a passage was
            retrieved, and not found by a sweep.
        document: The document in which they stand, if it is one.
    """

    kind: Literal["answer"] = "answer"
    schema_version: Literal["2"] = SCHEMA_VERSION
    question: str
    answer: str = Field(min_length=1)
    evidence: tuple[Mention, ...] = Field(min_length=1)
    document: DocumentIdentity | None = None


GroundedAnswer = Annotated[AbsenceJustification | AnswerWithEvidence, Field(discriminator="kind")]
"""Either an answer with evidence or a justified absence, told apart by `kind`."""
