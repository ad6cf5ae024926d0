"""What one sentence on a justification may say. That answers are held to it is tested in test_wording_endpoint."""

from __future__ import annotations

import itertools
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.codes import AbsenceReason, Finding
from docaudit.justification import AbsenceJustification, Mention
from docaudit.options import AuditOptions
from docaudit.wording.checks import Answer, allowed_reasons, answer_problems, parse_answer, wording_problems
from docaudit.wording.model import MAX_SNIPPET, evidence, messages_for
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
        (f'"power" is absent, though it occurs 3 times, {NO_AI}.', "'absent'"),
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
        f'{WITHIN}, "Scope 3" occurs 1 time, "IT" occurs 1 time in the document, and no mention of '
        '"the coverage" was found.'
    )
    assert wording_problems(sentence, found) == ()
    assert wording_problems(sentence.replace('"Scope 3"', '"Scope 31"'), found)
    assert wording_problems(sentence.replace('"IT"', "it"), found)


PAIR = {"AI": ["AI", "machine learning"], "electricity": ["lectricity", "kilowatt hours"]}
APART = [
    (1, 1, "AI is used in planning."),
    (1, 2, "Our AI tools help."),
    (2, 1, "Electricity prices rose, electricity demand fell, the electricity grid is old."),
    (3, 1, "Nothing here."),
]
QUESTION = "How much electricity does AI use?"


@cache
def breakers_case(case: str) -> AbsenceJustification:
    """AI twice on page 1 and electricity three times on page 2, all pages read; both on page 1; one of them; none."""
    together = [
        (1, 1, "AI is used in planning, AI uses electricity too."),
        (2, 1, "Electricity prices rose."),
    ]
    none = {"AI": ["machine learning", "neural net"]}
    japanese = {"人工知能": ["AI", "機械学習"], "電力": ["lectricity", "電気"]}
    texts, concepts, question = {
        "apart": (APART, PAIR, QUESTION),
        "together": (together, PAIR, QUESTION),
        "none": (APART, none, "What about AI?"),
        "unread": (APART, none, "What about AI?"),
        "apart ja": (APART, japanese, "人工知能の電力は？"),
        "none ja": (APART, {"人工知能": ["機械学習", "深層学習"]}, "人工知能は？"),
    }[case]
    options = AuditOptions(language="ja" if case.endswith("ja") else "en")
    unread = UNREAD if case == "unread" else spots()
    return justified(texts, concepts, question=question, options=options, blind_spot_df=unread)


APART_SAID = (
    f'{WITHIN} (all 3 pages were read), "AI" occurs 2 times on page 1, "electricity" occurs 3 times on page 2, '
    "and they never meet in the same page."
)
NONE_SAID = f"{WITHIN} (all 3 pages were read), {NO_AI}."
TOGETHER_SAID = (
    f'{WITHIN} (all 3 pages were read), "AI" occurs 2 times on page 1, "electricity" occurs 2 times on pages 1–2, '
    "and they meet in the same page: these passages must be read, not denied."
)
APART_JA = (
    "示した読み取り範囲（全3ページを読み取り済み）の中では、「人工知能」は2件（1ページ）、「電力」は3件（2ページ）あり、"
    "ともに同じページに現れることはない。"
)
NONE_JA = "示した読み取り範囲（全3ページを読み取り済み）の中では、「人工知能」への言及は見つからない。"
SAID = {
    "apart": APART_SAID,
    "none": NONE_SAID,
    "together": TOGETHER_SAID,
    "apart ja": APART_JA,
    "none ja": NONE_JA,
}


@pytest.mark.parametrize("case", SAID)
def test_the_sentences_that_the_next_tests_change(case: str) -> None:
    assert SAID[case] == breakers_case(case).absence_explanation
    assert wording_problems(SAID[case], breakers_case(case)) == ()


@pytest.mark.parametrize(
    ("case", "old", "new"),
    [
        # what stands in brackets is a claim
        ("apart", "on page 2", 'on page 2 (there is no "electricity" in the document)'),
        ("apart", "on page 1", "on page 1 (not on the page)"),
        ("apart", "on page 1", "(on page 2)"),
        ("apart", '"AI"', '"AI" (with "Electricity prices rose")'),
        ("apart", '"AI"', '"AI" (1 of 3 pages have text that was read)'),
        ("apart", "2 times", "2 times (not 3 times)"),
        ("apart", "(all 3", '(no mention of "AI" was found in this document, all 3'),
        ("together", "(all 3", '(no mention of "AI" was found in this document, all 3'),
        ("together", ": th", " (they are not mentioned together in the document): th"),
        ("together", ": th", " ((absent)): th"),
        ("together", ": th", " (: th"),
        ("apart ja", "の中では、", "の中では（「人工知能」は見つからない）、"),
        ("apart ja", "ことはない", "ことはない（「電力」への言及はない）"),
        ("none ja", "。", "（文書の中に概念はない）。"),
        # words of table and question are not words of the document, nor are parts of its words
        ("apart", ", and they", ', "kilowatt hours" is mentioned in the document, and they'),
        ("apart", ", and they", ', "How much electricity does AI use" is mentioned on the page, and they'),
        ("apart", ", and they", ', "lectricity prices rose" is mentioned on page 2, and they'),
        ("none", "was found", 'was found, though "machine learning" was found on the page'),
        ("none", "was found", 'was found, and "neural net" is mentioned in the document'),
        ("apart ja", "の中では、", "の中では、「機械学習」への言及があり、"),
        ("none ja", "の中では、", "の中では、文書に「深層学習」があり、"),
        # nothing is denied of more than what was read
        ("none", "was found", "was found, so this is absence in the report"),
        ("none", "was found", 'was found, so the document has no "AI" in it'),
        ("none", "was found", "was found in the document"),
        ("none", "was found", "was found, in the document"),
        (
            "none",
            "was found",
            "was found (not only within the stated coverage but also in the document as it is)",
        ),
        ("none", WITHIN, f"Not in the document and not {WITHIN}"),
        ("none", WITHIN, f"In the document, and {WITHIN}"),
        ("none", NO_AI, '"AI" was found not only in the report'),
        ("apart", "in the same page", "in the same page or in the document"),
        ("apart", "in the same page", "in the same page or section"),
        ("none ja", "。", "、文書の不在。"),
        ("none ja", "への言及", "への言及は文書"),
        ("none ja", "「人工知能」への", "文書に「人工知能」への"),
        # true pieces make no claim together
        ("apart", "on page 1", "on page 1 with electricity"),
        ("apart", "on page 1", 'on page 1 as "machine learning"'),
        ("apart", "on page 1", 'on page 1 in "Electricity prices rose"'),
        ("apart", "on page 1", 'on page 1, in "Electricity prices rose"'),
        ("apart", "on page 1", "on a page of electricity"),
        ("apart", "on page 1,", "on page 1, which is a page where"),
        ("apart", "on page 1,", "on page 1, and its"),
        ("together", "in the same page", "in the same page on page 2"),
        ("together", "in the same page", "in the same page, on page 2"),
        ("together", "in the same page", "in the same page, 2 times"),
        ("none", "was found", "was found, though it is there"),
        ("none", "was found", 'was found, though "AI" is on the page'),
        ("none", "no mention of", "no mention of, and there is a mention of,"),
        ("none", "no mention of", "no mention found, there is"),
        ("none", "was found", "was found, there is no mention found"),
        ("none", "no mention of", "there is found no mention of"),
        ("none ja", "は見つからない", "はありますが見つからない"),
        ("none ja", "は見つからない", "は現れ、見つからない"),
        ("apart ja", "「人工知能」は2件（1ページ）", "「人工知能」は「電力」の中に2件（1ページ）"),
    ],
)
def test_true_sentences_with_a_false_piece(case: str, old: str, new: str) -> None:
    assert old in SAID[case]
    assert wording_problems(SAID[case].replace(old, new, 1), breakers_case(case))


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ("apart", APART_SAID.replace("on page 1", "(page 1)").replace("never", "do not")),
        ("apart", APART_SAID.replace("they never meet", '"AI" never meets "electricity"')),
        ("apart", APART_SAID.replace("on page 2", "in the document, on page 2 in “Electricity prices rose”")),
        ("apart", APART_SAID.replace("on page 2", "on page 2 in “Electricity prices rose”")),
        ("apart", APART_SAID.replace(", and they", ", “Our AI tools help” is mentioned on page 1, and they")),
        ("none", f"{NO_AI.capitalize().replace('ai', 'AI')} within the stated coverage of the document."),
        ("none", f'{WITHIN}, for all 3 pages were read, there is no mention of "AI".'),
        ("apart ja", APART_JA.replace("示した", "この文書の示した").replace("（1ページ）", "")),
        ("none ja", "この文書の示した読み取り範囲では、「人工知能」への言及はありません。"),
    ],
)
def test_what_a_model_may_say_of_these(case: str, sentence: str) -> None:
    assert wording_problems(sentence, breakers_case(case)) == ()


def test_two_of_three_that_meet_are_not_said_to_be_apart() -> None:
    texts = [(1, 1, "AI and electricity"), (2, 1, "a data center")]
    found = justified(texts, CONCEPTS)
    facts = f'{WITHIN}, "AI" occurs 1 time, "power" occurs 1 time, "data center" occurs 1 time'
    assert wording_problems(f"{facts}, and all of them never meet in the same page.", found) == ()
    for wrong in ("they never meet", '"AI" and "power" never meet', '"AI" never meets "power"'):
        assert wording_problems(f"{facts}, and {wrong} in the same page.", found)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_is_unmet_is_not_said_to_be_waived(language: Any) -> None:
    options = AuditOptions(language=language, waive={"ink_read": "seen"})
    found = justified(["x"], {"AI": ["AI"]}, blind_spot_df=UNREAD, options=options)
    assert found.finding is Finding.NOT_ESTABLISHED
    right = found.absence_explanation
    unmet = "parts of the file were not opened" if language == "en" else "開かれていない部分がある"
    assert wording_problems(right, found) == ()
    swapped = right.replace(unmet, "ink_read")
    swapped = "parts_opened".join(
        swapped.rsplit('ink_read ("seen")' if language == "en" else "ink_read「seen」", 1)
    )
    assert any("unmet from what was waived" in problem for problem in wording_problems(swapped, found)), (
        swapped
    )


def test_absence_beyond_coverage_is_not_slipped_into_what_is_unmet() -> None:
    found = breakers_case("unread")
    assert wording_problems(found.absence_explanation, found) == ()
    for new in ("; it is absent in the document; absence", ' ("AI" does not occur, no hit); absence'):
        assert wording_problems(found.absence_explanation.replace("; absence", new), found)


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
