"""What could be read of each document, on the terminal and as numbers for a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from docaudit.justification import ParseCoverage
from docaudit.location import PageState, TextLikely
from docaudit.parsed import ParsedDocument
from docaudit.reasons import BlindSpotKind
from docaudit.render import words
from docaudit.render.clean import one_line
from docaudit.render.pages import page_words
from docaudit.render.paper import Paper, new_console

READABLE_STATES = frozenset({PageState.TEXT, PageState.MIXED, PageState.BLANK})


@dataclass(frozen=True)
class Readability:
    """How much of one document a program can read.

    Attributes:
        name: Name of the document.
        share: Pages read in full, of all pages of the page tree: state text, mixed or blank, and no blind spot that
            may hold text.
        not_in_full: The other pages.
        outside: Parts of the document as a whole that were not read (attachments, forms); they are in no page.
        spots: Pages of each kind of blind spot that may hold text.
        spots_without_text: Pages of each kind of blind spot that holds no text; they do not lower the share.
        coverage: All other numbers.
    """

    name: str
    share: float
    not_in_full: tuple[int, ...]
    outside: int
    spots: dict[str, tuple[int, ...]]
    spots_without_text: dict[str, tuple[int, ...]]
    coverage: ParseCoverage

    @classmethod
    def of(cls, name: str, parsed: ParsedDocument) -> Readability:
        """Measure a parsed document."""
        pages = parsed.page_df
        spots = parsed.blind_spot_df
        open_spots = spots[spots["text_likely"] != TextLikely.NO.value]
        bad = set(pages.loc[~pages["state"].isin([s.value for s in READABLE_STATES]), "page_num"].tolist())
        bad |= set(open_spots.loc[open_spots["page_num"] > 0, "page_num"].tolist())
        return cls(
            name=name,
            share=1 - len(bad) / len(pages),
            not_in_full=tuple(sorted(int(page) for page in bad)),
            outside=int((open_spots["page_num"] == 0).sum()),
            spots=_pages_by_kind(open_spots),
            spots_without_text=_pages_by_kind(spots[spots["text_likely"] == TextLikely.NO.value]),
            coverage=parsed.coverage,
        )

    def as_dict(self) -> dict[str, Any]:
        """The numbers for JSON; the six keys of the method stand among those of the coverage."""
        return {
            "document": self.name,
            "readable_share": round(self.share, 6),
            "pages_not_read_in_full": list(self.not_in_full),
            "parts_not_read_outside_pages": self.outside,
            "blind_spots": {kind: list(pages) for kind, pages in self.spots.items()},
            "blind_spots_without_text": {k: list(pages) for k, pages in self.spots_without_text.items()},
            "coverage": self.coverage.model_dump(mode="json"),
        }


def print_coverage(documents: Sequence[Readability], fail_under: float | None) -> None:
    """One paragraph for each document, the share first."""
    paper = Paper(new_console())
    for number, document in enumerate(documents):
        if number:
            paper.blank()
        _document(paper, document, fail_under)


def _document(paper: Paper, document: Readability, fail_under: float | None) -> None:
    short = fail_under is not None and document.share < fail_under
    style = (
        "bold red"
        if short
        else "bold green"
        if document.share == 1 and not document.outside
        else "bold yellow"
    )
    total = document.coverage.pages_total
    full = total - len(document.not_in_full)
    tail = f" (below {fail_under:g})" if short else ""
    paper.say((f"{document.share:.1%}", style), f"  {one_line(document.name)}: ", hang=8)
    paper.say(f"{full:,} of {words.plural(total, 'page')} read in full{tail}", indent=2, hang=2)
    c = document.coverage
    states = ", ".join(
        f"{count:,} {words.PAGE_STATES[state]}" for state, count in c.pages_by_state.items() if count
    )
    paper.say(f"pages by state: {states}", indent=2, hang=2)
    paper.say(
        f"images: {c.images_total:,} placed, {c.images_read:,} read by OCR, {c.images_without_text:,} without text, "
        f"{c.images_unread:,} unread",
        indent=2,
        hang=2,
    )
    paper.say(
        f"contents entries {c.toc_entries:,}, cross-references {c.cross_refs_total:,} "
        f"({len(c.unresolved_cross_refs):,} unresolved), named objects {c.objects_registered:,}",
        indent=2,
        hang=2,
    )
    kind_of = {kind.value: kind for kind in BlindSpotKind}
    for kind, pages in document.spots.items():
        paper.say((kind, "bold"), f": {page_words(pages)}", indent=2, hang=4)
        paper.say(("→ " + kind_of[kind].remedy, "dim"), indent=4, hang=2)
    for kind, pages in document.spots_without_text.items():
        paper.say((f"{kind}, but without text: {page_words(pages)}", "dim"), indent=2, hang=4)


def _pages_by_kind(spots: pd.DataFrame) -> dict[str, tuple[int, ...]]:
    pages = spots.groupby("kind", sort=False)["page_num"].unique()
    return {str(kind): tuple(sorted(int(page) for page in on)) for kind, on in pages.items()}
