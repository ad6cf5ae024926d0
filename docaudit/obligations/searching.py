"""Checks of what was searched: one short function for each obligation on variants, question and controls.

As in docaudit.obligations.reading, a check that has nothing to check is not_run, never met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from docaudit.concepts import ConceptTable, Variant
from docaudit.evidence import ControlGroup
from docaudit.justification import Obligation, ObligationCheck
from docaudit.reasons import LedgerState

_NAMED = 10
_WITNESSES = {"second_reader": "a second reader", "ocr": "OCR", "text_layer": "the only reader"}


def variants_searched(table: ConceptTable, ledger_df: pd.DataFrame, pages_total: int) -> ObligationCheck:
    """Every accepted variant was searched on every page that has text."""
    rows = {(row.concept, row.variant): row for row in ledger_df.itertuples()}
    wrong = [
        why for v in table.active if (why := _not_searched(v, rows.get((v.concept, v.text)), pages_total))
    ]
    total = len(table.active)
    if not wrong:
        return ObligationCheck.of(
            Obligation.VARIANTS_SEARCHED, True, f"all {total} variants were searched on all pages with text"
        )
    remedy = "correct the pattern, or raise --regex-seconds"
    evidence = f"{len(wrong)} of {total} variants: {'; '.join(wrong)}"
    return ObligationCheck.of(Obligation.VARIANTS_SEARCHED, False, evidence, (), remedy)


def _not_searched(variant: Variant, row: Any, pages_total: int) -> str:
    """Why a variant does not count as searched; empty if it does."""
    if row is None:
        return f"'{variant.text}' has no row in the ledger"
    if row.state != LedgerState.SEARCHED.value:
        return f"'{variant.text}' ({row.state}{': ' + row.detail if row.detail else ''})"
    if row.pages_searched + row.pages_not_searchable < pages_total:
        pages = row.pages_searched + row.pages_not_searchable
        return f"'{variant.text}' accounts for {pages} of {pages_total} pages"
    return ""


def variants_reviewed(table: ConceptTable) -> ObligationCheck:
    """No candidate variant waits for the expert."""
    waiting = table.proposed
    if not waiting:
        return ObligationCheck.of(
            Obligation.VARIANTS_REVIEWED,
            True,
            f"all {len(table.variants)} variants have been decided on{_nameless(table)}",
        )
    named = ", ".join(f"'{variant.text}'" for variant in waiting)
    return ObligationCheck.of(
        Obligation.VARIANTS_REVIEWED, False, f"{len(waiting)} proposed: {named}", (), "accept or reject them"
    )


def _nameless(table: ConceptTable) -> str:
    count = sum(not variant.reviewer for variant in table.variants)
    return f" ({count} of them without the name of a reviewer)" if count else ""


def question_covered(
    question: str | None, content: Sequence[str], uncovered: Sequence[str], set_aside: Sequence[str] = ()
) -> ObligationCheck:
    """The question names a subject, and every content word of it belongs to a concept of the table.

    Words that a person rejected as a concept (their row has a reviewer) were decided on: they are named, not missing.
    """
    if question is None:
        return ObligationCheck.not_run(Obligation.QUESTION_COVERED, "no question was asked")
    if not content:
        evidence = "the question has no word that names a subject"
        return ObligationCheck.of(
            Obligation.QUESTION_COVERED, False, evidence, (), "name the subject in the question"
        )
    if not uncovered:
        return ObligationCheck.of(
            Obligation.QUESTION_COVERED,
            True,
            f"every content word of the question is in a concept{_but(set_aside)}",
        )
    named = ", ".join(f"'{word}'" for word in uncovered)
    remedy = "add them to a concept, or ask without them"
    return ObligationCheck.of(
        Obligation.QUESTION_COVERED, False, f"in no concept of the table: {named}", (), remedy
    )


def _but(set_aside: Sequence[str]) -> str:
    named = ", ".join(f"'{word}'" for word in set_aside)
    return f", but for what a person rejected: {named}" if named else ""


def control_found(controls: Sequence[ControlGroup]) -> ObligationCheck:
    """Words known to be in the document, and phrases planted into a copy of it, are found by the same sweep."""
    canaries = [group for group in controls if group.kind == "canary"]
    unplanted = bool(canaries) and not any(group.tried for group in canaries)
    evidence = "; ".join(filter(None, (_result(controls), *_untried(controls))))
    if not unplanted and not any(group.tried for group in controls):
        return ObligationCheck.not_run(
            Obligation.CONTROL_FOUND, evidence or "the document has no word to take as a control"
        )
    pages = sorted({one.page_num for group in controls for one in group.missed})
    remedies = ["look at these pages, and report this as a bug of docaudit"] if pages else []
    if unplanted:
        remedies.append("audit without --canary, or look at the layouts named")
    return ObligationCheck.of(Obligation.CONTROL_FOUND, not remedies, evidence, pages, "; ".join(remedies))


def _result(controls: Sequence[ControlGroup]) -> str:
    """What was tried and found; empty if nothing was tried."""
    tried, found = sum(group.tried for group in controls), sum(group.found for group in controls)
    what = "; ".join(filter(None, (_of_kind(controls, kind) for kind in ("positive", "canary"))))
    if found == tried:
        return f"{what}: all were found" if tried else ""
    missed = [one for group in controls for one in group.missed]
    named = ", ".join(f"'{one.word}' (page {one.page_num})" for one in missed[:_NAMED])
    more = f" and {len(missed) - _NAMED:,} more" if len(missed) > _NAMED else ""
    return f"{what}: {found:,} of {tried:,} were found ({_share(found, tried)}), not {named}{more}"


def _untried(controls: Sequence[ControlGroup]) -> Iterator[str]:
    """Where nothing could be tried, and why."""
    for group in controls:
        if group.untried and group.kind == "canary":
            yield f"no phrase could be planted in {group.layout}: {group.untried}"
        elif group.untried:
            yield group.untried


def _of_kind(controls: Sequence[ControlGroup], kind: str) -> str:
    groups = [group for group in controls if group.kind == kind and group.tried]
    if not groups:
        return ""
    tried = sum(group.tried for group in groups)
    layouts = ", ".join(dict.fromkeys(group.layout for group in groups))
    if kind == "canary":
        return f"{_count(tried, 'phrase')} planted into a copy ({layouts})"
    witnesses = " or ".join(dict.fromkeys(_WITNESSES[group.witness] for group in groups))
    return f"{_count(tried, 'word')} that {witnesses} saw ({layouts})"


def _count(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"


def _share(found: int, tried: int) -> str:
    """The share found, rounded down: 100 % is only said of all."""
    return f"{int(1000 * found / tried) / 10:.1f} %"
