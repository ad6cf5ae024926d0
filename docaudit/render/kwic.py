"""Concordance lines: left context, hit, right context, with the hits of all lines one below the other.

Widths are counted in terminal cells, where a Japanese character takes two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from docaudit.render.clean import one_line
from docaudit.snippets import ELLIPSIS, with_ellipses


@dataclass(frozen=True)
class Split:
    """A snippet cut at its hit; `hit` is empty if the hit does not stand in the snippet."""

    left: str
    hit: str
    right: str


@dataclass(frozen=True)
class KwicLine:
    """One concordance line; label and left part are padded, so that the hits of all lines stand in one column."""

    label: str
    left: str
    hit: str
    right: str

    def __str__(self) -> str:
        return f"{self.label}  {self.left}{self.hit}{self.right}".rstrip()


def split_snippet(snippet: str, match: str) -> Split:
    """Cut a snippet at the occurrence of the match that is nearest to its middle, where the hit stands.

    >>> split_snippet("more electricity is used", "electricity")
    Split(left='more ', hit='electricity', right=' is used')
    """
    places = [found.span() for found in re.finditer(re.escape(match), snippet)] if match else []
    if not places:
        # A match over several lines may have other white space in the snippet than in match_text.
        loose = r"\s*".join(re.escape(part) for part in match.split())
        places = [found.span() for found in re.finditer(loose, snippet)] if loose else []
    if not places:
        return Split(snippet, "", "")
    start, end = min(places, key=lambda place: abs(sum(place) - len(snippet)))
    return Split(snippet[:start], snippet[start:end], snippet[end:])


def kwic_lines(items: Sequence[tuple[str, str, str]], width: int) -> list[KwicLine]:
    """Concordance lines of (label, snippet, match), none wider than `width` cells.

    >>> for line in kwic_lines([("p. 3", "the use of electricity by data", "electricity")], 40):
    ...     print(line)
    p. 3  the use of electricity by data
    """
    splits = [_on_one_line(split_snippet(with_ellipses(text, match), match)) for _, text, match in items]
    label_width = max((cell_len(label) for label, _, _ in items), default=0)
    room = max(width - label_width - 2, 20)
    hit_width = min(max((cell_len(split.hit) for split in splits), default=0), room // 2)
    # No more room on the left than the longest left context needs: the rest serves the right.
    longest_left = max((cell_len(split.left) for split in splits if split.hit), default=0)
    left_width = min((room - hit_width) // 2, longest_left + 1)
    return [
        _line(label, split, label_width, left_width, room)
        for (label, _, _), split in zip(items, splits, strict=True)
    ]


def _line(label: str, split: Split, label_width: int, left_width: int, room: int) -> KwicLine:
    padded = set_cell_size(label, label_width)
    if not split.hit:
        return KwicLine(padded, "", "", _cut_end(split.left, room))
    hit = _cut_end(split.hit, room // 2)
    right = _cut_end(split.right, room - left_width - cell_len(hit))
    return KwicLine(padded, _cut_start(split.left, left_width), hit, right)


def _on_one_line(split: Split) -> Split:
    return Split(one_line(split.left), one_line(split.hit), one_line(split.right))


def _cut_end(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + ELLIPSIS if width > 0 else ""


def _cut_start(text: str, width: int) -> str:
    """The end of the text in exactly `width` cells, padded or cut on the left."""
    if cell_len(text) <= width:
        return " " * (width - cell_len(text)) + text
    kept: list[str] = []
    used = 1  # the ellipsis
    for character in reversed(text):
        used += cell_len(character)
        if used > width:
            break
        kept.append(character)
    cut = ELLIPSIS + "".join(reversed(kept))
    return " " * (width - cell_len(cut)) + cut
