"""The matrix for spreadsheets: one row for each document, table and concept, also where nothing could be found out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docaudit.corpus.matrix_model import CorpusMatrix, Outcome
from docaudit.render.folder import BYTE_ORDER_MARK
from docaudit.render.tables import table_csv

MATRIX_COLUMNS = (
    ("document", "file name when it was read"),
    ("sha256", "the document, whatever it is called"),
    ("paths", "how many paths of the sources it lies under: 0 if it is in no source any more"),
    ("concept_table", "name of the concept table"),
    ("question", "the question; empty if none was asked"),
    ("concept", "concept of the table"),
    ("role", "required or context"),
    (
        "finding",
        "of this concept alone: mentioned, absent_within_coverage, not_established, error or not_run",
    ),
    ("strength", "of this concept alone"),
    ("unmet", "unmet obligations of this concept alone, by code"),
    ("hits", "occurrences of the concept, possible ones left out; empty if it was not searched"),
    ("possible_hits", "possible occurrences"),
    ("pages_with_hits", "pages on which they begin"),
    ("pages_searched", "pages whose text every variant of it was matched against"),
    ("pages_not_searchable", "pages with no text to match against, blank ones included"),
    ("table_finding", "of the whole table: its required concepts must meet"),
    ("table_strength", "its strength"),
    ("table_unmet", "its unmet obligations, by code"),
    ("table_waived", "its waived obligations, by code"),
    ("pages_read", "pages of the document of which a line was read"),
    ("pages_total", "pages of the document"),
    ("ink_read_share", "ink under text that was read, of all ink; empty if not measured"),
    ("blind_spots", "regions and parts that were not read and may hold text"),
    ("failure", "why there is no finding, by code; empty if there is one"),
    ("detail", "what happened, as a sentence"),
    ("justification", "path of the justification, from the store"),
)
"""Columns with their meanings, in order."""


def matrix_csv(matrix: CorpusMatrix) -> str:
    """The whole matrix, as Excel reads it; cells that look like formulas are made harmless."""
    return BYTE_ORDER_MARK + table_csv([name for name, _ in MATRIX_COLUMNS], _rows(matrix))


def _rows(matrix: CorpusMatrix) -> Iterator[tuple[object, ...]]:
    for sheet in matrix.sheets:
        for entry in sheet.entries:
            known = entry.finding not in (Outcome.ERROR, Outcome.NOT_RUN)
            pages = (entry.pages_read, entry.pages_total, entry.ink_read_share, entry.blind_spots)
            behind = (
                *(entry.finding.value, entry.strength, _joined(entry.unmet), _joined(entry.waived)),
                *(pages if known else (None,) * len(pages)),
                *(entry.failure, entry.detail, entry.justification),
            )
            for heading, cell in zip(sheet.concepts, entry.cells, strict=True):
                counts = (
                    cell.hits,
                    cell.possible_hits,
                    cell.pages_with_hits,
                    cell.pages_searched,
                    cell.pages_not_searchable,
                )
                yield (
                    *(
                        entry.name,
                        entry.sha256,
                        len(entry.paths),
                        sheet.table,
                        sheet.question,
                        heading.name,
                        heading.role,
                    ),
                    *(cell.finding.value, cell.strength, _joined(cell.unmet)),
                    # A zero would say that it was searched.
                    *(counts if known else (None,) * len(counts)),
                    *behind,
                )


def _joined(codes: Iterable[str]) -> str:
    return ", ".join(codes)
