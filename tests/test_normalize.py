"""Searchable text: everything that looks the same meets in one form, and every character finds its way
back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docaudit.search.lines import fold_map, searchable, searchable_map
from docaudit.text.folding import fold

SAME = [
    ("réclamation", unicodedata.normalize("NFD", "réclamation")),
    ("データ", "ﾃﾞｰﾀ"),
    ("GDPR", "ＧＤＰＲ"),
    ("office", "o\ufb03ce"),
    ("k", "\U0001d458"),
    ("Maßnahme", "MASSNAHME"),
    ("sızıntı", "SIZINTI"),
    ("risk izleme", "RİSK İZLEME"),
    ("I\u0307", "i"),
    ("方法", "⽅法"),
    ("更", "\uf901"),
    ("民", "⺠"),
    ("戸", "⼾"),
    ("opt-in", "opt\u2212in"),
    ("opt-in", "opt\u2011in"),
    ("worker's", "worker\u2019s"),
    ("fingerprint", "finger\u200bprint"),
    ("encryption", "en\u00adcryption"),
    ("personal data", "personal\u202fdata"),
    ("سلام", "ﺳﻼﻡ"),
    ("كتاب", "كـتاب"),
    ("2024", "٢٠٢٤"),
    ("葛", "葛\U000e0100"),
    ("\u0301\u0323a", "\u0323\u0301a"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_looks_the_same_folds_to_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_what_looks_different_stays_different() -> None:
    assert fold("カ") != fold("ガ")
    assert fold("cafe") != fold("café")
    assert fold("Bluebird\u2122") == "bluebird\u2122"
    assert fold("a\ufffdb") == "a\ufffdb"
    assert fold("cost\u2014benefit") != fold("cost-benefit")  # a long dash parts clauses


def test_hyphen_that_only_a_line_end_made_is_kept() -> None:
    assert searchable("geo\u00ad") == "geo-"
    assert searchable("geo\u00adfence") == "geofence"


def test_lone_surrogate_becomes_a_visible_hole() -> None:
    assert searchable("a\ud800b") == "a\ufffdb"


@given(st.text(max_size=60))
def test_map_gives_the_same_text_and_points_into_the_line(text: str) -> None:
    for plain, mapped in ((fold, fold_map), (searchable, searchable_map)):
        folded, source = mapped(text)
        assert folded == plain(text)
        assert len(source) == len(folded)
        assert all(0 <= index < len(text) for index in source)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_each_character_folds_to_what_its_source_folds_to(text: str) -> None:
    folded, source = fold_map(text)
    for char, index in zip(folded, source, strict=True):
        assert char in fold(text[index]) or char == "i"


@given(st.text(alphabet="aé ガ\u3099\u0301-–  \tß", max_size=40))
def test_searchable_text_has_no_outer_blanks_and_no_long_runs(text: str) -> None:
    made = searchable(text)
    assert made == made.strip(" ")
    assert "   " not in made
    assert searchable(made) == made
