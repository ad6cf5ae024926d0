"""Every two-word phrase that another engine sees: does the sweep find it on its page?

    python bench/adjacent_pairs.py FOLDER [--documents 50] [--pages N] [--cache DIR] [--list]

PDFium gives the text of each page; every two neighbours of one of its lines make a phrase. All phrases of a document
are swept at once. A phrase that is not found on its page is a miss of one of these classes:

    glued          PDFium puts the two words on one line, but on the page they stand more than an em apart, or not at
                   one height: text of two columns or cells. No phrase for a reader, and not counted.
    word borders   one of the two words is no word of the page as docaudit reads it, yet its letters stand there: PDFium
                   leaves out a ligature ("af ect"), cuts a word in letters ("insta l"), or one of the engines loses a
                   blank ("validfor"). Counted apart: which of the engines is right has to be looked at.
    fixed pitch    PDFium sees a blank between two letters of a line whose glyphs stand at equal distances, where is
                   nothing but the room beside a narrow one ("insta l l"): no blank for a reader, and not counted.
    no word        the phrase has no letter or digit on one side, or leaders: bullets, rules, lines of contents. Not two
                   words, and not counted.
    no text        PDFium itself has no Unicode value for a glyph of the phrase: nobody could ask for it. Not counted.
    unknown glyph  docaudit has no Unicode value for a glyph of the page, or a letter of it
    other          what is left: to be looked at
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pypdfium2
from parsed import parsed_documents

from docaudit.codes import POSSIBLE_KINDS
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.search import sweep_lines
from docaudit.text.folding import fold

NO_PHRASE = ("glued", "word borders", "fixed pitch", "no word", "no text")
_LETTERS = re.compile(r"\w+")
_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^[^\w]+|[^\w]+$")
_UNKNOWN = re.compile("[\ufffd\ufffe\uffff\x00-\x08\x0e-\x1f\ue000-\uf8ff]")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=50)
    parser.add_argument("--pages", type=int, help="only every so many-th page, to be quick")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"))
    parser.add_argument("--list", action="store_true", help="print every miss that counts")
    args = parser.parse_args()
    total, missed = 0, Counter[str]()
    for file, parsed in parsed_documents(args.folder, args.cache, args.documents):
        phrases, classes = _measure(file, parsed, args.pages or 1)
        total += phrases
        for (page, phrase), kind in classes.items():
            missed[kind] += 1
            if args.list and kind not in NO_PHRASE:
                print(f"{kind:14} {file.name} p. {page}: {phrase!r}")
    no_phrase = sum(missed[kind] for kind in NO_PHRASE)
    counted, real = total - no_phrase, missed.total() - no_phrase
    print(f"{counted:,} phrases, {real} missed: {10_000 * real / max(counted, 1):.2f} in 10,000")
    for kind, count in missed.most_common():
        print(f"  {kind:14} {count:,}")


def _measure(file: Path, parsed: ParsedDocument, step: int) -> tuple[int, dict[tuple[int, str], str]]:
    """How many phrases were asked for, and the class of each miss."""
    pages_of: dict[str, set[int]] = defaultdict(set)
    with pypdfium2.PdfDocument(file) as document:
        for number in range(0, len(document), step):
            for phrase in _phrases(document[number]):
                pages_of[phrase].add(number + 1)
        missed = _missed(parsed, pages_of)
        text_of = parsed.line_df.groupby("page_num")["text"].apply("\n".join).to_dict()
        classes = {
            (page, phrase): _class(document[page - 1], phrase, text_of.get(page, ""))
            for page, phrase in missed
        }
    return sum(map(len, pages_of.values())), classes


def _phrases(page: Any) -> Iterator[str]:
    text = page.get_textpage().get_text_bounded()
    for line in text.replace("\r", "").split("\n"):
        words = _WORD.findall(line)
        for one, other in pairwise(words):
            phrase = _EDGE.sub("", f"{one} {other}")
            if " " in phrase:
                yield phrase


def _missed(parsed: ParsedDocument, pages_of: dict[str, set[int]]) -> list[tuple[int, str]]:
    table = ConceptTable(
        variants=tuple(Variant(concept="c", text=phrase, case="insensitive") for phrase in pages_of)
    )
    hit_df, _ = sweep_lines(parsed.line_df, table, pages_total=len(parsed.page_df))
    found: dict[str, set[int]] = defaultdict(set)
    columns = (hit_df[name] for name in ("variant", "page_num", "page_end", "match_kind"))
    for variant, page, end, kind in zip(*columns, strict=True):
        if kind not in POSSIBLE_KINDS:
            found[variant] |= {page, end}
    return [(page, phrase) for phrase, pages in pages_of.items() for page in sorted(pages - found[phrase])]


def _class(page: Any, phrase: str, read: str) -> str:
    one, other = phrase.split(" ", 1)
    if _UNKNOWN.search(phrase):
        return "no text"
    if "...." in phrase or min(sum(char.isalnum() for char in word) for word in (one, other)) < 1:
        return "no word"
    text = page.get_textpage()
    whole = text.get_text_range()
    places = list(re.finditer(re.escape(one) + r"\s+" + re.escape(other), whole))
    apart = [_apart(text, match.start() + len(one) - 1, match.end() - len(other)) for match in places]
    if apart and all(apart):
        return "glued"
    if places and all(_narrow_gap(text, whole, match) for match in places):
        return "fixed pitch"
    words = set(_LETTERS.findall(fold(read)))
    if re.search("[\ufffd\uffff]", read) and not {fold(one), fold(other)} <= words:
        return "unknown glyph"
    if places and all(_cut(whole, match, words) for match in places):
        return "word borders"
    known = [all(part in words for part in _LETTERS.findall(fold(word))) for word in (one, other)]
    return "other" if all(known) else "word borders"


def _cut(whole: str, match: re.Match[str], words: set[str]) -> bool:
    """Whether PDFium cuts words of the page here: what stands right before or after the phrase is no word of it."""
    before = _LETTERS.findall(fold(whole[max(match.start() - 40, 0) : match.start()]))[-1:]
    after = _LETTERS.findall(fold(whole[match.end() : match.end() + 40]))[:1]
    return any(word not in words for word in (*before, *after))


def _narrow_gap(text: Any, whole: str, match: re.Match[str]) -> bool:
    """Whether a blank in the phrase, or at one of its ends, is no wider than one step of a line in fixed pitch."""
    start, end = whole.rfind("\n", 0, match.start()) + 1, whole.find("\n", match.end())
    places = [n for n in range(start, end if end > 0 else len(whole)) if not whole[n].isspace()]
    boxes = [text.get_charbox(place, loose=False) for place in places]
    steps = [other[2] / 2 + other[0] / 2 - one[2] / 2 - one[0] / 2 for one, other in pairwise(boxes)]
    inside = sorted(
        step for step, (one, other) in zip(steps, pairwise(places), strict=True) if other == one + 1
    )
    if len(inside) < 8:
        return False
    pitch = inside[len(inside) // 2]
    even = sum(abs(step - pitch) < 0.2 * pitch for step in inside) / len(inside)
    blanks = [
        step
        for step, (one, other) in zip(steps, pairwise(places), strict=True)
        if other > one + 1 and other >= match.start() and one <= match.end()
    ]
    return even > 0.8 and any(step < 1.4 * pitch for step in blanks)


def _apart(text: Any, last: int, first: int) -> bool:
    """Whether two characters stand more than an em apart, or not at one height."""
    _, y0, x1, y1 = text.get_charbox(last, loose=True)
    a0, b0, _, b1 = text.get_charbox(first, loose=True)
    em = max(y1 - y0, b1 - b0, 0.1)
    same_height = min(y1, b1) - max(y0, b0) > 0.3 * min(y1 - y0, b1 - b0)
    return not same_height or not -0.5 * em < a0 - x1 < em


if __name__ == "__main__":
    main()
