"""The filled-in sheet of a sample -> what the search missed: counts, and exact bounds for what nobody read.

The sheet comes as people save it: CSV in any separator and encoding of Excel, or a workbook. A unit without an answer
never counts as "no": no bound is stated until all are answered. `unsure` counts as found in every bound, as the bound
must hold also if it is.
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from math import ceil, floor
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from docaudit.concepts.grid import decode
from docaudit.errors import ConceptTableError, ExitCode, SampleError, require_extra
from docaudit.justification import Model
from docaudit.sampling import Count, Draw, Drawn, digest_of, pooled_bound, stratum_bound, summed_bound

COLUMNS = ("sample_id", "page_num", "stratum", "found", "what", "note", "reviewer", "date")
NEEDED = ("sample_id", "page_num", "found")
_SEPARATORS = ",;\t"
_MOST_BYTES = 64 << 20
_MOST_CELLS = 2_000_000
_REMEDY = "fill in the sheet that docaudit sample wrote, and save it as CSV (UTF-8) or XLSX"


@dataclass(frozen=True)
class SheetRow:
    """One row as it was filled in; `number` counts as spreadsheets do."""

    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def read_rows(path: Path) -> list[SheetRow]:
    """The rows under the head, empty ones left out; raises SampleError if the file is no such sheet."""
    file = str(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise SampleError("is larger than any sheet of a sample", file=file, remedy=_REMEDY)
        data = path.read_bytes()
    except OSError as error:
        raise SampleError(
            f"cannot be read: {error.strerror or error}", file=file, remedy="name the filled-in sheet"
        ) from error
    lines = _workbook(data, file) if path.suffix.lower() in (".xlsx", ".xlsm") else _separated(data, file)
    filled = [(number, cells) for number, cells in lines if any(cells)]
    if not filled:
        raise SampleError("is empty", file=file, remedy=_REMEDY)
    return _rows(filled, file)


def _rows(filled: Sequence[tuple[int, list[str]]], file: str) -> list[SheetRow]:
    head = [_typed(cell) for cell in filled[0][1]]
    problems = [f"column {name} is missing" for name in NEEDED if name not in head]
    problems += [f"column {name} stands there twice" for name in COLUMNS if head.count(name) > 1]
    problems += [
        f"row {number} has {len(cells)} cells, the head {len(head)}: quote a cell that holds the separator"
        for number, cells in filled[1:]
        if any(cells[len(head) :])
    ]
    if problems:
        raise SampleError(
            "is not a sheet of a sample",
            file=file,
            problems=tuple(problems),
            remedy=f"columns are {', '.join(COLUMNS)}",
        )
    return [SheetRow(number, dict(zip(head, cells, strict=False))) for number, cells in filled[1:]]


def _typed(cell: str) -> str:
    """A cell without regard to case, width of letters and outer blanks."""
    return unicodedata.normalize("NFKC", cell).strip().casefold()


def _separated(data: bytes, file: str) -> list[tuple[int, list[str]]]:
    try:
        text = decode(data, file)
    except ConceptTableError as error:
        raise SampleError(error.cause, file=file, remedy=_REMEDY) from error
    text = text.removeprefix("\ufeff")
    skipped = 0
    if text[:4].casefold() == "sep=":  # Excel's own line that names the separator
        text, skipped = text.partition("\n")[2], 1
    head = text.lstrip().partition("\n")[0]
    separator = max(
        _SEPARATORS, key=lambda mark: sum(_typed(c.strip('" \r')) in COLUMNS for c in head.split(mark))
    )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = [[cell.strip() for cell in cells] for cells in reader]
    except csv.Error as error:
        row = reader.line_num + skipped
        raise SampleError(f"line {row} is not CSV: {error}", file=file, remedy=_REMEDY) from error
    return list(enumerate(rows, 1 + skipped))


def _workbook(data: bytes, file: str) -> list[tuple[int, list[str]]]:
    require_extra("openpyxl", "xlsx")
    from openpyxl import load_workbook

    try:
        sheet = load_workbook(io.BytesIO(data), data_only=True).worksheets[0]
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            raise ValueError(f"it goes to row {sheet.max_row:,} and column {sheet.max_column:,}")
        rows = [[_shown(cell) for cell in row] for row in sheet.values]
    except Exception as error:
        raise SampleError(f"is no workbook that can be read: {error}", file=file, remedy=_REMEDY) from error
    return list(enumerate(rows, 1))


def _shown(cell: Any) -> str:
    """A cell as a person reads it: 12 and not 12.0, and a day without its hours."""
    if cell is None:
        return ""
    if isinstance(cell, datetime | date):
        return cell.strftime("%Y-%m-%d")
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()


RECORD = "draw.json"
_TINY = 1e-9


class Found(StrEnum):
    """What a person says of one unit."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


_WRITTEN = {
    **dict.fromkeys(("yes", "y", "はい", "有", "あり"), Found.YES),
    **dict.fromkeys(("no", "n", "いいえ", "無", "なし"), Found.NO),
    **dict.fromkeys(("unsure", "?", "不明"), Found.UNSURE),
}


class Answer(Model):
    """What was answered for one unit; `found` is null if nothing was."""

    sample_id: str
    page_num: int
    stratum: str
    found: Found | None
    what: str = ""
    note: str = ""
    reviewer: str = ""
    date: str = ""


class Bound(Model):
    """What was found, and what the units that nobody read may hold.

    Attributes:
        size: Units there are.
        read: Units drawn.
        yes: Units that hold something the search missed.
        unsure: Units of which the reader is not sure; they count as found.
        unanswered: Units drawn without an answer.
        at_most_units: At most so many units hold something, of all; null while an answer is missing.
        at_most_share: The same as a share of `size`, not rounded to whole units; null while an answer is missing.
    """

    size: int
    read: int
    yes: int
    unsure: int
    unanswered: int
    at_most_units: int | None
    at_most_share: float | None

    @property
    def found(self) -> int:
        """Units that count as found."""
        return self.yes + self.unsure

    @property
    def all_read(self) -> bool:
        """Whether nothing is left to be estimated."""
        return self.read == self.size

    @property
    def at_most_percent(self) -> str | None:
        """The share in percent with one decimal, rounded up: a bound may only grow when it is rounded."""
        if self.at_most_share is None:
            return None
        return f"{ceil(self.at_most_share * 1000 - _TINY) / 10:.1f}"


class StratumBound(Bound):
    """The bound of one stratum, by itself at the level of the draw."""

    name: str


class ElusionResult(Model):
    """What a sample says of a search.

    Attributes:
        draw: The record of the draw.
        answers: One for each unit drawn.
        strata: The bound of each stratum by itself.
        overall: The bound of all together; it holds at the level of the draw, whatever the strata say.
    """

    draw: Draw
    answers: tuple[Answer, ...]
    strata: tuple[StratumBound, ...]
    overall: Bound

    def with_answer(self, found: Found | None) -> tuple[Answer, ...]:
        """The answers that say this, in order of the pages."""
        return tuple(answer for answer in self.answers if answer.found is found)

    @property
    def exit_code(self) -> ExitCode:
        """1 if something was or may have been found, 3 if answers are missing, else 0."""
        if self.overall.found:
            return ExitCode.MENTIONED
        return ExitCode.NOT_ESTABLISHED if self.overall.unanswered else ExitCode.ABSENT


def read_sample(sheet: str | Path, *, draw: str | Path | None = None) -> ElusionResult:
    """Check a filled-in sheet against the record of its draw, and say what it shows.

    Args:
        sheet: The sheet that was filled in, CSV or XLSX.
        draw: The record of the draw; draw.json beside the sheet if not named.

    Raises:
        SampleError: The sheet or the record cannot be read, or they do not fit; all faults, each with its row.
    """
    path = Path(sheet)
    record = read_draw(path.parent / RECORD if draw is None else Path(draw))
    return judge(record, _answers(record, read_rows(path), str(path)))


def read_draw(path: Path) -> Draw:
    """The record of a draw; raises SampleError if it is missing, damaged or was changed."""
    remedy = "name the draw.json that docaudit sample wrote with --draw, or draw again"
    try:
        draw = Draw.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise SampleError(
            f"the record of the draw cannot be read: {error.strerror or error}", file=str(path), remedy=remedy
        ) from error
    except (ValueError, RecursionError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise SampleError(f"is not the record of a draw: {first}", file=str(path), remedy=remedy) from error
    if digest_of(draw) != draw.digest:
        raise SampleError("was changed since the draw", file=str(path), remedy="restore it, or draw again")
    return draw


def judge(draw: Draw, answers: Sequence[Answer]) -> ElusionResult:
    """Bounds for each stratum and for all, from one answer for each unit drawn."""
    by_stratum: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_stratum[answer.stratum].append(answer)
    counts = [
        Count(s.size, s.drawn, sum(a.found not in (Found.NO, None) for a in by_stratum[s.name]))
        for s in draw.strata
    ]
    together = pooled_bound if draw.allocation == "proportional" else summed_bound
    return ElusionResult(
        draw=draw,
        answers=tuple(answers),
        strata=tuple(
            StratumBound(
                name=stratum.name,
                **_bound(
                    by_stratum[stratum.name], stratum.size, stratum_bound(count, draw.confidence)
                ).model_dump(),
            )
            for stratum, count in zip(draw.strata, counts, strict=True)
        ),
        overall=_bound(answers, draw.size, together(counts, draw.confidence)),
    )


def _bound(answers: Sequence[Answer], size: int, at_most: float) -> Bound:
    said = [answer.found for answer in answers]
    complete = None not in said
    return Bound(
        size=size,
        read=len(said),
        yes=said.count(Found.YES),
        unsure=said.count(Found.UNSURE),
        unanswered=said.count(None),
        at_most_units=floor(at_most + _TINY) if complete else None,
        at_most_share=at_most / size if complete else None,
    )


def _answers(draw: Draw, rows: Iterable[SheetRow], file: str) -> tuple[Answer, ...]:
    drawn = {one.sample_id.casefold(): one for one in draw.drawn}
    given: dict[str, tuple[SheetRow, Found | None]] = {}
    problems: list[str] = []
    for row in rows:
        name = _typed(row["sample_id"])
        unit = drawn.get(name)
        if unit is None:
            problems.append(f"row {row.number}: {_unknown(row['sample_id'])}")
        elif name in given:
            problems.append(f"row {row.number}: {unit.sample_id} stands in row {given[name][0].number} too")
        else:
            problems += [f"row {row.number}: {wrong}" for wrong in _wrong(row, unit)]
            given[name] = (row, _WRITTEN.get(_typed(row["found"])))
    if problems:
        raise SampleError(
            f"does not fit the draw of {draw.document.name}",
            file=file,
            problems=tuple(problems),
            remedy="correct these rows; nothing was counted",
        )
    return tuple(_answer(one, *given.get(name, (None, None))) for name, one in drawn.items())


def _unknown(sample_id: str) -> str:
    if not sample_id:
        return "sample_id is empty"
    return f"'{sample_id}' was not drawn (a row of another sheet?)"


def _wrong(row: SheetRow, unit: Drawn) -> list[str]:
    """What is wrong in the row of a unit."""
    wrong = []
    if row["page_num"] != str(unit.page_num):
        wrong.append(f"page_num is '{row['page_num']}', drawn was page {unit.page_num}")
    if "stratum" in row.cells and row["stratum"] != unit.stratum:
        wrong.append(f"stratum is '{row['stratum']}', drawn was {unit.stratum}")
    if row["found"] and _typed(row["found"]) not in _WRITTEN:
        wrong.append(f"found is '{row['found']}': write yes, no or unsure")
    return wrong


def _answer(unit: Drawn, row: SheetRow | None, found: Found | None) -> Answer:
    said = {} if row is None else {name: row[name] for name in ("what", "note", "reviewer", "date")}
    return Answer(sample_id=unit.sample_id, page_num=unit.page_num, stratum=unit.stratum, found=found, **said)
