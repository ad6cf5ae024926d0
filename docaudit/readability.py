"""How much of a document a program can read: what `docaudit coverage` shows, with a denominator for every number.

The models are frozen and are saved as JSON. render/ shows them without the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field

from docaudit.evidence import BlindSpot, DocumentIdentity, Model, ParseCoverage
from docaudit.location import BBox, PageState
from docaudit.options import AuditOptions
from docaudit.reasons import BlindSpotKind


class PageReadability(Model):
    """One page of the page tree.

    Attributes:
        page_num: 1-based physical page.
        label: Page label of the document; empty if none.
        width_pt: Width as displayed, points; 0 if the page could not be opened.
        height_pt: Height as displayed, points.
        state: The one state of the page.
        read_in_full: The page was opened and rendered, and no blind spot of it may hold text: the text layer or
            OCR read all that may be text.
        ink_read_share: Ink under text that was read, of all ink of the page; None if it was not measured or is none.
        warnings: What the engine complained about, as it said it.
    """

    page_num: int = Field(ge=1)
    label: str
    width_pt: float
    height_pt: float
    state: PageState
    read_in_full: bool
    ink_read_share: float | None
    warnings: str


class KindSummary(Model):
    """All blind spots of one kind that may hold text, or all of one kind that hold none.

    Attributes:
        kind: The code.
        may_hold_text: Whether these are the ones that may hold text; only they lower the share.
        meaning: What the code means, as one sentence.
        remedy: What a person can do about it; empty where there is nothing to find.
        count: Blind spots.
        pages: Their pages; 0 stands for the document as a whole.
        details: What exactly was not read, with how often, most frequent first.
    """

    kind: BlindSpotKind
    may_hold_text: bool
    meaning: str
    remedy: str
    count: int
    pages: tuple[int, ...]
    details: Mapping[str, int]


class Readability(Model):
    """How much of one document a program can read.

    Attributes:
        document: Which document, read by what.
        options: The options it was read with.
        readable_share: pages_read_in_full of coverage.pages_total, 0 to 1.
        pages_read_in_full: Pages that were opened and rendered and have no blind spot that may hold text.
        pages_not_read_in_full: The other pages.
        parts_not_read_outside_pages: Parts of the document as a whole that were not read and may hold text
            (attachments, forms); they are in no page.
        kinds: Blind spots by kind, those that may hold text first.
        blind_spots: All of them.
        pages: All pages of the page tree.
        coverage: All other numbers.
    """

    document: DocumentIdentity
    options: AuditOptions
    readable_share: float = Field(ge=0, le=1)
    pages_read_in_full: int
    pages_not_read_in_full: tuple[int, ...]
    parts_not_read_outside_pages: int
    kinds: tuple[KindSummary, ...]
    blind_spots: tuple[BlindSpot, ...]
    pages: tuple[PageReadability, ...]
    coverage: ParseCoverage

    @property
    def complete(self) -> bool:
        """Nothing that may hold text is left unread, on pages or beside them."""
        return not self.pages_not_read_in_full and not self.parts_not_read_outside_pages

    def pages_with(self, kinds: Iterable[BlindSpotKind]) -> dict[BlindSpotKind, tuple[int, ...]]:
        """Pages (0: the document as a whole) of those of the kinds that occur and may hold text."""
        wanted = set(kinds)
        return {item.kind: item.pages for item in self.kinds if item.may_hold_text and item.kind in wanted}


class UnreadableDocument(Model):
    """A document that could not be opened at all."""

    name: str
    error: str


class KindTotal(Model):
    """One kind of blind spot in all documents, those that may hold text.

    Attributes:
        kind: The code.
        documents: Documents with it.
        pages: Pages with it; parts beside the pages are not counted here.
        count: Blind spots.
    """

    kind: BlindSpotKind
    documents: int
    pages: int
    count: int


class CorpusReadability(Model):
    """Several documents: each of them, and their sums.

    Attributes:
        documents: Those that could be opened.
        unreadable: Those that could not.
        documents_total: Both together.
        documents_complete: Documents without anything unread that may hold text.
        pages_total: Pages of all documents that could be opened.
        pages_read_in_full: Of these, pages read in full.
        readable_share: pages_read_in_full of pages_total; None if no document could be opened.
        kinds: Each kind that may hold text, most pages first.
    """

    kind: Literal["coverage"] = "coverage"
    schema_version: Literal["1"] = "1"
    documents: tuple[Readability, ...]
    unreadable: tuple[UnreadableDocument, ...]
    documents_total: int
    documents_complete: int
    pages_total: int
    pages_read_in_full: int
    readable_share: float | None
    kinds: tuple[KindTotal, ...]

    @classmethod
    def of(
        cls, documents: Iterable[Readability], unreadable: Iterable[UnreadableDocument] = ()
    ) -> CorpusReadability:
        """Add the documents up."""
        read, lost = tuple(documents), tuple(unreadable)
        total = sum(one.coverage.pages_total for one in read)
        full = sum(one.pages_read_in_full for one in read)
        return cls(
            documents=read,
            unreadable=lost,
            documents_total=len(read) + len(lost),
            documents_complete=sum(one.complete for one in read),
            pages_total=total,
            pages_read_in_full=full,
            readable_share=full / total if total else None,
            kinds=_totals(read),
        )


def _totals(documents: tuple[Readability, ...]) -> tuple[KindTotal, ...]:
    totals = []
    for kind in BlindSpotKind:
        found = [item for one in documents for item in one.kinds if item.kind is kind and item.may_hold_text]
        if found:
            pages = sum(len([page for page in item.pages if page]) for item in found)
            count = sum(item.count for item in found)
            totals.append(KindTotal(kind=kind, documents=len(found), pages=pages, count=count))
    return tuple(sorted(totals, key=lambda total: (-total.pages, -total.count)))


class Thumbnail(Model):
    """A small picture of one page for the page map.

    Attributes:
        page_num: 1-based physical page.
        jpeg: The picture; None if the page could not be drawn.
        problem: Why it could not be drawn.
    """

    page_num: int = Field(ge=1)
    jpeg: bytes | None = None
    problem: str = ""


class RegionPicture(Model):
    """A picture of one region that was not read, for the report.

    Attributes:
        page_num: 1-based physical page.
        bbox: The region; None for the whole page.
        jpeg: The picture; None if it could not be drawn.
        problem: Why it could not be drawn.
    """

    page_num: int = Field(ge=1)
    bbox: BBox | None = None
    jpeg: bytes | None = None
    problem: str = ""
