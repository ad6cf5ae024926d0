"""line_df and a concept table in, a table of where each concept stands out: the function of the method's article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import pandas as pd

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError, TableContractError
from docaudit.search import sweep_lines
from docaudit.search.lines import PageLines
from docaudit.tables import rows_of

ABSENCE_COLUMNS = {"concept": "str", "variant": "str", "page": "int64", "line": "int64", "snippet": "str"}
"""Columns of the table, with their dtypes."""


def sweep_for_absence(
    line_df: pd.DataFrame,
    concept_keywords_df: pd.DataFrame | ConceptTable,
    mode: Literal["safe", "article"] = "safe",
) -> pd.DataFrame:
    """The method's own function: where each concept of a concept table stands.

    Args:
        line_df: Lines with at least page_num, line_num and text.
        concept_keywords_df: Columns concept and variants (a list of str for each concept), or a ConceptTable.
        mode: safe sweeps like `sweep_lines`, one row for each occurrence; article matches whole words line by
            line, one row for each line and concept, the first match only.

    Returns:
        A table with the columns concept, variant, page, line, snippet (the first 120 characters of the line).

    Raises:
        TableContractError: line_df lacks a column, or is no DataFrame.
        ConceptTableError: The concept table lacks a column, or is neither a DataFrame nor a ConceptTable.
    """
    missing = _missing(line_df, "page_num", "line_num", "text")
    if missing:
        raise TableContractError(f"line_df: no column {missing}")
    table = concept_keywords_df if isinstance(concept_keywords_df, ConceptTable) else None
    missing = "" if table else _missing(concept_keywords_df, "concept", "variants")
    if missing:
        raise ConceptTableError(
            f"the concept table has no column {missing}",
            remedy="pass a ConceptTable, or a DataFrame with a list of variants for each concept",
        )
    keywords = _keywords(concept_keywords_df)
    if mode == "article":
        rows = _article_rows(line_df, keywords)
    else:
        variants = (Variant(concept=concept, text=text) for concept, texts in keywords for text in texts)
        rows = _swept_rows(line_df, table or ConceptTable(variants=tuple(variants)))
    return pd.DataFrame(list(rows), columns=list(ABSENCE_COLUMNS)).astype(ABSENCE_COLUMNS)


def _missing(table: Any, *names: str) -> str:
    columns = list(table.columns) if isinstance(table, pd.DataFrame) else []
    return ", ".join(name for name in names if name not in columns)


def _keywords(table: pd.DataFrame | ConceptTable) -> list[tuple[str, list[str]]]:
    """Concepts with their variants, blank ones left out: an empty variant would match everywhere."""
    if isinstance(table, ConceptTable):
        return [(name, [v.text for v in table.active if v.concept == name]) for name in table.concepts]
    keywords = []
    for concept, variants in rows_of(table, "concept", "variants"):
        listed = [variants] if isinstance(variants, str) else variants
        texts = list(listed) if isinstance(listed, Iterable) else []
        keywords.append((str(concept), [text for text in texts if isinstance(text, str) and text.strip()]))
    return keywords


def _swept_rows(line_df: pd.DataFrame, table: ConceptTable) -> Iterator[tuple[Any, ...]]:
    pages = line_df["page_num"].dropna() if len(line_df) else pd.Series(dtype="float64")
    hit_df, _ = sweep_lines(line_df, table, pages_total=int(pages.max()) if len(pages) else 0)
    lines = PageLines.of(line_df)
    text_of: dict[tuple[int, int, str], str] = {}
    for page, number, source, text in zip(lines.page, lines.number, lines.source, lines.text, strict=True):
        text_of.setdefault((page, number, source), text)
    for concept, variant, page, line, source in rows_of(
        hit_df, "concept", "variant", "page_num", "line_num", "source"
    ):
        yield concept, variant, page, line, text_of[page, line, source][:120]


def _article_rows(line_df: pd.DataFrame, keywords: list[tuple[str, list[str]]]) -> Iterator[tuple[Any, ...]]:
    rows = list(rows_of(line_df, "page_num", "line_num", "text"))
    for concept, variants in keywords:
        if not variants:
            continue
        pattern = re.compile(r"\b(" + "|".join(map(re.escape, variants)) + r")\b", re.IGNORECASE)
        for page, line, text in rows:
            match = pattern.search(text) if isinstance(text, str) else None
            if match:
                yield concept, match.group(0), page, line, text[:120]
