"""AbsenceJustification and its parts: what docaudit concludes, with everything needed to check it.

Four layers of evidence must be there, or there is no justification: parsing (document, coverage, blind spots),
keywords (the concept table), sweep (ledger and hits) and explanation (the one sentence). The models are frozen;
`answer` is null by type. Method: "A RAG that says 'not in this document' has to show four kinds of evidence".

All parts are frozen and have no room for fields that the schema does not name. What a retriever gave is no part of the
finding: it only says where a QA tool failed (nothing was retrieved, or it was and the model did not use it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from docaudit.codes import (
    AbsenceReason,
    BBox,
    BlindSpotKind,
    ChunkPlace,
    Finding,
    LedgerState,
    MatchKind,
    Obligation,
    ObligationState,
    PageState,
    RetrievalVerdict,
    Strength,
    TextLikely,
    TextSource,
    Visibility,
)
from docaudit.concepts.model import ConceptTable
from docaudit.errors import MissingEvidenceError
from docaudit.options import AuditOptions


class Model(BaseModel):
    """Base of all parts: frozen, and without room for fields that the schema does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class PageFact(Model):
    """One page of the page tree: its label, its size in points as displayed (null if unknown), and its state."""

    page_num: int = Field(ge=1)
    page_label: str
    width_pt: float | None
    height_pt: float | None
    state: PageState


class MissedControl(Model):
    """A word that is known to stand on a page and was not found there."""

    word: str
    page_num: int = Field(ge=1)


class ControlGroup(Model):
    """Controls of one kind in one layout: words known to be there, looked for by the path that the variants take.

    Attributes:
        kind: positive (words of the document itself), canary (a phrase planted into a copy of it).
        witness: Who saw the word, independently of the text layer as the sweep takes it: second_reader, ocr or
            text_layer; for a canary planted.
        layout: Where it stands: a LineType, column, rotated, ocr, ...
        tried: Words looked for.
        found: Of these, found on their page.
        missed: The others.
        untried: Why nothing could be looked for in this layout; empty if something was.
    """

    kind: Literal["positive", "canary"]
    witness: Literal["second_reader", "ocr", "text_layer", "planted"]
    layout: str
    tried: int = Field(ge=0)
    found: int = Field(ge=0)
    missed: tuple[MissedControl, ...] = ()
    untried: str = ""


Page = Annotated[int, Field(ge=1)]


class RetrievedChunk(Model):
    """A piece of text that a retriever gave for the question.

    Attributes:
        text: Its text as the tool has it; empty, or left out beside a page, for a page that was retrieved as a picture.
        pages: Its 1-based physical pages as the tool gives them; empty if it does not. One page may be given as `page`.
        id: Its name in the tool.
        score: Score that the retriever gave it.
    """

    text: str
    pages: tuple[Page, ...] = ()
    id: str = ""
    score: float | None = Field(default=None, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _one_page(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        if "text" not in data and (data.get("pages") or data.get("page") is not None):
            data = {"text": "", **data}
        if "page" not in data:
            return data
        if data.get("pages"):
            raise ValueError("give page or pages, not both")
        page = data["page"]
        rest = {name: value for name, value in data.items() if name != "page"}
        return rest | {"pages": () if page is None else (page,)}


class ChunkFact(Model):
    """One chunk, without its text.

    Attributes:
        id: Its name in the tool.
        pages: Its pages as the tool gave them.
        score: Its score as the tool gave it.
        place: whole (its letters stand in the document in one run), in_parts (a quarter of them or more, in runs),
            not_in_document (less: another document, or another reading of this one), without_text.
        found_on: Pages on which its text was found, whatever the tool says; 0 is text beside the pages.
        letters: Letters and digits of the chunk.
        letters_found: Of these, those in runs that stand in the document.
    """

    id: str
    pages: tuple[int, ...]
    score: float | None
    place: ChunkPlace
    found_on: tuple[int, ...]
    letters: int = Field(ge=0)
    letters_found: int = Field(ge=0)


class MissedHit(Model):
    """A hit of the sweep that is in no chunk."""

    concept: str
    variant: str
    page_num: int = Field(ge=0)
    line_num: int


class RetrievalCheck(Model):
    """The hits of required concepts, compared with the chunks that a retriever gave.

    Where the required concepts meet, the hits on these pages are compared, since they are to be read; else all of them.
    Hits that only may be one, and those inside a longer hit of their concept, are left out.

    Attributes:
        verdict: nothing_to_miss (no such hit), all_retrieved (each stands in a chunk), pages_retrieved (none is surely
            missed, but of some only their page is known to be retrieved), partly_missed, missed (not one is retrieved).
        hits: Hits compared.
        hits_in_text: Of these, those whose place in the document is part of a chunk.
        hits_on_page: Of the others, those on the page of a chunk which has no text, or holds the same word but cannot
            be found as it stands: a weaker claim.
        missed: The rest.
        meeting_pages: Pages where all required concepts meet.
        meeting_pages_retrieved: Of these, those of which a hit of each required concept there was retrieved.
        chunks: What was given, in its order.
    """

    verdict: RetrievalVerdict
    hits: int = Field(ge=0)
    hits_in_text: int = Field(ge=0)
    hits_on_page: int = Field(ge=0)
    missed: tuple[MissedHit, ...]
    meeting_pages: tuple[int, ...]
    meeting_pages_retrieved: tuple[int, ...]
    chunks: tuple[ChunkFact, ...]

    @model_validator(mode="after")
    def _consistent(self) -> RetrievalCheck:
        if self.hits != self.hits_in_text + self.hits_on_page + len(self.missed):
            raise ValueError("hits in chunks, on their pages and missed do not add up to all hits")
        if self.verdict is not verdict_of(self.hits_in_text, self.hits_on_page, len(self.missed)):
            raise ValueError("the verdict on the retriever does not follow from its counts")
        if not set(self.meeting_pages_retrieved) <= set(self.meeting_pages):
            raise ValueError("pages retrieved must be pages where concepts meet")
        return self

    @property
    def chunks_not_in_document(self) -> int:
        """Chunks whose text is not in what was read of the document."""
        return sum(chunk.place is ChunkPlace.NOT_IN_DOCUMENT for chunk in self.chunks)


def verdict_of(in_text: int, on_page: int, missed: int) -> RetrievalVerdict:
    """The verdict that follows from counts of hits."""
    if not in_text + on_page + missed:
        return RetrievalVerdict.NOTHING_TO_MISS
    if missed:
        return RetrievalVerdict.PARTLY_MISSED if in_text + on_page else RetrievalVerdict.MISSED
    return RetrievalVerdict.PAGES_RETRIEVED if on_page else RetrievalVerdict.ALL_RETRIEVED


def meeting_pages(cooccurrences: Iterable[Meeting], required: Sequence[str]) -> tuple[int, ...]:
    """Pages where all required concepts meet."""
    return tuple(sorted({m.page_num for m in cooccurrences if set(required) <= set(m.concepts)}))


def hits_to_read(hits: Iterable[Hit], pages: Sequence[int], required: Sequence[str]) -> list[Hit]:
    """Hits of required concepts on the pages where they meet; all of their hits if they meet nowhere.

    Hits that only may be one, and those inside a longer hit of their concept, are left out.
    """
    counted = [
        hit for hit in hits if hit.concept in required and not hit.nested and not hit.match_kind.is_possible
    ]
    return [hit for hit in counted if hit.page_num in pages] or counted


SCHEMA_VERSION: Literal["2"] = "2"


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
    """Whether a language model chose reason and mentions, and what became of answers that did not hold.

    The explanation itself is always the template's.

    Attributes:
        method: template, or model (a language model chose among what the evidence allows, and its answer was checked).
        model: Name of the model that was asked; empty if none was.
        refused: Why each answer of the model was not taken, in order; the template's choice stands after the last.
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
        explained_by: Whether a language model was asked, and what of its answers was not taken.
        model_remark: A sentence of that model. Its numbers and quotations were checked against the evidence, nothing
            else; null, and not in the saved form, if there is none.
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
    model_remark: str | None = None
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
    coverage: ParseCoverage
    concept_table: ConceptTable
    concept_table_fingerprint: str
    document: DocumentIdentity
    pages: tuple[PageFact, ...] = ()
    controls: tuple[ControlGroup, ...] = ()
    retrieval: RetrievalCheck | None = None
    options: AuditOptions
    redacted: bool = False
    digest: str = ""

    @property
    def waived(self) -> tuple[Obligation, ...]:
        """Obligations that a person waived: a finding that rests on them is that person's word, not shown."""
        return tuple(check.obligation for check in self.obligations if check.state is ObligationState.WAIVED)

    def __repr__(self) -> str:
        """The finding in one line: a notebook shows this, and the whole has every hit."""
        found = f"{self.finding.value}, {self.strength.value}; {len(self.hits)} hits"
        return f"<AbsenceJustification of {self.document.name!r}: {found}>"

    __str__ = __repr__

    @model_validator(mode="before")
    @classmethod
    def _no_layer_is_null(cls, fields: Any) -> Any:
        if isinstance(fields, dict):
            for layer, name in (
                ("parsing", "document"),
                ("parsing", "coverage"),
                ("keywords", "concept_table"),
            ):
                if fields.get(name, ...) is None:
                    raise MissingEvidenceError(layer, f"{name} is missing")
        return fields

    @model_validator(mode="after")
    def _four_layers(self) -> AbsenceJustification:
        if not self.concept_table.variants:
            raise MissingEvidenceError("keywords", "the concept table is empty")
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
