"""Column contracts of all tables: names, dtypes and meaning of every column, typed also when a table is empty.

Pages are 1-based physical pages (0 means the document as a whole); boxes are x0, y0, x1, y1 in points, origin top
left, as displayed. A stage takes tables and returns tables; `TableContract.build` is how it makes one, and
`TableContract.check` is how the next stage makes sure of what it got.

>>> LINE_DF.empty()["page_num"].dtype
dtype('int64')
>>> LINE_DF.columns[:3]
('page_num', 'line_num', 'text')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from docaudit.codes import POSSIBLE_KINDS
from docaudit.errors import TableContractError

INT, FLOAT, TEXT, BOOL = "int64", "float64", "str", "bool"
_DEFAULTS: dict[str, Any] = {INT: 0, FLOAT: float("nan"), TEXT: "", BOOL: False}


@dataclass(frozen=True)
class Column:
    """One column: its name, its pandas dtype and what it means."""

    name: str
    dtype: str
    meaning: str


@dataclass(frozen=True)
class TableContract:
    """The columns that a table has, always, in this order."""

    name: str
    row: str
    fields: tuple[Column, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(field.name for field in self.fields)

    def empty(self) -> pd.DataFrame:
        """A table without rows, with every column in its dtype."""
        return self.build([])

    def build(self, rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
        """A typed table from rows; a key that a row lacks takes the column's empty value (0, NaN, "", False)."""
        listed = list(rows)
        data = {
            field.name: pd.Series(
                [row.get(field.name, _DEFAULTS[field.dtype]) for row in listed], dtype=field.dtype
            )
            for field in self.fields
        }
        return pd.DataFrame(data, columns=list(self.columns))

    def check(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table itself, if it keeps the contract; raises TableContractError with all that is wrong."""
        dtypes = dict(zip(table.columns, table.dtypes, strict=True))
        wrong = [f"column '{name}' is missing" for name in self.columns if name not in dtypes]
        for field in (
            self.fields if len(table) else ()
        ):  # one without rows keeps no dtype through some file formats
            if field.name in dtypes and not _same_kind(dtypes[field.name], field.dtype):
                wrong.append(f"column '{field.name}' is {dtypes[field.name]}, not {field.dtype}")
        if wrong:
            raise TableContractError(
                f"{self.name}: {'; '.join(wrong)}", remedy=f"columns are {', '.join(self.columns)}"
            )
        return table


@lru_cache(maxsize=256)
def _same_kind(found: Any, dtype: str) -> bool:
    kinds = pd.api.types
    if dtype == INT:
        return bool(kinds.is_integer_dtype(found))
    if dtype == FLOAT:
        return bool(kinds.is_numeric_dtype(found))
    if dtype == BOOL:
        return bool(kinds.is_bool_dtype(found))
    return bool(kinds.is_string_dtype(found) or kinds.is_object_dtype(found))


def _box(what: str) -> tuple[Column, ...]:
    sides = {"x0": "left", "y0": "top", "x1": "right", "y1": "bottom"}
    return tuple(Column(name, FLOAT, f"{side} of {what}, points") for name, side in sides.items())


PAGE_DF = TableContract(
    "page_df",
    "one page of the page tree, always",
    (
        Column("page_num", INT, "1-based physical page"),
        Column("page_label", TEXT, "label printed or declared for the page; empty if none"),
        Column("width_pt", FLOAT, "width as displayed, points"),
        Column("height_pt", FLOAT, "height as displayed, points"),
        Column("rotation", INT, "rotation applied for display: 0, 90, 180, 270"),
        Column("state", TEXT, "a PageState"),
        Column("n_lines", INT, "lines of text of all sources on the page"),
        Column("n_chars", INT, "characters that are not blank in these lines"),
        Column("n_images", INT, "images placed on the page"),
        Column("ink_total", FLOAT, "ink on the rendered page; NaN if it was not measured"),
        Column("ink_read", FLOAT, "ink under text that was read; NaN if it was not measured"),
        Column("ink_unread", FLOAT, "ink that no read text explains; NaN if it was not measured"),
        Column(
            "script", TEXT, "script of most letters: latin, cjk, cyrillic, greek, arabic, hebrew, other, none"
        ),
        Column("warnings", TEXT, "what the engine complained about on this page, as it said it"),
        Column(
            "words_first_only", FLOAT, "words that the second reader did not see; NaN if it was not compared"
        ),
        Column(
            "words_second_only",
            FLOAT,
            "words in sight that only the second reader saw (they are lines as well); NaN if it was not compared",
        ),
    ),
)

LINE_DF = TableContract(
    "line_df",
    "one line of text from any source",
    (
        Column("page_num", INT, "1-based physical page; 0 for the document as a whole"),
        Column("line_num", INT, "1-based number of the line on its page, in order of reading"),
        Column("text", TEXT, "the line, verbatim"),
        Column("line_type", TEXT, "a LineType"),
        Column("block_num", INT, "1-based number of the block (paragraph, cell) on its page"),
        *_box("the line"),
        Column("source", TEXT, "a TextSource"),
        Column("visibility", TEXT, "a Visibility"),
        Column(
            "part",
            TEXT,
            "attachment or earlier revision in which the line stands; empty for the document itself",
        ),
        Column(
            "part_page", INT, "1-based page of that part, on which the box lies; 0 if it is no page of it"
        ),
        Column("direction", TEXT, "a Direction"),
        Column("font_size", FLOAT, "size of most characters, points; NaN if unknown"),
        Column("bold", BOOL, "most characters are bold"),
        Column(
            "confidence", FLOAT, "certainty of the reading, 0 to 100; 100 for text that was not recognised"
        ),
    ),
)


class Line(NamedTuple):
    """One row of line_df; the columns are those of LINE_DF, in its order."""

    page_num: int
    line_num: int
    text: str
    line_type: str
    block_num: int
    x0: float
    y0: float
    x1: float
    y1: float
    source: str
    visibility: str
    part: str
    part_page: int
    direction: str
    font_size: float
    bold: bool
    confidence: float


def lines_of(line_df: pd.DataFrame) -> Iterator[Line]:
    """Rows of line_df in its order.

    >>> [line.text for line in lines_of(LINE_DF.build([{"page_num": 1, "text": "Total"}]))]
    ['Total']
    """
    return map(Line._make, rows_of(line_df, *Line._fields))


def rows_of(table: pd.DataFrame, *names: str) -> Iterator[tuple[Any, ...]]:
    """Rows of a table with these columns only, as plain Python values: by far the quickest way through a table.

    >>> list(rows_of(LINE_DF.build([{"page_num": 1, "text": "Total"}]), "text", "page_num"))
    [('Total', 1)]
    """
    return zip(*(table[name].tolist() for name in names), strict=True)


def is_counted(hit_df: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row of hit_df counts; what only may be a hit proves neither a hit nor its lack."""
    return ~hit_df["match_kind"].isin(POSSIBLE_KINDS)


IMAGE_DF = TableContract(
    "image_df",
    "one placed image",
    (
        Column("page_num", INT, "1-based physical page"),
        Column("image_num", INT, "1-based number of the image on its page"),
        *_box("the image"),
        Column("width_px", INT, "width in pixels"),
        Column("height_px", INT, "height in pixels"),
        Column("image_hash", TEXT, "hash of the pixels; equal images have equal hashes"),
        Column("area_share", FLOAT, "share of the page that the image covers, 0 to 1"),
        Column("ocr_state", TEXT, "read, no_text, uncertain, failed, not_run"),
        Column("ocr_text", TEXT, "what OCR read, lines joined by newlines"),
        Column(
            "ocr_confidence", FLOAT, "mean word confidence, 0 to 100; NaN if OCR read nothing or was not run"
        ),
    ),
)

TOC_DF = TableContract(
    "toc_df",
    "one entry of the outline or of the printed contents",
    (
        Column("toc_num", INT, "1-based number of the entry, outline first, then printed contents"),
        Column("level", INT, "1 for the top level"),
        Column("parent_num", INT, "toc_num of the entry above; 0 at the top level"),
        Column("title", TEXT, "the title, verbatim"),
        Column("page_num", INT, "1-based physical page that the entry points to; 0 if it points nowhere"),
        Column("source", TEXT, "outline or printed"),
        Column("found_on_page", BOOL, "the title stands on the page that the entry points to"),
    ),
)

OBJECT_REGISTRY = TableContract(
    "object_registry",
    "one named object: figure, table, box, annex, exhibit, section, 図, 表, 別紙",
    (
        Column(
            "object_type",
            TEXT,
            "figure, table, box, appendix, exhibit, schedule, section, note, equation, ...",
        ),
        Column("object_id", TEXT, "its number as written, without the name: 3.D, A1, B, 10.1"),
        Column("title", TEXT, "the caption or heading, verbatim"),
        Column("page_num", INT, "1-based physical page"),
        Column("line_num", INT, "line of line_df on that page"),
    ),
)

CROSS_REF_DF = TableContract(
    "cross_ref_df",
    "one mention of a named object",
    (
        Column("ref_type", TEXT, "type of the object, as in object_registry; document for another document"),
        Column("ref_id", TEXT, "its number as in object_registry; the name of another document"),
        Column("page_num", INT, "1-based physical page of the mention"),
        Column("line_num", INT, "line of line_df on that page"),
        Column("text", TEXT, "the mention, verbatim"),
        Column("context", TEXT, "the line of the mention, verbatim"),
        Column("resolved", BOOL, "the object is in object_registry"),
        Column(
            "scope", TEXT, "internal, or external: the mention says that the object is in another document"
        ),
    ),
)

BLIND_SPOT_DF = TableContract(
    "blind_spot_df",
    "one region or part that was not read",
    (
        Column("page_num", INT, "1-based physical page; 0 for the document as a whole"),
        *_box("the region"),
        Column("kind", TEXT, "a BlindSpotKind"),
        Column("area_share", FLOAT, "share of the page, 0 to 1; NaN where there is no region"),
        Column("text_likely", TEXT, "yes, no or unknown: whether the region may hold text"),
        Column("detail", TEXT, "what exactly was not read"),
    ),
)

WITNESS_DF = TableContract(
    "witness_df",
    "one word that a reader saw on a page: an audit must find it there",
    (
        Column("page_num", INT, "1-based physical page"),
        Column("word", TEXT, "the word, verbatim"),
        Column("layout", TEXT, "where it stands: a LineType, column, vertical, rotated, slanted or ocr"),
        Column(
            "witness", TEXT, "who saw it: second_reader, ocr, or text_layer where no second reader saw one"
        ),
    ),
)

HIT_DF = TableContract(
    "hit_df",
    "one occurrence of one variant (not one line)",
    (
        Column("concept", TEXT, "concept of the table"),
        Column("variant", TEXT, "variant of the table that was found"),
        Column(
            "match_text", TEXT, "what stands on the page, verbatim; parts on several lines joined by newlines"
        ),
        Column("match_kind", TEXT, "a MatchKind"),
        Column("page_num", INT, "1-based physical page where the occurrence begins; 0 for the document"),
        Column("line_num", INT, "line where it begins"),
        Column("char_start", INT, "character of that line's text where it begins"),
        Column("page_end", INT, "page where it ends"),
        Column("line_end", INT, "line where it ends"),
        Column("char_end", INT, "character of the last line's text after which it ends"),
        *_box("the part on the first line"),
        Column(
            "snippet", TEXT, "verbatim text around the occurrence; parts on several lines joined by newlines"
        ),
        Column("source", TEXT, "a TextSource"),
        Column("visibility", TEXT, "a Visibility"),
        Column(
            "part",
            TEXT,
            "attachment or earlier revision in which the line stands; empty for the document itself",
        ),
        Column(
            "part_page", INT, "1-based page of that part, on which the box lies; 0 if it is no page of it"
        ),
        Column("section", TEXT, "title of the contents entry in which it stands; empty if none"),
        Column("negated", BOOL, "stands under a cue of negation"),
        Column("nested", BOOL, "lies inside a longer occurrence of the same concept"),
    ),
)

LEDGER_DF = TableContract(
    "ledger_df",
    "one variant, found or not",
    (
        Column("concept", TEXT, "concept of the table"),
        Column("variant", TEXT, "variant of the table"),
        Column(
            "pattern",
            TEXT,
            "what was searched, as a regular expression for people: its forms, boundaries and case; cut if it is long",
        ),
        Column("state", TEXT, "a LedgerState"),
        Column("pages_searched", INT, "pages whose text this variant was matched against"),
        Column(
            "pages_not_searchable",
            INT,
            "pages of the document with no text to match against, blank ones included",
        ),
        Column("hits", INT, "occurrences in hit_df, possible ones (accents_differ, ocr_fuzzy) left out"),
        Column("pages_with_hits", INT, "pages on which they begin"),
        Column("unique_hits", INT, "occurrences that do not lie inside a longer one of the same concept"),
        Column("detail", TEXT, "what failed or timed out, and on which pages"),
    ),
)

COOCCURRENCE_DF = TableContract(
    "cooccurrence_df",
    "one meeting of concepts",
    (
        Column("concepts", TEXT, "the concepts that meet, in the order of the table, joined by ' + '"),
        Column("scope", TEXT, "line, sentence, paragraph, section, page or window"),
        Column("page_num", INT, "1-based physical page of the meeting"),
        Column("line_num", INT, "first line that takes part"),
        Column(
            "distance", INT, "words between the two mentions that are nearest; for a set, the widest of these"
        ),
    ),
)

NEAREST_DF = TableContract(
    "nearest_df",
    "one closest mention, pair or near miss: never a hit of its own",
    (
        Column(
            "kind", TEXT, "mention (of a concept that is found), pair (of two that do not meet), near_miss"
        ),
        Column("concept", TEXT, "concept, or two joined by ' + ' for a pair"),
        Column("variant", TEXT, "variant concerned"),
        Column("text", TEXT, "what stands on the page, verbatim"),
        Column("page_num", INT, "1-based physical page"),
        Column("line_num", INT, "line of line_df"),
        Column("snippet", TEXT, "verbatim text around it; parts on several lines joined by newlines"),
        Column("distance", FLOAT, "words between a pair; edits for a near miss; NaN where there is none"),
        Column("why_not", TEXT, "why this is not the answer"),
    ),
)

TABLES = {
    contract.name: contract
    for contract in (
        PAGE_DF,
        LINE_DF,
        IMAGE_DF,
        TOC_DF,
        OBJECT_REGISTRY,
        CROSS_REF_DF,
        BLIND_SPOT_DF,
        WITNESS_DF,
        HIT_DF,
        LEDGER_DF,
        COOCCURRENCE_DF,
        NEAREST_DF,
    )
}
"""All contracts by the name of their table."""
