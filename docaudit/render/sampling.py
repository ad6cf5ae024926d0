"""The review sheet of a sample: pictures to look at (HTML), a sheet to fill in (CSV and XLSX), the record (JSON).

The result of a sample on a terminal.

The words of a sample's sheet and result, in English and Japanese.
"""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from docaudit.codes import BBox
from docaudit.coverage import Thumbnail
from docaudit.errors import OutputError
from docaudit.files import writing_folder
from docaudit.render.html import environment
from docaudit.render.language import Tongue, csv_cell, one_line, page_ranges, page_words
from docaudit.render.tables import BYTE_ORDER_MARK, table_csv
from docaudit.render.terminal import Paper, new_console
from docaudit.sampling import Draw, Drawn
from docaudit.sampling_sheet import COLUMNS, RECORD, Answer, Bound, ElusionResult, Found


@dataclass(frozen=True)
class Words:
    """Everything that is said in one language; templates in braces are filled by `str.format`."""

    pages: str
    regions: str
    one_page: str
    one_region: str
    without_hit: str
    without_every: str
    not_read: str
    clean: str
    missed: str
    bound: str
    all_clean: str
    all_missed: str
    unsure: str
    unanswered: str
    drawn: str
    strata: Mapping[str, str] = field(default_factory=dict)
    sheet: Mapping[str, str] = field(default_factory=dict)


ENGLISH = Words(
    pages="{0:,} pages",
    regions="{0:,} regions",
    one_page="1 page",
    one_region="1 region",
    without_hit="{units} without a hit",
    without_every="{units} where the search did not find every concept",
    not_read="{units} that were not read",
    clean="0 of {read} held anything the search missed",
    missed="{found:,} of {read} held something the search missed ({where})",
    bound="{found}: at most {percent} % of the {frame} ({most}), at {confidence} % confidence.",
    all_clean="All the {frame} were looked at: none held anything the search missed.",
    all_missed="All the {frame} were looked at: {found:,} held something the search missed ({where}).",
    unsure="Counted as found, though unsure: {count:,} ({where}).",
    unanswered="Without an answer: {count:,} of {read} ({where}). No bound is stated until all are answered.",
    drawn="{read} of the {frame}",
    strata={
        "plain": "read from the text layer",
        "ocr": "read by OCR",
        "flagged": "with a part that was not read",
    },
    sheet={
        "title": "Was anything missed?",
        "document": "Document",
        "question": "Question",
        "drawn": "Drawn",
        "seed": "seed {seed}, confidence {confidence} %",
        "how": "How to fill in the sheet",
        "step_look": "Look at each picture below, and read all of it. If it is not legible, open the page of the "
        "document itself.",
        "step_page": "Does the page mention a concept that is listed for it under “Look for”, in whatever words? The "
        "words known so far are listed; others count just as much.",
        "step_region": "Does the outlined region mention a concept that is listed under “Look for”, in whatever words?",
        "step_answer": "Write yes, no or unsure into the column found of sheet.xlsx or sheet.csv, in the row with the "
        "same sample_id. If yes, write the words into the column what.",
        "step_empty": "A row left empty is not taken for a no. Unsure is counted as found.",
        "step_read": "Then run: docaudit sample --read sheet.xlsx",
        "concepts": "What to look for",
        "look_for": "Look for",
        "already": "Found here by the search, not asked",
        "page": "Page {page} of {pages}",
        "region": "Outlined region on page {page} of {pages}",
        "label": "label",
        "whole": "The region is the whole page.",
        "no_picture": "No picture ({problem}). Open the page of the document itself.",
        "answer": "found",
        "yes": "yes",
        "no": "no",
        "unsure": "unsure",
        "what": "what",
        "not_covered": "Attachments, bookmarks, metadata and the like are on no page: the sample says nothing of them.",
    },
)
JAPANESE = Words(
    pages="{0:,}ページ",
    regions="{0:,}か所",
    one_page="1ページ",
    one_region="1か所",
    without_hit="ヒットのない{units}",
    without_every="検索で全概念が見つかってはいない{units}",
    not_read="読み取れなかった領域{units}",
    clean="検索の見落としがあったもの：{read}中0",
    missed="検索の見落としがあったもの：{read}中{found:,}（{where}）",
    bound="{found}。{frame}のうち多くとも{percent} %（{most}）、信頼度{confidence} %。",
    all_clean="{frame}をすべて確認した。検索の見落としはなかった。",
    all_missed="{frame}をすべて確認した。検索の見落としがあったもの：{found:,}（{where}）。",
    unsure="不明だが「あり」として数えたもの：{count:,}（{where}）。",
    unanswered="未回答：{read}中{count:,}（{where}）。すべて回答されるまで上限は示さない。",
    drawn="{frame}から{read}",
    strata={"plain": "テキスト層から読み取り", "ocr": "OCRで読み取り", "flagged": "読み取れなかった部分あり"},
    sheet={
        "title": "見落としはないか",
        "document": "文書",
        "question": "質問",
        "drawn": "抽出",
        "seed": "シード{seed}、信頼度{confidence} %",
        "how": "記入のしかた",
        "step_look": "下の画像を一つずつ、隅々まで読んでください。読みにくいときは、文書のそのページを開いてください。",
        "step_page": "「探すもの」に挙げた概念が、どのような言葉であれ、そのページに書かれていますか。"
        "既知の語を並べてありますが、他の言い方も同じように数えます。",
        "step_region": "枠で囲んだ領域に、「探すもの」に挙げた概念が、どのような言葉であれ書かれていますか。",
        "step_answer": "sheet.xlsx または sheet.csv の同じ sample_id の行で、found の列に yes（あり）、no（なし）、"
        "unsure（不明）のどれかを記入してください。yes のときは、その言葉を what の列に書いてください。",
        "step_empty": "空欄は「なし」とはみなしません。unsure は「あり」として数えます。",
        "step_read": "記入後に実行：docaudit sample --read sheet.xlsx",
        "concepts": "探すもの（一覧）",
        "look_for": "探すもの",
        "already": "検索で既に見つかっているもの（質問の対象外）",
        "page": "{page}ページ（全{pages}ページ）",
        "region": "{page}ページの枠内（全{pages}ページ）",
        "label": "表記",
        "whole": "領域はページ全体です。",
        "no_picture": "画像なし（{problem}）。文書のそのページを開いてください。",
        "answer": "found",
        "yes": "yes（あり）",
        "no": "no（なし）",
        "unsure": "unsure（不明）",
        "what": "what（言葉）",
        "not_covered": "添付ファイル、しおり、メタデータなどはページではないため、この標本の対象外です。",
    },
)


def words_of(draw: Draw) -> Words:
    """The words of the draw's language."""
    return JAPANESE if draw.language == "ja" else ENGLISH


def units(draw: Draw, count: int) -> str:
    """A number of pages, or of regions if those were drawn."""
    words = words_of(draw)
    if count == 1:
        return words.one_page if draw.unit == "page" else words.one_region
    return (words.pages if draw.unit == "page" else words.regions).format(count)


def frame_words(draw: Draw) -> str:
    """What the sample stands for: the 812 pages without a hit."""
    words = words_of(draw)
    if draw.unit == "region":
        form = words.not_read
    else:
        form = words.without_hit if len(draw.sought) == 1 else words.without_every
    return form.format(units=units(draw, draw.size))


def drawn_words(draw: Draw) -> str:
    """How much was drawn of what."""
    return words_of(draw).drawn.format(read=units(draw, len(draw.drawn)), frame=frame_words(draw))


def sentences(result: ElusionResult) -> list[str]:
    """What the sample shows, in one to three sentences."""
    words, overall, draw = words_of(result.draw), result.overall, result.draw
    read = units(draw, overall.read)
    said = []
    if overall.unanswered:
        where = _where(result, None)
        said.append(words.unanswered.format(count=overall.unanswered, read=read, where=where))
    if overall.found or not overall.unanswered:
        said.append(_finding(result, words, read))
    if overall.unsure:
        said.append(words.unsure.format(count=overall.unsure, where=_where(result, Found.UNSURE)))
    return said


def _finding(result: ElusionResult, words: Words, read: str) -> str:
    overall, frame = result.overall, frame_words(result.draw)
    where = _where(result, Found.YES, Found.UNSURE)
    if overall.all_read and not overall.unanswered:
        form = words.all_missed if overall.found else words.all_clean
        return form.format(frame=frame, found=overall.found, where=where)
    found = (words.missed if overall.found else words.clean).format(
        found=overall.found, read=read, where=where
    )
    if overall.at_most_units is None:
        return f"{found}。" if result.draw.language == "ja" else f"{found}."
    return words.bound.format(
        found=found,
        percent=overall.at_most_percent,
        frame=frame,
        most=units(result.draw, overall.at_most_units),
        confidence=confidence_words(result.draw),
    )


def stratum_name(draw: Draw, name: str) -> str:
    """The name of a stratum with what it is."""
    meaning = words_of(draw).strata.get(name)
    return f"{name} ({meaning})" if meaning else name


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


def _where(result: ElusionResult, *said: Found | None) -> str:
    pages = [answer.page_num for answer in result.answers if answer.found in said]
    return f"{page_ranges(pages)}ページ" if result.draw.language == "ja" else page_words(pages)


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


def print_sample(result: ElusionResult, console: Console | None = None) -> None:
    """What was found, what the rest may hold at most, and the strata each by itself."""
    paper = Paper(console or new_console())
    for sentence in sentences(result):
        paper.say((sentence, "bold"))
    if len(result.strata) > 1:
        paper.heading("Strata", "each by itself; the bounds of all need not hold together")
        names = [stratum_name(result.draw, one.name) for one in result.strata]
        widths = [max(map(len, ("stratum", *names))), -7, -7, -7]
        paper.row(("stratum", "there", "read", "found", "at most"), widths, "dim")
        for name, one in zip(names, result.strata, strict=True):
            cells = (
                name,
                f"{one.size:,}",
                f"{one.read - one.unanswered:,}",
                f"{one.found:,}",
                bound_words(one),
            )
            paper.row(cells, widths)
    found = (*result.with_answer(Found.YES), *result.with_answer(Found.UNSURE))
    if found:
        paper.heading("Missed by the search", "add the words to the concept table, and audit again")
        for answer in sorted(found, key=lambda one: (one.page_num, one.sample_id)):
            paper.say(_line(answer), indent=2, hang=2)


def _line(answer: Answer) -> str:
    what = one_line(answer.what) or "(not said what)"
    note = f" - {one_line(answer.note)}" if answer.note else ""
    unsure = "unsure: " if answer.found is Found.UNSURE else ""
    return f"page {answer.page_num}  {answer.sample_id}  {unsure}{what}{note}"
