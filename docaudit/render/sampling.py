"""A sample of what the search did not hit, for people: the review sheet, and on a terminal the result.

The review sheet is a folder: pictures to look at (HTML), a sheet to fill in (CSV and XLSX), the record (JSON).
"""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from docaudit.coverage import Thumbnail
from docaudit.errors import OutputError
from docaudit.files import writing_folder
from docaudit.render.html import environment
from docaudit.render.language import Translator, csv_cell, one_line
from docaudit.render.tables import BYTE_ORDER_MARK, table_csv
from docaudit.render.terminal import ConsoleWriter, new_console
from docaudit.sampling import Draw, Drawn
from docaudit.sampling_sheet import COLUMNS, RECORD, Bound, ElusionResult, Found

DPI = 110
"""Of the pictures; chosen, not measured."""
_WIDEST, _NARROWEST, _UNKNOWN_WIDTH = 2200, 700, 935
"""Pixels: an A0 poster in full would weigh more than all other pages together; 935 is a Letter page."""
_COLUMN_WIDTHS = {"sample_id": 14, "what": 44, "note": 32, "reviewer": 14, "date": 12}
STRATA = {
    "plain": "read from the text layer",
    "ocr": "read by OCR",
    "flagged": "with a part that was not read",
}


def units(draw: Draw, count: int) -> str:
    """A number of pages, or of regions if those were drawn."""
    t = Translator(draw.language)
    if draw.unit == "page":
        return t.ngettext("{n} page", "{n} pages", count)
    return t.ngettext("{n} region", "{n} regions", count)


def frame_words(draw: Draw) -> str:
    """What the sample stands for: the 812 pages without a hit."""
    t, size = Translator(draw.language), units(draw, draw.size)
    if draw.unit == "region":
        return t("{units} that were not read", units=size)
    if len(draw.sought) == 1:
        return t("{units} without a hit", units=size)
    return t("{units} where the search did not find every concept", units=size)


def drawn_words(draw: Draw) -> str:
    """How much was drawn of what."""
    t = Translator(draw.language)
    return t("{read} of the {frame}", read=units(draw, len(draw.drawn)), frame=frame_words(draw))


def sentences(result: ElusionResult) -> list[str]:
    """What the sample shows, in one to three sentences."""
    overall, t = result.overall, Translator(result.draw.language)
    sentences = []
    if overall.unanswered:
        sentences.append(
            t(
                "Without an answer: {n} of {read} ({where}). No bound is stated until all are answered.",
                n=f"{overall.unanswered:,}",
                read=units(result.draw, overall.read),
                where=_where(result, None),
            )
        )
    if overall.found or not overall.unanswered:
        sentences.append(_finding(result, t))
    if overall.unsure:
        where = _where(result, Found.UNSURE)
        sentences.append(
            t("Counted as found, though unsure: {n} ({where}).", n=f"{overall.unsure:,}", where=where)
        )
    return sentences


def _finding(result: ElusionResult, t: Translator) -> str:
    draw, overall = result.draw, result.overall
    frame, n, where = frame_words(draw), f"{overall.found:,}", _where(result, Found.YES, Found.UNSURE)
    if overall.all_read and not overall.unanswered:
        if not overall.found:
            return t("All the {frame} were looked at: none held anything the search missed.", frame=frame)
        return t(
            "All the {frame} were looked at: {n} held something the search missed ({where}).",
            frame=frame,
            n=n,
            where=where,
        )
    read = units(draw, overall.read)
    if overall.found:
        finding = t("{n} of {read} held something the search missed ({where})", n=n, read=read, where=where)
    else:
        finding = t("0 of {read} held anything the search missed", read=read)
    if overall.at_most_units is None:
        return t("{finding}.", finding=finding)
    return t(
        "{finding}: at most {percent} % of the {frame} ({most}), at {confidence} % confidence.",
        finding=finding,
        percent=overall.at_most_percent,
        frame=frame,
        most=units(draw, overall.at_most_units),
        confidence=confidence_words(draw),
    )


def _where(result: ElusionResult, *answers: Found | None) -> str:
    pages = [answer.page_num for answer in result.answers if answer.found in answers]
    return Translator(result.draw.language).pages(pages)


def stratum_name(draw: Draw, name: str) -> str:
    """The name of a stratum with what it is."""
    return f"{name} ({Translator(draw.language)(STRATA[name])})" if name in STRATA else name


def bound_words(bound: Bound) -> str:
    """The bound of one stratum for a column of a table."""
    if bound.at_most_percent is None or bound.at_most_units is None:
        return "-"
    return (
        f"= {bound.found:,}" if bound.all_read else f"≤ {bound.at_most_units:,} ({bound.at_most_percent} %)"
    )


def confidence_words(draw: Draw) -> str:
    """The level in percent, without needless zeros."""
    return f"{draw.confidence * 100:.6g}"


def picture_widths(draw: Draw) -> dict[int, int]:
    """How many pixels wide the picture of each page is to be, so that it can be read."""
    return {
        unit.page_num: min(max(round(unit.width_pt / 72 * DPI), _NARROWEST), _WIDEST)
        if unit.width_pt
        else _UNKNOWN_WIDTH
        for unit in draw.drawn
    }


def need_new_folder(folder: Path) -> None:
    """Raise OutputError unless the folder can be made or is empty: a sheet with answers is never written over."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise OutputError(
            "is there already and not an empty folder, and answers in it would be lost",
            file=str(folder),
            remedy="name a new folder",
        )
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise OutputError(
            "cannot be written", file=str(folder), remedy="name a place that exists and is writable"
        )


def write_review(draw: Draw, pictures: Mapping[int, Thumbnail], folder: Path) -> list[Path]:
    """Write review.html, sheet.csv, sheet.xlsx and draw.json into a new folder, all or none; raises OutputError.

    Without the extra xlsx there is no sheet.xlsx: sheet.csv asks the same.
    """
    need_new_folder(folder)
    record = json.dumps(draw.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    files = {
        "review.html": to_html(draw, pictures).encode("utf-8", "replace"),
        **({"sheet.xlsx": _workbook(draw)} if find_spec("openpyxl") else {}),
        "sheet.csv": (BYTE_ORDER_MARK + table_csv(COLUMNS, _rows(draw))).encode("utf-8", "replace"),
        RECORD: record.encode("utf-8", "surrogatepass"),
    }
    with writing_folder(folder) as temporary:
        for name, data in files.items():
            (temporary / name).write_bytes(data)
    return [folder / name for name in files]


def to_html(draw: Draw, pictures: Mapping[int, Thumbnail]) -> str:
    """The pages to look at as one HTML document; what is not in `pictures` is shown without one."""
    cards = []
    for unit in draw.drawn:
        picture = pictures.get(unit.page_num)
        cards.append(
            {
                "unit": unit,
                "stratum": stratum_name(draw, unit.stratum),
                "picture": base64.b64encode(picture.jpeg).decode("ascii") if picture and picture.jpeg else "",
                "problem": one_line(picture.problem) if picture else "-",
                "place": _place(unit),
            }
        )
    template = environment(Translator(draw.language)).get_template("review_sheet.html.j2")
    return template.render(
        draw=draw,
        drawn_of=drawn_words(draw),
        confidence=confidence_words(draw),
        strata=[(stratum_name(draw, stratum.name), stratum) for stratum in draw.strata],
        cards=cards,
    )


def _place(unit: Drawn) -> tuple[float, ...] | None:
    """Left, top, width and height of the region, in percent of the page."""
    box = unit.bbox
    if box is None or not unit.width_pt or not unit.height_pt:
        return None
    left, top = box[0] / unit.width_pt * 100, box[1] / unit.height_pt * 100
    right, bottom = box[2] / unit.width_pt * 100, box[3] / unit.height_pt * 100
    return tuple(round(side, 2) for side in (left, top, right - left, bottom - top))


def _rows(draw: Draw) -> Iterator[tuple[object, ...]]:
    empty = ("",) * (len(COLUMNS) - 3)
    for unit in draw.drawn:
        yield (unit.sample_id, unit.page_num, unit.stratum, *empty)


def _workbook(draw: Draw) -> bytes:
    """The sheet with a list to choose the answer from, and a head that stays in sight."""
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    assert sheet is not None, "a new workbook has one sheet"
    sheet.title = "sheet"
    sheet.append(list(COLUMNS))
    for row in _rows(draw):
        sheet.append([csv_cell(cell) if isinstance(cell, str) else cell for cell in row])
    for number, name in enumerate(COLUMNS, 1):
        sheet.cell(1, number).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(number)].width = _COLUMN_WIDTHS.get(name, 10)
    sheet.freeze_panes = "A2"
    choice = DataValidation(
        type="list", formula1=f'"{",".join(Found)}"', allow_blank=True, showErrorMessage=True
    )
    answers = get_column_letter(COLUMNS.index("found") + 1)
    choice.add(f"{answers}2:{answers}{len(draw.drawn) + 1}")
    sheet.add_data_validation(choice)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def print_sample(result: ElusionResult, console: Console | None = None) -> None:
    """What was found, what the rest may hold at most, and the strata each by itself."""
    out = ConsoleWriter(console or new_console())
    for sentence in sentences(result):
        out.say((sentence, "bold"))
    if len(result.strata) > 1:
        out.heading("Strata", "each by itself; the bounds of all need not hold together")
        names = [stratum_name(result.draw, stratum.name) for stratum in result.strata]
        widths = [max(map(len, ("stratum", *names))), -7, -7, -7]
        out.row(("stratum", "there", "read", "found", "at most"), widths, "dim")
        for name, stratum in zip(names, result.strata, strict=True):
            read = stratum.read - stratum.unanswered
            cells = (name, f"{stratum.size:,}", f"{read:,}", f"{stratum.found:,}", bound_words(stratum))
            out.row(cells, widths)
    missed = (*result.with_answer(Found.YES), *result.with_answer(Found.UNSURE))
    if missed:
        out.heading("Missed by the search", "add the words to the concept table, and audit again")
        for answer in sorted(missed, key=lambda answer: (answer.page_num, answer.sample_id)):
            what = one_line(answer.what) or "(not said what)"
            note = f" - {one_line(answer.note)}" if answer.note else ""
            unsure = "unsure: " if answer.found is Found.UNSURE else ""
            line = f"page {answer.page_num}  {answer.sample_id}  {unsure}{what}{note}"
            out.say(line, indent=2, hang=2)
