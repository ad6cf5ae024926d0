"""What documents say, whatever table is asked about: their terms and the acronyms they define; kept in the cache.

Collecting takes seconds for a long document. The file in the cache is named by all that the result depends on: the
lines themselves (not the file they were read from, as options of reading change them), this version, the segmenter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from docaudit import __version__
from docaudit.atomic import write_bytes
from docaudit.errors import OutputError
from docaudit.parsed import ParsedDocument
from docaudit.suggest.acronyms import acronyms_in
from docaudit.suggest.cache import cache_folder
from docaudit.suggest.japanese import has_segmenter, segmenter
from docaudit.suggest.passages import Passage, passages
from docaudit.suggest.terms import Term, collect
from docaudit.wordforms import fold

_FORMAT = 1
"""To be raised with every change of what is a term, a passage or an acronym."""
_COLUMNS = ("page_num", "line_num", "block_num", "source", "part", "text")


@dataclass(frozen=True)
class Definition:
    """An acronym with its long form, and where the documents define it."""

    short: str
    long: str
    term: Term


@dataclass(frozen=True)
class Collected:
    """What documents say.

    Attributes:
        passages: Number of passages.
        terms: All different words and phrases, the most frequent first.
        definitions: Every acronym that the documents define, in order.
    """

    passages: int
    terms: list[Term]
    definitions: list[Definition]


def collected(documents: Sequence[ParsedDocument], *, cache: bool) -> Collected:
    """The terms and definitions of documents, from the cache if they are there."""
    path = cache_folder() / "terms" / f"{_digest(documents)}.json"
    if cache:
        try:
            return _loaded(path.read_bytes())
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass  # not there, or damaged: all is collected anew
    read = list(passages((one.identity.name, one.line_df) for one in documents))
    found = Collected(len(read), collect(read, segmenter()), list(_definitions(read)))
    if cache:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(path, _saved(found))
        except (OSError, OutputError):
            pass  # a cache that cannot be written costs time on the next run and nothing else
    return found


def _digest(documents: Sequence[ParsedDocument]) -> str:
    """All that the result depends on."""
    digest = hashlib.sha256(f"{_FORMAT} {__version__} {has_segmenter()} {_sudachi()}".encode())
    for one in documents:
        columns = [one.line_df[name].tolist() for name in _COLUMNS]
        digest.update(json.dumps([one.identity.name, columns], default=str).encode())
    return digest.hexdigest()[:32]


def _sudachi() -> str:
    try:
        return version("sudachidict-small")
    except PackageNotFoundError:
        return ""


def _saved(found: Collected) -> bytes:
    """As JSON, with a check sum before it: a file that was changed is not believed."""
    definitions = [[one.short, one.long, _row(one.term)] for one in found.definitions]
    body = json.dumps([found.passages, [_row(term) for term in found.terms], definitions]).encode()
    return hashlib.sha256(body).digest() + body


def _loaded(data: bytes) -> Collected:
    size = hashlib.sha256().digest_size
    if hashlib.sha256(data[size:]).digest() != data[:size]:
        raise ValueError("changed since it was written")
    count, terms, definitions = json.loads(data[size:])
    return Collected(
        count,
        [_term(row) for row in terms],
        [Definition(short, long, _term(row)) for short, long, row in definitions],
    )


def _row(term: Term) -> list[object]:
    return [
        term.key, term.text, term.count, term.words, dict(term.pages), term.context, term.passages, term.whole,
        term.roots,
    ]  # fmt: skip


def _term(row: list[object]) -> Term:
    key, text, count, words, pages, context, places, whole, stems = row
    assert isinstance(pages, dict)
    assert isinstance(places, list)
    assert isinstance(stems, list)
    by_name = {name: tuple(numbers) for name, numbers in pages.items()}
    return Term(key, text, count, words, by_name, context, tuple(places), whole, tuple(stems))  # type: ignore[arg-type]


def _definitions(read: Sequence[Passage]) -> Iterator[Definition]:
    seen: dict[tuple[str, str], list[tuple[Passage, int]]] = {}
    for passage in read:
        for pair in acronyms_in(passage.text):
            seen.setdefault((pair.short, pair.long), []).append((passage, pair.start))
    for (short, long), places in seen.items():
        pages: dict[str, dict[int, None]] = {}
        for passage, _ in places:
            pages.setdefault(passage.document, {})[passage.page] = None
        first, start = places[0]
        named = {document: tuple(found) for document, found in pages.items()}
        words = len(long.split())
        yield Definition(short, long, Term(fold(long), long, len(places), words, named, first.line_at(start)))
