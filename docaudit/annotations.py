"""What is drawn into the annotated copy of a document: a mark for each hit, outlines, bookmarks and a legend."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docaudit.evidence import BlindSpot, Hit
from docaudit.extract.annotate_facts import AnnotateRequest, Bookmark, Colour, Mark, Outline
from docaudit.justification import AbsenceJustification
from docaudit.render import view, words
from docaudit.render.clean import one_line
from docaudit.render.colours import UNREAD, colour, highlighter, rgb
from docaudit.render.headlines import headline
from docaudit.render.kwic import split_snippet
from docaudit.render.tongue import Tongue

_CONTEXT = 40
"""Characters on both sides of a hit in its bookmark."""


def annotate_request(justification: AbsenceJustification, t: Tongue, path: Path) -> AnnotateRequest:
    """The request for the annotated copy of a justification that is not redacted."""
    j = justification
    colours = {row.name: highlighter(colour(number)) for number, row in enumerate(view.concept_rows(j))}
    return AnnotateRequest(
        path=str(path),
        marks=[_mark(hit, colours, t) for hit in j.hits if is_drawn(hit)],
        outlines=[
            Outline(spot.page_num, spot.bbox, _unread(spot, t))
            for spot in j.blind_spots
            if view.has_region(spot)
        ],
        bookmarks=list(_bookmarks(j, t)),
        contents_title=t("Bookmarks of the document itself"),
        legend=list(_legend(j, colours, t)),
    )


def is_drawn(hit: Hit) -> bool:
    """Whether a hit has a place on a page of the document itself."""
    return hit.page_num > 0 and hit.bbox is not None and not hit.part


def _mark(hit: Hit, colours: dict[str, Colour], t: Tongue) -> Mark:
    assert hit.bbox is not None, "only hits with a box are drawn"
    note = [f"{one_line(hit.concept)}: {one_line(hit.variant)}"]
    note += [t(words.MATCH_KINDS[hit.match_kind])]
    note += (
        [] if hit.source == "text_layer" else [t("from: {source}", source=t(words.TEXT_SOURCES[hit.source]))]
    )
    note += [] if hit.visibility == "visible" else [t(words.VISIBILITIES[hit.visibility])]
    lines = [line for line in hit.match_text.split("\n") if line.strip()] or [""]
    read = hit.source == "text_layer"
    return Mark(hit.page_num, hit.page_end, hit.bbox, lines, colours[hit.concept], "; ".join(note), read)


def _unread(spot: BlindSpot, t: Tongue) -> str:
    return f"{t('not read')}: {spot.kind.value}: {one_line(spot.detail)}"


def _bookmarks(j: AbsenceJustification, t: Tongue) -> Iterator[Bookmark]:
    """One for each concept with its hits under it, and one for what was not read; those without a page lead to the
    legend.
    """
    by_concept: dict[str, list[Hit]] = {}
    for hit in j.hits:
        by_concept.setdefault(hit.concept, []).append(hit)
    for row in view.concept_rows(j):
        hits = by_concept.get(row.name, [])
        first = next((hit for hit in hits if is_drawn(hit)), None)
        title = f"{one_line(row.name)}: {t.count(len(hits), 'hit')}"
        yield Bookmark(
            1, title, first.page_num if first else 0, first.bbox[1] if first and first.bbox else 0.0
        )
        for hit in hits:
            drawn = is_drawn(hit)
            yield Bookmark(
                2, _title(hit, t), hit.page_num if drawn else 0, hit.bbox[1] if drawn and hit.bbox else 0.0
            )
    spots = [spot for spot in j.blind_spots if view.has_region(spot)]
    if spots:
        yield Bookmark(1, t("What was not read"), spots[0].page_num, 0.0)
        for spot in spots:
            title = f"{t.page(spot.page_num)}: {spot.kind.value}"
            yield Bookmark(2, title, spot.page_num, spot.bbox[1] if spot.bbox else 0.0)
    yield Bookmark(1, t("Legend"), 0, 0.0)


def _title(hit: Hit, t: Tongue) -> str:
    cut = split_snippet(hit.snippet, hit.match_text)
    left, right = one_line(cut.left)[-_CONTEXT:], one_line(cut.right)[:_CONTEXT]
    where = view.heading(hit, t) if hit.part else t.page(hit.page_num)
    return f"{one_line(where)}: {left}{one_line(cut.hit)}{right}".strip()


def _legend(
    j: AbsenceJustification, colours: dict[str, Colour], t: Tongue
) -> Iterator[tuple[Colour | None, str]]:
    yield None, t("docaudit: annotated copy, not the document that was audited")
    if j.document is not None:
        yield None, f"{one_line(j.document.name)}, {t.count(j.document.pages_total, 'page')}"
        yield None, f"SHA-256 {j.document.sha256}"
    yield None, one_line(headline(j, t))
    yield None, ""
    counted: dict[str, list[Hit]] = {}
    for hit in j.hits:
        counted.setdefault(hit.concept, []).append(hit)
    for row in view.concept_rows(j):
        hits = counted.get(row.name, [])
        beside = sum(not is_drawn(hit) for hit in hits)
        said = f"{one_line(row.name)}: {t.count(len(hits), 'hit')}"
        if beside:
            said += f" ({t('{n} not on a page: in bookmarks, attachments or other parts', n=beside)})"
        yield colours[row.name], said
    spots = sum(view.has_region(spot) for spot in j.blind_spots)
    yield rgb(UNREAD), f"{t('region that was not read')}: {spots:,}"
    others = [spot for spot in j.blind_spots if not view.has_region(spot) and spot.text_likely != "no"]
    for spot in others:
        yield (
            None,
            f"{t('not read')}: {t.page(spot.page_num)}: {spot.kind.value}: {one_line(spot.detail)[:70]}",
        )
    parts = [hit for hit in j.hits if not is_drawn(hit)]
    if parts:
        yield None, ""
        yield None, t("Hits that are not on a page")
        for hit in parts:
            yield colours[hit.concept], _title(hit, t)[:90]
