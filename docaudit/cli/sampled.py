"""What `docaudit sample` does: draw pages for a person to read, and read the filled-in sheet back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from docaudit.cli.actions import say_written
from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bar
from docaudit.concepts.model import ConceptTable
from docaudit.errors import OptionError, SampleError
from docaudit.justification import AbsenceJustification
from docaudit.options import SEARCH_OPTIONS, AuditOptions
from docaudit.sampling import Draw, draw_sample

_DRAWING = ("size", "per_stratum", "at_most", "confidence", "seed", "unit")


def draw(doc: Path, given: Mapping[str, Any], options: AuditOptions, *, as_json: bool) -> int:
    """Draw from one document and write the sheet."""
    from docaudit.extract.tasks import read_thumbnails
    from docaudit.render.sampling import need_new_folder, picture_widths, write_review

    folder: Path = given["out"]
    need_new_folder(folder)
    justification = _justification(doc, given, options)
    drawn = draw_sample(justification, **{name: given[name] for name in _DRAWING if name in given})
    if doc.is_dir():
        raise OptionError(
            "is a saved parse, and a reader must see the pages",
            file=str(doc),
            remedy="name the PDF; with --justification it is not read again",
        )
    need_document(drawn, doc)
    pictures = read_thumbnails(doc, options, picture_widths(drawn))
    written = write_review(drawn, pictures, folder)
    if as_json:
        print_json(drawn.model_dump(mode="json"))
    else:
        _say_drawn(drawn)
    unseen = [page for page, picture in pictures.items() if picture.jpeg is None]
    if unseen:
        click.echo(
            f"docaudit: no picture of page {', '.join(map(str, unseen))}: review.html says why", err=True
        )
    say_written(written, err=as_json)
    return 0


def read(sheet: Path, doc: Path | None, record: Path | None, *, as_json: bool) -> int:
    """Say what a filled-in sheet shows; the exit code is that of the result."""
    from docaudit.render.sampling import print_sample
    from docaudit.sampling_sheet import read_sample

    result = read_sample(sheet, draw=record)
    if doc is not None:
        need_document(result.draw, doc)
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        print_sample(result)
    return int(result.exit_code)


def need_document(drawn: Draw, doc: Path) -> None:
    """Raise SampleError unless this is the file that was audited."""
    try:
        with doc.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SampleError(
            f"cannot be read: {error.strerror or error}", file=str(doc), remedy="name the PDF"
        ) from error
    if sha256 != drawn.document.sha256:
        raise SampleError(
            f"is not the document that was audited, {drawn.document.name} (its SHA-256 is another)",
            file=str(doc),
            remedy="name that file, or audit this one",
        )


def _justification(doc: Path, given: Mapping[str, Any], options: AuditOptions) -> AbsenceJustification:
    """The audit that is tested: run now, or saved."""
    import docaudit
    from docaudit.saved import digest_of, load_justification

    question = given.get("question")
    if "concepts" in given:
        if doc.is_dir():
            raise OptionError(
                "is a folder", file=str(doc), remedy="name the PDF: a reader must see the pages"
            )
        table = ConceptTable.load(given["concepts"])
        with progress_bar(doc.name) as progress:
            return docaudit.audit(doc, table, question=question, options=options, progress=progress)
    saved = load_justification(given["justification"])
    if digest_of(saved) != saved.digest:
        raise SampleError(
            "was changed since the audit",
            file=str(given["justification"]),
            remedy="restore it, or audit again",
        )
    options.read_with(saved.options)
    for name in sorted(SEARCH_OPTIONS & options.model_fields_set - {"language"}):
        if getattr(options, name) != getattr(saved.options, name):
            raise OptionError(
                f"the saved audit had another --{name.replace('_', '-')}",
                remedy="audit again, or leave it out",
            )
    changed: dict[str, Any] = {} if question is None else {"question": question}
    if "language" in options.model_fields_set:
        changed["options"] = saved.options.model_copy(update={"language": options.language})
    return saved.model_copy(update=changed)


def _say_drawn(drawn: Draw) -> None:
    from docaudit.render.language import one_line
    from docaudit.render.sampling import drawn_words, stratum_name

    click.echo(f"{one_line(drawn.document.name)}: {drawn_words(drawn)}")
    for stratum in drawn.strata:
        click.echo(f"  {stratum_name(drawn, stratum.name)}: {stratum.drawn:,} of {stratum.size:,}")
    if drawn.pages_left_out:
        click.echo(f"  left out, all concepts were found there: {drawn.pages_left_out:,}")
