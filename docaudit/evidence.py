"""The parts of evidence that a justification is made of: what was read, what was not, what was found.

All are frozen and have no room for fields that the schema does not name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from docaudit.location import BBox, MatchKind, PageState, TextLikely, TextSource, Visibility
from docaudit.reasons import BlindSpotKind, LedgerState


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
