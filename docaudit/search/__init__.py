"""How text is searched: what docaudit.search is made of, each module standing on those before it.

folding, normalize     text as it is compared, with a map back to the page
scripts, inflect       boundaries by script; forms of a word
pagelines, layout      lines of a page and how they lie
readings, glyphs, gutters, breaks, flows
                       the ways in which lines may continue, and other readings of them
gaps, patterns         what may stand between two characters of a variant
searchable, matching   candidates and their confirmation
findings, fuzzy, hits, expert
                       hits with place and kind; misreadings of OCR; the expert's own regular expressions

Every variant of a concept table over every line that was read: hits, and a ledger that also counts what
is not there.
"""

from __future__ import annotations

import gc
import re
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from time import monotonic
from typing import Any, Literal, NamedTuple

import pandas as pd

from docaudit.codes import PAGE_SOURCES, POSSIBLE_KINDS, LedgerState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError, TableContractError
from docaudit.search.expert import sweep_expression
from docaudit.search.flows import Pieces, build_flows
from docaudit.search.hits import hit_table, without_echoes
from docaudit.search.lines import PageLines, encodable
from docaudit.search.matching import Corpus, Found, fast_matches, locate, mark_nested, plainest
from docaudit.search.patterns import Pattern, compile_variant
from docaudit.search.possible import accent_found, bare_flows, fuzzy_found, hang_on
from docaudit.tables import LEDGER_DF


def sweep_lines(
    line_df: pd.DataFrame,
    table: ConceptTable,
    *,
    pages_total: int,
    regex_seconds: float = 1.0,
    sweep_seconds: float = 600.0,
    toc_df: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Sweep all accepted variants over all lines.

    Args:
        line_df: Lines of the document (frames.LINE_DF).
        table: The concept table.
        pages_total: Pages of the document, with or without text.
        regex_seconds: Time limit for one expert regular expression on one page, seconds.
        sweep_seconds: Time limit for all of them together; pages that were not searched in time stand in the ledger.
        toc_df: Contents, for the column section.

    Returns:
        hit_df and ledger_df (frames.HIT_DF, frames.LEDGER_DF).
    """
    with no_collector():
        return _sweep(line_df, table, pages_total, (regex_seconds, monotonic() + sweep_seconds), toc_df)


@contextmanager
def no_collector() -> Iterator[None]:
    """Without the garbage collector: a sweep, and all around it, makes very many small objects and hardly a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


_prepared: dict[int, tuple[pd.DataFrame, Corpus]] = {}
"""By id of line_df what the last sweep of it was run on, and a copy of line_df as it then was: the search text of a
document is made once for many sweeps.
"""


class Prepared(NamedTuple):
    """What the search text of a document is made of.

    Attributes:
        search: The searchable text of each line.
        pieces: The orders in which its lines may continue.
        bare: The same for lines with accents, without them.
    """

    search: list[str]
    pieces: Pieces
    bare: Pieces


def prepare(line_df: pd.DataFrame, known: Prepared | None = None) -> Prepared:
    """Make the search text of these lines, for all sweeps of them; most of a first sweep is this.

    Args:
        line_df: The lines.
        known: What an earlier call returned for the same lines, by the same version of docaudit.
    """
    lines = PageLines.of(line_df, known and known.search)
    made = known or Prepared(lines.search, Pieces.of(build_flows(lines)), Pieces.of(bare_flows(lines)))
    corpus = Corpus(lines, made.pieces)
    hang_on(corpus, made.bare)
    _keep(line_df, corpus)
    return made


def _corpus_of(line_df: pd.DataFrame) -> Corpus:
    """The search text of these lines; kept while the table lives, and made anew if the table was changed since."""
    known = _prepared.get(id(line_df))
    if known is not None and known[0].equals(line_df):
        return known[1]
    lines = PageLines.of(line_df)
    corpus = Corpus(lines, Pieces.of(build_flows(lines)))
    _keep(line_df, corpus)
    return corpus


def _keep(line_df: pd.DataFrame, corpus: Corpus) -> None:
    if id(line_df) not in _prepared:
        weakref.finalize(line_df, _prepared.pop, id(line_df), None)
    _prepared[id(line_df)] = line_df.copy(), corpus


def _sweep(
    line_df: pd.DataFrame,
    table: ConceptTable,
    pages_total: int,
    limits: tuple[float, float],
    toc_df: pd.DataFrame | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    corpus = _corpus_of(line_df)
    lines = corpus.lines
    patterns = _compiled(table.active)
    found = locate(corpus, patterns, fast_matches(corpus, patterns))
    states: dict[int, tuple[LedgerState, str]] = {}
    for number, pattern in enumerate(patterns):
        if pattern.variant.match == "regex":
            more, state, detail = sweep_expression(lines, pattern.variant, *limits)
            found += [Found(number, kind, parts) for kind, parts in more]
            states[number] = (state, detail)
        elif not pattern.forms:
            states[number] = (LedgerState.FAILED, "the variant holds no letter, digit or sign to search for")
        elif "\ufffd" in pattern.forms[0].literal:
            # Where the table was damaged nobody knows what to look for: no hit would be no evidence.
            states[number] = (
                LedgerState.FAILED,
                "the variant holds a lost character (U+FFFD): write it anew",
            )
    found += accent_found(corpus, patterns, found)
    found += fuzzy_found(lines, patterns, found)
    order = _reading_order(lines)
    found = without_echoes(lines, plainest(found))
    found.sort(key=lambda one: (order[one.parts[0][0]], one.parts[0][1], one.pattern))
    nested = mark_nested(found, [pattern.variant.concept for pattern in patterns], order)
    ledger_df = _ledger_df(lines, patterns, list(zip(found, nested, strict=True)), states, pages_total)
    return hit_table(lines, patterns, found, nested, toc_df), ledger_df


@lru_cache(maxsize=4)
def _compiled(variants: tuple[Variant, ...]) -> list[Pattern]:
    """The patterns of a table; kept, as one table is often swept over many documents. Not to be changed."""
    return [compile_variant(variant) for variant in variants]


def _reading_order(lines: PageLines) -> list[int]:
    rows = sorted(range(len(lines)), key=lambda row: (lines.page[row], lines.number[row], lines.source[row]))
    order = [0] * len(rows)
    for place, row in enumerate(rows):
        order[row] = place
    return order


def _ledger_df(
    lines: PageLines,
    patterns: list[Pattern],
    found: list[tuple[Found, bool]],
    states: dict[int, tuple[LedgerState, str]],
    pages_total: int,
) -> pd.DataFrame:
    """One row for each active variant; found holds each finding and whether it is nested."""
    on_pages = zip(lines.page, lines.source, strict=True)
    searched = len({page for page, source in on_pages if page > 0 and source in PAGE_SOURCES})
    counted = [(one, inside) for one, inside in found if one.kind not in POSSIBLE_KINDS]
    hits = Counter([one.pattern for one, _ in counted])
    unique = Counter([one.pattern for one, inside in counted if not inside])
    pages = Counter(
        pattern for pattern, _ in {(one.pattern, lines.page[one.parts[0][0]]) for one, _ in counted}
    )
    return LEDGER_DF.build(
        {
            "concept": encodable(pattern.variant.concept),
            "variant": encodable(pattern.variant.text),
            "pattern": encodable(pattern.shown),
            "state": states.get(number, (LedgerState.SEARCHED, ""))[0].value,
            "pages_searched": searched,
            "pages_not_searchable": max(pages_total - searched, 0),
            "hits": hits[number],
            "pages_with_hits": pages[number],
            "unique_hits": unique[number],
            "detail": states.get(number, (LedgerState.SEARCHED, ""))[1],
        }
        for number, pattern in enumerate(patterns)
    )


ABSENCE_COLUMNS = ("concept", "variant", "page", "line", "snippet")


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
    _need_columns(line_df, concept_keywords_df)
    keywords = _keywords(concept_keywords_df)
    if mode == "article":
        return _frame(_article_rows(line_df, keywords))
    table = (
        concept_keywords_df
        if isinstance(concept_keywords_df, ConceptTable)
        else ConceptTable(
            variants=tuple(
                Variant(concept=concept, text=text) for concept, texts in keywords for text in texts
            )
        )
    )
    pages = line_df["page_num"].dropna() if len(line_df) else pd.Series(dtype="float64")
    hit_df, _ = sweep_lines(line_df, table, pages_total=int(pages.max()) if len(pages) else 0)
    lines = PageLines.of(line_df)
    text_of: dict[tuple[int, int, str], str] = {}
    for page, number, source, text in zip(lines.page, lines.number, lines.source, lines.text, strict=True):
        text_of.setdefault((page, number, source), text)
    columns = [hit_df[name].tolist() for name in ("concept", "variant", "page_num", "line_num", "source")]
    return _frame(
        (concept, variant, page, line, text_of[(page, line, source)][:120])
        for concept, variant, page, line, source in zip(*columns, strict=True)
    )


def _need_columns(line_df: Any, keywords: Any) -> None:
    named = list(line_df.columns) if isinstance(line_df, pd.DataFrame) else []
    missing = [name for name in ("page_num", "line_num", "text") if name not in named]
    if missing:
        raise TableContractError(f"line_df: no column {', '.join(missing)}")
    if isinstance(keywords, ConceptTable):
        return
    named = list(keywords.columns) if isinstance(keywords, pd.DataFrame) else []
    missing = [name for name in ("concept", "variants") if name not in named]
    if missing:
        raise ConceptTableError(
            f"the concept table has no column {', '.join(missing)}",
            remedy="pass a ConceptTable, or a DataFrame with a list of variants for each concept",
        )


def _keywords(given: pd.DataFrame | ConceptTable) -> list[tuple[str, list[str]]]:
    """Concepts with their variants, blank ones left out: an empty variant would match everywhere."""
    if isinstance(given, ConceptTable):
        return [(name, [v.text for v in given.active if v.concept == name]) for name in given.concepts]
    out = []
    for concept, variants in zip(given["concept"].tolist(), given["variants"].tolist(), strict=True):
        listed = (
            [variants]
            if isinstance(variants, str)
            else list(variants)
            if isinstance(variants, Iterable)
            else []
        )
        out.append((str(concept), [text for text in listed if isinstance(text, str) and text.strip()]))
    return out


def _article_rows(line_df: pd.DataFrame, keywords: list[tuple[str, list[str]]]) -> Iterable[tuple[Any, ...]]:
    rows = list(
        zip(line_df["page_num"].tolist(), line_df["line_num"].tolist(), line_df["text"].tolist(), strict=True)
    )
    for concept, variants in keywords:
        if not variants:
            continue
        pattern = re.compile(r"\b(" + "|".join(map(re.escape, variants)) + r")\b", re.IGNORECASE)
        for page, line, text in rows:
            match = pattern.search(text) if isinstance(text, str) else None
            if match:
                yield concept, match.group(0), page, line, text[:120]


def _frame(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    listed = list(rows)
    frame = pd.DataFrame(listed, columns=list(ABSENCE_COLUMNS))
    types = {"concept": "str", "variant": "str", "page": "int64", "line": "int64", "snippet": "str"}
    return frame.astype(types)
