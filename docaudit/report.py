"""Reports of a justification as files: every form that there is, and the copy of the document with its hits marked.

FORMS is the list of forms; a new one is a row there. This is the only module that knows both what is rendered and what
reads the document: with the document at hand its unread regions are shown as pictures, and an annotated copy of it is
made (a mark for each hit, outlines, bookmarks, a legend); without it, and with --redact, the report says that it has
neither.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from docaudit import files as atomic
from docaudit.audit import require_justification
from docaudit.codes import BBox
from docaudit.coverage import RegionPicture
from docaudit.errors import (
    InputError,
    MissingExtraError,
    OtherDocumentError,
    PasswordRequiredError,
    require_extra,
)
from docaudit.extract.protocol import AnnotateRequest, Bookmark, Colour, Mark, Outline
from docaudit.justification import AbsenceJustification, BlindSpot, Hit
from docaudit.options import AuditOptions
from docaudit.redact import redact as without_text
from docaudit.render import tables, view
from docaudit.render.html import to_html
from docaudit.render.language import Language, Translator, one_line
from docaudit.render.markdown import to_markdown, to_search_record
from docaudit.render.terminal import split_snippet
from docaudit.saved import dump

if TYPE_CHECKING:
    from docaudit.extract.source import Source, SourceFile

ANNOTATED = "annotated.pdf"
_LEFT_OUT = (
    f"{ANNOTATED} and pictures of unread regions are left out: they would show the text that is redacted"
)
# Pictures in report.html: how many, how wide in pixels, and bytes of all together, so that it can be mailed (chosen;
# the report of 300 pages with thousands of hits has to stay under 10 MB in bench/report_size.py).
_MOST_PICTURES = 150
_WIDTH = 420
_BYTES = 4_000_000
_CONTEXT = 40
"""Characters on both sides of a hit in its bookmark."""


@dataclass(frozen=True)
class ReportContent:
    """What the forms are rendered from.

    Attributes:
        justification: What is reported.
        language: Language of report and record; that of the explanation if None.
        searched_on: Day of the search, for the record.
        pictures: Pictures of regions that were not read.
        notes: What the reader must know of this report itself.
    """

    justification: AbsenceJustification
    language: Language | None = None
    searched_on: dt.date | None = None
    pictures: Sequence[RegionPicture] = ()
    notes: Sequence[str] = ()


class Form(NamedTuple):
    """One form of a report: its name, the file that it becomes, and what renders it."""

    name: str
    file: str
    render: Callable[[ReportContent], atomic.Content]


FORMS = (
    Form("justification", "justification.json", lambda c: dump(c.justification)),
    Form(
        "report to read",
        "report.html",
        lambda c: to_html(c.justification, c.language, pictures=c.pictures, notes=c.notes),
    ),
    Form("report for tickets", "report.md", lambda c: to_markdown(c.justification, c.language)),
    Form(
        "search record",
        "search-record.md",
        lambda c: to_search_record(c.justification, c.language, searched_on=c.searched_on),
    ),
    Form("workbook", "search-terms.xlsx", lambda c: _workbook(c.justification)),
    Form("search terms", "search-terms.csv", lambda c: _csv(tables.search_terms_csv(c.justification))),
    Form("hits", "hits.csv", lambda c: _csv(tables.hits_csv(c.justification.hits))),
    Form("blind spots", "blind_spots.csv", lambda c: _csv(tables.blind_spots_csv(c.justification))),
)


@dataclass(frozen=True)
class Report:
    """What was written: the files, and what of them could not be made, as sentences."""

    files: list[Path]
    problems: tuple[str, ...]


def _csv(table: str) -> str:
    return tables.BYTE_ORDER_MARK + table


def _workbook(j: AbsenceJustification) -> bytes:
    require_extra("openpyxl", "xlsx")
    from docaudit.render.workbook import workbook

    return workbook(tables.sheets(j))


def write_folder(content: ReportContent, folder: Path, annotated: Path | None = None) -> Report:
    """Write every form, and the annotated copy of the document if there is one; raises OutputError.

    Everything is rendered before the first file is written, and the files appear together or not at all. An annotated
    PDF that an earlier report left there is removed where none is made: it may show another audit.
    """
    files: dict[str, atomic.Content] = {}
    problems = []
    for form in FORMS:
        try:
            files[form.file] = form.render(content)
        except MissingExtraError as error:
            problems.append(f"{form.file} was not made: {error}")
    if annotated is not None:
        files[ANNOTATED] = annotated
    written = atomic.write_files(folder, files)
    if annotated is None:
        atomic.remove(folder / ANNOTATED)
    return Report(written, tuple(problems))


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
    j = _checked(justification, redact)
    if document is None or j.redacted:
        written = write_folder(ReportContent(j, language, searched_on), folder)
        return Report(written.files, (*written.problems, *(() if document is None else (_LEFT_OUT,))))
    options = j.options.model_copy(update={"password": password or justification.options.password})
    from docaudit.extract.source import identified  # engines load only where a document is read

    with identified(document) as file, tempfile.TemporaryDirectory(prefix="docaudit-") as temporary:
        require_same_document(j, file)
        pictures, picture_problems = _pictures(j, file, options)
        annotated = Path(temporary) / ANNOTATED
        problems = (*picture_problems, *_annotate(j, file, options, annotated, language))
        content = ReportContent(j, language, searched_on, pictures, problems)
        written = write_folder(content, folder, annotated if annotated.exists() else None)
    return Report(written.files, (*written.problems, *problems))


def html_report(
    justification: AbsenceJustification,
    document: Source | None = None,
    *,
    redact: bool = False,
    language: Language | None = None,
    password: str | None = None,
) -> str:
    """The HTML report alone; arguments and errors as those of `report`."""
    j = _checked(justification, redact)
    if document is None or j.redacted:
        return to_html(j, language)
    from docaudit.extract.source import identified

    with identified(document) as file:
        require_same_document(j, file)
        pictures, problems = _pictures(j, file, j.options.model_copy(update={"password": password}))
    return to_html(j, language, pictures=pictures, notes=problems)


def _checked(justification: AbsenceJustification, redact: bool) -> AbsenceJustification:
    j = require_justification(justification)
    return without_text(j) if redact and not j.redacted else j


def require_same_document(justification: AbsenceJustification, file: SourceFile) -> None:
    """Raise OtherDocumentError unless the file is the document that was audited."""
    audited = justification.document.sha256
    if file.sha256 != audited:
        raise OtherDocumentError(
            f"is not the document that was audited: its SHA-256 is {file.sha256}, not {audited}",
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

    places: dict[tuple[int, BBox | None], None] = {}
    for group in view.spot_groups(j):
        places |= {(spot.page_num, spot.bbox): None for spot in group.spots if view.has_region(spot)}
    if not places:
        return (), ()
    regions: dict[int, list[BBox | None]] = {}
    for page_num, box in list(places)[:_MOST_PICTURES]:
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
    for place in places:
        picture = by_place.get(place)
        size += len(picture.jpeg) if picture and picture.jpeg else 0
        if picture is not None and size <= _BYTES:
            kept.append(picture)
    return kept, ()


def annotate_request(justification: AbsenceJustification, t: Translator, path: Path) -> AnnotateRequest:
    """The request for the annotated copy of a justification that is not redacted."""
    j = justification
    colours = {
        row.name: view.highlighter(view.colour(number)) for number, row in enumerate(view.concept_rows(j))
    }
    return AnnotateRequest(
        path=str(path),
        marks=[_mark(hit, colours, t) for hit in j.hits if _is_drawn(hit)],
        outlines=[
            Outline(spot.page_num, spot.bbox, f"{t('not read')}: {spot.kind.value}: {one_line(spot.detail)}")
            for spot in j.blind_spots
            if view.has_region(spot)
        ],
        bookmarks=list(_bookmarks(j, t)),
        contents_title=t("Bookmarks of the document itself"),
        legend=list(_legend(j, colours, t)),
    )


def _is_drawn(hit: Hit) -> bool:
    """Whether a hit has a place on a page of the document itself."""
    return hit.page_num > 0 and hit.bbox is not None and not hit.part


def _mark(hit: Hit, colours: dict[str, Colour], t: Translator) -> Mark:
    assert hit.bbox is not None, "only hits with a box are drawn"
    note = [f"{one_line(hit.concept)}: {one_line(hit.variant)}", t(hit.match_kind.label)]
    if hit.source != "text_layer":
        note.append(t("from: {source}", source=t(hit.source.label)))
    if hit.visibility != "visible":
        note.append(t(hit.visibility.label))
    lines = [line for line in hit.match_text.split("\n") if line.strip()] or [""]
    read = hit.source == "text_layer"
    return Mark(hit.page_num, hit.page_end, hit.bbox, lines, colours[hit.concept], "; ".join(note), read)


def _bookmarks(j: AbsenceJustification, t: Translator) -> Iterator[Bookmark]:
    """One for each concept with its hits under it, and one for what was not read; those without a page lead to the
    legend.
    """
    by_concept = view.by_concept(j.hits)
    for row in view.concept_rows(j):
        hits = by_concept.get(row.name, [])
        title = f"{one_line(row.name)}: {t.ngettext('{n} hit', '{n} hits', len(hits))}"
        yield _bookmark(1, title, next((hit for hit in hits if _is_drawn(hit)), None))
        for hit in hits:
            yield _bookmark(2, _title(hit, t), hit if _is_drawn(hit) else None)
    spots = [spot for spot in j.blind_spots if view.has_region(spot)]
    if spots:
        yield Bookmark(1, t("What was not read"), spots[0].page_num, 0.0)
        for spot in spots:
            yield _bookmark(2, f"{t.page(spot.page_num)}: {spot.kind.value}", spot)
    yield Bookmark(1, t("Legend"), 0, 0.0)


def _bookmark(level: int, title: str, target: Hit | BlindSpot | None) -> Bookmark:
    if target is None:
        return Bookmark(level, title, 0, 0.0)
    return Bookmark(level, title, target.page_num, target.bbox[1] if target.bbox else 0.0)


def _title(hit: Hit, t: Translator) -> str:
    cut = split_snippet(hit.snippet, hit.match_text)
    left, right = one_line(cut.left)[-_CONTEXT:], one_line(cut.right)[:_CONTEXT]
    where = view.heading(hit, t) if hit.part else t.page(hit.page_num)
    return f"{one_line(where)}: {left}{one_line(cut.hit)}{right}".strip()


def _legend(
    j: AbsenceJustification, colours: dict[str, Colour], t: Translator
) -> Iterator[tuple[Colour | None, str]]:
    """Lines of the legend, each with its colour if it has one."""
    yield None, t("docaudit: annotated copy, not the document that was audited")
    if j.document is not None:
        pages = t.ngettext("{n} page", "{n} pages", j.document.pages_total)
        yield None, f"{one_line(j.document.name)}, {pages}"
        yield None, f"SHA-256 {j.document.sha256}"
    yield None, one_line(view.headline(j, t))
    yield None, ""
    by_concept = view.by_concept(j.hits)
    for row in view.concept_rows(j):
        hits = by_concept.get(row.name, [])
        line = f"{one_line(row.name)}: {t.ngettext('{n} hit', '{n} hits', len(hits))}"
        if outside := sum(not _is_drawn(hit) for hit in hits):
            line += f" ({t('{n} not on a page: in bookmarks, attachments or other parts', n=outside)})"
        yield colours[row.name], line
    spots = sum(view.has_region(spot) for spot in j.blind_spots)
    yield view.rgb(view.UNREAD), f"{t('region that was not read')}: {spots:,}"
    for spot in j.blind_spots:
        if not view.has_region(spot) and spot.text_likely != "no":
            place = f"{t.page(spot.page_num)}: {spot.kind.value}"
            yield None, f"{t('not read')}: {place}: {one_line(spot.detail)[:70]}"
    parts = [hit for hit in j.hits if not _is_drawn(hit)]
    if parts:
        yield None, ""
        yield None, t("Hits that are not on a page")
        for hit in parts:
            yield colours[hit.concept], _title(hit, t)[:90]
