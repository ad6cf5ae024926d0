"""Reports of a justification as files: the only module that knows both what is rendered and what reads the document.

With the document at hand its unread regions are shown as pictures, and an annotated copy of it is made; without it, and
with --redact, the report says that it has neither.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docaudit.annotations import annotate_request
from docaudit.arguments import need_justification
from docaudit.errors import InputError, OtherDocumentError, PasswordRequiredError
from docaudit.justification import AbsenceJustification
from docaudit.location import BBox
from docaudit.options import AuditOptions
from docaudit.readability import RegionPicture
from docaudit.redact import redact as without_text
from docaudit.render import view
from docaudit.render.folder import ANNOTATED, write_folder
from docaudit.render.html import to_html
from docaudit.render.tongue import Language, Tongue

if TYPE_CHECKING:
    from docaudit.extract import Source
    from docaudit.extract.document import SourceFile

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
    j = need_justification(justification)
    j = without_text(j) if redact and not j.redacted else j
    options = j.options.model_copy(update={"password": password or justification.options.password})
    if document is None or j.redacted:
        written = write_folder(j, folder, language=language, searched_on=searched_on)
        return Report(written, () if document is None else (_LEFT_OUT,))
    from docaudit.extract.document import identified  # engines load only where a document is read

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
    j = need_justification(justification)
    j = without_text(j) if redact and not j.redacted else j
    if document is None or j.redacted:
        return to_html(j, language)
    from docaudit.extract.document import identified

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
    from docaudit.extract.annotate_run import write_annotated

    try:
        return tuple(
            write_annotated(file, options, annotate_request(j, Tongue(language or j.options.language), path))
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
    from docaudit.extract.regions import read_regions

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
