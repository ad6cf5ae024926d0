"""What documents say, whatever table is asked about: their passages, their terms and the acronyms they define.

A passage is a block (a paragraph, a cell, a heading) of one page; words that a hyphen parts at the end of a line are
joined. The sweep, which decides what is a hit, tries both ways and is not replaced by this. A term is a run of one to
four words, or up to eight in capitals (the name of a law, of a body), without a sign between them, that does not begin
or end in a word of grammar.

Japanese words come from Sudachi where the extra `japanese` is installed (chosen because it installs from wheels with
its dictionary, is maintained, and gives each word a normalised form, which joins サーバ and サーバー), else they are
runs of one script. It is an extra because it is needed only to propose variants: the sweep finds Japanese variants
anywhere in a line without cutting it into words.

Collecting takes seconds for a long document, embedding a minute: both are kept in a cache, a folder of the user alone.
A file of it is named by all that it depends on: the lines themselves (not the file they were read from, as options of
reading change them), this version, the segmenter, the model.

>>> by_script("生成AIの電力")
[(0, 2), (2, 4), (5, 7)]
>>> other_kana("りんご"), other_kana("電力")
('リンゴ', '')
>>> roots("consumption of electricity"), roots("Data centres")
(('consum', 'of', 'electriciti'), ('data', 'center'))
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pandas as pd
import regex

from docaudit import __version__
from docaudit.document import ParsedDocument
from docaudit.errors import OutputError
from docaudit.files import write_bytes
from docaudit.suggest.acronyms import acronyms_in
from docaudit.text.english import stems
from docaudit.text.words import CJK, STOP_WORDS, WORD, fold, words

_CONTEXT_CHARS = 160
_BROKEN = re.compile(r"[^\W\d_]{2}[-\u2010\u00ad]$")


@dataclass(frozen=True)
class TextPassage:
    """A piece of running text.

    Attributes:
        document: Name of the document.
        page: 1-based physical page; 0 for the document as a whole.
        text: Its lines, joined.
        starts: For each line its first character in text.
        lines: The lines, verbatim.
    """

    document: str
    page: int
    text: str
    starts: tuple[int, ...]
    lines: tuple[str, ...]

    def line_at(self, char: int) -> str:
        """The verbatim line in which a character stands, cut to a width that a terminal shows."""
        number = bisect_right(self.starts, char) - 1
        line, at = self.lines[number], char - self.starts[number]
        first = max(0, min(at - _CONTEXT_CHARS // 2, len(line) - _CONTEXT_CHARS))
        return line[first : first + _CONTEXT_CHARS].strip()


def passages(documents: Iterable[tuple[str, pd.DataFrame]]) -> Iterator[TextPassage]:
    """The passages of documents in the order of pages and lines.

    Args:
        documents: Name and line_df of each.
    """
    for document, line_df in documents:
        ordered = line_df.sort_values(["page_num", "line_num"], kind="stable")
        names = ("page_num", "block_num", "source", "part", "text")
        block: list[str] = []
        at: tuple[object, ...] = ()
        for *place, text in zip(*(ordered[name].tolist() for name in names), strict=True):
            here = tuple(place)
            # Lines without a block (OCR, comments) are each a passage of their own kind of source.
            if here != at and block:
                yield _passage(document, int(at[0]), block)  # type: ignore[call-overload]
                block = []
            at = here
            block.append(str(text))
        if block:
            yield _passage(document, int(at[0]), block)  # type: ignore[call-overload]


def _passage(document: str, page: int, lines: list[str]) -> TextPassage:
    text, starts = "", []
    for line in lines:
        if text and _BROKEN.search(text) and line[:1].islower():
            # "infor-" + "mation" is one word; "data-" + "driven" loses its hyphen, which n-grams do not need.
            text = text[:-1]
        elif text and not (CJK.match(text[-1]) and CJK.match(line[:1])):
            text += " "
        starts.append(len(text))
        text += line
    return TextPassage(document, page, text, tuple(starts), tuple(lines))


Segmenter = Callable[[str], list[tuple[int, int]]]
"""A text without blanks -> first and last + 1 character of each word that may be part of a term."""

_HIRAGANA_RUN = frozenset(chr(code) for code in range(0x3041, 0x3097))
_TO_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_TO_HIRAGANA = {code + 0x60: code for code in range(0x3041, 0x3097)}
_TOPICS = frozenset({"名詞", "形状詞", "接頭辞", "接尾辞", "動詞", "形容詞"})
_GRAMMAR_JAPANESE = frozenset({"非自立可能", "助動詞語幹"})
_TOO_LONG = 10_000
"""Sudachi refuses more than 49,149 bytes at once; no run without a blank or full stop is this long but by error."""


def has_segmenter() -> bool:
    """Whether Sudachi and its dictionary are installed."""
    return find_spec("sudachipy") is not None and find_spec("sudachidict_small") is not None


def segmenter() -> Segmenter:
    """Words by Sudachi, or by script if it is not installed."""
    if not has_segmenter():
        return by_script
    tokenizer, mode = _sudachi_japanese()

    def cut(text: str) -> list[tuple[int, int]]:
        if len(text) > _TOO_LONG:
            return by_script(text)
        return [
            (word.begin(), word.end())
            for word in tokenizer.tokenize(text, mode)
            if word.part_of_speech()[0] in _TOPICS and word.part_of_speech()[1] not in _GRAMMAR_JAPANESE
        ]

    return cut


def by_script(text: str) -> list[tuple[int, int]]:
    """Runs of one script; hiragana alone are mostly grammar and left out."""
    return [match.span() for match in WORD.finditer(text) if not set(match[0]) <= _HIRAGANA_RUN]


def normaliser() -> Callable[[str], str]:
    """A text with every word in Sudachi's normalised form; the text itself if Sudachi is not installed."""
    if not has_segmenter():
        return str
    tokenizer, mode = _sudachi_japanese()

    def normalised(text: str) -> str:
        if len(text) > _TOO_LONG:
            return text
        return "".join(word.normalized_form() for word in tokenizer.tokenize(text, mode))

    return normalised


def other_kana(text: str) -> str:
    """A text in hiragana as katakana, and the reverse; empty for a text of other letters, or of both."""
    codes = {ord(char) for char in text if char != "ー"}
    if codes and codes <= _TO_KATAKANA.keys():
        return text.translate(_TO_KATAKANA)
    if codes and codes <= _TO_HIRAGANA.keys():
        return text.translate(_TO_HIRAGANA)
    return ""


def _sudachi_japanese() -> tuple[Any, Any]:
    from sudachipy import Dictionary, SplitMode

    return Dictionary(dict="small").tokenizer(), SplitMode.A


def roots(text: str) -> tuple[str, ...]:
    """The stem of each word of a text, in order."""
    return tuple(_root(span.text) for span in words(text))


@lru_cache(maxsize=200_000)
def _root(word: str) -> str:
    return min(stems(word), key=lambda stem: (len(stem), stem))


def is_part(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether words stand in others, side by side."""
    size = len(part)
    return any(whole[n : n + size] == part for n in range(len(whole) - size + 1))


LONGEST = 4
"""Words in the longest term that is no name."""
_LONGEST_NAME = 8
_PAIR = 2
_LONGEST_CJK = 3
_MAX_CHARS = 80
_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[-‐‑'’&./][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*")
_BLANK = regex.compile(r"[ \u00a0\t]{1,3}")
_NUMBER = regex.compile(r"(?<!\S)[0-9][0-9.,]*(?!\S)")
_LETTER = regex.compile(r"\p{L}")
# Words of grammar that may stand inside a phrase: "protection of personal data", "state-of-the-art", "oil and gas".
_INSIDE = frozenset(
    """of for and in to the on with by as de du von und des der""".split()  # noqa: SIM905
)
_GRAMMAR = STOP_WORDS | _INSIDE


class Term(msgspec.Struct, frozen=True):
    """A word or phrase of the documents.

    Attributes:
        key: Folded text; terms of the same key are one.
        text: As it is written most often.
        count: Occurrences, in all documents.
        words: Number of its words.
        pages: Pages by name of document, in order; page 0 is the document as a whole.
        context: The verbatim line of its first occurrence.
        passages: Numbers of the passages that it stands in.
        whole: Key of the name of which it is a piece wherever it stands ("Privacy Act" of "Consumer Privacy Act");
            empty for all else.
        roots: The stem of each of its words.
    """

    key: str
    text: str
    count: int
    words: int
    pages: Mapping[str, tuple[int, ...]]
    context: str
    passages: tuple[int, ...] = ()
    whole: str = ""
    roots: tuple[str, ...] = ()

    @property
    def is_long_name(self) -> bool:
        """Whether it is a name of three words or more, as of a law or a body."""
        return self.words > _PAIR and _is_name(self.text)


@dataclass
class _Seen:
    first: tuple[TextPassage, int]
    words: int
    surfaces: Counter[str] = field(default_factory=Counter)
    pages: dict[str, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))
    passages: dict[int, None] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.surfaces.total()


def collect(passages: Iterable[TextPassage], segment: Segmenter) -> list[Term]:
    """All terms, the most frequent first; the order does not depend on anything but the text."""
    seen: dict[str, _Seen] = {}
    for number, passage in enumerate(passages):
        for start, end, n_words in _spans(passage.text, segment):
            surface = " ".join(passage.text[start:end].split())
            key = fold(surface)
            known = seen.get(key)
            if known is None:
                known = seen[key] = _Seen((passage, start), n_words)
            known.surfaces[surface] += 1
            known.pages[passage.document][passage.page] = None
            known.passages[number] = None
    wholes = _wholes(seen)
    terms = [_term(key, one, wholes.get(key, "")) for key, one in seen.items()]
    return sorted(terms, key=lambda term: (-term.count, not _is_name(term.text), term.words, term.key))


def to_compare(terms: Sequence[Term], most: int) -> list[Term]:
    """The terms that are most likely variants, at most so many.

    Names, words and pairs of words come first, then longer phrases that are repeated: where a document has more terms
    than can be compared, most of them are longer phrases that stand in it once, and hold a word or pair that says it.
    """
    return sorted(terms, key=_doubts)[:most]


def _doubts(term: Term) -> int:
    """What speaks against comparing a term: it is a long phrase, a long piece of a name, has a number, stands once."""
    long = term.words > _PAIR and (bool(term.whole) or not _is_name(term.text))
    doubtful = long or (term.words > 1 and _NUMBER.search(term.key) is not None)
    return 0 if not doubtful else 1 if term.count > 1 else 2


def _wholes(seen: Mapping[str, _Seen]) -> dict[str, str]:
    """For each piece of a name that stands nowhere else, the longest name that it is a piece of."""
    wholes: dict[str, str] = {}
    names = [key for key, one in seen.items() if one.words > 1 and _is_name(_surface(one))]
    for name in sorted(names, key=lambda key: (-seen[key].words, key)):
        cut = name.split()
        for first in range(len(cut)):
            for end in range(first + 1, len(cut) + 1):
                piece = " ".join(cut[first:end])
                if piece != name and piece in seen and seen[piece].count == seen[name].count:
                    wholes.setdefault(piece, name)
    return wholes


def _surface(seen: _Seen) -> str:
    return min(seen.surfaces, key=lambda surface: (-seen.surfaces[surface], surface.isupper(), surface))


def _term(key: str, seen: _Seen, whole: str) -> Term:
    text = _surface(seen)
    pages = {document: tuple(found) for document, found in seen.pages.items()}
    passage, start = seen.first
    context = passage.line_at(start)
    return Term(key, text, seen.count, seen.words, pages, context, tuple(seen.passages), whole, roots(key))


def _spans(text: str, segment: Segmenter) -> Iterator[tuple[int, int, int]]:
    """First and last + 1 character, and number of words, of each term in a text."""
    for run in _runs(text, segment):
        for first, (start, _) in enumerate(run):
            head = fold(text[start : run[first][1]])
            if _is_grammar(text[start : run[first][1]]):
                continue
            longest = _LONGEST_CJK if CJK.match(head) else _LONGEST_NAME
            for count in range(1, min(longest, len(run) - first) + 1):
                begin, end = run[first + count - 1]
                if count > LONGEST and not _is_name(text[start:end]):
                    break
                if _is_grammar(text[begin:end]):
                    if fold(text[begin:end]) not in _INSIDE:
                        break
                elif end - start <= _MAX_CHARS and _says_something(text[start:end]):
                    yield start, end, count


def _is_grammar(word: str) -> bool:
    """Whether a term cannot begin or end in a word; IT and US in capitals are names."""
    return not (word.isupper() and len(word) > 1) and fold(word) in _GRAMMAR


def _is_name(text: str) -> bool:
    """Whether all words but those of grammar have capitals, as in the name of a law or a body; one word is no name."""
    cut = [word for word in text.split() if word not in _INSIDE]
    return len(cut) > 1 and all(word[0].isupper() for word in cut)


def _says_something(text: str) -> bool:
    letters = len(_LETTER.findall(text))
    return letters >= 2 and letters * 2 >= len(text.replace(" ", ""))


def _runs(text: str, segment: Segmenter) -> Iterator[list[tuple[int, int]]]:
    """Words that follow each other with nothing but a blank between them."""
    run: list[tuple[int, int]] = []
    for start, end in _words(text, segment):
        if run and not (run[-1][1] == start or _BLANK.fullmatch(text, run[-1][1], start)):
            yield run
            run = []
        run.append((start, end))
    if run:
        yield run


def _words(text: str, segment: Segmenter) -> Iterator[tuple[int, int]]:
    """Words in order; what is Japanese or Chinese is cut by the segmenter, which leaves out words of grammar."""
    for match in _WORD.finditer(text):
        if CJK.search(match[0]):
            for start, end in segment(match[0]):
                yield match.start() + start, match.start() + end
        else:
            yield match.span()


Vectors = npt.NDArray[np.float16]
"""One row for each text, of length 1 up to rounding: half precision, so that cached and new vectors are the same."""


def cache_folder() -> Path:
    """DOCAUDIT_CACHE, or docaudit in the user's cache folder (XDG_CACHE_HOME, ~/.cache)."""
    named = os.environ.get("DOCAUDIT_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "docaudit"


class VectorCache:
    """The vectors of one document under one model."""

    def __init__(self, document: str, model: str) -> None:
        """Name the file.

        Args:
            document: SHA-256 of the document.
            model: What identifies the model and its version.
        """
        name = hashlib.sha256(f"{document}\n{model}".encode()).hexdigest()[:32]
        self.path = cache_folder() / "vectors" / f"{name}.npz"

    def read(self) -> dict[str, Vectors]:
        """Text -> vector; empty if there is no file, or one that cannot be read: then all is embedded anew."""
        try:
            with np.load(io.BytesIO(self.path.read_bytes()), allow_pickle=False) as saved:
                texts = bytes(saved["texts"]).decode("utf-8").split("\n")
                vectors = saved["vectors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}
        if vectors.ndim != 2 or vectors.dtype != np.float16 or len(vectors) != len(texts):
            return {}
        return dict(zip(texts, vectors, strict=True))

    def write(self, known: Mapping[str, Vectors]) -> bool:
        """Keep vectors; False if the folder cannot be written, which costs time on the next run and nothing else."""
        stream = io.BytesIO()
        texts = np.frombuffer("\n".join(known).encode("utf-8"), dtype=np.uint8)
        np.savez(stream, texts=texts, vectors=np.stack(list(known.values())))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(self.path, stream.getvalue())
        except (OSError, OutputError):
            return False
        return True


_FORMAT = 1
"""To be raised with every change of what is a term, a passage or an acronym."""
_COLUMNS = ("page_num", "line_num", "block_num", "source", "part", "text")


class Definition(msgspec.Struct, frozen=True):
    """An acronym with its long form, and where the documents define it."""

    short: str
    long: str
    term: Term


class Collected(msgspec.Struct, frozen=True):
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
    # All that the result depends on.
    digest = hashlib.sha256(
        f"{_FORMAT} {__version__} {has_segmenter()} {installed_version('sudachidict-small')}".encode()
    )
    for document in documents:
        columns = [document.line_df[name].tolist() for name in _COLUMNS]
        digest.update(json.dumps([document.identity.name, columns], default=str).encode())
    path = cache_folder() / "terms" / f"{digest.hexdigest()[:32]}.json.gz"
    if cache:
        try:
            return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=Collected)
        except (OSError, EOFError, zlib.error, msgspec.MsgspecError):
            pass  # not there, or damaged: all is collected anew
    read = list(passages((document.identity.name, document.line_df) for document in documents))
    made = Collected(len(read), collect(read, segmenter()), list(_definitions(read)))
    if cache:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(path, gzip.compress(msgspec.json.encode(made), 1, mtime=0))
        except (OSError, OutputError):
            pass  # a cache that cannot be written costs time on the next run and nothing else
    return made


def installed_version(package: str) -> str:
    """Version of a package; empty if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _definitions(read: Sequence[TextPassage]) -> Iterator[Definition]:
    seen: dict[tuple[str, str], list[tuple[TextPassage, int]]] = {}
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
