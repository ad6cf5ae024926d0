"""The content of a concept table's file to raw rows: bytes to text, cells under a head, JSON and YAML, workbooks.

A keyword that is decoded wrongly is found nowhere, and that would look like absence. So a file is taken as Shift_JIS
or Windows-1252 (what Excel saves as CSV in Western Europe) only if its text makes sense in exactly one of the two, and
in none of the code pages of Central Europe, Turkey and the Baltic states: 0xF1 is ñ in one and ń in another, but no
Polish word is "seńor". Otherwise the user is asked to save as UTF-8.

In a workbook, what a person sees in the cells is what is meant, or it is named as a problem. Merged cells count for
every row that they span. A formula counts with the value that Excel computed; one without is a problem, as its row
would otherwise be lost. A number that is shown in another form than it is stored (007, 50 %) is a problem where
keywords stand: which of the two is meant, only a person knows.
"""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docaudit.concepts.check import COLUMNS, DEFAULTS, OWN, RawRow, RawTable, known_name, split_variants
from docaudit.errors import ConceptTableError, OutputError, require_extra
from docaudit.text.words import HAN, HIRAGANA, WORD

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_OTHER_FILES = (
    (b"PK\x03\x04", "a ZIP or Excel file; name it .xlsx if it is a workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save it as .xlsx"),
    (b"%PDF", "a PDF"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip file; unpack it"),
)
_NEIGHBOURS = (
    (
        "cp1250",
        "Windows-1250",
        # Polish, Czech, Slovak, Hungarian, Romanian, Croatian with Slovene
        "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű ăâîşţ čćđšž",
    ),
    ("cp1254", "Windows-1254", "âçğıîöşûü"),  # Turkish
    (
        "cp1257",
        "Windows-1257",
        "ąčęėįšųūž āčēģīķļņšūž äõöüšž ąćęłńóśźż",
    ),  # Lithuanian, Latvian, Estonian, Polish
)
"""Code pages that share most letters with Windows-1252, and the alphabets of their languages beyond a to z."""
_UNLIKELY = re.compile(
    r"[ńćśź][aeiouyąęó]|(?<![bcdfghjklmnprstvz])[ŕĺ]|[ŕĺ](?![bcdfghjklmnprstvz])", re.IGNORECASE
)
"""What no word of these languages has: Polish writes ni before vowels, Slovak has ŕ and ĺ between consonants."""
_KANA = re.compile(f"[{HIRAGANA}\u30a1-\u30fa\u30fc-\u30ff]")
_JAPANESE = re.compile(f"[\\x00-\\x7f{HAN}{HIRAGANA}\u30a1-\u30ff\u3000-\u303f\uff00-\uff60]*")
_WESTERN_CHARACTERS = "’“”–—…€£§©®°²³·«»¿¡\u00a0"
_PUNCTUATION_IN_WORD = re.compile(r"[^\W\d_][“”—…€£§©®°«»¿¡][^\W\d_]")
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f’]+")
_ENOUGH_BYTES = 16
"""Bytes beyond ASCII from which an encoding is guessed for the message; chosen, not measured."""
_NAMES = {
    "euc_jp": "EUC-JP",
    "euc_jis_2004": "EUC-JP",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "gb18030": "GB18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "CP949 (Korean)",
}
_REMEDY = "save the table as UTF-8"


def decode(data: bytes, file: str) -> str:
    """The text of a CSV, TSV, JSON or YAML file; raises ConceptTableError that names the encodings tried."""
    for magic, name in _OTHER_FILES:
        if data.startswith(magic):
            raise ConceptTableError(
                f"this is {name}", file=file, remedy="supply CSV, TSV, JSON, YAML or XLSX"
            )
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(codec)
            except UnicodeDecodeError as error:
                raise ConceptTableError(
                    f"begins with the mark of {name} but cannot be decoded as {name} (byte {error.start})",
                    file=file,
                    remedy=_REMEDY,
                ) from error
    if b"\x00" in data:
        # UTF-16 without a mark begins with an ASCII character, and has its zero bytes on one side only.
        even, odd = data[0::2].count(0), data[1::2].count(0)
        text = _decoded(data, "utf-16-le" if odd > even else "utf-16-be") if min(even, odd) == 0 else None
        if text is not None and text[0].isascii():
            return text
        raise ConceptTableError(
            "is not text: it has zero bytes (tried UTF-8 and UTF-16)",
            file=file,
            remedy="supply CSV, TSV, JSON, YAML or XLSX",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _old_encoding(data, file, error)


def _old_encoding(data: bytes, file: str, error: UnicodeDecodeError) -> str:
    """The text, if it makes sense in exactly one of Shift_JIS and Windows-1252; raises ConceptTableError."""
    japanese, western = _decoded(data, "cp932"), _decoded(data, "cp1252")
    # Only kana tell: the bytes of Chinese, taken as Shift_JIS, give kanji and half-width letters by chance.
    if japanese is not None and not (_JAPANESE.fullmatch(japanese) and _KANA.search(japanese)):
        japanese = None
    if western is not None and not _reads_as_western(western):
        western = None
    if japanese is not None and western is None:
        return japanese
    if western is not None and japanese is None:
        problem = _difference_elsewhere(data, western)
        if not problem:
            return western
    elif japanese is not None:
        problem = "it could be either of the latter two"
    else:
        problem = "none of them is sure to be right"
    remedy = _REMEDY
    if sum(byte > 127 for byte in data) >= _ENOUGH_BYTES:
        from charset_normalizer import from_bytes

        # For the person who has to save it again: a guess, never used to read.
        best = from_bytes(data).best()
        if best and best.encoding in _NAMES:
            remedy = f"{_REMEDY}; it looks like {_NAMES[best.encoding]}"
    raise ConceptTableError(
        f"cannot be decoded: tried UTF-8 (fails at byte {error.start}), Shift_JIS and Windows-1252; {problem}",
        file=file,
        remedy=remedy,
    ) from error


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _difference_elsewhere(data: bytes, western: str) -> str:
    """Where another code page has another letter than Windows-1252, and the whole text may be of one of its languages;
    empty if there is none.
    """
    for codec, name, alphabets in _NEIGHBOURS:
        text = data.decode(codec, "replace")
        foreign = {char for char in text.lower() if char.isalpha() and not char.isascii()}
        possible = any(foreign <= set(alphabet) for alphabet in alphabets.split())
        if possible and not _UNLIKELY.search(text):
            for letter, letter_elsewhere in zip(western, text, strict=True):
                if letter != letter_elsewhere:
                    return f"'{letter}' of Windows-1252 is '{letter_elsewhere}' in {name}"
    return ""


def _reads_as_western(text: str) -> bool:
    """Whether accented letters stand here and there (créée): bytes of other scripts come in runs."""
    for char in {char for char in text if not char.isascii()}:
        latin = unicodedata.name(char, "").startswith("LATIN") and char.isalpha() and char != "ƒ"
        if not latin and char not in _WESTERN_CHARACTERS:
            return False
    runs = ((run, word) for word in WORD.findall(text) for run in _FOREIGN_RUN.findall(word))
    plausible = all(len(run) == 1 or (len(run) == 2 and run.islower() and run != word) for run, word in runs)
    return plausible and not _PUNCTUATION_IN_WORD.search(text)


@dataclass(frozen=True)
class TableForm:
    """The form in which a table stands in a file: names of its columns as written, and the separator."""

    columns: tuple[str, ...] = ()
    separator: str = ""


def grid(rows: Iterable[tuple[int, Sequence[Any]]], file: str) -> RawTable:
    """Rows of cells under a head -> raw rows; blank rows hold nothing and are left out."""
    filled = [(number, list(cells)) for number, cells in rows if not all(map(blank, cells))]
    if not filled:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    head = ["" if blank(cell) else str(cell).strip() for cell in filled[0][1]]
    table = RawTable(tuple(name for name in head if name), [])
    # A title above the head is a habit; its rows would be taken for the head and the keywords.
    for place, (number, cells) in enumerate(filled[:10]):
        names = {known_name(str(cell)) for cell in cells if not blank(cell)}
        if "concept" in names and names & {"variant", "variants"}:
            if place:
                problem = f"row {number}: is the head of the table: delete what stands above it"
                table.problems.append(problem)
            break
    for number, cells in filled[1:]:
        where = f"row {number}"
        if not all(map(blank, cells[len(head) :])):
            extra = len(cells) - len(head)
            table.problems.append(
                f"{where}: {extra} cells more than the head has: quote a cell that holds a comma"
            )
        named = dict.fromkeys(name for name in head if name)
        for name, cell in zip(head, cells, strict=False):
            if name:
                named[name] = cell
            elif not blank(cell):
                table.problems.append(
                    f"{where}: '{cell}' stands in a column without a name: name it or delete it"
                )
        table.rows.append(RawRow(where, named))
    return table


def blank(cell: Any) -> bool:
    """Whether nothing is seen in a cell."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def layout(form: TableForm, rows: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Columns to write, as (head as written, column): those of the file in their order, then what else says something.

    The id is always written: a row that is edited later keeps it. A new file has all columns, and so has one whose
    columns no table may have.
    """
    names = [known_name(written) for written in form.columns if written]
    known = all(name in (*COLUMNS, "variants") or name.startswith(OWN) for name in names)
    kept: list[tuple[str, str]] = []
    for written in form.columns if known and len(set(names)) == len(names) else ():
        name = known_name(written)
        kept.append(("variant", "variant") if name == "variants" else (written, name))
    have = {name for _, name in kept}
    plain = {**DEFAULTS, "role": "required"}
    for name in dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)]):
        filled = any(row.get(name, "") != plain.get(name, "") for row in rows)
        if name not in have and (not have or name == "id" or filled):
            kept.append((name, name))
    return kept


class UniqueKeys(dict[str, Any]):
    """A mapping of a JSON or YAML table that remembers keys which stood twice; a plain dict would drop the first.

    Attributes:
        repeated: These keys.
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        super().__init__()
        self.repeated: list[str] = []
        for key, value in pairs:
            if str(key) in self:
                self.repeated.append(str(key))
            self[str(key)] = value


def nested_rows(content: Any, file: str) -> RawTable:
    """A mapping of concepts, or a list of rows, as raw rows; raises ConceptTableError for anything else."""
    table = RawTable((), [])
    if isinstance(content, dict):
        _note_repeated("the table", content, table)
        variants = content.get("variants")
        rows = isinstance(variants, list) and all(isinstance(r, dict) and "concept" in r for r in variants)
        if rows and set(content) <= {"variants", "info"}:
            content = _model_rows(content)
    if isinstance(content, dict):
        for concept, variants in content.items():
            _concept_rows(concept, variants, table)
    elif isinstance(content, list):
        for number, row in enumerate(content, start=1):
            _object_row(f"item {number}", row, {}, table)
    else:
        raise ConceptTableError(
            "holds no table",
            file=file,
            remedy="a table is a mapping of concepts to lists of variants, or a list of rows with concept and variant",
        )
    columns = dict.fromkeys(name for row in table.rows for name in row.cells)
    table.columns = tuple(columns) or ("concept", "variant")
    return table


def _model_rows(content: Mapping[str, Any]) -> list[Any]:
    """The rows of a table as pydantic writes it: what is said of a concept goes into each of its rows."""
    info = {str(about.get("name")): about for about in content.get("info") or [] if isinstance(about, dict)}
    rows: list[Any] = []
    for row in content["variants"]:
        about = info.get(str(row["concept"]), {})
        cells = {**row, **{key: about[key] for key in ("role", "description") if key in about}}
        own = cells.pop("own", None) or []
        cells.update({str(pair[0]): pair[1] for pair in own if isinstance(pair, list) and len(pair) == 2})
        rows.append(cells)
    return rows


def _concept_rows(concept: str, variants: Any, table: RawTable) -> None:
    where = f"concept '{concept}'"
    about: dict[str, Any] = {}
    if isinstance(variants, dict) and "variants" in variants:
        _note_repeated(where, variants, table)
        about = {key: variants[key] for key in ("role", "description") if key in variants}
        table.problems += [
            f"{where}: key '{key}' is unknown: known are role, description, variants"
            for key in variants
            if key not in ("role", "description", "variants")
        ]
        variants = variants["variants"]
    if isinstance(variants, str):
        variants = split_variants(variants) if variants.strip() else []
    if not isinstance(variants, list):
        table.problems.append(f"{where}: holds {_kind(variants)}, not a list: write a list of variants")
        return
    if not variants:
        table.problems.append(f"{where}: has no variant: write at least one")
    for number, variant in enumerate(variants, start=1):
        place = f"{where}, item {number}"
        if isinstance(variant, str):
            table.rows.append(RawRow(place, {"concept": concept, "variant": variant, **about}))
        else:
            row = {**about, **variant} if isinstance(variant, dict) else variant
            _object_row(place, row, {"concept": concept}, table)


def _object_row(where: str, row: Any, outer: Mapping[str, str], table: RawTable) -> None:
    """A row that is an object; `outer` is the concept under which it stands, if any."""
    if not isinstance(row, dict):
        table.problems.append(
            f"{where}: is {_kind(row)}: write a text, or an object with concept and variant"
        )
        return
    _note_repeated(where, row, table)
    # Keys are matched without case here, as rows of one list may write them differently.
    stripped = {str(key).strip(): value for key, value in row.items()}
    cells = {key if key.startswith(OWN) else key.casefold(): value for key, value in stripped.items()}
    if len(cells) < len(row):
        table.problems.append(f"{where}: a key stands twice, once in another case: keep one of them")
    if "text" in cells and "variant" not in cells:
        cells["variant"] = cells.pop("text")
    if outer and cells.get("concept", outer["concept"]) != outer["concept"]:
        table.problems.append(f"{where}: names another concept, '{cells['concept']}': move it there")
    if not {"variant", "variants"} & set(cells):
        table.problems.append(f"{where}: has no key 'variant': write the word or phrase under this key")
    cells |= outer
    variants = cells.pop("variants", None)
    if isinstance(variants, str):
        variants = split_variants(variants)
    if variants is None:
        table.rows.append(RawRow(where, cells))
    elif not isinstance(variants, list) or not variants:
        table.problems.append(
            f"{where}, key variants: is {_kind(variants)}: write a list with at least one variant"
        )
    else:
        for number, text in enumerate(variants, start=1):
            table.rows.append(RawRow(f"{where}, variant {number}", {**cells, "variant": text}))


def _note_repeated(where: str, content: Any, table: RawTable) -> None:
    for key in getattr(content, "repeated", ()):
        table.problems.append(f"{where}: '{key}' stands twice: join the two under one key")


def _kind(value: Any) -> str:
    if value is None or value == "" or value == []:
        return "empty"
    names = {bool: "a truth value", list: "a list", str: "a text"}
    return "an object" if isinstance(value, dict) else names.get(type(value), "no text")


_PLAIN_FORMATS = frozenset({"General", "@", "0", "GENERAL", "Standard"})
_EXACT_DIGITS = 15
"""Digits of a number that Excel keeps."""
_MOST_CELLS = 5_000_000
"""One cell far away makes a sheet of billions of empty ones, and each would be looked at."""


def read_sheet(data: bytes, file: str) -> RawTable:
    """The rows of the sheet that holds the table; raises ConceptTableError where there is none."""
    computed, written = _books(data, file)
    sheets = [sheet for sheet in written.worksheets if any(cell for row in sheet.values for cell in row)]
    if not sheets:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    with_head = [sheet for sheet in sheets if _head_row(sheet)]
    sheet = (with_head or sheets)[0]
    rows, problems = _sheet_rows(computed[sheet.title], sheet)
    table = grid(enumerate(rows, start=1), file)
    for more in with_head[1:]:
        problems.append(f"sheet '{more.title}' is a table too: keep all rows in one sheet")
    table.problems += problems
    return table


def _books(data: bytes, file: str) -> tuple[Any, Any]:
    """The workbook with the values that Excel computed, and the one with formulas as they were written."""
    require_extra("openpyxl", "xlsx")
    from openpyxl import load_workbook  # most tables are CSV, and it takes a tenth of a second

    try:
        written = load_workbook(io.BytesIO(data))
        for sheet in written.worksheets:
            if sheet.max_row * sheet.max_column > _MOST_CELLS:
                raise ConceptTableError(
                    f"sheet '{sheet.title}' goes to row {sheet.max_row:,} and column {sheet.max_column:,}",
                    file=file,
                    remedy="delete the empty rows and columns in Excel, or save the table as CSV",
                )
        formulas = any(cell.data_type == "f" for sheet in written.worksheets for row in sheet for cell in row)
        return load_workbook(io.BytesIO(data), data_only=True) if formulas else written, written
    except ConceptTableError:
        raise
    except Exception as error:  # openpyxl lets through whatever zipfile and its XML parsers raise
        raise ConceptTableError(
            f"is not an Excel workbook: {error}", file=file, remedy="save it as .xlsx or as CSV"
        ) from error


def _sheet_rows(computed: Any, written: Any) -> tuple[list[list[Any]], list[str]]:
    """The cells of a sheet as they are meant, row by row, and what cannot be known of them."""
    rows = [list(cells) for cells in computed.values]
    problems: list[str] = []
    head = next((cells for cells in rows if not all(map(blank, cells))), [])
    keyword_columns = {
        number
        for number, name in enumerate(head, start=1)
        if known_name(str(name)) in ("concept", "variant", "variants")
    }
    for row in written.iter_rows():
        for cell in row:
            value = rows[cell.row - 1][cell.column - 1]
            if problem := _cell_problem(cell, value, cell.column in keyword_columns):
                problems.append(f"row {cell.row}, cell {cell.coordinate}: {problem}")
    for area in written.merged_cells.ranges:
        if area.min_col != area.max_col:
            problems.append(f"row {area.min_row}, cells {area.coord}: are merged over columns: unmerge them")
            continue
        for number in range(area.min_row, area.max_row):
            rows[number][area.min_col - 1] = rows[area.min_row - 1][area.min_col - 1]
    return rows, problems


def _cell_problem(cell: Any, value: Any, keyword: bool) -> str:
    if cell.data_type == "f" and value is None:
        return "holds a formula that was never computed: open and save it in Excel, or write the text"
    if isinstance(value, str) and value.startswith("#") and cell.data_type in "ef":
        return f"holds the error {value}"
    if not keyword or isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    if len(str(abs(int(value)))) > _EXACT_DIGITS:
        return (
            "holds a number of more than 15 digits, which Excel rounds: format it as text and write it again"
        )
    if cell.number_format not in _PLAIN_FORMATS and not cell.is_date:
        return f"holds {value}, shown in the format {cell.number_format}: format it as text and write what is meant"
    return ""


def _head_row(sheet: Any) -> int:
    """Number of the first row that holds anything, if it is the head of a concept table; else 0."""
    for number, cells in enumerate(sheet.values, start=1):
        if not all(map(blank, cells)):
            return number if "concept" in {str(cell).strip().casefold() for cell in cells} else 0
    return 0


def write_sheet(path: Path, rows: Sequence[Mapping[str, str]]) -> bytes:
    """A workbook with these rows: the one under this name with its other sheets and its widths, or a new one."""
    require_extra("openpyxl", "xlsx")
    from openpyxl import Workbook
    from openpyxl.utils.exceptions import IllegalCharacterError

    book, sheet, head = Workbook(), None, 0
    try:
        _, existing = _books(path.read_bytes(), str(path))
        sheet = next((sheet for sheet in existing.worksheets if _head_row(sheet)), None)
    except (OSError, ConceptTableError):
        pass  # nothing is there to be kept
    if sheet is not None:
        book, head = existing, _head_row(sheet)
    else:
        sheet = book.active
        assert sheet is not None, "a new workbook has one sheet"
        sheet.title = "concepts"
    names = [cell.value for cell in sheet[head]] if head else []
    columns = layout(TableForm(tuple("" if blank(name) else str(name) for name in names)), rows)
    for area in list(sheet.merged_cells.ranges):
        sheet.unmerge_cells(area.coord)
    lines = [
        [written for written, _ in columns],
        *([row.get(name, "") for _, name in columns] for row in rows),
    ]
    first = head or 1
    try:
        for number, cells in enumerate(lines, start=first):
            for column, value in enumerate(cells, start=1):
                cell = sheet.cell(number, column)
                cell.value = value or None
                if value:
                    cell.data_type = "s"  # a variant that begins with = is text, not a formula
    except IllegalCharacterError as error:
        raise OutputError(
            "a workbook cannot hold a control character of a variant",
            file=str(path),
            remedy="save as CSV or JSON",
        ) from error
    for row in sheet.iter_rows(min_row=first, min_col=len(columns) + 1):
        for cell in row:
            cell.value = None
    if sheet.max_row > first + len(rows):
        sheet.delete_rows(first + len(rows) + 1, sheet.max_row - first - len(rows))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()
