from __future__ import annotations

import time
from typing import Any

import pandas as pd
import pytest

from docaudit.codes import NearMissReason
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.cooccurrence import find_meetings
from docaudit.nearest import closest
from docaudit.tables import HIT_DF, NEAREST_DF
from docaudit.text.vocabulary import build_vocabulary, words_in_lines
from tests.evidence import hit, hits_in, lines


def near(line_df: pd.DataFrame, table: ConceptTable, limit: int = 5, hits: bool = True) -> pd.DataFrame:
    hit_df = hits_in(line_df, table) if hits else HIT_DF.empty()
    found = closest(hit_df, line_df, table, find_meetings(hit_df, line_df, table), limit=limit)
    NEAREST_DF.check(found)
    everything = "\n".join(line_df["text"])
    for snippet, text in zip(found["snippet"], found["text"], strict=True):
        assert snippet in everything  # verbatim
        assert text in snippet
    return found


def misses(text: str, variant: str, **how: Any) -> dict[str, str]:
    """Near misses of one variant in one line: text -> reason."""
    found = near(lines(text), ConceptTable(variants=(Variant(concept="c", text=variant, **how),)), hits=False)
    assert set(found["kind"]) <= {"near_miss"}
    sentences = {reason.meaning: reason.value for reason in NearMissReason}
    return {row.text: sentences[row.why_not] for row in found.itertuples()}


@pytest.mark.parametrize(
    ("text", "variant", "expected"),
    [
        ("The Ai Group and ai", "AI", {"Ai": "other_case", "ai": "other_case"}),
        ("a resume and a résumé2", "résumé", {"resume": "accents_differ"}),
        ("the elektricity grid", "electricity", {"elektricity": "spelling_differs"}),
        ("the eletcricity grid", "electricity", {"eletcricity": "spelling_differs"}),
        ("bioelectricity works", "electricity", {"bioelectricity": "part_of_word"}),
        ("it was generated", "generation", {"generated": "same_stem"}),
        ("consumption of gas", "consume", {"consumption": "same_stem"}),
        ("a data centre here", "data center", {"data centre": "same_stem"}),
        ("a data centor here", "data center", {"data centor": "spelling_differs"}),
        ("the datacentre", "data center", {"datacentre": "same_stem"}),
        ("a machine, learning", "machine learning", {"machine, learning": "parted_by_sign"}),
        ("machine/learning", "machine learning", {"machine/learning": "parted_by_sign"}),
        ("データセンタを置く", "データセンター", {"データセンタ": "spelling_differs"}),
    ],
)
def test_each_reason(text: str, variant: str, expected: dict[str, str]) -> None:
    found = misses(text, variant, inflect="off")
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("the cat sat", "car"),  # one edit in a short word is another word
        ("rain and paint", "AI"),  # two letters stand inside half of all words
        ("data, and a centre", "data center"),
        ("the data. Centre of town", "data center"),
        ("wholly unlike", "electricity"),
    ],
)
def test_what_is_not_near(text: str, variant: str) -> None:
    assert misses(text, variant) == {}


def test_words_come_in_the_order_of_the_text() -> None:
    """Not in the order of a set, which is another in every process: of many near misses the first are shown."""
    text = "biocrane geocrane Geocrane neocrane oldcrane newcrane"
    line_df = lines(text)
    made = build_vocabulary(line_df)
    assert list(made.lines_of) == text.split()
    assert made.counts == words_in_lines(line_df) == words_in_lines(line_df.copy()) == [6]
    line_df.loc[0, "text"] = "one two"
    assert list(build_vocabulary(line_df).lines_of) == ["one", "two"]
    assert words_in_lines(line_df) == [2]


def test_expressions_have_no_near_misses() -> None:
    assert misses("elektricity", "electricity", match="regex") == {}


def test_a_word_that_is_a_hit_of_the_concept_is_no_near_miss() -> None:
    table = ConceptTable.from_variants({"power": ["electrical", "electric"]})
    assert near(lines("an electrical grid"), table).query("kind == 'near_miss'").empty


def test_mentions_are_spread_over_pages_and_say_what_is_missing() -> None:
    table = ConceptTable.from_variants({"power": ["electricity"], "AI": ["AI"]})
    line_df = lines(*((page, line, "electricity") for page in (1, 2, 3) for line in (1, 2)))
    found = near(line_df, table, limit=4)
    assert list(zip(found["page_num"], found["line_num"], strict=True)) == [(1, 1), (1, 2), (2, 1), (3, 1)]
    assert set(found["why_not"]) == {"Mentions 'power' alone: no hit for AI."}


def test_nothing_is_closest_if_no_concept_is_found() -> None:
    table = ConceptTable.from_variants({"power": ["electricity"]})
    assert set(near(lines("elektricity"), table)["kind"]) == {"near_miss"}
    assert near(lines("elektricity"), table, limit=0).empty


def test_the_nearest_pair_of_two_that_never_meet() -> None:
    table = ConceptTable.from_variants({"A": ["alpha"], "B": ["beta"]})
    apart = lines((1, 1, "alpha one two"), (1, 2, "alpha three"), (2, 1, "beta"), (3, 1, "beta"))
    pair = near(apart, table).query("kind == 'pair'").iloc[0]
    assert (pair["concept"], pair["page_num"], pair["line_num"], pair["distance"]) == ("A + B", 1, 2, 1.0)
    assert "1 words away, on page 2" in pair["why_not"]
    assert near(lines("alpha beta"), table).query("kind == 'pair'").empty


def test_a_pair_with_text_of_no_page_has_no_distance() -> None:
    table = ConceptTable.from_variants({"A": ["alpha"], "B": ["beta"]})
    pair = near(lines((0, 1, "alpha"), (1, 1, "beta")), table).query("kind == 'pair'").iloc[0]
    assert pd.isna(pair["distance"])
    assert not any(char.isdigit() for char in pair["why_not"])


def test_a_possible_misreading_is_a_near_miss_and_says_so() -> None:
    table = ConceptTable.from_variants({"power": ["electricity"]})
    line_df = lines("e1ectricity", source="ocr")
    hit_df = HIT_DF.build(
        [hit("power", 1, 1, 0, "e1ectricity", variant="electricity", match_kind="ocr_fuzzy")]
    )
    found = closest(hit_df, line_df, table, find_meetings(hit_df, line_df, table), limit=5)
    assert found["kind"].unique().tolist() == ["near_miss"]
    assert "OCR may have misread it" in found.iloc[0]["why_not"]


def test_limits_give_every_variant_its_turn() -> None:
    table = ConceptTable.from_variants({"c": ["electricity", "generation"]})
    line_df = lines("elektricity electricitz elecricity electriciti generations generatio generatoin")
    found = near(line_df, table, limit=1, hits=False)
    assert found["variant"].tolist() == ["electricity", "generation", "electricity"]
    assert len(near(line_df, table, limit=5, hits=False)) == 6


def test_many_variants_over_many_words_stay_fast() -> None:
    line_df = lines(*(" ".join(f"word{n}x{k}" for k in range(10)) for n in range(3000)))
    table = ConceptTable.from_variants({"c": [f"missing{n}term" for n in range(500)] + ["two words here"]})
    start = time.perf_counter()
    near(line_df, table)
    assert time.perf_counter() - start < 15
