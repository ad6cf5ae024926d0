"""`docaudit coverage` and `docaudit explain`: what could be read, and what every code in the output means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from docaudit.cli.audit import name_written, read_parsed
from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    debug_flag,
    documents,
    json_flag,
    option_flags,
    print_json,
)
from docaudit.codes import (
    AbsenceReason,
    BlindSpotKind,
    ChunkPlace,
    Code,
    Finding,
    LedgerState,
    MatchKind,
    NearMissReason,
    Obligation,
    PageState,
    RetrievalVerdict,
    Strength,
    TextSource,
    Visibility,
)
from docaudit.errors import DocauditError, ExitCode, OptionError
from docaudit.options import READING_OPTIONS, AuditOptions

if TYPE_CHECKING:
    from rich.console import Console

    from docaudit.coverage import CorpusReadability, Readability, Thumbnail

ANY = "any"


@click.command(cls=SectionedCommand)
@documents(-1)
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Exit with 1 if, in any document, fewer than this share of the pages (0 to 1) could be read in full.",
)
@click.option(
    "--fail-on",
    multiple=True,
    metavar="KIND",
    help="Exit with 1 if any document has a blind spot of this kind that may hold text; 'any' for every kind. "
    "Can be repeated, or list kinds joined by commas; docaudit explain lists them.",
)
@click.option(
    "--html", metavar="FILE", type=click.Path(path_type=Path), help="Write a map of all pages into this file."
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write coverage.json, page_map.html, pages.csv and blind_spots.csv into this folder.",
)
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def coverage(
    docs: tuple[Path, ...],
    fail_under: float | None,
    fail_on: tuple[str, ...],
    html: Path | None,
    out: Path | None,
    as_json: bool,
    **flags: Any,
) -> int:
    """Show what a program can and cannot read in each DOC.

    DOC is a PDF, or a folder that `docaudit parse` wrote (its page map has no pictures). Exit code: 0, 1 if
    --fail-under is not reached or --fail-on is met (one line on stderr says by which document), 2 error.
    """
    from docaudit.render import coverage as coverage_files
    from docaudit.render.coverage import print_coverage
    from docaudit.render.language import one_line

    gate = Gate.of(fail_under, fail_on)
    options = chosen_options(flags)
    corpus, sources = _read(docs, options)
    pictures = _pictures(corpus, sources, options) if html is not None or out is not None else []
    written = coverage_files.write(corpus, pictures, html=html, folder=out)
    if as_json:
        click.echo(coverage_files.dump(corpus), nl=False)
    elif corpus.documents:
        print_coverage(corpus, fail_under=gate.fail_under)
    name_written(written, err=as_json)
    stopped = [
        (document.document.name, why) for document in corpus.documents for why in gate.complaints(document)
    ]
    for name, why in stopped:
        click.echo(f"docaudit: {one_line(name)}: {why}", err=True)
    if corpus.unreadable:
        return int(ExitCode.ERROR)
    return int(bool(stopped))


@click.command(short_help="Say what a code in the output means and asks for.")
@click.argument("codes", metavar="[CODE]...", nargs=-1)
@json_flag
@debug_flag
def explain(codes: tuple[str, ...], as_json: bool) -> int:
    """Say what a code in the output means and what can be done about it; all codes if none is named.

    Exit code: 0, or 2 if there is no such code.
    """
    shown = explained(codes)
    if as_json:
        print_json(
            [
                {"code": entry.code, "of": entry.of, "meaning": entry.meaning, "remedy": entry.remedy}
                for entry in shown
            ]
        )
    else:
        print_entries(shown)
    return 0


@dataclass(frozen=True)
class Gate:
    """What makes a pipeline stop: too small a share of pages read in full, or blind spots of certain kinds."""

    fail_under: float | None = None
    fail_on: tuple[BlindSpotKind, ...] = ()

    @classmethod
    def of(cls, fail_under: float | None, fail_on: Iterable[str]) -> Gate:
        """The gate of --fail-under and --fail-on; raises OptionError for a kind that does not exist."""
        names = [name.strip() for listed in fail_on for name in listed.split(",")]
        for name in names:
            if name != ANY:
                require_known(name, list(BlindSpotKind), "kind of blind spot", "docaudit explain lists them")
        kinds = [kind for name in names for kind in (BlindSpotKind if name == ANY else [BlindSpotKind(name)])]
        return cls(fail_under, tuple(dict.fromkeys(kinds)))

    def complaints(self, document: Readability) -> list[str]:
        """Why the document does not pass, each as a sentence."""
        from docaudit.render.language import page_words, plural
        from docaudit.text.numbers import cautious_percent

        complaints = []
        if self.fail_under is not None and document.readable_share < self.fail_under:
            total = document.coverage.pages_total
            complaints.append(
                f"{document.pages_read_in_full:,} of {plural(total, 'page')} read in full "
                f"({cautious_percent(document.readable_share)}), below --fail-under {self.fail_under:g}"
            )
        complaints += [
            f"{kind.value} ({page_words(pages)}), named by --fail-on"
            for kind, pages in document.pages_with(self.fail_on).items()
        ]
        return complaints


def _read(docs: Iterable[Path], options: AuditOptions) -> tuple[CorpusReadability, list[Path | None]]:
    """All documents, and the PDF of each that could be read (None for a saved parse)."""
    from docaudit.coverage import CorpusReadability, UnreadableDocument, measure_readability
    from docaudit.render.language import one_line

    read: list[Readability] = []
    sources: list[Path | None] = []
    unreadable: list[UnreadableDocument] = []
    for doc in docs:
        try:
            read.append(measure_readability(read_parsed(doc, options)))
            sources.append(doc if doc.is_file() else None)
        except DocauditError as error:
            unreadable.append(UnreadableDocument(name=str(doc), error=str(error)))
            click.echo(f"docaudit: {one_line(str(error))}", err=True)
    return CorpusReadability.of(read, unreadable), sources


def _pictures(
    corpus: CorpusReadability, sources: list[Path | None], options: AuditOptions
) -> list[dict[int, Thumbnail]]:
    from docaudit.extract.tasks import read_thumbnails
    from docaudit.render.coverage import thumbnail_widths

    widths = thumbnail_widths(corpus.documents)
    return [
        {} if source is None else read_thumbnails(source, options, wide)
        for source, wide in zip(sources, widths, strict=True)
    ]


class Entry(NamedTuple):
    """One code: what kind of code it is, what it means, and what can be done, each as a sentence or empty."""

    code: str
    of: str
    meaning: str
    remedy: str = ""
    remedy_after_ocr: str = ""


def entries() -> list[Entry]:
    """All codes; one that stands in two vocabularies has two entries."""
    from docaudit.abstention import gate
    from docaudit.concepts.lint import LintCode

    spots = [
        Entry(kind.value, "blind spot", kind.meaning, kind.remedy, kind.remedy_after(ocr=True))
        for kind in BlindSpotKind
    ]
    obligations = [
        Entry(
            obligation.value,
            "obligation",
            obligation.meaning,
            f'{obligation.remedy}; or waive it: --waive {obligation.value} --because "why"',
        )
        for obligation in Obligation
    ]
    return [
        *spots,
        *obligations,
        *_listed("finding", Finding),
        *_listed("reason", AbsenceReason),
        *_listed("strength", Strength),
        *_listed("kind of match", MatchKind),
        *_listed("reason of a near miss", NearMissReason),
        *_listed("source of text", TextSource),
        *_listed("visibility of text", Visibility),
        *_listed("state of a page", PageState),
        *_listed("state of a variant in the ledger", LedgerState),
        *_listed("decision of a gate", gate.Reason),
        *_listed("verdict on a retriever", RetrievalVerdict),
        *_listed("place of a retrieved chunk", ChunkPlace),
        *(Entry(code.value, "finding of lint", code.meaning, code.remedy) for code in LintCode),
    ]


def explained(codes: Iterable[str]) -> list[Entry]:
    """The entries of these codes, all if none is named; raises OptionError for a code that does not exist."""
    all_entries, codes = entries(), list(codes)
    names = [entry.code for entry in all_entries]
    for code in codes:
        require_known(code, names, "code", "docaudit explain lists all codes")
    return [entry for code in codes for entry in all_entries if entry.code == code] if codes else all_entries


def require_known(name: str, known: Sequence[str], what: str, otherwise: str) -> None:
    """Raise OptionError for a name that is not known: it names those that look alike, or says where all are listed."""
    if name not in known:
        codes, plain = list(dict.fromkeys(known)), name.lower().replace("-", "_")
        begin_alike = [code for code in codes if len(plain) > 3 and code.startswith(plain[:4])]
        near = list(dict.fromkeys([*difflib.get_close_matches(plain, codes, n=3), *begin_alike]))[:3]
        remedy = f"did you mean {' or '.join(near)}? {otherwise}" if near else otherwise
        raise OptionError(f"no {what} '{name}'", remedy=remedy)


def print_entries(shown: Sequence[Entry], console: Console | None = None) -> None:
    """Print codes with what they mean and what can be done."""
    from docaudit.render.terminal import ConsoleWriter, new_console

    paper = ConsoleWriter(console or new_console())
    for number, entry in enumerate(shown):
        if number:
            paper.blank()
        paper.say((entry.code, "bold"), (f"  {entry.of}", "dim"))
        paper.say(entry.meaning, indent=4)
        if entry.remedy:
            paper.say("→ ", entry.remedy, indent=4, hang=2)
        if entry.remedy_after_ocr and entry.remedy_after_ocr != entry.remedy:
            paper.say("→ ", entry.remedy_after_ocr, (" (where OCR was run)", "dim"), indent=4, hang=2)


def _listed(of: str, vocabulary: type[Code]) -> Iterator[Entry]:
    for code in vocabulary:
        yield Entry(code.value, of, code.meaning[:1].upper() + code.meaning[1:].rstrip(".") + ".")
