"""Reports of a justification as files: the only module that knows both what is rendered and what reads the document.

With the document at hand its unread regions are shown as pictures, and an annotated copy of it is made; without it, and
with --redact, the report says that it has neither.

What is drawn into the annotated copy of a document: a mark for each hit, outlines, bookmarks and a legend.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docaudit.audit import require_justification
from docaudit.codes import BBox
from docaudit.coverage import RegionPicture
from docaudit.errors import InputError, OtherDocumentError, PasswordRequiredError
from docaudit.extract.protocol import AnnotateRequest, Bookmark, Colour, Mark, Outline
from docaudit.justification import AbsenceJustification, BlindSpot, Hit
from docaudit.options import AuditOptions
from docaudit.redact import redact as without_text
from docaudit.render import view
from docaudit.render.html import to_html
from docaudit.render.language import Language, Translator, one_line
from docaudit.render.tables import ANNOTATED, write_folder
from docaudit.render.terminal import split_snippet
from docaudit.render.view import UNREAD, colour, headline, highlighter, rgb

if TYPE_CHECKING:
    from docaudit.extract.source import Source, SourceFile


_CONTEXT = 40
"""Characters on both sides of a hit in its bookmark."""


def annotate_request(justification: AbsenceJustification, t: Translator, path: Path) -> AnnotateRequest:
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


def _mark(hit: Hit, colours: dict[str, Colour], t: Translator) -> Mark:
    assert hit.bbox is not None, "only hits with a box are drawn"
    note = [f"{one_line(hit.concept)}: {one_line(hit.variant)}"]
    note += [t(hit.match_kind.label)]
    note += [] if hit.source == "text_layer" else [t("from: {source}", source=t(hit.source.label))]
    note += [] if hit.visibility == "visible" else [t(hit.visibility.label)]
    lines = [line for line in hit.match_text.split("\n") if line.strip()] or [""]
    read = hit.source == "text_layer"
    return Mark(hit.page_num, hit.page_end, hit.bbox, lines, colours[hit.concept], "; ".join(note), read)


def _unread(spot: BlindSpot, t: Translator) -> str:
    return f"{t('not read')}: {spot.kind.value}: {one_line(spot.detail)}"


def _bookmarks(j: AbsenceJustification, t: Translator) -> Iterator[Bookmark]:
    """One for each concept with its hits under it, and one for what was not read; those without a page lead to the
    legend.
    """
    by_concept: dict[str, list[Hit]] = {}
    for hit in j.hits:
        by_concept.setdefault(hit.concept, []).append(hit)
    for row in view.concept_rows(j):
        hits = by_concept.get(row.name, [])
        first = next((hit for hit in hits if is_drawn(hit)), None)
        title = f"{one_line(row.name)}: {t.ngettext('{n} hit', '{n} hits', len(hits))}"
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


def _title(hit: Hit, t: Translator) -> str:
    cut = split_snippet(hit.snippet, hit.match_text)
    left, right = one_line(cut.left)[-_CONTEXT:], one_line(cut.right)[:_CONTEXT]
    where = view.heading(hit, t) if hit.part else t.page(hit.page_num)
    return f"{one_line(where)}: {left}{one_line(cut.hit)}{right}".strip()


def _legend(
    j: AbsenceJustification, colours: dict[str, Colour], t: Translator
) -> Iterator[tuple[Colour | None, str]]:
    yield None, t("docaudit: annotated copy, not the document that was audited")
    if j.document is not None:
        yield (
            None,
            f"{one_line(j.document.name)}, {t.ngettext('{n} page', '{n} pages', j.document.pages_total)}",
        )
        yield None, f"SHA-256 {j.document.sha256}"
    yield None, one_line(headline(j, t))
    yield None, ""
    counted: dict[str, list[Hit]] = {}
    for hit in j.hits:
        counted.setdefault(hit.concept, []).append(hit)
    for row in view.concept_rows(j):
        hits = counted.get(row.name, [])
        beside = sum(not is_drawn(hit) for hit in hits)
        said = f"{one_line(row.name)}: {t.ngettext('{n} hit', '{n} hits', len(hits))}"
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


_MOST_PICTURES = 150
_WIDTH = 420
_LEFT_OUT = (
    f"{ANNOTATED} and pictures of unread regions are left out: they would show the text that is redacted"
)
_BYTES = 4_000_000
"""All pictures together: the report stays small enough to be mailed."""


@dataclass(frozen=True)
class Report:
    """What was written: the files, and what of them could not be made, as sentences."""

    files: list[Path]
    problems: tuple[str, ...]


def report(
    justification: AbsenceJustification,
    folder: str | Path,
    document: Source | None = None,
    *,
    redact: bool = False,
    language: Language | None = None,
    searched_on: dt.date | None = None,
    password: str | None = None,
) -> list[Path]:
    """Write a justification in all its forms into a folder: JSON, HTML, Markdown, tables, search record, annotated PDF.

    Args:
        justification: What is reported.
        folder: Where to; made if it is not there. The files appear together or not at all.
        document: The document that was audited, for pictures of what was not read and the annotated copy.
        redact: Leave the text of the document out of every file; then nothing is taken from the document either.
        language: Language of the reports, en or ja; that of the explanation if None.
        searched_on: Day of the search, for the search record: a justification does not hold it.
        password: Password of the document, if it is encrypted.

    Returns:
        The files that were written. If no annotated copy could be made, report.html says why.

    Raises:
        MissingEvidenceError: It is no justification.
        OtherDocumentError: The document is not the one that was audited.
        InputError: The document cannot be opened.
        OutputError: The folder cannot be written; then nothing is.
    """
    return write_report(
        justification,
        Path(folder),
        document,
        redact=redact,
        language=language,
        searched_on=searched_on,
        password=password,
    ).files


def write_report(
    justification: AbsenceJustification,
    folder: Path,
    document: Source | None = None,
    *,
    redact: bool = False,
    language: Language | None = None,
    searched_on: dt.date | None = None,
    password: str | None = None,
) -> Report:
    """As `report`, with what could not be made."""
    j = require_justification(justification)
    j = without_text(j) if redact and not j.redacted else j
    options = j.options.model_copy(update={"password": password or justification.options.password})
    if document is None or j.redacted:
        written = write_folder(j, folder, language=language, searched_on=searched_on)
        return Report(written, () if document is None else (_LEFT_OUT,))
    from docaudit.extract.source import identified  # engines load only where a document is read

    with identified(document) as file, tempfile.TemporaryDirectory(prefix="docaudit-") as temporary:
        need_same_document(j, file)
        pictures, picture_problems = _pictures(j, file, options)
        annotated = Path(temporary) / ANNOTATED
        problems = _annotate(j, file, options, annotated, language)
        written = write_folder(
            j,
            folder,
            language=language,
            searched_on=searched_on,
            pictures=pictures,
            annotated=annotated if annotated.exists() else None,
            notes=(*picture_problems, *problems),
        )
    return Report(written, (*picture_problems, *problems))


def html_report(
    justification: AbsenceJustification,
    document: Source | None = None,
    *,
    redact: bool = False,
    language: Language | None = None,
    password: str | None = None,
) -> str:
    """The HTML report alone; arguments and errors as those of `report`."""
    j = require_justification(justification)
    j = without_text(j) if redact and not j.redacted else j
    if document is None or j.redacted:
        return to_html(j, language)
    from docaudit.extract.source import identified

    with identified(document) as file:
        need_same_document(j, file)
        pictures, problems = _pictures(j, file, j.options.model_copy(update={"password": password}))
    return to_html(j, language, pictures=pictures, notes=problems)


def need_same_document(justification: AbsenceJustification, file: SourceFile) -> None:
    """Raise OtherDocumentError unless the file is the document that was audited."""
    known = justification.document.sha256 if justification.document else ""
    if file.sha256 != known:
        raise OtherDocumentError(
            f"is not the document that was audited: its SHA-256 is {file.sha256}, not {known}",
            file=file.name,
            remedy="name the document of the justification, or audit this one",
        )


def _annotate(
    j: AbsenceJustification, file: SourceFile, options: AuditOptions, path: Path, language: Language | None
) -> tuple[str, ...]:
    """Make the annotated copy; returns what could not be made. The report is worth having without it."""
    from docaudit.extract.tasks import write_annotated

    try:
        return tuple(
            write_annotated(
                file, options, annotate_request(j, Translator(language or j.options.language), path)
            )
        )
    except PasswordRequiredError:
        raise
    except InputError as error:
        path.unlink(missing_ok=True)
        return (f"{ANNOTATED} was not made: {error.cause}",)


def _pictures(
    j: AbsenceJustification, file: SourceFile, options: AuditOptions
) -> tuple[Sequence[RegionPicture], tuple[str, ...]]:
    """Pictures of the gravest unread regions; the report says how many others have none."""
    from docaudit.extract.tasks import read_regions

    wanted: dict[tuple[int, BBox | None], None] = {}
    for group in view.spot_groups(j):
        wanted |= {(spot.page_num, spot.bbox): None for spot in group.spots if view.has_region(spot)}
    if not wanted:
        return (), ()
    regions: dict[int, list[BBox | None]] = {}
    for page_num, box in list(wanted)[:_MOST_PICTURES]:
        regions.setdefault(page_num, []).append(box)
    try:
        drawn = read_regions(file.path, options, regions, _WIDTH)
    except PasswordRequiredError:
        raise
    except InputError as error:
        return (), (f"pictures of unread regions were not made: {error.cause}",)
    by_place = {(picture.page_num, picture.bbox): picture for picture in drawn}
    kept: list[RegionPicture] = []
    size = 0
    for place in wanted:
        picture = by_place.get(place)
        size += len(picture.jpeg) if picture and picture.jpeg else 0
        if picture is not None and size <= _BYTES:
            kept.append(picture)
    return kept, ()
