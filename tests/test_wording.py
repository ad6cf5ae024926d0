"""What one sentence on a justification may say. That answers are held to it is tested in test_wording_endpoint."""

from __future__ import annotations

import itertools
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.evidence import Mention
from docaudit.justification import AbsenceJustification, AbsenceReason, Finding
from docaudit.options import AuditOptions
from docaudit.wording import allowed_reasons, wording_problems
from docaudit.wording.answer import Answer, parse_answer
from docaudit.wording.checks import answer_problems
from docaudit.wording.request import MAX_SNIPPET, evidence, messages_for
from tests.evidence import coverage, justified, spots

WITHIN = "Within the stated coverage"
CONCEPTS = {"AI": ["AI"], "data center": ["data center"], "power": ["electricity"]}
TEXTS: dict[str, list[Any]] = {
    "none": ["nothing here"],
    "some": [(1, 1, "AI and electricity"), (2, 1, "electricity")],
    "apart": [(1, 1, "AI"), (2, 1, "electricity use"), (3, 1, "a data center")],
    "all": [(1, 1, "AI electricity data center")],
}
UNREAD = spots((2, "ocr_uncertain", "yes"), (3, "page_failed", "yes"), (0, "attachment_not_read", "yes"))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("names", [("AI",), ("AI", "power"), tuple(CONCEPTS)])
def test_every_sentence_of_the_template_may_stand(
    language: Any, texts: list[Any], names: tuple[str, ...]
) -> None:
    for scope, waived, unread, by_ocr in itertools.product(("page", "line", "window"), *[(False, True)] * 3):
        options = AuditOptions(
            language=language,
            scope=scope,
            waive=dict.fromkeys(("ink_read", "pages_readable", "parts_opened"), "seen") if waived else {},
        )
        found = justified(
            texts,
            {name: CONCEPTS[name] for name in names},
            options=options,
            question="How much electricity do oceans use?" if scope == "line" else None,
            blind_spot_df=UNREAD if unread else spots(),
            coverage=coverage(3, pages_with_text=1, pages_by_ocr_alone=1) if by_ocr else coverage(3),
        )
        assert wording_problems(found.absence_explanation, found) == (), found.absence_explanation


@cache
def absent(**options: Any) -> AbsenceJustification:
    """power on pages 1 and 2, AI nowhere; two pages, all of them read."""
    texts = [(1, 1, "Electricity demand rose, and electricity was dear."), (2, 1, "electricity in 2025")]
    concepts = {"AI": ["AI", "machine learning"], "power": ["lectricity"]}
    return justified(texts, concepts, options=AuditOptions(**options))


def test_the_case_of_the_next_tests() -> None:
    found = absent()
    assert (found.finding, dict(found.concept_hits)) == (Finding.ABSENT, {"AI": 0, "power": 3})
    assert found.concept_pages["power"] == (1, 2)


@pytest.mark.parametrize(
    "sentence",
    [
        'Within the stated coverage, "power" occurs 3 times on pages 1–2, but no mention of "AI" was found.',
        "Within the stated coverage (all 3 pages were read), “power” has 3 hits on pages 1 and 2 and “AI” no hit.",
        "No mention of «AI» was found within the stated coverage, although 'power' occurs 3 times on 2 pages.",
        'Within the stated coverage, "AI" was not found, whereas "power" appears 3 times on page 1-2.',
        "Within the stated coverage, AI is not mentioned, while power is mentioned 3 times.",
        "Within the stated coverage, power occurs 3 times, on page 1 in “Electricity demand rose”, and no hit of AI.",
    ],
)
def test_sentences_that_may_stand(sentence: str) -> None:
    assert wording_problems(sentence, absent()) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "示した読み取り範囲では、「power」は3件（1–2ページ）ありますが、「AI」への言及は見つかりませんでした。",
        "示した読み取り範囲（全3ページを読み取り済み）の中では、『power』は3回現れますが、『AI』への言及はありません。",
        "示した読み取り範囲では「AI」への言及はなく、「power」は1ページと2ページに3件あります。",
    ],
)
def test_japanese_sentences_that_may_stand(sentence: str) -> None:
    assert wording_problems(sentence, absent(language="ja")) == ()


NO_AI = 'no mention of "AI" was found'


@pytest.mark.parametrize(
    ("rest", "part"),
    [
        (f'"AI" was not searched, "power" occurs 3 times, {NO_AI}.', "'searched'"),
        (f'"AI" cannot occur, "power" occurs 3 times, {NO_AI}.', "'cannot'"),
        (f'"power" is absent, though it occurs 3 times, {NO_AI}.', "absence of a concept that has hits"),
        (f'no page was read, "power" occurs 3 times, {NO_AI}.', "'read'"),
        (f'there is no passage, "power" occurs 3 times, {NO_AI}.', "of nothing by its name"),
        (f'its only page was read, "power" occurs 3 times, {NO_AI}.', "all was read"),
        (f'3 of 2 pages were read, "power" occurs 3 times, {NO_AI}.', "not what was read"),
        (f'2 of 3 pages were read, "power" occurs 3 times, {NO_AI}.', "not what was read"),
        (f'"power" occurs 3 times outside the pages, {NO_AI}.', "outside the pages"),
        (f'"power" occurs 3 times on pages 1–3, {NO_AI}.', "not pages of 'power'"),
        (f'"power" occurs 3 times on pages 2–1, {NO_AI}.', "not pages of 'power'"),
        (f'"power" occurs 3 times on pages 1–99999999999999999999, {NO_AI}.', "not pages of 'power'"),
        (f'"power" occurs 3 times on 3 pages, {NO_AI}.', "not the number of pages of 'power'"),
        (f'"power" occurs 3 times, 2 of them by OCR alone, {NO_AI}.', "stands in no evidence"),
        (
            f'"power" occurs 3 times on page 2 as “Electricity demand rose”, on page 2, {NO_AI}.',
            "not pages of",
        ),
        ('"power" occurs 3 times, no mention of AI was not found.', "denies twice"),
        ('"power" occurs 3 times, no mention of AI or “machine learning” was found.', "denies a quotation"),
        (f'"power" occurs 3 times, {NO_AI}, and there is a mention of it.', "of nothing by its name"),
        (f'"power" occurs 3 times and they never meet in the same page, {NO_AI}.', "one has no hit"),
        (
            f'"power" occurs 3 times, {NO_AI}, this is absence with waived readers_agree.',
            "is open, which it is not",
        ),
        (f'"power" occurs 3 times, {NO_AI}, so the passages must be read.', "must be read"),
        (f'"power" occurs {"9" * 5000} times, {NO_AI}.', "longer than"),
        (f'"power" occurs 3 times, {NO_AI}, no mention of \U000f0000 was found.', "private use"),
        (" ", "not one sentence"),
    ],
)
def test_sentences_that_may_not(rest: str, part: str) -> None:
    problems = wording_problems(f"{WITHIN}, {rest}", absent())
    assert any(part in problem for problem in problems), problems


def test_concepts_that_are_found_apart() -> None:
    texts = [(1, 1, "AI"), (2, 1, "electricity")]
    apart = justified(texts, {"AI": ["AI"], "power": ["electricity"]})
    assert apart.reason is AbsenceReason.OFF_TOPIC
    facts = f'{WITHIN}, "AI" occurs 1 time, "power" occurs 1 time'
    assert wording_problems(f"{facts}, and they never meet in the same page.", apart) == ()
    for wrong in (
        "and they meet in the same page",
        "and they never meet in the same document",
        "and they never meet",
    ):
        assert wording_problems(f"{facts}, {wrong}.", apart)


def test_mentioned_is_never_played_down() -> None:
    found = justified([(1, 1, "AI electricity")], {"AI": ["AI"], "power": ["electricity"]})
    assert allowed_reasons(found) == (None,)
    facts = f'{WITHIN}, "AI" occurs 1 time, "power" occurs 1 time'
    assert (
        wording_problems(f"{facts}, and they meet in the same page: the passages must be read.", found) == ()
    )
    assert wording_problems(f"{facts}.", found)
    assert wording_problems(
        f"{facts}, and they never meet in the same page: the passages must be read.", found
    )


def test_what_is_unmet_is_named() -> None:
    found = justified(["x"], {"AI": ["AI"]}, blind_spot_df=UNREAD)
    facts = f"{WITHIN}, {NO_AI}"
    why = "what may be text was not read with certainty on page 2; pages could not be read in full on page 3"
    whole = f"{facts}; absence is not established, because {why}; parts_opened."
    assert wording_problems(whole, found) == ()
    assert "does not name parts_opened ('parts of the file were not opened')" in wording_problems(
        whole.replace("; parts_opened", ""), found
    )
    assert wording_problems(f"{facts}.", found)
    assert wording_problems(whole.replace("page 2", "page 3"), found)
    assert wording_problems(whole.replace("absence is not established", "this is absence"), found)


def test_a_name_like_a_common_word_and_one_with_digits() -> None:
    found = justified(["Scope 3 and IT"], {"Scope 3": ["Scope 3"], "IT": ["IT"], "the coverage": ["zzz"]})
    sentence = (
        f'{WITHIN}, "Scope 3" occurs 1 time, "IT" occurs 1 time, though it is in the document, and no mention of '
        '"the coverage" was found.'
    )
    assert wording_problems(sentence, found) == ()
    assert wording_problems(sentence.replace('"Scope 3"', '"Scope 31"'), found)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_instructions_hold_nothing_of_document_question_or_table(language: Any, texts: list[Any]) -> None:
    found = justified(texts, CONCEPTS, question="Why zirconium?", options=AuditOptions(language=language))
    system, user = messages_for(found)
    for text in ("AI", "data center", "lectricity", "zirconium", "report.pdf"):
        assert text not in system["content"]
    assert "{" not in system["content"].split("Schema:")[0]
    assert json.loads(user["content"])["finding"] == found.finding.value


def test_snippets_are_cut_and_obligations_bring_no_text_of_the_document() -> None:
    long = Mention(
        kind="mention",
        concept="power",
        variant="x",
        text="x",
        page_num=1,
        line_num=1,
        snippet="é" * 999,
        why_not="x",
    )
    found = absent().model_copy(update={"closest_mentions": (long,)})
    sent = evidence(found)
    assert sent["closest_mentions"][0]["snippet"] == "é" * MAX_SNIPPET
    assert {key for one in sent["obligations"] for key in one} <= {"code", "state", "phrase", "pages"}
    assert "report.pdf" not in str(sent)


@given(st.text(max_size=80), st.integers(-5, 400))
def test_nothing_put_into_a_good_sentence_changes_a_number(extra: str, at: int) -> None:
    """Whatever stands in a sentence that is taken: its digits are those of the evidence."""
    good = (
        'Within the stated coverage, "power" occurs 3 times on pages 1–2, but no mention of "AI" was found.'
    )
    sentence = good[: at % len(good)] + extra + good[at % len(good) :]
    if not wording_problems(sentence, absent()):
        assert set(sentence) - set(good) <= set(" ,;:()–—-.\u00a0１２３")


@given(st.text(max_size=200))
def test_no_text_ends_the_reading_of_an_answer(text: str) -> None:
    answer = parse_answer(text)
    assert isinstance(answer, (str, Answer))


@given(
    st.builds(
        Answer,
        considerations=st.just(()),
        mention_ids=st.lists(st.integers(-3, 9)).map(tuple),
        reason=st.sampled_from([None, *AbsenceReason]),
        sentence=st.text(min_size=1, max_size=300),
        suggested_requery=st.none() | st.text(max_size=300),
    )
)
def test_an_answer_of_chance_is_refused(answer: Answer) -> None:
    assert answer_problems(answer, absent())
