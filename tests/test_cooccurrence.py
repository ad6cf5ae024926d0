from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.concepts.model import ConceptTable
from docaudit.cooccurrence import find_meetings
from docaudit.errors import TableContractError
from docaudit.options import Scope
from docaudit.tables import COOCCURRENCE_DF, HIT_DF, TOC_DF
from tests.evidence import hit, hits_in, lines

AB = ConceptTable.from_variants({"A": ["alpha"], "B": ["beta"]})
ABC = ConceptTable.from_variants({"A": ["alpha"], "B": ["beta"], "C": ["gamma"]})


def met(line_df: pd.DataFrame, table: ConceptTable = AB, **how: Any) -> list[tuple[str, int, int, int]]:
    found = find_meetings(hits_in(line_df, table), line_df, table, **how)
    COOCCURRENCE_DF.check(found)
    columns = (found[name].tolist() for name in ("concepts", "page_num", "line_num", "distance"))
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("scope", "same_line", "same_block", "same_page", "other_page"),
    [
        ("line", True, False, False, False),
        ("paragraph", True, True, False, False),
        ("page", True, True, True, False),
    ],
)
def test_each_scope_sees_what_it_should(
    scope: Scope, same_line: bool, same_block: bool, same_page: bool, other_page: bool
) -> None:
    assert bool(met(lines("alpha and beta"), scope=scope)) is same_line
    one_block = lines("the alpha", "the beta")
    one_block["block_num"] = 1
    assert bool(met(one_block, scope=scope)) is same_block
    assert bool(met(lines("the alpha", "the beta"), scope=scope)) is same_page
    assert bool(met(lines((1, 1, "alpha"), (2, 1, "beta")), scope=scope)) is other_page


def test_sentence() -> None:
    assert met(lines("The alpha, e.g. no. 3, has a", "beta. It is old."), scope="sentence")
    assert not met(lines("The alpha is old. A beta is new."), scope="sentence")
    assert not met(lines("アルファ alpha です。beta です。"), scope="sentence")
    assert not met(lines("The alpha", "A beta"), scope="sentence")  # a block each
    assert met(lines("The alpha", "and a beta"), scope="sentence")  # goes on in the next block
    over_pages = lines((1, 1, "alpha goes on"), (2, 1, "to a beta."))
    assert met(over_pages, scope="sentence")


def test_section_of_the_contents() -> None:
    line_df = lines((1, 1, "alpha"), (2, 1, "x"), (3, 1, "beta"), (4, 1, "alpha"))

    def sections(*pages: int) -> pd.DataFrame:
        return TOC_DF.build([{"title": f"S{page}", "page_num": page} for page in pages])

    assert met(line_df, scope="section", toc_df=sections(1)) == [("A + B", 3, 1, 0)]
    assert met(line_df, scope="section", toc_df=sections(1, 2, 4)) == [
        ("A + B", 3, 1, 0)
    ]  # may stand before it
    assert met(line_df, scope="section", toc_df=sections(1, 2)) == [("A + B", 3, 1, 0)]
    assert met(line_df[:3], scope="section", toc_df=sections(1, 2)) == []
    assert met(line_df[:3], scope="section")  # without contents nothing keeps them apart


def test_distance_counts_the_words_between_the_nearest() -> None:
    assert met(lines("alpha beta")) == [("A + B", 1, 1, 0)]
    assert met(lines("alpha", "one two", "three beta four alpha")) == [("A + B", 1, 3, 1)]


def test_window_goes_on_over_pages_in_the_order_of_reading() -> None:
    line_df = lines((2, 1, "two beta"), (1, 1, "alpha one"))
    assert met(line_df, scope="window", window_words=4) == [("A + B", 1, 1, 2)]
    assert met(line_df, scope="window", window_words=3) == []


def test_window_is_measured_for_a_set_from_end_to_end() -> None:
    line_df = lines("alpha x beta x gamma")
    assert ("A + B + C", 1, 1, 3) in met(line_df, ABC, scope="window", window_words=5)
    assert "A + B + C" not in {row[0] for row in met(line_df, ABC, scope="window", window_words=4)}


def test_text_beside_the_stream_does_not_push_words_apart() -> None:
    line_df = lines("alpha", "a comment of many words that lies beside the text", "beta")
    line_df.loc[1, "source"] = "annotation"
    assert met(line_df, scope="window", window_words=2) == [("A + B", 1, 1, 0)]


def test_whole_set_and_pairs() -> None:
    line_df = lines((1, 1, "alpha beta"), (2, 1, "beta gamma"), (3, 1, "gamma alpha beta"))
    rows = met(line_df, ABC)
    assert {(row[0], row[1]) for row in rows} == {
        ("A + B", 1),
        ("B + C", 2),
        ("A + B", 3),
        ("A + C", 3),
        ("B + C", 3),
        ("A + B + C", 3),
    }
    assert {row[0] for row in met(line_df, ABC, required=("C", "A"))} == {"A + B", "B + C", "A + C"}


def test_text_of_no_page_meets_only_in_its_own_line() -> None:
    for scope in ("line", "paragraph", "page", "window"):
        apart = lines((0, 1, "alpha"), (0, 2, "beta"), (1, 1, "beta"))
        together = lines((0, 1, "alpha of beta"), (1, 1, "no"))
        assert met(apart, scope=scope) == []
        assert met(together, scope=scope) == [("A + B", 0, 1, 1)]


def test_a_phrase_over_two_pages_belongs_to_both() -> None:
    line_df = lines((1, 1, "the al"), (2, 1, "pha is beta"))
    rows = [
        hit("A", 1, 1, 4, "alpha", page_end=2, line_end=1, char_end=3),
        hit("B", 2, 1, 7, "beta"),
    ]
    found = find_meetings(HIT_DF.build(rows), line_df, AB, scope="page")
    assert found["page_num"].tolist() == [1]  # where the first mention begins


def test_possible_misreadings_do_not_meet() -> None:
    line_df = lines("alpha beta")
    hit_df = hits_in(line_df, AB)
    hit_df.loc[0, "match_kind"] = "ocr_fuzzy"
    assert find_meetings(hit_df, line_df, AB).empty


def test_a_hit_on_a_line_that_is_not_there_is_an_error() -> None:
    line_df = lines("alpha beta")
    with pytest.raises(TableContractError, match="line 9"):
        find_meetings(HIT_DF.build([hit("A", 1, 9, 0, "alpha")]), line_df, AB)
    with pytest.raises(TableContractError, match="line 1 twice"):
        find_meetings(hits_in(line_df, AB), lines((1, 1, "alpha"), (1, 1, "beta")), AB)


def test_no_hits_give_an_empty_typed_table() -> None:
    found = find_meetings(HIT_DF.empty(), lines("nothing"), AB, scope="window")
    assert found.empty
    assert COOCCURRENCE_DF.check(found) is found


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "x"]), max_size=14)


@given(WORDS, st.integers(2, 8))
def test_window_finds_a_pair_exactly_if_one_is_near_enough(text: list[str], size: int) -> None:
    line_df = lines(*text) if text else lines("")
    found = {row[0] for row in met(line_df, ABC, scope="window", window_words=size)}
    at = {name: [n for n, word in enumerate(text) if word == name] for name in ("alpha", "beta", "gamma")}
    near = any(abs(a - b) < size for a in at["alpha"] for b in at["beta"])
    assert ("A + B" in found) is near
    together = any(
        max(a, b, c) - min(a, b, c) < size for a in at["alpha"] for b in at["beta"] for c in at["gamma"]
    )
    assert ("A + B + C" in found) is together
