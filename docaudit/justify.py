"""From evidence to a justification, and the one sentence that explains it; the rules are docaudit.rules.

The sentence is a template in English and Japanese whose numbers all stand in the justification. It says "within the
stated coverage", never "does not exist"; and "all pages were read" only if they were, and no reference is left
unresolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from docaudit.codes import AbsenceReason, Finding, Obligation, ObligationState
from docaudit.document import blind_spots, hits, ledger_rows, meetings, mentions, page_facts
from docaudit.evidence import Evidence
from docaudit.justification import AbsenceJustification, ObligationCheck
from docaudit.obligations import ink_read
from docaudit.question import requery
from docaudit.rules import Verdict, verdict, waived, weigh
from docaudit.saved import with_digest
from docaudit.text.numbers import page_ranges

_SCOPES_JA = {
    "line": "行",
    "sentence": "文",
    "paragraph": "段落",
    "section": "節",
    "page": "ページ",
    "window": "語の範囲",
}
_UNMET_JA = {
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


_NOT_EXPLAINED_YET = "(the explanation is made of all other fields)"


def justify_absence(evidence: Evidence) -> AbsenceJustification:
    """Draw the finding from the evidence.

    Raises:
        QuestionError: The question is empty or has no word in it.
        ConceptTableError: No variant of the table is accepted.
        OptionError: A required concept does not exist, or the sweep had another scope.
        TableContractError: Two tables do not belong together.
    """
    parsed, table, result, options = evidence.parsed, evidence.table, evidence.result, evidence.options
    mentioned, missing = evidence.mentioned, evidence.missing
    checks = weigh(evidence, options.waive)
    finding, reason, strength = verdict(checks, mentioned=mentioned, missing=missing)
    unexplained = AbsenceJustification(
        question=evidence.question,
        finding=finding,
        reason=reason,
        strength=strength,
        absence_explanation=_NOT_EXPLAINED_YET,
        suggested_requery=_requery(evidence) if reason is AbsenceReason.AMBIGUOUS_QUESTION else None,
        concept_hits=evidence.concept_hits,
        concept_pages=evidence.concept_pages,
        required=evidence.required,
        obligations=checks,
        unmet=tuple(check for check in checks if check.state is ObligationState.UNMET),
        closest_mentions=mentions(result.nearest_df, {"mention", "pair"})
        if any(evidence.concept_hits.values())
        else (),
        near_misses=mentions(result.nearest_df, {"near_miss"}),
        hits=hits(result.hit_df),
        cooccurrences=meetings(result.cooccurrence_df),
        ledger=ledger_rows(result.ledger_df),
        blind_spots=blind_spots(parsed.blind_spot_df),
        coverage=parsed.coverage,
        concept_table=table,
        concept_table_fingerprint=table.fingerprint,
        document=parsed.identity,
        pages=page_facts(parsed.page_df),
        controls=tuple(evidence.controls),
        retrieval=evidence.retrieval,
        options=options,
    )
    return with_digest(
        unexplained.model_copy(update={"absence_explanation": explain(unexplained, options.language)})
    )


def each_alone(
    evidence: Evidence, together: tuple[ObligationCheck, ...]
) -> dict[str, tuple[Verdict, tuple[ObligationCheck, ...]]]:
    """For every concept that is searched the verdict and the obligations of an audit that requires it alone.

    Args:
        evidence: The evidence.
        together: The obligations of the justification that was drawn from it.
    """
    page_df, blind_spot_df = evidence.parsed.page_df, evidence.parsed.blind_spot_df
    ocr, alone = evidence.options.ocr != "off", {}
    for name, count in evidence.concept_hits.items():
        checks = together
        if len(evidence.possible_df):  # of all evidence only these depend on which concepts are required
            ink = ink_read(page_df, blind_spot_df, evidence.possible_of([name]), ocr=ocr)
            ink = waived(ink, evidence.options.waive)
            checks = tuple(ink if check.obligation is Obligation.INK_READ else check for check in together)
        alone[name] = verdict(checks, mentioned=count > 0, missing=not count), checks
    return alone


def _requery(evidence: Evidence) -> str | None:
    """A question that the table covers, and what to do for the words that it does not cover."""
    if evidence.question is None:
        return None
    japanese = evidence.options.language == "ja"
    instead = requery(evidence.question, evidence.table, japanese=japanese)
    if not evidence.uncovered:
        return instead
    if japanese:
        return f"{instead}（「{'、'.join(evidence.uncovered)}」について答えるには、概念表に加えてください）"
    return f"{instead} (For an answer on {', '.join(evidence.uncovered)}, add a concept to the table.)"


def explain(justification: AbsenceJustification, language: Literal["en", "ja"] = "en") -> str:
    """One sentence on the finding, in English or Japanese, made of the other fields of the justification."""
    return _english(justification) if language == "en" else _japanese(justification)


def all_pages_read(justification: AbsenceJustification) -> bool:
    """Every page and all ink was read, and every reference resolved: only then may the sentence say so."""
    met = {check.obligation for check in justification.obligations if check.state is ObligationState.MET}
    return met >= {Obligation.PAGES_READABLE, Obligation.INK_READ, Obligation.REFERENCES_RESOLVED}


def _waivers(j: AbsenceJustification, quoted: str) -> list[str]:
    """Each waived obligation by its code, with the reason as a part of the sentence: on its line, without a stop."""
    return [
        check.obligation.value + quoted.format(" ".join((check.waived_because or "").split()).rstrip(".。"))
        for check in j.obligations
        if check.state is ObligationState.WAIVED
    ]


def _english(j: AbsenceJustification) -> str:
    total, by_ocr = j.coverage.pages_total, j.coverage.pages_by_ocr_alone
    read = f"{j.coverage.pages_read} of {total} pages have text that was read"
    read += f", {by_ocr} of them by OCR alone" if by_ocr else ""
    if all_pages_read(j):
        read = f"all {total} pages were read" if total > 1 else "its only page was read"
    facts = f"Within the stated coverage ({read}), {_facts_english(j)}"
    waivers = ", ".join(_waivers(j, ' ("{}")'))
    if j.finding is Finding.ABSENT:
        return f"{facts}; this is absence with waived {waivers}." if waivers else f"{facts}."
    if j.finding is Finding.MENTIONED:
        passages = "this" if len(j.required) == 1 else "these passages"
        sentence = f"{facts}: {passages} must be read, not denied"
    else:
        reasons = "; ".join(check.obligation.unmet + _on_pages(check.pages) for check in j.unmet)
        sentence = f"{facts}; absence is not established, because {reasons}"
    return f"{sentence}; waived: {waivers}." if waivers else f"{sentence}."


def _facts_english(j: AbsenceJustification) -> str:
    without = [f'"{name}"' for name in j.required if not j.concept_hits[name]]
    with_hits = [name for name in j.required if j.concept_hits[name]]
    parts = []
    if without:
        listed = f"{', '.join(without[:-1])} or {without[-1]}" if without[1:] else without[0]
        parts.append(f"no mention of {listed} was found")
    for name in with_hits:
        count, pages = j.concept_hits[name], j.concept_pages[name]
        where = _on_pages(pages)
        if 0 in pages:
            where += " and outside the pages" if where else " outside the pages"
        parts.append(f'"{name}" occurs {count} time{"" if count == 1 else "s"}{where}')
    if len(with_hits) > 1 and not without:
        they = "they" if len(with_hits) == 2 else "all of them"
        meet = "meet" if j.finding is Finding.MENTIONED else "never meet"
        scope = "window of words" if j.options.scope == "window" else j.options.scope
        parts.append(f"and {they} {meet} in the same {scope}")
    return ", ".join(parts)


def _on_pages(pages: Sequence[int]) -> str:
    physical = {page for page in pages if page}
    if not physical:
        return ""
    return f" on page{'' if len(physical) == 1 else 's'} {page_ranges(physical, shortest=2)}"


def _japanese(j: AbsenceJustification) -> str:
    total, by_ocr = j.coverage.pages_total, j.coverage.pages_by_ocr_alone
    read = f"全{total}ページのうち{j.coverage.pages_read}ページの文字を読み取り"
    read += f"、うち{by_ocr}ページはOCRのみ" if by_ocr else ""
    if all_pages_read(j):
        read = f"全{total}ページを読み取り済み"
    facts = f"示した読み取り範囲（{read}）の中では、{_facts_japanese(j)}"
    waivers = "、".join(_waivers(j, "「{}」"))
    also = f"（免除した確認: {waivers}）" if waivers else ""
    if j.finding is Finding.MENTIONED:
        return f"{facts}ため、該当箇所を読む必要がある{also}。"
    if j.finding is Finding.ABSENT:
        return f"{facts}{also}。"
    reasons = []
    for check in j.unmet:
        pages = page_ranges(filter(None, check.pages), shortest=2)
        reasons.append(_UNMET_JA[check.obligation] + (f"（{pages}ページ）" if pages else ""))
    return f"{facts}が、次の理由で不在は確定できない: {'、'.join(reasons)}{also}。"


def _facts_japanese(j: AbsenceJustification) -> str:
    without = "".join(f"「{name}」" for name in j.required if not j.concept_hits[name])
    with_hits = [name for name in j.required if j.concept_hits[name]]
    parts = []
    for name in with_hits:
        pages = page_ranges(filter(None, j.concept_pages[name]), shortest=2)
        places = [
            *([f"{pages}ページ"] if pages else []),
            *(["ページ外"] if 0 in j.concept_pages[name] else []),
        ]
        where = f"（{'、'.join(places)}）" if places else ""
        parts.append(f"「{name}」は{j.concept_hits[name]}件{where}")
    if without:
        return "、".join([*parts, f"{without}への言及は見つからない"])
    if len(with_hits) == 1:
        return f"{parts[0]}見つかった"
    verb = "現れる" if j.finding is Finding.MENTIONED else "現れることはない"
    both = "すべて" if len(with_hits) > 2 else "ともに"
    return f"{'、'.join(parts)}あり、{both}同じ{_SCOPES_JA[j.options.scope]}に{verb}"
