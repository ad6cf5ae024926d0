"""Terms, passages and acronyms: what candidates are made of. Texts and expected values are written by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from docaudit.concepts.variant import Variant
from docaudit.suggest.acronyms import acronyms_in
from docaudit.suggest.candidates import finds
from docaudit.suggest.neighbours import Composed, Holding, composable, vectors_of
from docaudit.suggest.terms import (
    Term,
    by_script,
    collect,
    has_segmenter,
    other_kana,
    passages,
    segmenter,
    to_compare,
)
from tests.lines_helper import page_of, table


def lines(*texts: str, page: int = 1) -> pd.DataFrame:
    return table(page_of(*texts, page=page))


def terms_of(*texts: str, name: str = "a.pdf") -> dict[str, Term]:
    return {term.key: term for term in collect(passages([(name, lines(*texts))]), by_script)}


class TestTerms:
    def test_counted_with_pages_and_the_line_verbatim(self) -> None:
        found = terms_of("Wind power grew.", "Prices of wind power fell.")
        assert found["wind power"].count == 2
        assert found["wind power"].text in ("Wind power", "wind power")
        assert found["wind power"].pages == {"a.pdf": (1,)}
        assert found["wind power"].context == "Wind power grew."

    def test_no_term_begins_or_ends_in_a_word_of_grammar(self) -> None:
        found = terms_of("The protection of personal data is a duty")
        assert "protection of personal data" in found
        assert not [key for key in found if key.split()[0] in ("the", "of", "is", "a")]
        assert not [key for key in found if key.split()[-1] in ("the", "of", "is", "a")]

    def test_acronyms_that_look_like_grammar_stay(self) -> None:
        assert "it systems" in terms_of("Our IT systems failed")

    def test_a_sign_parts_terms(self) -> None:
        found = terms_of("malware, phishing")
        assert {"malware", "phishing"} <= found.keys()
        assert "malware phishing" not in found

    def test_numbers_alone_are_no_terms(self) -> None:
        assert terms_of("10 2020 4.5 12") == {}

    def test_over_the_end_of_a_line(self) -> None:
        found = terms_of("we use machine", "learning and infor-", "mation theory")
        assert "machine learning" in found
        assert "information theory" in found

    def test_empty(self) -> None:
        assert terms_of() == {}

    def test_same_order_whatever_the_order_of_documents_of_one_count(self) -> None:
        one = collect(passages([("a", lines("beta alpha")), ("b", lines("gamma"))]), by_script)
        other = collect(passages([("b", lines("gamma")), ("a", lines("beta alpha"))]), by_script)
        assert [term.key for term in one] == [term.key for term in other]


class TestNames:
    def test_a_piece_that_stands_nowhere_else_belongs_to_its_name(self) -> None:
        found = terms_of("the Harbour Lights Act applies", "all harbour rules")
        assert found["harbour lights"].whole == "harbour lights act"
        assert found["harbour"].whole == ""  # it stands elsewhere too
        assert found["harbour lights act"].is_long_name

    def test_rare_words_and_names_are_compared_before_long_phrases(self) -> None:
        found = terms_of(
            "some cheap green paint peels", "some cheap green paint peels", "a Harbour Lights Act"
        )
        first = [term.key for term in to_compare(list(found.values()), 14)]
        assert {"paint", "green paint", "harbour lights act"} <= set(first)
        assert "cheap green paint" not in first[:9]


def test_one_search_finds_what_each_term_alone_gives() -> None:
    found = list(terms_of("wind power grew", "windpower and power grids", "the wind", "a power").values())
    holding = Holding(found)
    for text in ("wind power", "power", "wind", "grid"):
        variant = Variant(concept="c", text=text)
        assert [found[n] for n in holding.of(variant)] == [term for term in found if finds(variant, term.key)]
    regex = Variant(concept="c", text="w.nd", match="regex")
    assert {found[n].key for n in holding.of(regex)} >= {"wind", "wind power"}


class TestJapanese:
    def test_runs_of_one_script(self) -> None:
        assert {"生成", "電力", "データセンター"} <= terms_of("生成AIの電力とデータセンター").keys()

    def test_kana(self) -> None:
        assert (other_kana("リンゴ"), other_kana("りんご"), other_kana("AI")) == ("りんご", "リンゴ", "")

    @pytest.mark.skipif(
        not has_segmenter(), reason="needs the extra `japanese` (sudachipy, sudachidict-small)"
    )
    def test_words_by_sudachi(self) -> None:
        found = {
            term.key for term in collect(passages([("a", lines("省エネルギー対策を推進する"))]), segmenter())
        }
        assert {"対策", "推進"} <= found


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("uses artificial intelligence (AI) to", "AI", "artificial intelligence"),
        ("the “Securities and Exchange Commission” (the “SEC”)", "SEC", "Securities and Exchange Commission"),
        ("AI (artificial intelligence) is", "AI", "artificial intelligence"),
        ("AI（人工知能）を使う", "AI", "人工知能"),
        ("人工知能（以下、AI）を使う", "AI", "人工知能"),
        ("a large language model (hereinafter: LLM)", "LLM", "large language model"),
        ("public utility commissions (“PUCs”)", "PUCs", "public utility commissions"),
        ("research and development (“R&D”)", "R&D", "research and development"),
        ("an accelerated share repurchase agreement (“ASR”)", "ASR", "accelerated share repurchase"),
        ("accounting principles in the United States (GAAP)", None, None),
        ("generally accepted accounting principles in the United States (“GAAP”)", "GAAP",
         "generally accepted accounting principles"),
        ("in-context learning 2 (ICL)", "ICL", "in-context learning"),
        ("perfluorinated compounds (PFOS)", None, None),
        ("the sum (see Note 3) of", None, None),
        ("revenue fell (IT)", None, None),
        ("Micro-F1 (SLM)", None, None),
        ("kilowatt hours (kWh)", None, None),
        # letters inside words, with each word giving its first
        ("the Space Based Radar Network (SBRN) and", "SBRN", "Space Based Radar Network"),
        ("polymeric foams (PMF)", "PMF", "polymeric foams"),
        ("the Northern Institute for Rural Work (NERW)", None, None),
        # the plural s is no letter of a word
        ("two variable tariff surcharges (VTSs)", "VTSs", "variable tariff surcharges"),
        # numbers: of the name, of its year, of repeated letters
        ("for pyruvate kinase 2 (PK2)", "PK2", "pyruvate kinase 2"),
        ("a viral outbreak disease (VOD-21)", "VOD-21", "viral outbreak disease"),
        ("the viral outbreak disease 2021 (VOD-21)", "VOD-21", "viral outbreak disease 2021"),
        ("conduct, care, courage and integrity (C3I)", "C3I", "conduct, care, courage and integrity"),
        ("two sequences (SE-4, SE-5)", None, None),
        # x for ex
        ("an extensible ledger language (XLL)", "XLL", "extensible ledger language"),
        # turned round
        ("the General Partnership Law of the State of Ohio (“OGPL”)", "OGPL",
         "General Partnership Law of the State of Ohio"),
        ("of Part-time Harbour Workers (HWP)", "HWP", "Part-time Harbour Workers"),
        ("ask the Board of Trustees (BTA)", None, None),
        # words of grammar that give a letter
        ("paid on a first-in, last-out (FILO) basis", "FILO", "first-in, last-out"),
        ("gain (loss) in other operating income (OOI)", "OOI", "other operating income"),
        ("we use coenzyme A (CoA)", "CoA", "coenzyme A"),
        # short forms of several words
        ("under the Water And Grain Relief Act (the “WAGR Act”)", "WAGR Act", "Water And Grain Relief Act"),
        ("the Rapid Supply Forces Ground Logistics (RSF GL) team", "RSF GL", "Rapid Supply Forces Ground Logistics"),
        ("Miller & Poe 300 Index (“M&P 300”)", "M&P 300", "Miller & Poe 300"),
        ("the sale to Alder AG, Munich (Alder AG)", None, None),
        ("under the Rural Mail Act of 1931, as amended (the RM Act)", "RM Act", "Rural Mail Act"),
        # points of initials, endings of firms, small words that do not count
        ("segments: U.S. Garden Services (USGS) and", "USGS", "U.S. Garden Services"),
        ("of Alder Winter Freight Company, Inc. (AWF)", "AWF", "Alder Winter Freight"),
        ("the Bureau of the Keeper of the Records (BKR)", "BKR", "Bureau of the Keeper of the Records"),
        ("It ended. Grain prices rose (EGP)", None, None),
        # both in the brackets
        ("transfers (e.g. by wire and Rapid Ledger Payment, or RLP), as", "RLP", "Rapid Ledger Payment"),
        ("a new tax (Global Minimum Levy or GML)", "GML", "Global Minimum Levy"),
        ("NDL (National Deposit Ltd.) and", "NDL", "National Deposit Ltd."),
        # Japanese
        ("これを「品質管理基準」（QMS）と呼ぶ", "QMS", "品質管理基準"),
        ("パラレル接続IP（PSIP）を使う", "PSIP", "パラレル接続IP"),
        ("第2 制御盤（CP2）に切り替える", "CP2", "第2 制御盤"),
        ("制御盤3（説明）", None, None),
        ("空き容量（MB）", None, None),
        ("ミラーリング（RAID1）する", None, None),
        ("ストレージ（CD、USB など）を使う", None, None),
        ("画像（写真、MP3、動画）", None, None),
        ("NTFS（読み込み専用）", None, None),
        ("光学式媒体（CD/DVD）から", None, None),
    ],
)  # fmt: skip
def test_acronyms(text: str, short: str | None, long: str | None) -> None:
    found = [(pair.short, pair.long) for pair in acronyms_in(text)]
    assert found == ([(short, long)] if short else [])


def test_two_names_of_one_short_form() -> None:
    found = [
        (pair.short, pair.long) for pair in acronyms_in("「保守支援部」（MSU、Maintenance Support Unit）は")
    ]
    assert found == [("MSU", "Maintenance Support Unit"), ("MSU", "保守支援部")]


def test_passages_keep_the_page_of_a_definition() -> None:
    df = pd.concat([lines("nothing"), lines("deep learning (DL)", page=7)])
    where = [(p.page, pair.short) for p in passages([("a", df)]) for pair in acronyms_in(p.text)]
    assert where == [(7, "DL")]


class TestComposed:
    def test_a_phrase_is_between_its_beginning_and_its_end(self) -> None:
        terms = terms_of("keep protected health information safe")
        long = terms["protected health information"]
        embedded = {"protected health": 0, "health information": 1, "information": 2, "keep": 3}
        made = list(composable([long, terms["safe"]], embedded))
        assert made == [Composed(long, first=0, last=1)]  # the longest parts; a single word has none
        rows = np.array([[1, 0], [0, 1], [1, 1], [0, -1]], dtype=np.float16)
        (vector,) = vectors_of(made, rows)
        assert vector == pytest.approx([0.7071, 0.7071], abs=1e-3)

    def test_a_phrase_without_an_embedded_end_is_left_out(self) -> None:
        long = terms_of("protected health information")["protected health information"]
        assert list(composable([long], {"protected health": 0})) == []
        assert vectors_of([], np.ones((2, 3), dtype=np.float16)).shape == (0, 3)
