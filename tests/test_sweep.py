"""The sweep as a whole: hits, ledger, robustness, and the fast path against plain regular expressions."""

from __future__ import annotations

import random
import time

import pandas as pd
import pymupdf
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.search import sweep_lines
from docaudit.search.article import sweep_for_absence
from docaudit.search.lines import PageLines
from docaudit.search.matching import fast_matches, plain_matches
from docaudit.search.patterns import compile_variant
from docaudit.search.reading_orders import Segments, reading_orders
from docaudit.search.search_text import SearchText
from docaudit.tables import HIT_DF, LEDGER_DF, LINE_DF, TOC_DF
from tests.lines_helper import NAN, boxed, found, hits, kinds, page_of, table

PIECES = [
    "audit", "trail", "trails", "AI", "ai", "data", "center",
    "centre", "s", "ガ", "カ", "人工", "智能", "é", "e\u0301",
    "10.3", "1", "2", "C++", "C", "+", "-", "—", " ",
    "  ", " ", "'", ".", ",", "\u00ad", "3", "organi", "sation", "zation",
    "한", "국", "A U D I T", "(", ")", "®", "ß", "ss", "x", "\u0301", "٣", "חוזה", "_",
    "of", "with the audit trail", "data center of", "but",
]  # fmt: skip
LINE = st.lists(st.sampled_from(PIECES), min_size=0, max_size=9).map("".join)
VARIANT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)


@st.composite
def lines_with_variants(draw: st.DrawFn, count: int) -> tuple[list[str], list[str]]:
    """Lines, and variants of which most are cut out of them: so that most have hits, and begin and end anywhere."""
    pieces = draw(st.lists(st.lists(st.sampled_from(PIECES), max_size=7), min_size=1, max_size=6))
    flat = [piece for line in pieces for piece in line]
    variants = []
    for _ in range(count):
        first = draw(st.integers(0, max(len(flat) - 1, 0)))
        cut = "".join(flat[first : first + draw(st.integers(1, 3))])
        variants.append(cut if cut and draw(st.integers(0, 3)) else draw(VARIANT))
    return ["".join(line) for line in pieces], variants


MODES = st.tuples(
    st.sampled_from(["word", "prefix", "substring"]),
    st.sampled_from(["auto", "sensitive", "insensitive"]),
    st.sampled_from(["auto", "off"]),
)


@settings(max_examples=400, deadline=None)
@given(lines_with_variants(4), st.lists(MODES, min_size=4, max_size=4))
@example((["110.3 of", "C+++"], ["10.3", "C++", "10", "3"]), [("word", "auto", "auto")] * 4)
def test_fast_path_equals_plain_regular_expressions(
    drawn: tuple[list[str], list[str]], modes: list[tuple[str, str, str]]
) -> None:
    texts, variants = drawn
    half = len(texts) // 2
    lines = PageLines.of(table(page_of(*texts[:half]) + page_of(*texts[half:], page=2)))
    text = SearchText(lines, Segments.of(reading_orders(lines)))
    patterns = [
        compile_variant(Variant(concept="c", text=text, match=match, case=case, inflect=inflect))  # type: ignore[arg-type]
        for text, (match, case, inflect) in zip(variants, modes, strict=True)
    ]
    assert fast_matches(text, patterns) == plain_matches(text, patterns)


@settings(max_examples=100, deadline=None)
@given(st.lists(LINE, min_size=1, max_size=5), VARIANT)
@example(["audit"], "audit\u0301")
def test_every_hit_is_verbatim_and_counted(texts: list[str], variant: str) -> None:
    line_df = table(page_of(*texts))
    concepts = ConceptTable(variants=(Variant(concept="c", text=variant),))
    hit_df, ledger_df = sweep_lines(line_df, concepts, pages_total=1)
    by_line = dict(zip(line_df["line_num"], line_df["text"], strict=True))
    for hit in hit_df.itertuples():
        parts = hit.match_text.split("\n")
        assert by_line[hit.line_num][hit.char_start :].startswith(parts[0])
        assert by_line[hit.line_end][: hit.char_end].endswith(parts[-1])
        assert all(any(part in text for text in texts) for part in hit.snippet.split("\n"))
    possible = hit_df["match_kind"].isin(["accents_differ", "ocr_fuzzy"]).sum()
    assert ledger_df["hits"].tolist() == [len(hit_df) - possible]


@settings(max_examples=60, deadline=None)
@given(lines_with_variants(2))
@example((["audit trail audit", "trail audit trails"], ["audit", "audit trail"]))
def test_adding_a_variant_removes_no_hit(drawn: tuple[list[str], list[str]]) -> None:
    texts, (one, other) = drawn
    rows = page_of(*texts)
    alone = hits(rows, one)
    both = hits(rows, one, other)
    key = ["variant", "line_num", "char_start", "line_end", "char_end", "match_kind"]
    assert set(map(tuple, alone[key].to_numpy())) <= set(map(tuple, both[key].to_numpy()))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_breaking_lines_anywhere_loses_no_hit(seed: int) -> None:
    words = "the board keeps an audit trail of all personal data in the data center since 2019".split()
    chance = random.Random(seed)
    lines: list[list[str]] = [[]]
    for word in words:
        lines[-1].append(word)
        if chance.random() < 0.4:
            lines.append([])
    rows = page_of(*(" ".join(line) for line in lines if line))
    for variant in ("audit trail", "personal data", "data center", "the board keeps an audit trail"):
        assert len(hits(rows, variant)) == 1


SPLIT_WORDS = "the board keeps an audit trail of all personal data in the data center since 2019".split()


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_division_into_lines_and_pages_loses_no_hit(data: st.DataObject) -> None:
    """Lines end after any word, or inside a word with a hyphen; a page ends after any line."""
    lines, pages, line = [], [1], ""
    for word in SPLIT_WORDS:
        cut = data.draw(st.integers(-4, len(word) - 2 if word.isalpha() else 1))
        if cut >= 2:  # two letters at least on either side
            lines.append(f"{line} {word[:cut]}-".strip())
            pages.append(pages[-1] + data.draw(st.booleans()))
            line = word[cut:]
        elif cut == -1:
            lines.append(f"{line} {word}".strip())
            pages.append(pages[-1] + data.draw(st.booleans()))
            line = ""
        else:
            line = f"{line} {word}".strip()
    lines.append(line or "end")
    rows = [
        row
        for number, (text, page) in enumerate(zip(lines, pages, strict=True), 1)
        for row in page_of(text, page=page, start=number)
    ]
    for variant in (
        "audit trail",
        "personal data",
        "data center",
        "board keeps an audit trail",
        "since 2019",
    ):
        assert len(hits(rows, variant)) >= 1, (variant, lines, pages)


def test_a_table_that_was_changed_between_two_sweeps_is_searched_anew() -> None:
    line_df = table(page_of("an audit", "a trail"))
    assert len(hits(line_df, "audit")) == 1
    line_df.loc[0, "text"] = "a walrus"
    assert len(hits(line_df, "audit")) == 0
    assert len(hits(line_df, "walrus")) == 1


def test_tables_keep_their_contracts_also_when_empty() -> None:
    concepts = ConceptTable.from_variants({"a": ["audit"], "b": ["x|y"]})
    for line_df in (LINE_DF.empty(), table(page_of("an audit"))):
        hit_df, ledger_df = sweep_lines(line_df, concepts, pages_total=3)
        assert HIT_DF.check(hit_df) is hit_df
        assert list(hit_df.columns) == list(HIT_DF.columns)
        assert LEDGER_DF.check(ledger_df) is ledger_df
        assert len(ledger_df) == 2
    assert ledger_df["pages_searched"].tolist() == [1, 1]
    assert ledger_df["pages_not_searchable"].tolist() == [2, 2]


def test_place_kind_section_and_box() -> None:
    rows = page_of("Intro", page=1) + page_of("the audit trail is", page=2, font_size=10.0)
    toc = TOC_DF.build(
        [{"title": "One", "page_num": 1}, {"title": "Two", "page_num": 2}, {"title": "Three", "page_num": 3}]
    )
    concepts = ConceptTable.from_variants({"c": ["audit trail", "audit"]})
    hit_df, ledger_df = sweep_lines(table(rows), concepts, pages_total=2, toc_df=toc)
    hit = hit_df.iloc[0]
    assert (hit.match_text, hit.match_kind, hit.page_num, hit.char_start, hit.char_end) == (
        "audit trail",
        "exact",
        2,
        4,
        15,
    )
    assert (hit.section, hit.snippet) == ("Two", "the audit trail is")
    # Six points for each letter of a font of ten: monospaced.
    assert (hit.x0, hit.x1) == pytest.approx((72.0 + 24, 72.0 + 90))
    assert hit_df["nested"].tolist() == [False, True]
    assert ledger_df["unique_hits"].tolist() == [1, 0]


@pytest.mark.parametrize("font", ["helv", "tiro", "hebo", "cour"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Still, little illicit filling of ", " WITHIN THE MAIN MARKETS OF GERMANY"),
        ("Contents of this ", " . . . . . . . . . . . . . . . . . . . 12"),
    ],
)
def test_boxes_follow_the_widths_of_letters(font: str, before: str, after: str) -> None:
    """The widths are those of the engine's own fonts; a share of the length would be up to 50 points off."""

    def width(text: str) -> float:
        return pymupdf.get_text_length(text, fontname=font, fontsize=10)

    line = f"{before}audit trail{after}"
    rows = page_of(line, font_size=10.0, x1=72 + width(line))
    hit = hits(rows, "audit trail").iloc[0]
    begin = 72 + width(before)
    assert (hit.x0, hit.x1) == pytest.approx((begin, begin + width("audit trail")), abs=13)
    assert hit.x1 - hit.x0 == pytest.approx(width("audit trail"), rel=0.2)


def test_a_wide_letter_takes_the_room_of_two() -> None:
    hit = hits(page_of("ab人工cdé智能", x0=0.0, x1=61.5, font_size=10.0), "智能").iloc[0]
    # a 10, b 11, two squares of 20, c 9, d 11, é as e 10; then two squares more.
    assert (hit.x0, hit.x1) == pytest.approx((61.5 * 91 / 131, 61.5))


def test_negation() -> None:
    rows = page_of(
        "we keep no personal data.",
        "Personal data are kept.",
        "個人情報は取得しません。",
        "個人情報を取得する。",
    )
    assert hits(rows, "personal data")["negated"].tolist() == [True, False]
    assert hits(rows, "個人情報")["negated"].tolist() == [True, False]


def test_one_hit_for_what_two_readers_saw() -> None:
    rows = page_of("an audit trail")
    rows += page_of("an audit trail", start=2, source="second_reader", y0=72.0, y1=84.0)
    rows += page_of("an audit trail", start=3, source="ocr", y0=500.0, y1=512.0)
    assert hits(rows, "audit trail")["source"].tolist() == ["text_layer", "ocr"]


def test_misreadings_of_ocr_are_listed_and_not_counted() -> None:
    rows = page_of("traces of a5bestos and asbestos", "persona1 dafa of", "asbestosis", source="ocr")
    rows += page_of("a5bestos", start=9)
    concepts = ConceptTable.from_variants({"c": ["asbestos", "personal data", "tres"]})
    hit_df, ledger_df = sweep_lines(table(rows), concepts, pages_total=1)
    fuzzy = hit_df[hit_df["match_kind"] == "ocr_fuzzy"]
    assert fuzzy["match_text"].tolist() == ["a5bestos", "persona1 dafa"]
    assert ledger_df["hits"].tolist() == [1, 0, 0]


def test_short_words_may_be_misread_as_letters_that_look_the_same() -> None:
    rows = page_of("Al helps, A1 and AI, et al said", "lT and it, 0IL", "All of it", source="ocr")
    concepts = ConceptTable.from_variants({"c": ["AI", "IT", "OIL"]})
    hit_df, ledger_df = sweep_lines(table(rows), concepts, pages_total=1)
    fuzzy = hit_df[hit_df["match_kind"] == "ocr_fuzzy"]
    assert fuzzy["match_text"].tolist() == ["Al", "A1", "lT", "0IL"]
    assert ledger_df["hits"].tolist() == [1, 0, 0]


def test_expert_expressions_fail_alone() -> None:
    variants = (
        Variant(concept="a", text="(a+)+$", match="regex"),
        Variant(concept="b", text="(unclosed", match="regex"),
        Variant(concept="c", text=r"audit\s+trail", match="regex"),
        Variant(concept="d", text="audit"),
        Variant(concept="e", text="(x{5000}){5000}", match="regex"),
    )
    rows = page_of("the audit", "trail " + "a" * 40 + "b")
    _, ledger_df = sweep_lines(table(rows), ConceptTable(variants=variants), pages_total=1)
    assert ledger_df["state"].tolist() == ["failed", "failed", "searched", "searched", "failed"]
    assert "position" in ledger_df["detail"][1]
    assert "25,000,000 times" in ledger_df["detail"][4]
    assert ledger_df["hits"].tolist() == [0, 0, 1, 1, 0]


def test_time_limit_of_an_expression() -> None:
    slow = Variant(concept="a", text=r"(?:x+x+)+(?:x+x+)+(?:x+y?)+z", match="regex")
    rows = [row for page in range(1, 6) for row in page_of("x" * 3000, page=page)]
    begin = time.perf_counter()
    _, ledger_df = sweep_lines(table(rows), ConceptTable(variants=(slow,)), pages_total=5, regex_seconds=0.05)
    assert time.perf_counter() - begin < 5
    assert ledger_df["state"].tolist() == ["timed_out"]
    assert "not run on page 4, 5" in ledger_df["detail"][0]


@pytest.mark.parametrize(
    "text", ["", " ", "-", "\ud800", "\u200b", "a" * 10_000, "(", "\\", "a\nb", "\x00", "\x1c"]
)
def test_no_variant_hangs_or_crashes(text: str) -> None:
    rows = page_of("a b (c) \\ \ufffd d", "", "\x00\x1c a-")
    hits(rows, text)
    hits(
        pd.DataFrame({"page_num": [1], "line_num": [1], "text": pd.Series(["a \ud800 b"], dtype=object)}),
        text,
    )
    assert found("a" * 10_000, "a" * 10_000) == ["a" * 10_000]


def test_time_limit_of_the_whole_sweep() -> None:
    slow = [Variant(concept="a", text=rf"(?:x+x+)+(?:x+x+)+(?:x+y?)+z{n}", match="regex") for n in range(50)]
    rows = [row for page in range(1, 4) for row in page_of("x" * 3000, page=page)]
    concepts = ConceptTable(variants=(*slow, Variant(concept="b", text="x" * 3000)))
    begin = time.perf_counter()
    _, ledger_df = sweep_lines(table(rows), concepts, pages_total=3, regex_seconds=0.2, sweep_seconds=0.5)
    assert time.perf_counter() - begin < 25  # 50 expressions on 3 pages would take 30 s
    assert ledger_df["state"].tolist() == ["timed_out"] * 50 + ["searched"]
    assert "not run on page 1, 2, 3 as the sweep had used up its time" in ledger_df["detail"][49]
    assert ledger_df["hits"][50] > 0


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x", "a b ", "the board keeps an audit trail (é3). ", "食べ", "1,2 "])
def test_a_very_long_line_takes_time_in_proportion(text: str) -> None:
    begin = time.process_time()
    hits(page_of(text * (500_000 // len(text))), "audit trail", "xx")
    assert time.process_time() - begin < 25


@pytest.mark.parametrize("text", ["Stra\ufffde", "caf\ud800"])
def test_a_variant_with_a_lost_character_proves_no_absence(text: str) -> None:
    concepts = ConceptTable(variants=(Variant(concept="c", text=text), Variant(concept="c", text="road")))
    hit_df, ledger_df = sweep_lines(table(page_of("die Straße", "a road")), concepts, pages_total=1)
    assert hit_df["variant"].tolist() == ["road"]
    assert ledger_df["state"].tolist() == ["failed", "searched"]
    assert "U+FFFD" in ledger_df["detail"][0]


@pytest.mark.slow
def test_a_hundred_thousand_variants() -> None:
    variants = tuple(Variant(concept="c", text=f"word{number:06d} of many") for number in range(100_000))
    begin = time.process_time()
    hit_df, ledger_df = sweep_lines(
        table(page_of("this is word099999", "of many")), ConceptTable(variants=variants), pages_total=1
    )
    assert hit_df["variant"].tolist() == ["word099999 of many"]
    assert hit_df["match_kind"].tolist() == ["across_lines"]
    assert len(ledger_df) == 100_000
    assert set(ledger_df["state"]) == {"searched"}
    assert time.process_time() - begin < 120


def test_many_variants() -> None:
    concepts = ConceptTable.from_variants(
        {"c": [f"variant {number:06d} of many" for number in range(20_000)]}
    )
    hit_df, ledger_df = sweep_lines(table(page_of("this is variant 000777 of many")), concepts, pages_total=1)
    assert hit_df["variant"].tolist() == ["variant 000777 of many"]
    assert len(ledger_df) == 20_000


def test_lines_without_boxes_take_part_in_the_stream() -> None:
    rows = boxed(("the audit", NAN, NAN, NAN), ("trail", NAN, NAN, NAN))
    assert len(hits(rows, "audit trail")) == 1


def test_sweep_for_absence_safe_and_as_in_the_article() -> None:
    line_df = pd.DataFrame(
        {
            "page_num": [1, 1, 2, 2],
            "line_num": [1, 2, 1, 2],
            "text": ["AI and AI", "an audit", "trail of AI", None],
        }
    )
    keywords = pd.DataFrame({"concept": ["AI", "log", "none"], "variants": [["AI"], ["audit trail", ""], []]})
    article = sweep_for_absence(line_df, keywords, mode="article")
    assert article.to_numpy().tolist() == [["AI", "AI", 1, 1, "AI and AI"], ["AI", "AI", 2, 1, "trail of AI"]]
    safe = sweep_for_absence(line_df, keywords)
    assert list(safe.columns) == ["concept", "variant", "page", "line", "snippet"]
    assert safe["concept"].tolist() == ["AI", "AI", "log", "AI"]
    assert len(sweep_for_absence(line_df.iloc[:0], keywords)) == 0
    assert len(sweep_for_absence(line_df, ConceptTable.from_variants({"log": ["audit trail"]}))) == 1


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("send your résumé today", "resume"),
        ("send your resume today", "résumé"),
        ("MUNCHEN HAUPTBAHNHOF", "München"),
        ("fur die ÄRZTE", "für die Arzte"),
        ("поселок у моря", "посёлок"),
        ("UBER alles", "ÜBER"),
    ],
)
def test_other_accents_are_listed_and_not_counted(text: str, variant: str) -> None:
    rows = page_of(text, "nothing here")
    concepts = ConceptTable.from_variants({"c": [variant, "nothing"]})
    hit_df, ledger_df = sweep_lines(table(rows), concepts, pages_total=1)
    assert hit_df["match_kind"].tolist() == ["accents_differ", "exact"]
    assert hit_df["match_text"][0] in text
    assert ledger_df["hits"].tolist() == [0, 1]


def test_the_same_accents_are_a_hit_and_listed_once() -> None:
    assert kinds(page_of("send your re\u0301sume\u0301, not a resume"), "résumé") == [
        "folded",
        "accents_differ",
    ]
    assert kinds(page_of("カガ"), "カカ") == []  # a voicing mark is no accent
    assert kinds(page_of("résumé of an audit trail"), "audit trail") == ["exact"]
    assert kinds(page_of("the résumé", "card"), "resume card") == ["accents_differ"]
    assert kinds(page_of("auf Grund der Größe", "der Grund auf"), "aufgrund") == []  # no accent differs here
    assert kinds(page_of("die Größen"), "Größe") == []
