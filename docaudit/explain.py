"""The one sentence: a template in English and Japanese whose numbers all come from the evidence.

It says "within the stated coverage", never "does not exist"; and "all pages were read" only if they were, and no
reference is left unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from docaudit.justification import (
    AbsenceReason,
    Finding,
    Obligation,
    ObligationCheck,
    ObligationState,
    ParseCoverage,
)

_SCOPE_EN = {"line": "line", "paragraph": "paragraph", "page": "page", "window": "window of words"}
_SCOPE_JA = {"line": "行", "paragraph": "段落", "page": "ページ", "window": "語の範囲"}
_CODES_JA = {
    Obligation.PAGES_READABLE: "読めないページがある",
    Obligation.INK_READ: "読まれていない領域がある",
    Obligation.PARTS_OPENED: "開かれていない部分がある",
    Obligation.REFERENCES_RESOLVED: "参照先が見つからない",
    Obligation.VARIANTS_SEARCHED: "検索できなかった語がある",
    Obligation.VARIANTS_REVIEWED: "未確認の候補語がある",
    Obligation.QUESTION_COVERED: "質問の語が概念表にない",
    Obligation.CONTROL_FOUND: "対照語が見つからない",
    Obligation.READERS_AGREE: "二つの読み取り結果が一致しない",
}
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Summary(NamedTuple):
    """What the sentence is made of."""

    finding: Finding
    reason: AbsenceReason | None
    required: tuple[str, ...]
    counts: Mapping[str, int]
    pages: Mapping[str, tuple[int, ...]]
    coverage: ParseCoverage
    checks: tuple[ObligationCheck, ...]
    scope: str
    uncovered: tuple[str, ...]


def explain(summary: Summary, language: Literal["en", "ja"] = "en") -> str:
    """One sentence on the finding, in English or Japanese."""
    return _english(summary) if language == "en" else _japanese(summary)


def page_ranges(pages: Iterable[int]) -> str:
    """Pages in short form.

    >>> page_ranges([30, 31, 35])
    '30–31, 35'
    """
    ranges: list[list[int]] = []
    for page in sorted(set(pages)):
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)


def unsupported_numbers(sentence: str, supported: Iterable[int]) -> tuple[str, ...]:
    """Numbers in a sentence that stand in no evidence; a sentence with any is refused.

    >>> unsupported_numbers("electricity occurs 7 times, AI 9 times", [7, 30])
    ('9',)
    """
    known = {str(number) for number in supported}
    return tuple(number for number in _NUMBER.findall(sentence) if number.replace(",", "") not in known)


def all_pages_read(summary: Summary) -> bool:
    """Every page and all ink was read, and every reference resolved: only then may the sentence say so."""
    states = {check.obligation: check.state for check in summary.checks}
    needed = (Obligation.PAGES_READABLE, Obligation.INK_READ, Obligation.REFERENCES_RESOLVED)
    return all(states[obligation] is ObligationState.MET for obligation in needed)


def _english(summary: Summary) -> str:
    facts = _facts_english(summary)
    total = summary.coverage.pages_total
    read = f"all {total} pages were read" if all_pages_read(summary) else "within the stated coverage"
    if summary.finding is Finding.MENTIONED:
        where = "" if len(summary.required) == 1 else f" in the same {_SCOPE_EN[summary.scope]}"
        return f"{facts}; what the question asks for is mentioned{where} and must be read, not denied."
    if summary.finding is Finding.ABSENT:
        waived = [check for check in summary.checks if check.state is ObligationState.WAIVED]
        with_waived = (
            f", with waived {', '.join(check.obligation.value for check in waived)}" if waived else ""
        )
        return f"{facts}; absent within the stated coverage{with_waived} ({read})."
    reasons = "; ".join(
        _unmet_english(check) for check in summary.checks if check.state is ObligationState.UNMET
    )
    return f"{facts}; absence is not established: {reasons}."


def _facts_english(summary: Summary) -> str:
    none = [name for name in summary.required if not summary.counts[name]]
    some = [name for name in summary.required if summary.counts[name]]
    parts = [f"No mention of {' or '.join(none)} was found"] if none else []
    for name in some:
        count = summary.counts[name]
        times = "once" if count == 1 else f"{count} times"
        parts.append(f"{name} occurs {times}{_where_english(summary.pages[name])}")
    if len(some) > 1 and not none and summary.finding is not Finding.MENTIONED:
        parts.append(f"they never meet in the same {_SCOPE_EN[summary.scope]}")
    return ", ".join(parts)


def _where_english(pages: tuple[int, ...]) -> str:
    physical = [page for page in pages if page]
    beside = (
        " and outside the pages" if 0 in pages and physical else " outside the pages" if 0 in pages else ""
    )
    if not physical:
        return beside
    return f" on page{'' if len(physical) == 1 else 's'} {page_ranges(physical)}{beside}"


def _unmet_english(check: ObligationCheck) -> str:
    pages = page_ranges(page for page in check.pages if page)
    return check.evidence + (f" (page{'' if len(set(check.pages)) == 1 else 's'} {pages})" if pages else "")


def _japanese(summary: Summary) -> str:
    facts = _facts_japanese(summary)
    total = summary.coverage.pages_total
    if summary.finding is Finding.MENTIONED:
        return f"{facts}。質問の内容は文書中に言及があり、該当箇所を読む必要がある。"
    if summary.finding is Finding.ABSENT:
        read = f"全{total}ページを読み取り済み" if all_pages_read(summary) else "読み取り範囲は別記のとおり"
        waived = [check for check in summary.checks if check.state is ObligationState.WAIVED]
        with_waived = f"（免除: {'、'.join(check.obligation.value for check in waived)}）" if waived else ""
        return f"{facts}。示した読み取り範囲の中では記載がない{with_waived}（{read}）。"
    unmet = "、".join(
        _unmet_japanese(check) for check in summary.checks if check.state is ObligationState.UNMET
    )
    return f"{facts}。ただし不在は確定できない: {unmet}。"


def _facts_japanese(summary: Summary) -> str:
    parts = []
    for name in summary.required:
        count = summary.counts[name]
        pages = page_ranges(page for page in summary.pages[name] if page)
        where = f"（{pages}ページ）" if pages else ""
        parts.append(f"「{name}」は{count}件{where}" if count else f"「{name}」への言及は見つからない")
    found = [name for name in summary.required if summary.counts[name]]
    if len(found) > 1 and len(found) == len(summary.required) and summary.finding is not Finding.MENTIONED:
        parts.append(f"同じ{_SCOPE_JA[summary.scope]}に現れることはない")
    return "、".join(parts)


def _unmet_japanese(check: ObligationCheck) -> str:
    pages = page_ranges(page for page in check.pages if page)
    return _CODES_JA[check.obligation] + (f"（{pages}ページ）" if pages else "")
