"""`docaudit coverage` and `docaudit explain`: read documents, show what could be read of them, judge for a pipeline."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from docaudit.cli.actions import read_parsed, say_written
from docaudit.cli.glossary import explained, need_known, print_entries
from docaudit.codes import BlindSpotKind
from docaudit.coverage import (
    CorpusReadability,
    Readability,
    Thumbnail,
    UnreadableDocument,
    measure_readability,
)
from docaudit.errors import DocauditError, ExitCode
from docaudit.options import AuditOptions
from docaudit.render.language import one_line, page_words, plural
from docaudit.text.numbers import cautious_percent

ANY = "any"


@dataclass(frozen=True)
class Gate:
    """What makes a pipeline stop: too small a share of pages read in full, or blind spots of certain kinds."""

    fail_under: float | None = None
    fail_on: tuple[BlindSpotKind, ...] = ()

    @classmethod
    def of(cls, fail_under: float | None, fail_on: Iterable[str]) -> Gate:
        """The gate of --fail-under and --fail-on; raises OptionError for a kind that does not exist."""
        names = [name.strip() for given in fail_on for name in given.split(",")]
        kinds = [kind for name in names for kind in (BlindSpotKind if name == ANY else [known_kind(name)])]
        return cls(fail_under, tuple(dict.fromkeys(kinds)))

    def complaints(self, document: Readability) -> list[str]:
        """Why the document does not pass, each as a sentence."""
        found = []
        if self.fail_under is not None and document.readable_share < self.fail_under:
            total = document.coverage.pages_total
            found.append(
                f"{document.pages_read_in_full:,} of {plural(total, 'page')} read in full "
                f"({cautious_percent(document.readable_share)}), below --fail-under {self.fail_under:g}"
            )
        found += [
            f"{kind.value} ({page_words(pages)}), named by --fail-on"
            for kind, pages in document.pages_with(self.fail_on).items()
        ]
        return found


def known_kind(name: str) -> BlindSpotKind:
    """The kind with this code; raises OptionError that names the codes that look alike."""
    need_known(name, list(BlindSpotKind), "kind of blind spot", "docaudit explain lists them")
    return BlindSpotKind(name)


def coverage(
    docs: Iterable[Path],
    options: AuditOptions,
    gate: Gate,
    *,
    html: Path | None = None,
    out: Path | None = None,
    as_json: bool = False,
) -> int:
    """Show what could be read of each document; 1 if the gate stops one, 2 if one could not be read at all."""
    from docaudit.render import coverage as coverage_files
    from docaudit.render.coverage import print_coverage

    corpus, sources = _read(docs, options)
    pictures = _pictures(corpus, sources, options) if html is not None or out is not None else []
    written = coverage_files.write(corpus, pictures, html=html, folder=out)
    if as_json:
        click.echo(coverage_files.dump(corpus), nl=False)
    elif corpus.documents:
        print_coverage(corpus, fail_under=gate.fail_under)
    say_written(written, err=as_json)
    stopped = [(one.document.name, why) for one in corpus.documents for why in gate.complaints(one)]
    for name, why in stopped:
        click.echo(f"docaudit: {one_line(name)}: {why}", err=True)
    if corpus.unreadable:
        return int(ExitCode.ERROR)
    return int(bool(stopped))


def explain(codes: Iterable[str], *, as_json: bool) -> int:
    """Print what these codes mean, or all codes of the output."""
    shown = explained(codes)
    if as_json:
        listed = [
            {"code": entry.code, "of": entry.of, "meaning": entry.meaning, "remedy": entry.remedy}
            for entry in shown
        ]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=1))
    else:
        print_entries(shown)
    return 0


def _read(docs: Iterable[Path], options: AuditOptions) -> tuple[CorpusReadability, list[Path | None]]:
    """All documents, and the PDF of each that could be read (None for a saved parse)."""
    read: list[Readability] = []
    sources: list[Path | None] = []
    lost: list[UnreadableDocument] = []
    for doc in docs:
        try:
            read.append(measure_readability(read_parsed(doc, options)))
            sources.append(doc if doc.is_file() else None)
        except DocauditError as error:
            lost.append(UnreadableDocument(name=str(doc), error=str(error)))
            click.echo(f"docaudit: {one_line(str(error))}", err=True)
    return CorpusReadability.of(read, lost), sources


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
