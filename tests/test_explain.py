from __future__ import annotations

import re
from typing import Any

import pytest

from docaudit.codes import AbsenceReason, Finding, Obligation, ObligationState
from docaudit.justification import AbsenceJustification, ObligationCheck
from docaudit.justify import all_pages_read, explain
from docaudit.options import AuditOptions
from tests.evidence import coverage


def summary(
    finding: Finding = Finding.ABSENT, *, total: int = 63, scope: Any = "page", **states: Any
) -> AbsenceJustification:
    checks = tuple(
        ObligationCheck(
            obligation=one,
            state=states.get(one.value, (ObligationState.MET,))[0],
            pages=states.get(one.value, (None, ()))[1],
            evidence="measured",
            waived_because=states.get(f"{one.value}_because"),
        )
        for one in Obligation
    )
    counts = states.get("counts", {"AI": 0, "data center": 0, "electricity": 7})
    where = {"AI": (12,), "data center": (1, 40), "electricity": (30, 31)}
    return AbsenceJustification.model_construct(
        finding=finding,
        reason=None if finding is Finding.MENTIONED else AbsenceReason.CONCEPT_NOT_FOUND,
        required=tuple(counts),
        concept_hits=counts,
        concept_pages={name: where[name] if count else () for name, count in counts.items()},
        coverage=states.get("coverage", coverage(total)),
        obligations=checks,
        unmet=tuple(check for check in checks if check.state is ObligationState.UNMET),
        options=AuditOptions(scope=scope),
    )


UNREAD = (ObligationState.UNMET, (3, 58, 59, 60))


def test_absent() -> None:
    assert explain(summary()) == (
        'Within the stated coverage (all 63 pages were read), no mention of "AI" or "data center" was found, '
        '"electricity" occurs 7 times on pages 30–31.'
    )
    assert explain(summary(), "ja") == (
        "示した読み取り範囲（全63ページを読み取り済み）の中では、「electricity」は7件（30–31ページ）、"
        "「AI」「data center」への言及は見つからない。"
    )


@pytest.mark.parametrize(
    ("scope", "en", "ja"), [("page", "page", "ページ"), ("window", "window of words", "語の範囲")]
)
def test_found_but_never_together(scope: str, en: str, ja: str) -> None:
    given = summary(scope=scope, counts={"AI": 1, "electricity": 7})
    assert f"and they never meet in the same {en}." in explain(given)
    assert f"ともに同じ{ja}に現れることはない。" in explain(given, "ja")
    three = summary(counts={"AI": 1, "data center": 2, "electricity": 7})
    assert "all of them never meet" in explain(three)


def test_mentioned_must_be_read() -> None:
    given = summary(Finding.MENTIONED, counts={"AI": 1, "electricity": 7})
    assert "they meet in the same page: these passages must be read, not denied." in explain(given)
    assert explain(given, "ja").endswith("同じページに現れるため、該当箇所を読む必要がある。")
    single = summary(Finding.MENTIONED, counts={"AI": 1})
    assert '"AI" occurs 1 time on page 12: this must be read' in explain(single)


def test_not_established_names_what_is_unmet_with_its_pages() -> None:
    given = summary(Finding.NOT_ESTABLISHED, ink_read=UNREAD, parts_opened=(ObligationState.UNMET, (0,)))
    text = explain(given)
    assert "absence is not established, because" in text
    assert "was not read with certainty on pages 3, 58–60; parts of the file were not opened." in text
    assert "（3, 58–60ページ）" in explain(given, "ja")


@pytest.mark.parametrize("obligation", ["pages_readable", "ink_read", "references_resolved"])
@pytest.mark.parametrize("state", [ObligationState.UNMET, ObligationState.WAIVED, ObligationState.NOT_RUN])
def test_all_pages_read_is_said_only_if_it_is_so(obligation: str, state: ObligationState) -> None:
    given = summary(**{obligation: (state, ()), "coverage": coverage(63, pages_with_text=60)})
    assert not all_pages_read(given)
    assert "60 of 63 pages have text that was read" in explain(given)
    assert "全63ページのうち60ページ" in explain(given, "ja")


def test_pages_that_only_ocr_read_are_pages_that_were_read() -> None:
    given = summary(ink_read=UNREAD, coverage=coverage(63, pages_with_text=40, pages_by_ocr_alone=20))
    assert "60 of 63 pages have text that was read, 20 of them by OCR alone" in explain(given)
    assert "全63ページのうち60ページの文字を読み取り、うち20ページはOCRのみ" in explain(given, "ja")


def test_waived() -> None:
    """Code and reason of each stand in the one sentence, whatever the finding."""
    waived = {"ink_read": (ObligationState.WAIVED, (3,)), "ink_read_because": "logos\n only."}
    assert explain(summary(**waived)).endswith('; this is absence with waived ink_read ("logos only").')
    assert explain(summary(**waived), "ja").endswith("（免除した確認: ink_read「logos only」）。")
    unmet = {"parts_opened": (ObligationState.UNMET, (0,)), **waived}
    given = summary(Finding.NOT_ESTABLISHED, **unmet)
    assert explain(given).endswith('parts of the file were not opened; waived: ink_read ("logos only").')
    assert explain(given, "ja").endswith("開かれていない部分がある（免除した確認: ink_read「logos only」）。")
    given = summary(Finding.MENTIONED, counts={"AI": 1}, **waived)
    assert explain(given).endswith('must be read, not denied; waived: ink_read ("logos only").')
    assert explain(given, "ja").endswith("（免除した確認: ink_read「logos only」）。")


@pytest.mark.parametrize("finding", list(Finding))
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("obligation", list(Obligation))
def test_every_sentence_keeps_the_rules(finding: Finding, language: Any, obligation: Obligation) -> None:
    state = ObligationState.UNMET if finding is Finding.NOT_ESTABLISHED else ObligationState.WAIVED
    given = summary(finding, **{obligation.value: (state, (3, 4, 9))})
    text = explain(given, language)
    assert len(re.findall(r"[.。](?:\s|$)", text)) == 1
    assert ("within the stated coverage" in text.lower()) or ("示した読み取り範囲" in text)
    assert "exist" not in text
    assert "存在しない" not in text
