"""What only an earlier revision of the file says: its lines against those of the document as it is now."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from docaudit.extract.attachments import part_lines
from docaudit.extract.facts import DocumentFact, LineFact, PageFact, SpotFact
from docaudit.location import DOCUMENT_PAGE, TextSource, Visibility
from docaudit.reasons import BlindSpotKind


class PresentText:
    """The lines of a document page by page; what an earlier revision adds to them counts as present for older ones."""

    def __init__(self, document: DocumentFact, pages: list[PageFact]) -> None:
        self._total = len(pages)
        self._by_page: dict[int, set[str]] = defaultdict(set)
        self._spots: dict[int, set[tuple[str, str]]] = defaultdict(set)
        self._add(document, pages)

    def only_in(
        self, document: DocumentFact, pages: list[PageFact], part: str
    ) -> tuple[list[tuple[int, LineFact]], list[tuple[int, SpotFact]]]:
        """Lines of each page of the older revision that says something else, and blind spots that only it has.

        The whole page is given, so that a phrase that goes from a line that was kept into one that was not is found;
        only lines that are no more are marked as replaced.
        """
        lines: list[tuple[int, LineFact]] = []
        moved = (
            len(pages) != self._total
        )  # pages were added or taken out: a line may stand on another page now
        everywhere = set().union(*self._by_page.values()) if moved else set()
        by_page: dict[int, list[LineFact]] = defaultdict(list)
        for line in part_lines(document, pages, part, TextSource.EARLIER_REVISION):
            by_page[line.part_page].append(line)
        for number, listed in by_page.items():
            known = everywhere if moved and number else self._by_page[number]
            gone = [_plain(line) not in known for line in listed]
            if any(gone):
                page_num = number if number <= self._total else DOCUMENT_PAGE
                lines += [
                    (page_num, _marked(line, old))
                    for line, old in zip(listed, gone, strict=True)
                    if old or line.box
                ]
        spots = [
            (page_num if page_num <= self._total else DOCUMENT_PAGE, _spot(spot, page_num, part))
            for page_num, spot in _spots(document, pages)
            if (spot.kind, repr(spot.box)) not in self._spots[page_num]
        ]
        self._add(document, pages)
        return lines, spots

    def _add(self, document: DocumentFact, pages: list[PageFact]) -> None:
        for page_num, line in document.lines:
            self._by_page[page_num].add(_plain(line))
        for page in pages:
            self._by_page[page.page_num].update(_plain(line) for line in page.lines)
        for page_num, spot in _spots(document, pages):
            self._spots[page_num].add((spot.kind, repr(spot.box)))


def _plain(line: LineFact) -> str:
    return " ".join(line.text.split())


def _marked(line: LineFact, gone: bool) -> LineFact:
    return msgspec.structs.replace(line, visibility=Visibility.REPLACED.value) if gone else line


def _spots(document: DocumentFact, pages: list[PageFact]) -> list[tuple[int, SpotFact]]:
    """All blind spots with their pages, without what a revision says of those before it."""
    named = [one for one in document.spots if one[1].kind != BlindSpotKind.EARLIER_REVISION.value]
    return [*named, *((page.page_num, spot) for page in pages for spot in page.spots)]


def _spot(spot: SpotFact, page_num: int, part: str) -> SpotFact:
    where = f"{part}, page {page_num}" if page_num else part
    return SpotFact(
        BlindSpotKind.EARLIER_REVISION.value, spot.text_likely, f"{where}: {spot.kind}: {spot.detail}"
    )
