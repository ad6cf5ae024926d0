"""`docaudit sample`: draw pages for a person to read, and read the filled-in sheet back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docaudit.cli.audit import name_written
from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    debug_flag,
    json_flag,
    option_flags,
    print_json,
    progress_bar,
)
from docaudit.errors import OptionError, SampleError
from docaudit.options import READING_OPTIONS, SEARCH_OPTIONS, AuditOptions

if TYPE_CHECKING:
    from docaudit.justification import AbsenceJustification
    from docaudit.sampling import Draw

FLAGS = (*READING_OPTIONS, "required", "regex_seconds", "sweep_seconds", "language")
_DRAWING = ("size", "per_stratum", "at_most", "confidence", "seed", "unit")


@click.command(cls=SectionedCommand, short_help="Draw pages for a person: what did the search miss?")
@click.argument("doc", metavar="[DOC]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--concepts",
    metavar="TABLE",
    type=click.Path(path_type=Path),
    help="Concept table: DOC is audited with it first.",
)
@click.option(
    "--justification",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="Instead of --concepts: the justification.json of an audit of DOC, which is then not read again.",
)
@click.option("--question", metavar="TEXT", help="The question, as the reader of the sheet sees it.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="New folder for review.html (the pages), sheet.xlsx, sheet.csv (one of them to fill in) and draw.json.",
)
@click.option(
    "--size",
    type=int,
    metavar="N",
    help="Pages to draw in all, shared out in proportion to the strata: pages read from the text layer, by OCR, and "
    "not in full.",
)
@click.option("--per-stratum", type=int, metavar="N", help="Pages to draw of each stratum instead.")
@click.option(
    "--at-most",
    type=float,
    metavar="SHARE",
    help="Instead of a size: the share of missed pages that a sample without any find rules out. [default: 0.05]",
)
@click.option("--confidence", type=float, metavar="LEVEL", help="Level of the bounds. [default: 0.95]")
@click.option(
    "--seed", type=int, metavar="N", help="The same seed draws the same pages on every machine. [default: 0]"
)
@click.option(
    "--unit",
    type=click.Choice(["page", "region"]),
    help="region: draw from the regions that were not read and may hold text. [default: page]",
)
@click.option(
    "--read",
    metavar="SHEET",
    type=click.Path(path_type=Path),
    help="Read a filled-in sheet back; DOC, if named, must be the document that was drawn from.",
)
@click.option(
    "--draw",
    metavar="JSON",
    type=click.Path(path_type=Path),
    help="With --read: the draw.json, if not beside SHEET.",
)
@json_flag
@option_flags(FLAGS)
@debug_flag
def sample(doc: Path | None, read: Path | None, draw: Path | None, as_json: bool, **given: Any) -> int:
    """Test by a sample what the search of DOC missed: draw pages without a hit for a person to read.

    Draw with DOC, --concepts (or --justification) and --out; read the filled-in sheet back with --read. Exit code of
    drawing: 0, 2 error. Of --read: 0 nothing was missed on the pages read, 1 something was (or may have been),
    3 answers are missing, 2 error.
    """
    named = {name: value for name, value in given.items() if value not in (None, ())}
    if read is not None:
        if named:
            flag = f"--{next(iter(named)).replace('_', '-')}"
            raise click.UsageError(f"{flag} is for drawing, not for --read", click.get_current_context())
        return _read_sheet(read, doc, draw, as_json=as_json)
    if doc is None or draw is not None or given["out"] is None:
        raise click.UsageError(
            "name DOC, --concepts and --out to draw, or --read SHEET", click.get_current_context()
        )
    if (given["concepts"] is None) == (given["justification"] is None):
        raise click.UsageError("name either --concepts or --justification", click.get_current_context())
    return _draw(doc, named, chosen_options(given), as_json=as_json)


def _draw(doc: Path, given: Mapping[str, Any], options: AuditOptions, *, as_json: bool) -> int:
    """Draw from one document and write the sheet."""
    from docaudit.extract.tasks import read_thumbnails
    from docaudit.render.sampling import need_new_folder, picture_widths, write_review
    from docaudit.sampling import draw_sample

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
    _require_audited(drawn, doc)
    pictures = read_thumbnails(doc, options, picture_widths(drawn))
    written = write_review(drawn, pictures, folder)
    if as_json:
        print_json(drawn.model_dump(mode="json"))
    else:
        _print_drawn(drawn)
    unseen = [page for page, picture in pictures.items() if picture.jpeg is None]
    if unseen:
        click.echo(
            f"docaudit: no picture of page {', '.join(map(str, unseen))}: review.html says why", err=True
        )
    name_written(written, err=as_json)
    return 0


def _read_sheet(sheet: Path, doc: Path | None, record: Path | None, *, as_json: bool) -> int:
    """Say what a filled-in sheet shows; the exit code is that of the result."""
    from docaudit.render.sampling import print_sample
    from docaudit.sampling_sheet import read_sample

    result = read_sample(sheet, draw=record)
    if doc is not None:
        _require_audited(result.draw, doc)
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        print_sample(result)
    return int(result.exit_code)


def _require_audited(drawn: Draw, doc: Path) -> None:
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
        table = docaudit.ConceptTable.load(given["concepts"])
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


def _print_drawn(drawn: Draw) -> None:
    from docaudit.render.language import one_line
    from docaudit.render.sampling import drawn_words, stratum_name

    click.echo(f"{one_line(drawn.document.name)}: {drawn_words(drawn)}")
    for stratum in drawn.strata:
        click.echo(f"  {stratum_name(drawn, stratum.name)}: {stratum.drawn:,} of {stratum.size:,}")
    if drawn.pages_left_out:
        click.echo(f"  left out, all concepts were found there: {drawn.pages_left_out:,}")
