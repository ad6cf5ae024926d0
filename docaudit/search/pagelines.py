"""line_df as plain arrays and lists, with the searchable text of every line: what flows are built from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from docaudit.frames import LINE_DF
from docaudit.location import Direction, LineType, TextSource, Visibility
from docaudit.search.normalize import searchable

_SURROGATE = re.compile("[\ud800-\udfff]")

Floats = npt.NDArray[np.float64]

_FILL: dict[str, object] = {
    "line_type": LineType.BODY.value,
    "source": TextSource.TEXT_LAYER.value,
    "visibility": Visibility.UNKNOWN.value,
    "direction": Direction.HORIZONTAL.value,
    "text": "",
    "page_num": 0,
    "line_num": 0,
    "block_num": 0,
    "part": "",
    "part_page": 0,
}


def encodable(text: str) -> str:
    """Text with lone surrogates, which no table or file can hold, replaced by U+FFFD; the length stays the
    same.
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def completed(line_df: pd.DataFrame) -> pd.DataFrame:
    """line_df with every column of the contract; what is missing or NaN takes the value that claims least.

    A missing box is NaN (the line then takes part in the stream of lines only), a missing text is empty.
    """
    data: dict[str, pd.Series] = {}
    for field in LINE_DF.fields:
        if field.name in line_df.columns:
            series = line_df[field.name]
            if field.name in _FILL and series.hasnans:
                series = series.astype(object).where(series.notna(), _FILL[field.name])
        else:
            series = pd.Series([_FILL.get(field.name, np.nan)] * len(line_df), index=line_df.index)
        data[field.name] = series
    return pd.DataFrame(data).reset_index(drop=True)


@dataclass(frozen=True)
class PageLines:
    """The lines of a document, one list or array for each column; rows are positions in line_df."""

    page: list[int]
    number: list[int]
    block: list[int]
    text: list[str]
    search: list[str]
    source: list[str]
    line_type: list[str]
    direction: list[str]
    visibility: list[str]
    part: list[str]
    part_page: list[int]
    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    font_size: Floats

    @classmethod
    def of(cls, line_df: pd.DataFrame, search: list[str] | None = None) -> PageLines:
        """Arrays of line_df; columns that it lacks are filled in. `search`: what it was for the same lines before."""
        full = completed(line_df)
        text = [encodable(value if isinstance(value, str) else str(value)) for value in full["text"].tolist()]
        return cls(
            page=[int(value) for value in full["page_num"].tolist()],
            number=[int(value) for value in full["line_num"].tolist()],
            block=[int(value) for value in full["block_num"].tolist()],
            text=text,
            search=[searchable(line) for line in text] if search is None else search,
            source=[str(value) for value in full["source"].tolist()],
            line_type=[str(value) for value in full["line_type"].tolist()],
            direction=[str(value) for value in full["direction"].tolist()],
            visibility=[str(value) for value in full["visibility"].tolist()],
            part=[str(value) for value in full["part"].tolist()],
            part_page=[int(value) for value in full["part_page"].tolist()],
            **{
                name: full[name].to_numpy(dtype=np.float64, na_value=np.nan)
                for name in ("x0", "y0", "x1", "y1", "font_size")
            },
        )

    def __len__(self) -> int:
        return len(self.page)

    @cached_property
    def sheet(self) -> list[int]:
        """The page on which a line stands; each page of an attachment or earlier revision has a number of its own.

        Pages of one part that follow each other have numbers that do; no two parts meet.
        """
        if not any(self.part):
            return self.page
        names = {name: place for place, name in enumerate(dict.fromkeys(["", *self.part]))}
        room = max(*self.page, *self.part_page) + 2
        return [
            names[part] * room + inner if part else page
            for page, part, inner in zip(self.page, self.part, self.part_page, strict=True)
        ]

    @cached_property
    def has_box(self) -> npt.NDArray[np.bool_]:
        """Whether a line has a usable box."""
        known = np.isfinite(self.x0) & np.isfinite(self.y0) & np.isfinite(self.x1) & np.isfinite(self.y1)
        return np.asarray(known & (self.x1 >= self.x0) & (self.y1 >= self.y0))

    @cached_property
    def boxes(self) -> list[tuple[float, float, float, float]]:
        """x0, y0, x1, y1 of each line as plain numbers: single numbers of an array are slow to read."""
        sides = (side.tolist() for side in (self.x0, self.y0, self.x1, self.y1))
        return list(zip(*sides, strict=True))

    @cached_property
    def sizes(self) -> list[float]:
        """font_size as plain numbers."""
        return list(self.font_size.tolist())

    def in_order(self, source: str) -> list[int]:
        """Rows of one source that hold text, page after page, in line_num order."""
        rows = [row for row, name in enumerate(self.source) if name == source and self.search[row]]
        return sorted(rows, key=lambda row: (self.page[row], self.number[row]))
