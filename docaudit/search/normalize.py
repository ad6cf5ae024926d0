r"""Line text -> searchable text, with a map from every searchable character back to the character of the line.

Searchable text is what the sweep compares: folded characters (docaudit.folding), no blanks at either end,
runs of blanks reduced to one blank, or to two where the page has two or more (a wide gap may part
letter-spaced words).

>>> fold("Ｐｅｒｓｏｎａｌ\u00a0ＤＡＴＡ")
'personal data'
>>> searchable("  of\ufb01ce   hours ")
'office  hours'
>>> searchable_map("  of\ufb01ce ")
('office', [2, 3, 4, 4, 5, 6])
"""

from __future__ import annotations

import re
import unicodedata

from docaudit.folding import FOLD, HYPHEN, fold

__all__ = ["LINE_END_HYPHENS", "fold", "fold_map", "searchable", "searchable_map"]

LINE_END_HYPHENS = "\u00ad\u0002\ufffe\u2010\u00ac"
"""What engines give for a hyphen that exists only because the line ends: soft hyphen, the signs of PDFium,
a not sign."""

_WIDE = re.compile("   +")
_END = re.compile(f"[{LINE_END_HYPHENS}](?=[\\s\u200b]*$)")


def fold_map(text: str) -> tuple[str, list[int]]:
    """The result of `fold` and, for each of its characters, the index of the character of text it comes
    from.
    """
    folded = text.translate(FOLD)
    if FOLD.is_even(text) and (folded.isascii() or unicodedata.is_normalized("NFD", folded)):
        return folded, list(range(len(text)))
    pairs = [(char, index) for index, source in enumerate(text) for char in FOLD[ord(source)]]
    if any(unicodedata.combining(char) for char, _ in pairs):
        pairs = _dotless(_ordered(pairs))
    return "".join(char for char, _ in pairs), [index for _, index in pairs]


def _ordered(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Canonical order of combining marks: each run of marks sorted by class, stable."""
    out: list[tuple[str, int]] = []
    run: list[tuple[str, int]] = []
    for pair in pairs:
        if unicodedata.combining(pair[0]):
            run.append(pair)
            continue
        out += sorted(run, key=lambda one: unicodedata.combining(one[0]))
        run = []
        out.append(pair)
    return out + sorted(run, key=lambda one: unicodedata.combining(one[0]))


def _dotless(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Drop a combining dot right after i: capital i with dot folds to i."""
    out: list[tuple[str, int]] = []
    previous = ""
    for char, index in pairs:
        if not (char == "\u0307" and previous == "i"):
            out.append((char, index))
        previous = char
    return out


def _with_line_end_hyphen(text: str) -> str:
    """The same text, a soft hyphen (or its like) at its end replaced by a hyphen; the length stays the
    same.
    """
    return text if text.isascii() and "\x02" not in text else _END.sub(HYPHEN, text)


def searchable(text: str) -> str:
    """Searchable text of one line or variant."""
    folded = fold(_with_line_end_hyphen(text)).strip(" ")
    return _WIDE.sub("  ", folded) if "   " in folded else folded


def searchable_map(text: str) -> tuple[str, list[int]]:
    """The result of `searchable` and the index in text of each of its characters."""
    folded, source = fold_map(_with_line_end_hyphen(text))
    if "   " not in folded and folded[:1] != " " and folded[-1:] != " ":
        return folded, source
    start = len(folded) - len(folded.lstrip(" "))
    end = len(folded.rstrip(" "))
    keep = [
        place
        for place in range(start, end)
        if not (folded[place] == " " and folded[max(place - 2, 0) : place] == "  " and place - 2 >= start)
    ]
    return "".join(folded[place] for place in keep), [source[place] for place in keep]
