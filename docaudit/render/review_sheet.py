"""The review sheet of a sample: pictures to look at (HTML), a sheet to fill in (CSV and XLSX), the record (JSON)."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docaudit.atomic import writing_folder
from docaudit.elusion.draws import Draw, Drawn
from docaudit.elusion.result import RECORD, Found
from docaudit.elusion.sheet import COLUMNS
from docaudit.errors import OutputError
from docaudit.location import BBox
from docaudit.readability import Thumbnail
from docaudit.render.clean import csv_cell, one_line
from docaudit.render.environment import environment
from docaudit.render.folder import BYTE_ORDER_MARK
from docaudit.render.sample_words import confidence_words, drawn_words, stratum_name, words_of
from docaudit.render.tables import table_csv
from docaudit.render.tongue import Tongue

DPI = 110
_WIDEST, _NARROWEST, _UNKNOWN_WIDTH = 2200, 700, 935
"""Pixels: an A0 poster in full would weigh more than all other pages together."""
_COLUMN_WIDTHS = {"sample_id": 14, "what": 44, "note": 32, "reviewer": 14, "date": 12}


def picture_widths(draw: Draw) -> dict[int, int]:
    """How many pixels wide the picture of each page is to be, so that it can be read."""
    return {
        one.page_num: min(max(round(one.width_pt / 72 * DPI), _NARROWEST), _WIDEST)
        if one.width_pt
        else _UNKNOWN_WIDTH
        for one in draw.drawn
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
    """Write review.html, sheet.csv, sheet.xlsx and draw.json into a new folder, all or none; raises OutputError."""
    need_new_folder(folder)
    record = json.dumps(draw.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    files = {
        "review.html": to_html(draw, pictures).encode("utf-8", "replace"),
        "sheet.xlsx": _workbook(draw),
        "sheet.csv": (BYTE_ORDER_MARK + table_csv(COLUMNS, _rows(draw))).encode("utf-8", "replace"),
        RECORD: record.encode("utf-8", "surrogatepass"),
    }
    with writing_folder(folder) as temporary:
        for name, data in files.items():
            (temporary / name).write_bytes(data)
    return [folder / name for name in files]


def to_html(draw: Draw, pictures: Mapping[int, Thumbnail]) -> str:
    """The pages to look at as one HTML document; what is not in `pictures` is shown without one."""
    template = environment(Tongue(draw.language)).get_template("review_sheet.html.j2")
    said = words_of(draw)
    return template.render(
        draw=draw,
        w=said.sheet,
        drawn_of=drawn_words(draw),
        seed=said.sheet["seed"].format(seed=draw.seed, confidence=confidence_words(draw)),
        strata=[(stratum_name(draw, one.name), one) for one in draw.strata],
        variants={one.concept: one.variants for one in draw.sought},
        cards=[_card(draw, one, pictures.get(one.page_num)) for one in draw.drawn],
    )


def _card(draw: Draw, one: Drawn, picture: Thumbnail | None) -> dict[str, Any]:
    said = words_of(draw).sheet
    jpeg = picture.jpeg if picture else None
    title = said["page" if draw.unit == "page" else "region"]
    return {
        "one": one,
        "title": title.format(page=one.page_num, pages=f"{draw.document.pages_total:,}"),
        "stratum": stratum_name(draw, one.stratum),
        "picture": base64.b64encode(jpeg).decode("ascii") if jpeg else "",
        "no_picture": said["no_picture"].format(problem=one_line(picture.problem) if picture else "-"),
        "place": _place(one),
        "whole": draw.unit == "region" and one.bbox is None,
    }


def _place(one: Drawn) -> tuple[float, ...] | None:
    """Left, top, width and height of the region, in percent of the page."""
    box: BBox | None = one.bbox
    if box is None or not one.width_pt or not one.height_pt:
        return None
    left, top = box[0] / one.width_pt * 100, box[1] / one.height_pt * 100
    right, bottom = box[2] / one.width_pt * 100, box[3] / one.height_pt * 100
    return tuple(round(side, 2) for side in (left, top, right - left, bottom - top))


def _rows(draw: Draw) -> Iterator[tuple[object, ...]]:
    empty = ("",) * (len(COLUMNS) - 3)
    for one in draw.drawn:
        yield (one.sample_id, one.page_num, one.stratum, *empty)


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
