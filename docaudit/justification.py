"""AbsenceJustification and its parts: what docaudit concludes, with everything needed to check it.

Four layers of evidence must be there, or there is no justification: parsing (document, coverage, blind spots),
keywords (the concept table), sweep (ledger and hits) and explanation (the one sentence). The models are frozen;
`answer` is null by type. Method: "A RAG that says 'not in this document' has to show four kinds of evidence".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from docaudit.concepts import ConceptTable
from docaudit.errors import ExitCode, MissingEvidenceError
from docaudit.location import BBox, MatchKind, PageState, TextLikely, TextSource, Visibility
from docaudit.options import AuditOptions
from docaudit.reasons import BlindSpotKind, LedgerState

SCHEMA_VERSION: Literal["1"] = "1"


class Model(BaseModel):
    """Base of all parts: frozen, and without room for fields that the schema does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class DocumentIdentity(Model):
    """Which document was audited, by what.

    Attributes:
        name: File name without its folder; "(bytes)" if none was given.
        sha256: Hash of the bytes of the file.
        size_bytes: Length of the file.
        pages_total: Pages of the page tree.
        versions: Versions of docaudit and of every engine that read the document.
    """

    name: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size_bytes: int = Field(ge=0)
    pages_total: int = Field(ge=1)
    versions: Mapping[str, str]


class ParseCoverage(Model):
    """What could and could not be read, in numbers; every share names its denominator.

    The first six fields are those of the method. None means "not measured", never zero.

    Attributes:
        pages_total: Pages of the page tree.
        pages_with_text: Of these, pages with at least one line in their text layer.
        images_total: Placed images.
        toc_entries: Entries of outline and printed contents.
        cross_refs_total: Mentions of named objects.
        objects_registered: Named objects found.
        pages_by_state: Pages in each PageState; they add up to pages_total.
        pages_by_ocr_alone: Pages without text layer of which OCR read at least one line; pages_with_text has none of
            them.
        ink_read_share: Ink under text that was read, of all ink on all pages; None if it was not measured.
        images_read: Images whose text OCR read with sufficient confidence.
        images_without_text: Images in which OCR found no text.
        images_unread: Images that were not read, or not with sufficient confidence.
        unresolved_cross_refs: Mentions ("Figure 3.D") of internal objects that are not in the object registry.
        external_refs: Mentions of objects that the text says are elsewhere.
        page_label_gaps: Gaps and repetitions in the page labels, and gaps in the page numbers printed on the pages.
        page_label_mismatches: Pages whose printed number is another than their label.
        number_gaps: Gaps in the numbers of figures, tables, boxes and the like.
        contents_not_found: Contents entries whose title is not on the page they point to.
        pages_with_warnings: Pages on which the engine complained.
        words_second_reader_only: Words in sight that only the second reader saw; None if it was not run. They were
            added to the lines, and so are searched.
        words_first_reader_only: Words that the second reader did not see; None if it was not run.
        pages_not_compared: Pages that the second reader could not read, or may have under another number.
        pages_readers_disagree: Pages of which the first reader missed so much that it cannot be relied on there.
    """

    pages_total: int
    pages_with_text: int
    images_total: int
    toc_entries: int
    cross_refs_total: int
    objects_registered: int
    pages_by_state: Mapping[PageState, int]
    ink_read_share: float | None = None
    pages_by_ocr_alone: int | None = None
    images_read: int
    images_without_text: int
    images_unread: int
    unresolved_cross_refs: tuple[str, ...]
    external_refs: tuple[str, ...]
    page_label_gaps: tuple[str, ...]
    page_label_mismatches: tuple[str, ...] = ()
    number_gaps: tuple[str, ...]
    contents_not_found: tuple[str, ...]
    pages_with_warnings: tuple[int, ...]
    words_second_reader_only: int | None = None
    words_first_reader_only: int | None = None
    pages_not_compared: tuple[int, ...] = ()
    pages_readers_disagree: tuple[int, ...] = ()

    @property
    def pages_read(self) -> int:
        """Pages with at least one line that was read from the page, by whatever means."""
        return self.pages_with_text + (self.pages_by_ocr_alone or 0)

    def six_keys(self) -> dict[str, int]:
        """The six numbers of the method under their exact names."""
        return {
            "pages_total": self.pages_total,
            "pages_with_text": self.pages_with_text,
            "images_total": self.images_total,
            "toc_entries": self.toc_entries,
            "cross_refs_total": self.cross_refs_total,
            "objects_registered": self.objects_registered,
        }


class BlindSpot(Model):
    """One region or part that was not read; page_num 0 means the document as a whole."""

    page_num: int = Field(ge=0)
    kind: BlindSpotKind
    text_likely: TextLikely
    bbox: BBox | None = None
    area_share: float | None = None
    detail: str


class Hit(Model):
    """One occurrence of one variant.

    `snippet` and `match_text` are verbatim; parts of several lines are joined by newlines. `part` names the attachment
    or earlier revision in which it stands (empty: the document itself), `part_page` the page of it with `bbox`.
    """

    concept: str
    variant: str
    match_text: str
    match_kind: MatchKind
    page_num: int = Field(ge=0)
    line_num: int
    page_end: int
    line_end: int
    bbox: BBox | None = None
    snippet: str
    source: TextSource
    visibility: Visibility
    part: str = ""
    part_page: int = Field(default=0, ge=0)
    section: str
    negated: bool
    nested: bool


class LedgerRow(Model):
    """What became of one variant, found or not."""

    concept: str
    variant: str
    pattern: str
    state: LedgerState
    pages_searched: int
    pages_not_searchable: int
    hits: int
    pages_with_hits: int
    unique_hits: int
    detail: str


class Meeting(Model):
    """One place where concepts meet."""

    concepts: tuple[str, ...]
    scope: str
    page_num: int
    line_num: int
    distance: int


class Mention(Model):
    """A closest mention: near the question, but not its answer. `snippet` is verbatim."""

    kind: Literal["mention", "pair", "near_miss"]
    concept: str
    variant: str
    text: str
    page_num: int = Field(ge=0)
    line_num: int
    snippet: str
    distance: float | None = None
    why_not: str


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


class AbsenceJustification(Model):
    """The result of an audit: a finding with the four layers of evidence that carry it.

    Raises MissingEvidenceError, with the name of the layer, if one of the four is missing.

    Attributes:
        answer: Always null.
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
        suggested_requery: A clearer question; only if the reason is ambiguous_question.
    """

    kind: Literal["absence"] = "absence"
    schema_version: Literal["1"] = SCHEMA_VERSION
    answer: None = None
    question: str | None
    finding: Finding
    reason: AbsenceReason | None
    strength: Strength
    absence_explanation: str
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
    options: AuditOptions

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
    """The sibling of AbsenceJustification: an answer with the passages that carry it, for QA tools that use both."""

    kind: Literal["answer"] = "answer"
    schema_version: Literal["1"] = SCHEMA_VERSION
    question: str
    answer: str = Field(min_length=1)
    evidence: tuple[Mention, ...] = Field(min_length=1)
    document: DocumentIdentity | None = None


GroundedAnswer = Annotated[AbsenceJustification | AnswerWithEvidence, Field(discriminator="kind")]
"""Either an answer with evidence or a justified absence, told apart by `kind`."""
