"""Hits, ledger and coverage -> finding, reason, strength and obligations; the rules are docaudit.rules.

The one sentence: a template in English and Japanese whose numbers all come from the evidence.

It says "within the stated coverage", never "does not exist"; and "all pages were read" only if they were, and no
reference is left unresolved. A sentence that a model words is held to more: docaudit.wording.checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import pandas as pd

from docaudit.codes import AbsenceReason, Finding, Obligation, ObligationState
from docaudit.concepts.model import ConceptTable
from docaudit.document import blind_spots, hits, ledger_rows, meetings, mentions, page_facts
from docaudit.errors import MissingEvidenceError
from docaudit.justification import (
    AbsenceJustification,
    ControlGroup,
    DocumentIdentity,
    ObligationCheck,
    ParseCoverage,
    RetrievalCheck,
)
from docaudit.obligations import are_mentioned, hits_by_concept, required_concepts
from docaudit.options import AuditOptions
from docaudit.question import content_words, rejected_words, requery, uncovered_words
from docaudit.rules import Evidence, Verdict, verdict, weigh
from docaudit.saved import with_digest
from docaudit.tables import BLIND_SPOT_DF, COOCCURRENCE_DF, HIT_DF, LEDGER_DF, NEAREST_DF, PAGE_DF, is_counted
from docaudit.text.numbers import page_ranges

SCOPE_EN = {
    "line": "line",
    "sentence": "sentence",
    "paragraph": "paragraph",
    "section": "section",
    "page": "page",
    "window": "window of words",
}
SCOPE_JA = {
    "line": "行",
    "sentence": "文",
    "paragraph": "段落",
    "section": "節",
    "page": "ページ",
    "window": "語の範囲",
}
UNMET_JA = {
    Obligation.PAGES_READABLE: "読めないページがある",
    Obligation.INK_READ: "確実に読めていない領域がある",
    Obligation.PARTS_OPENED: "開かれていない部分がある",
    Obligation.REFERENCES_RESOLVED: "参照先が見つからない",
    Obligation.VARIANTS_SEARCHED: "検索できなかった語がある",
    Obligation.VARIANTS_REVIEWED: "未確認の候補語がある",
    Obligation.QUESTION_COVERED: "質問の語が概念表にない",
    Obligation.CONTROL_FOUND: "対照語が見つからない",
    Obligation.READERS_AGREE: "別の読み取り結果と一致しない",
}
WITHIN_EN, WITHIN_JA = "within the stated coverage", "示した読み取り範囲"


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


def summary_of(justification: AbsenceJustification) -> Summary:
    """What the sentence of a justification is made of; all of it stands in the justification itself."""
    assert justification.coverage is not None  # no justification is made without
    return Summary(
        justification.finding,
        justification.reason,
        justification.required,
        justification.concept_hits,
        justification.concept_pages,
        justification.coverage,
        justification.obligations,
        justification.options.scope,
    )


def explain(summary: Summary, language: Literal["en", "ja"] = "en") -> str:
    """One sentence on the finding, in English or Japanese."""
    return _english(summary) if language == "en" else _japanese(summary)


def all_pages_read(summary: Summary) -> bool:
    """Every page and all ink was read, and every reference resolved: only then may the sentence say so."""
    states = {check.obligation: check.state for check in summary.checks}
    needed = (Obligation.PAGES_READABLE, Obligation.INK_READ, Obligation.REFERENCES_RESOLVED)
    return all(states.get(obligation) is ObligationState.MET for obligation in needed)


def _in_state(summary: Summary, state: ObligationState) -> list[ObligationCheck]:
    return [check for check in summary.checks if check.state is state]


def _english(summary: Summary) -> str:
    total, by_ocr = summary.coverage.pages_total, summary.coverage.pages_by_ocr_alone
    read = f"{summary.coverage.pages_read} of {total} pages have text that was read"
    read += f", {by_ocr} of them by OCR alone" if by_ocr else ""
    if all_pages_read(summary):
        read = f"all {total} pages were read" if total > 1 else "its only page was read"
    facts = f"{WITHIN_EN.capitalize()} ({read}), {_facts_english(summary)}"
    waived = ", ".join(_waivers(summary, "en"))
    if summary.finding is Finding.MENTIONED:
        what = "this" if len(summary.required) == 1 else "these passages"
        said = f"{facts}: {what} must be read, not denied"
    elif summary.finding is Finding.ABSENT:
        return f"{facts}; this is absence with waived {waived}." if waived else f"{facts}."
    else:
        reasons = "; ".join(_unmet_english(check) for check in _in_state(summary, ObligationState.UNMET))
        said = f"{facts}; absence is not established, because {reasons}"
    return f"{said}; waived: {waived}." if waived else f"{said}."


def reason_clause(check: ObligationCheck, language: Literal["en", "ja"]) -> str:
    """The reason of a waiver as it stands behind its code: a part of the sentence, on its line, without a stop."""
    why = " ".join((check.waived_because or "").split()).rstrip(".。")
    return f' ("{why}")' if language == "en" else f"「{why}」"


def _waivers(summary: Summary, language: Literal["en", "ja"]) -> list[str]:
    waived = _in_state(summary, ObligationState.WAIVED)
    return [f"{check.obligation.value}{reason_clause(check, language)}" for check in waived]


def _facts_english(summary: Summary) -> str:
    none = [f'"{name}"' for name in summary.required if not summary.counts[name]]
    some = [name for name in summary.required if summary.counts[name]]
    parts = [f"no mention of {_listed(none, 'or')} was found"] if none else []
    for name in some:
        count = summary.counts[name]
        parts.append(
            f'"{name}" occurs {count} time{"" if count == 1 else "s"}{_where_english(summary.pages[name])}'
        )
    if len(some) > 1 and not none:
        place = f"in the same {SCOPE_EN[summary.scope]}"
        met = summary.finding is Finding.MENTIONED
        all_of_them = "they" if len(some) == 2 else "all of them"
        parts.append(f"and {all_of_them} {'meet' if met else 'never meet'} {place}")
    return ", ".join(parts)


def _listed(names: list[str], last: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def _where_english(pages: tuple[int, ...]) -> str:
    physical = [page for page in pages if page]
    beside = (
        " and outside the pages" if 0 in pages and physical else " outside the pages" if 0 in pages else ""
    )
    return f"{_on_pages(physical)}{beside}"


def _on_pages(pages: list[int]) -> str:
    if not pages:
        return ""
    return f" on page{'' if len(set(pages)) == 1 else 's'} {page_ranges(pages, shortest=2)}"


def _unmet_english(check: ObligationCheck) -> str:
    return check.obligation.unmet + _on_pages([page for page in check.pages if page])


def _japanese(summary: Summary) -> str:
    total, by_ocr = summary.coverage.pages_total, summary.coverage.pages_by_ocr_alone
    read = f"全{total}ページのうち{summary.coverage.pages_read}ページの文字を読み取り"
    read += f"、うち{by_ocr}ページはOCRのみ" if by_ocr else ""
    if all_pages_read(summary):
        read = f"全{total}ページを読み取り済み"
    facts = f"{WITHIN_JA}（{read}）の中では、{_facts_japanese(summary)}"
    waived = "、".join(_waivers(summary, "ja"))
    also = f"（免除した確認: {waived}）" if waived else ""
    if summary.finding is Finding.MENTIONED:
        return f"{facts}ため、該当箇所を読む必要がある{also}。"
    if summary.finding is Finding.ABSENT:
        return f"{facts}{also}。"
    unmet = "、".join(_unmet_japanese(check) for check in _in_state(summary, ObligationState.UNMET))
    return f"{facts}が、次の理由で不在は確定できない: {unmet}{also}。"


def _facts_japanese(summary: Summary) -> str:
    none = "".join(f"「{name}」" for name in summary.required if not summary.counts[name])
    some = [name for name in summary.required if summary.counts[name]]
    parts = [f"「{name}」は{summary.counts[name]}件{_where_japanese(summary.pages[name])}" for name in some]
    if none:
        return "、".join([*parts, f"{none}への言及は見つからない"])
    if len(some) == 1:
        return f"{parts[0]}見つかった"
    verb = "現れる" if summary.finding is Finding.MENTIONED else "現れることはない"
    return f"{'、'.join(parts)}あり、{'すべて' if len(some) > 2 else 'ともに'}同じ{SCOPE_JA[summary.scope]}に{verb}"


def _where_japanese(pages: tuple[int, ...]) -> str:
    physical = page_ranges(filter(None, pages), shortest=2)
    parts = [*([f"{physical}ページ"] if physical else []), *(["ページ外"] if 0 in pages else [])]
    return f"（{'、'.join(parts)}）" if parts else ""


def _unmet_japanese(check: ObligationCheck) -> str:
    pages = page_ranges(filter(None, check.pages), shortest=2)
    return UNMET_JA[check.obligation] + (f"（{pages}ページ）" if pages else "")


_LAYERS = {
    "parsing": ("identity", "coverage", "page_df", "blind_spot_df"),
    "keywords": ("table",),
    "sweep": ("hit_df", "ledger_df", "cooccurrence_df", "nearest_df"),
}
_CONTRACTS = (PAGE_DF, BLIND_SPOT_DF, HIT_DF, LEDGER_DF, COOCCURRENCE_DF, NEAREST_DF)


@dataclass(frozen=True)
class Layers:
    """The layers of evidence that a justification is drawn from.

    Raises MissingEvidenceError, with the name of the layer, for a part that is None, and TableContractError for a table
    that breaks its contract.

    Attributes:
        identity: Which document was audited.
        coverage: What could be read of it, in numbers.
        page_df: PAGE_DF.
        blind_spot_df: BLIND_SPOT_DF; every row goes into the justification.
        table: The concept table.
        hit_df: HIT_DF of its sweep.
        ledger_df: LEDGER_DF of its sweep.
        cooccurrence_df: COOCCURRENCE_DF of its sweep.
        nearest_df: NEAREST_DF of its sweep.
        question: The question, or None if none was asked.
        options: Options; `required`, `scope`, `waive` and `language` are used here.
        controls: Words known to be there, and whether they were found.
        retrieval: What of the hits a retriever gave, or None if no chunks were given; it has no say in the finding.
    """

    identity: DocumentIdentity
    coverage: ParseCoverage
    page_df: pd.DataFrame
    blind_spot_df: pd.DataFrame
    table: ConceptTable
    hit_df: pd.DataFrame
    ledger_df: pd.DataFrame
    cooccurrence_df: pd.DataFrame
    nearest_df: pd.DataFrame
    question: str | None
    options: AuditOptions
    controls: Sequence[ControlGroup] = ()
    retrieval: RetrievalCheck | None = None

    def __post_init__(self) -> None:
        for layer, names in _LAYERS.items():
            lacking = [name for name in names if getattr(self, name) is None]
            if lacking:
                raise MissingEvidenceError(layer, f"{', '.join(lacking)} was not passed")
        for contract in _CONTRACTS:
            contract.check(getattr(self, contract.name))


def justify_absence(layers: Layers) -> AbsenceJustification:
    """Draw the finding from the evidence.

    Raises:
        QuestionError: The question is empty or has no word in it.
        ConceptTableError: No variant of the table is accepted.
        OptionError: A required concept or a waived obligation does not exist, or the sweep had another scope.
        TableContractError: Two tables do not belong together.
    """
    table, hit_df, options = layers.table, layers.hit_df, layers.options
    required = required_concepts(table, options)
    counts, pages = hits_by_concept(hit_df, table)
    mentioned = are_mentioned(required, counts, hit_df, layers.cooccurrence_df, options)
    evidence = _evidence(layers, required)
    checks = weigh(evidence, options.waive)
    missing = any(not counts[name] for name in required)
    finding, reason, strength = verdict(checks, mentioned=mentioned, missing=missing)
    summary = Summary(finding, reason, required, counts, pages, layers.coverage, checks, options.scope)
    justification = AbsenceJustification(
        question=layers.question,
        finding=finding,
        reason=reason,
        strength=strength,
        absence_explanation=explain(summary, options.language),
        suggested_requery=_requery(reason, evidence, options),
        concept_hits=counts,
        concept_pages=pages,
        required=required,
        obligations=checks,
        unmet=tuple(one for one in checks if one.state is ObligationState.UNMET),
        closest_mentions=mentions(layers.nearest_df, {"mention", "pair"}) if any(counts.values()) else (),
        near_misses=mentions(layers.nearest_df, {"near_miss"}),
        hits=hits(hit_df),
        cooccurrences=meetings(layers.cooccurrence_df),
        ledger=ledger_rows(layers.ledger_df),
        blind_spots=blind_spots(layers.blind_spot_df),
        coverage=layers.coverage,
        concept_table=table,
        concept_table_fingerprint=table.fingerprint,
        document=layers.identity,
        pages=page_facts(layers.page_df),
        controls=tuple(layers.controls),
        retrieval=layers.retrieval,
        options=options,
    )
    return with_digest(justification)


def each_alone(
    layers: Layers, together: tuple[ObligationCheck, ...]
) -> dict[str, tuple[Verdict, tuple[ObligationCheck, ...]]]:
    """For every concept that is searched the verdict and the obligations of an audit that requires it alone.

    Args:
        layers: The evidence.
        together: The obligations of the justification that was drawn from it.

    Raises what `justify_absence` raises.
    """
    counts, _ = hits_by_concept(layers.hit_df, layers.table)
    possible_df = layers.hit_df[~is_counted(layers.hit_df)]
    if possible_df.empty:  # of all evidence only these depend on which concepts are required
        checks = dict.fromkeys(counts, together)
    else:
        evidence, waive = _evidence(layers, ()), layers.options.waive
        checks = {
            name: weigh(replace(evidence, possible_df=possible_df[possible_df["concept"] == name]), waive)
            for name in counts
        }
    return {
        name: (verdict(checks[name], mentioned=count > 0, missing=not count), checks[name])
        for name, count in counts.items()
    }


def _evidence(layers: Layers, required: Sequence[str]) -> Evidence:
    question, hit_df = layers.question, layers.hit_df
    uncovered = () if question is None else uncovered_words(question, layers.table)
    set_aside = () if question is None else rejected_words(question, layers.table, uncovered)
    return Evidence(
        pages_total=layers.identity.pages_total,
        page_df=layers.page_df,
        blind_spot_df=layers.blind_spot_df,
        coverage=layers.coverage,
        table=layers.table,
        ledger_df=layers.ledger_df,
        possible_df=hit_df[~is_counted(hit_df) & hit_df["concept"].isin(required)],
        question=question,
        content=() if question is None else content_words(question),
        uncovered=tuple(word for word in uncovered if word not in set_aside),
        set_aside=set_aside,
        controls=layers.controls,
        ocr=layers.options.ocr != "off",
    )


def _requery(reason: AbsenceReason | None, evidence: Evidence, options: AuditOptions) -> str | None:
    if reason is not AbsenceReason.AMBIGUOUS_QUESTION or evidence.question is None:
        return None
    japanese = options.language == "ja"
    instead = requery(evidence.question, evidence.table, japanese=japanese)
    if not evidence.uncovered:
        return instead
    words = ("、" if japanese else ", ").join(evidence.uncovered)
    if japanese:
        return f"{instead}（「{words}」について答えるには、概念表に加えてください）"
    return f"{instead} (For an answer on {words}, add a concept to the table.)"
