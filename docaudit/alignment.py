"""Where a text from elsewhere (a retrieved chunk) stands in a document: by its letters and digits alone.

Other programs break lines, join hyphens and order columns in other ways, and cut chunks in mid-sentence. So letters are
compared without blanks and signs, folded as the sweep folds them, in runs: a run is a stretch of the chunk that stands
in the document letter for letter. A short run proves nothing (every document has "of the market for"), so it takes
MIN_RUN letters, or the whole chunk.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import regex

from docaudit.folding import fold

MIN_RUN = 24
"""Letters of a run that counts, about five English words; of Chinese, Japanese and Korean signs half as many."""
MOST_PLACES = 1000
"""A passage that stands in more places than these (a running footer) is looked for in the first so many."""
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def letters(text: str) -> str:
    r"""Letters and digits of a text, folded.

    >>> letters("Elec\u00adtri-\ncity: 7\u00a0TWh")
    'electricity7twh'
    """
    return "".join(filter(str.isalnum, fold(text)))


def least_run(chunk: str) -> int:
    """Letters that a run of this chunk must have, unless it is the whole chunk."""
    dense = 2 * len(_DENSE.findall(chunk)) > len(chunk)
    return MIN_RUN // 2 if dense else MIN_RUN


@dataclass(frozen=True)
class Run:
    """A stretch of a chunk that stands in the document.

    Attributes:
        start: Its first letter in the chunk.
        at: Its first letter in the document.
        length: Its letters.
    """

    start: int
    at: int
    length: int

    @property
    def end(self) -> int:
        """The letter of the document after its last."""
        return self.at + self.length


class DocumentLetters:
    """The letters of all lines of a document in one row, and the line of each.

    Attributes:
        text: All letters, pages and lines in order.
        places: page_num and line_num of each line.
    """

    def __init__(self, line_df: pd.DataFrame) -> None:
        ordered = line_df.sort_values(["page_num", "line_num"], kind="stable")
        columns = (ordered[name].tolist() for name in ("page_num", "line_num", "text"))
        self.places: list[tuple[int, int]] = []
        self._verbatim: list[str] = []
        self._starts: list[int] = []
        parts: list[str] = []
        at = 0
        for page, line, text in zip(*columns, strict=True):
            self.places.append((int(page), int(line)))
            self._verbatim.append(str(text))
            self._starts.append(at)
            parts.append(letters(str(text)))
            at += len(parts[-1])
        self.text = "".join(parts)
        self._index = {place: number for number, place in enumerate(self.places)}

    def offset(self, place: tuple[int, int], char: int) -> int:
        """Letters of the document before a character of a line."""
        number = self._index[place]
        return self._starts[number] + len(letters(self._verbatim[number][:char]))

    def line_end(self, place: tuple[int, int]) -> int:
        """Letters of the document up to the end of a line."""
        return self.offset(place, len(self._verbatim[self._index[place]]))

    def lines_of(self, run: Run) -> range:
        """Numbers of the lines in which a run stands."""
        first = bisect_right(self._starts, run.at) - 1
        return range(first, bisect_right(self._starts, run.end - 1, lo=first))

    def pages_of(self, run: Run) -> set[int]:
        """Pages on which a run stands."""
        return {self.places[number][0] for number in self.lines_of(run)}

    def verbatim(self, run: Run) -> str:
        """The lines in which a run stands, as they are on the page; those without a letter are left out."""
        lines = (self._verbatim[number] for number in self.lines_of(run))
        return "\n".join(line for line in lines if line.strip())

    def runs(self, chunk: str) -> list[Run]:
        """Every run of a chunk (its letters) in the document, in the order of the chunk; each place once."""
        if not chunk:
            return []
        least = least_run(chunk)
        if len(chunk) < least:
            return [Run(0, at, len(chunk)) for at in self._occurrences(chunk)]
        # A run of at least 2 s - 1 letters holds one of the blocks of s letters into which the chunk is cut.
        size = least // 2
        found: list[Run] = []
        done: dict[
            int, int
        ] = {}  # end of the last run in the chunk, by where the chunk would begin in the document
        for start in range(0, len(chunk) - size + 1, size):
            for at in self._occurrences(chunk[start : start + size]):
                if start < done.get(at - start, 0):
                    continue
                before = _common_before(chunk, start, self.text, at)
                length = before + _common_after(chunk, start, self.text, at)
                done[at - start] = start - before + length
                if length >= least:
                    found.append(Run(start - before, at - before, length))
        return sorted(found, key=lambda run: (run.start, run.at))

    def _occurrences(self, part: str) -> Iterator[int]:
        at = self.text.find(part)
        for _ in range(MOST_PLACES):
            if at < 0:
                return
            yield at
            at = self.text.find(part, at + 1)


def covered(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans joined where they touch or overlap.

    >>> covered([(4, 6), (0, 2), (5, 9), (2, 3)])
    [(0, 3), (4, 9)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _common_after(one: str, i: int, other: str, j: int) -> int:
    """How many characters from i and from j on are the same."""
    step, length = 64, 0
    while step:
        part = one[i + length : i + length + step]
        if len(part) == step and other.startswith(part, j + length):
            length += step
        else:
            step //= 2
    return length


def _common_before(one: str, i: int, other: str, j: int) -> int:
    """How many characters before i and before j are the same."""
    step, length = 64, 0
    while step:
        start = i - length - step
        if (
            start >= 0
            and j - length - step >= 0
            and other.startswith(one[start : i - length], j - length - step)
        ):
            length += step
        else:
            step //= 2
    return length
