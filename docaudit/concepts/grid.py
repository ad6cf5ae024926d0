"""Bytes of a concept table to text: byte order marks, UTF-16, and the old encodings, which are never guessed at risk.

A keyword that is decoded wrongly is found nowhere, and that would look like absence. So a file is taken as Shift_JIS
or Windows-1252 (what Excel saves as CSV in Western Europe) only if its text makes sense in exactly one of the two, and
in none of the code pages of Central Europe, Turkey and the Baltic states: 0xF1 is ñ in one and ń in another, but no
Polish word is "seńor". Otherwise the user is asked to save as UTF-8.

Tables as rows of cells under a head (CSV, TSV, sheets): to raw rows, and the columns to write them back in.

Concept tables as trees (JSON, YAML): a mapping of concepts to variants, or a list of rows, to raw rows.

Concept tables in Excel workbooks: what a person sees in the cells is what is meant, or it is named as a problem.

Merged cells count for every row that they span. A formula counts with the value that Excel computed; one without is a
problem, as its row would otherwise be lost. A number that is shown in another form than it is stored (007, 50 %) is a
problem where keywords stand: which of the two is meant, only a person knows.
"""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docaudit.concepts.check import ALIASES, COLUMNS, DEFAULTS, OWN, RawRow, RawTable, split_variants
from docaudit.errors import ConceptTableError, OutputError, require_extra
from docaudit.text.words import HAN, HIRAGANA, WORD, fold

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
_WESTERN_SIGNS = "’“”–—…€£§©®°²³·«»¿¡\u00a0"
_SIGN_IN_WORD = re.compile(r"[^\W\d_][“”—…€£§©®°«»¿¡][^\W\d_]")
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f’]+")
_ENOUGH_BYTES = 16
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
    for magic, what in _OTHER_FILES:
        if data.startswith(magic):
            raise ConceptTableError(
                f"this is {what}", file=file, remedy="supply CSV, TSV, JSON, YAML or XLSX"
            )
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _strict(data, codec, name, file)
    if b"\x00" in data:
        return _without_mark(data, file)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _old_encoding(data, file, error)


def _strict(data: bytes, codec: str, name: str, file: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise ConceptTableError(
            f"begins with the mark of {name} but cannot be decoded as {name} (byte {error.start})",
            file=file,
            remedy=_REMEDY,
        ) from error


def _without_mark(data: bytes, file: str) -> str:
    """UTF-16 without a mark begins with a plain sign, and has its zero bytes on one side only; all else is not text."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    codec = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) == 0 and len(data) % 2 == 0:
        try:
            text = data.decode(codec)
            if text[0].isascii():
                return text
        except UnicodeDecodeError:
            pass  # falls through to the refusal below: it is neither text nor UTF-16
    raise ConceptTableError(
        "is not text: it has zero bytes (tried UTF-8 and UTF-16)",
        file=file,
        remedy="supply CSV, TSV, JSON, YAML or XLSX",
    )


def _old_encoding(data: bytes, file: str, error: UnicodeDecodeError) -> str:
    japanese, western = _decoded(data, "cp932"), _decoded(data, "cp1252")
    as_japanese = japanese is not None and _reads_as_japanese(japanese)
    as_western = western is not None and _reads_as_western(western)
    if japanese is not None and as_japanese and not as_western:
        return japanese
    if western is not None and as_western and not as_japanese:
        other = _read_otherwise(data, western)
        if not other:
            return western
        why = other
    else:
        why = "it could be either of the latter two" if as_japanese else "none of them is sure to be right"
    looks = _looks_like(data)
    raise ConceptTableError(
        f"cannot be decoded: tried UTF-8 (fails at byte {error.start}), Shift_JIS and Windows-1252; {why}",
        file=file,
        remedy=f"{_REMEDY}; it looks like {looks}" if looks else _REMEDY,
    ) from error


def _looks_like(data: bytes) -> str:
    """The encoding that the bytes suggest, for the person who has to save them again: a guess, never used to read."""
    if sum(byte > 127 for byte in data) < _ENOUGH_BYTES:
        return ""
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return _NAMES.get(best.encoding, "") if best else ""


def _read_otherwise(data: bytes, western: str) -> str:
    """Where another code page has another letter than Windows-1252, and the whole text may be of one of its languages;
    empty if there is none.
    """
    for codec, name, alphabets in _NEIGHBOURS:
        other = data.decode(codec, "replace")
        foreign = {char for char in other.lower() if char.isalpha() and not char.isascii()}
        possible = any(foreign <= set(alphabet) for alphabet in alphabets.split())
        if possible and not _UNLIKELY.search(other):
            for mine, theirs in zip(western, other, strict=True):
                if mine != theirs:
                    return f"'{mine}' of Windows-1252 is '{theirs}' in {name}"
    return ""


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _reads_as_japanese(text: str) -> bool:
    """Only kana tell: the bytes of Chinese, taken as Shift_JIS, give kanji and half-width letters by chance."""
    return bool(_JAPANESE.fullmatch(text) and _KANA.search(text))


def _reads_as_western(text: str) -> bool:
    foreign = {char for char in text if not char.isascii()}
    known = all(char in _WESTERN_SIGNS or _is_latin_letter(char) for char in foreign)
    return known and not _SIGN_IN_WORD.search(text) and all(map(_is_western_word, WORD.findall(text)))


def _is_western_word(word: str) -> bool:
    """Western words have accented letters here and there (créée); bytes of other scripts come in runs."""
    runs = [match.group() for match in _FOREIGN_RUN.finditer(word)]
    return all(len(run) == 1 or (len(run) == 2 and run.islower() and run != word) for run in runs)


def _is_latin_letter(char: str) -> bool:
    return unicodedata.name(char, "").startswith("LATIN") and char.isalpha() and char != "ƒ"


@dataclass(frozen=True)
class RawGrid:
    """The form in which a table stands in a file: names of its columns as written, and the separator."""

    columns: tuple[str, ...] = ()
    separator: str = ""


def grid(rows: Iterable[tuple[int, Sequence[Any]]], file: str) -> RawTable:
    """Rows of cells under a head -> raw rows; blank rows hold nothing and are left out."""
    filled = [(number, list(cells)) for number, cells in rows if any(not blank(cell) for cell in cells)]
    if not filled:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    head = ["" if blank(cell) else str(cell).strip() for cell in filled[0][1]]
    table = RawTable(tuple(name for name in head if name), [])
    table.problems += _late_head(filled)
    for number, cells in filled[1:]:
        where = f"row {number}"
        cells += [None] * (len(head) - len(cells))
        if any(not blank(cell) for cell in cells[len(head) :]):
            extra = len(cells) - len(head)
            table.problems.append(
                f"{where}: {extra} cells more than the head has: quote a cell that holds a comma"
            )
        for name, cell in zip(head, cells, strict=False):
            if not name and not blank(cell):
                table.problems.append(
                    f"{where}: '{cell}' stands in a column without a name: name it or delete it"
                )
        table.rows.append(RawRow(where, {n: c for n, c in zip(head, cells, strict=False) if n}))
    return table


def blank(cell: Any) -> bool:
    """Whether nothing is seen in a cell."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def known_name(written: str) -> str:
    """The column of the contract that a head means; an own or unknown one as it is written."""
    name = fold(written)
    return written.strip() if name.startswith(OWN) else ALIASES.get(name, name)


def layout(form: RawGrid, rows: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Columns to write, as (head as written, column): those of the file in their order, then what else says something.

    The id is always written: a row that is edited later keeps it. A new file has all columns.
    """
    kept: list[tuple[str, str]] = []
    for written in form.columns if _is_ours(form) else ():
        name = known_name(written)
        kept.append(("variant", "variant") if name == "variants" else (written, name))
    have = {name for _, name in kept}
    new = not kept
    every = dict.fromkeys([*COLUMNS, *(name for row in rows for name in row)])
    plain = {**DEFAULTS, "role": "required"}
    for name in every:
        says = new or name == "id" or any(row.get(name, "") != plain.get(name, "") for row in rows)
        if name not in have and says:
            kept.append((name, name))
    return kept


def _is_ours(form: RawGrid) -> bool:
    """Whether the table that stands there could be read; columns that no table may have are not kept."""
    names = [known_name(written) for written in form.columns if written]
    known = all(name in (*COLUMNS, "variants") or name.startswith(OWN) for name in names)
    return known and len(set(names)) == len(names)


def _late_head(filled: Sequence[tuple[int, list[Any]]]) -> list[str]:
    """A title above the head is a habit; its rows would be taken for the head and the keywords."""
    for at, (number, cells) in enumerate(filled[:10]):
        names = {known_name(str(cell)) for cell in cells if not blank(cell)}
        if "concept" in names and names & {"variant", "variants"}:
            return [f"row {number}: is the head of the table: delete what stands above it"] if at else []
    return []


_FORMS = "a table is a mapping of concepts to lists of variants, or a list of rows with concept and variant"


class Doubled(dict[str, Any]):
    """A mapping that remembers keys which stood twice; a plain dict would drop the first.

    Attributes:
        doubled: These keys.
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        seen: set[str] = set()
        self.doubled: list[str] = []
        super().__init__()
        for key, value in pairs:
            name = str(key)
            if name in seen:
                self.doubled.append(name)
            seen.add(name)
            self[name] = value


def tree_rows(tree: Any, file: str) -> RawTable:
    """A mapping of concepts, or a list of rows, as raw rows; raises ConceptTableError for anything else."""
    table = RawTable((), [])
    if isinstance(tree, dict) and set(tree) <= {"variants", "info"} and _is_rows(tree.get("variants")):
        _note_doubled("the table", tree, table)
        tree = _model_rows(tree)
    if isinstance(tree, dict):
        _note_doubled("the table", tree, table)
        for concept, variants in tree.items():
            _concept_rows(concept, variants, table)
    elif isinstance(tree, list):
        for number, item in enumerate(tree, start=1):
            _object_row(f"item {number}", item, {}, table)
    else:
        raise ConceptTableError("holds no table", file=file, remedy=_FORMS)
    seen = dict.fromkeys(name for row in table.rows for name in row.cells)
    table.columns = tuple(seen) if seen else ("concept", "variant")
    return table


def _model_rows(tree: Mapping[str, Any]) -> list[Any]:
    """The rows of a table as pydantic writes it: what is said of a concept goes into each of its rows."""
    listed = tree.get("info") or []
    info = {str(about.get("name")): about for about in listed if isinstance(about, dict)}
    rows = []
    for row in tree["variants"]:
        about = info.get(str(row["concept"]), {})
        cells = {**row, **{key: about[key] for key in ("role", "description") if key in about}}
        own = cells.pop("own", None) or []
        cells.update({str(pair[0]): pair[1] for pair in own if isinstance(pair, list) and len(pair) == 2})
        rows.append(cells)
    return rows


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and "concept" in item for item in value)


def _concept_rows(concept: str, variants: Any, table: RawTable) -> None:
    where = f"concept '{concept}'"
    about: dict[str, Any] = {}
    if isinstance(variants, dict) and "variants" in variants:
        _note_doubled(where, variants, table)
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
    for number, item in enumerate(variants, start=1):
        at = f"{where}, item {number}"
        if isinstance(item, str):
            table.rows.append(RawRow(at, {"concept": concept, "variant": item, **about}))
        else:
            _object_row(
                at, {**about, **item} if isinstance(item, dict) else item, {"concept": concept}, table
            )


def _object_row(where: str, item: Any, given: Mapping[str, str], table: RawTable) -> None:
    if not isinstance(item, dict):
        table.problems.append(
            f"{where}: is {_kind(item)}: write a text, or an object with concept and variant"
        )
        return
    _note_doubled(where, item, table)
    # Keys are matched without case here, as rows of one list may write them differently.
    cells = {_key(str(key).strip()): value for key, value in item.items()}
    if len(cells) < len(item):
        table.problems.append(f"{where}: a key stands twice, once in another case: keep one of them")
    if "text" in cells and "variant" not in cells:
        cells["variant"] = cells.pop("text")
    if given and cells.get("concept", given["concept"]) != given["concept"]:
        table.problems.append(f"{where}: names another concept, '{cells['concept']}': move it there")
    if not {"variant", "variants"} & set(cells):
        table.problems.append(f"{where}: has no key 'variant': write the word or phrase under this key")
    cells = {**cells, **given}
    several = cells.pop("variants", None)
    if isinstance(several, str):
        several = split_variants(several)
    if several is None:
        table.rows.append(RawRow(where, cells))
    elif not isinstance(several, list) or not several:
        table.problems.append(
            f"{where}, key variants: is {_kind(several)}: write a list with at least one variant"
        )
    else:
        for number, text in enumerate(several, start=1):
            table.rows.append(RawRow(f"{where}, variant {number}", {**cells, "variant": text}))


def _key(name: str) -> str:
    return name if name.startswith(OWN) else name.casefold()


def _note_doubled(where: str, item: Any, table: RawTable) -> None:
    for key in getattr(item, "doubled", ()):
        table.problems.append(f"{where}: '{key}' stands twice: join the two under one key")


def _kind(value: Any) -> str:
    if value is None or value == "" or value == []:
        return "empty"
    names = {bool: "a truth value", list: "a list", dict: "an object", Doubled: "an object", str: "a text"}
    return names.get(type(value), "no text")


_PLAIN_FORMATS = frozenset({"General", "@", "0", "GENERAL", "Standard"})
_EXACT_DIGITS = 15
_MOST_CELLS = 5_000_000
"""One cell far away makes a sheet of billions of empty ones, and each would be looked at."""


def read_sheet(data: bytes, file: str) -> RawTable:
    """The rows of the sheet that holds the table; raises ConceptTableError where there is none."""
    book, written = _books(data, file)
    sheets = [sheet for sheet in written.worksheets if any(cell for row in sheet.values for cell in row)]
    if not sheets:
        raise ConceptTableError("has no rows", file=file, remedy="write concept and variant in the first row")
    tables = [sheet for sheet in sheets if _has_head(sheet)] or sheets
    problems: list[str] = []
    rows = _rows(book[tables[0].title], tables[0], problems)
    table = grid(enumerate(rows, start=1), file)
    for sheet in tables[1:] if _has_head(tables[0]) else []:
        problems.append(f"sheet '{sheet.title}' is a table too: keep all rows in one sheet")
    table.problems += problems
    return table


def _books(data: bytes, file: str) -> tuple[Any, Any]:
    """The workbook with the values that Excel computed, and the one with formulas as they were written."""
    require_extra("openpyxl", "xlsx")
    from openpyxl import load_workbook  # most tables are CSV, and it takes a tenth of a second

    try:
        written = load_workbook(io.BytesIO(data))
        _check_sizes(written, file)
        formulas = any(cell.data_type == "f" for sheet in written.worksheets for row in sheet for cell in row)
        return load_workbook(io.BytesIO(data), data_only=True) if formulas else written, written
    except ConceptTableError:
        raise
    except Exception as error:  # openpyxl lets through whatever zipfile and its XML parsers raise
        raise ConceptTableError(
            f"is not an Excel workbook: {error}", file=file, remedy="save it as .xlsx or as CSV"
        ) from error


def _check_sizes(book: Any, file: str) -> None:
    for sheet in book.worksheets:
        if sheet.max_row * sheet.max_column > _MOST_CELLS:
            raise ConceptTableError(
                f"sheet '{sheet.title}' goes to row {sheet.max_row:,} and column {sheet.max_column:,}",
                file=file,
                remedy="delete the empty rows and columns in Excel, or save the table as CSV",
            )


def _rows(values: Any, written: Any, problems: list[str]) -> list[list[Any]]:
    """The cells of a sheet as they are meant, row by row, and what cannot be known of them."""
    rows = [list(cells) for cells in values.values]
    head = next((number for number, cells in enumerate(rows) if not all(map(blank, cells))), 0)
    keywords = {
        at
        for at, name in enumerate(rows[head] if rows else [])
        if str(name).strip().casefold() in ("concept", "variant", "variants", "text")
    }
    for row in written.iter_rows():
        for cell in row:
            problem = _problem(cell, rows[cell.row - 1][cell.column - 1], cell.column - 1 in keywords)
            if problem:
                problems.append(f"row {cell.row}, cell {cell.coordinate}: {problem}")
    for area in written.merged_cells.ranges:
        if area.min_col != area.max_col:
            problems.append(f"row {area.min_row}, cells {area.coord}: are merged over columns: unmerge them")
            continue
        for number in range(area.min_row, area.max_row):
            rows[number][area.min_col - 1] = rows[area.min_row - 1][area.min_col - 1]
    return rows


def _problem(cell: Any, value: Any, keyword: bool) -> str:
    if cell.data_type == "f" and value is None:
        return "holds a formula that was never computed: open and save it in Excel, or write the text"
    if isinstance(value, str) and value.startswith("#") and (cell.data_type == "e" or cell.data_type == "f"):
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


def _has_head(sheet: Any) -> bool:
    filled = (row for row in sheet.values if any(not blank(cell) for cell in row))
    return "concept" in {str(cell).strip().casefold() for cell in next(filled, ())}


def write_sheet(path: Path, rows: Sequence[Mapping[str, str]]) -> bytes:
    """A workbook with these rows: the one under this name with its other sheets and its widths, or a new one."""
    from openpyxl.utils.exceptions import IllegalCharacterError

    book, sheet, head = _sheet_of(path)
    written = [cell.value for cell in sheet[head]] if head else []
    form = layout(RawGrid(tuple("" if blank(name) else str(name) for name in written)), rows)
    for area in list(sheet.merged_cells.ranges):
        sheet.unmerge_cells(area.coord)
    first = head or 1
    try:
        for number, cells in enumerate(_cells(form, rows), start=first):
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
    for row in sheet.iter_rows(min_row=first, min_col=len(form) + 1):
        for cell in row:
            cell.value = None
    if sheet.max_row > first + len(rows):
        sheet.delete_rows(first + len(rows) + 1, sheet.max_row - first - len(rows))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cells(form: Sequence[tuple[str, str]], rows: Sequence[Mapping[str, str]]) -> Iterator[list[str]]:
    yield [written for written, _ in form]
    for row in rows:
        yield [row.get(column, "") for _, column in form]


def _sheet_of(path: Path) -> tuple[Any, Any, int]:
    """Workbook, sheet and row of the head; a new workbook with head 0 where no table stands under this name."""
    require_extra("openpyxl", "xlsx")
    from openpyxl import Workbook

    try:
        _, book = _books(path.read_bytes(), str(path))
    except (OSError, ConceptTableError):
        book = None  # nothing is there to be kept
    for sheet in book.worksheets if book else []:
        if _has_head(sheet):
            filled = (n for n, cells in enumerate(sheet.values, 1) if not all(map(blank, cells)))
            return book, sheet, next(filled)
    new = Workbook()
    made = new.active
    assert made is not None, "a new workbook has one sheet"
    made.title = "concepts"
    return new, made, 0
