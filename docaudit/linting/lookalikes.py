"""Signs that look like others: a word that holds one is written as a person reads it, and found nowhere.

>>> mixed_scripts("\u0410I model"), mixed_scripts("naïve AI 電力")
('U+0410 CYRILLIC CAPITAL LETTER A', '')
>>> foreign_word("\u0410\u0406"), foreign_word("ток")
('АІ', '')
>>> wrong_sign("デ一タ"), wrong_sign("電カ"), wrong_sign("N0x"), wrong_sign("データ電力 一時 2030")
('一 (Han) for ー', 'カ (katakana) for 力', '0 (digit) for O', '')
"""

from __future__ import annotations

import re
import unicodedata

from docaudit.wordforms import HAN, KATAKANA, words

_LIKE_LATIN = frozenset("АВЕЅІЈКМНОРСТУХҮԌԜаеѕіјорсухүһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυϲ")
"""Cyrillic and Greek letters that look like Latin ones."""
_KANA_FOR_HAN = {
    "カ": "力",
    "ロ": "口",
    "ニ": "二",
    "エ": "工",
    "タ": "夕",
    "ハ": "八",
    "ト": "卜",
    "オ": "才",
    "ー": "一",
}
_HAN_FOR_KANA = {han: kana for kana, han in _KANA_FOR_HAN.items()}
_HAN_IN_KANA = re.compile(f"(?<=[{KATAKANA}])[{''.join(_HAN_FOR_KANA)}](?=[{KATAKANA}])")
# Not ハ, ニ and ト: old laws write particles in katakana.
_KANA_IN_HAN = re.compile(f"(?<=[{HAN}])[カロエタオ](?![{KATAKANA}])|(?<=[{HAN}])ー(?=[{HAN}])")
_DIGIT_IN_WORD = re.compile(r"(?<=[A-Za-z])0(?=[A-Za-z])|(?<=[a-z])1(?=[a-z])")
_FOR_DIGIT = {"0": "O", "1": "l"}


def mixed_scripts(text: str) -> str:
    """The first letter that looks like a Latin one in a word that has Latin ones too; empty if there is none."""
    for word in words(text):
        scripts = {script for char in word.text if (script := _script(char))}
        if "LATIN" in scripts and len(scripts) > 1:
            for char in word.text:
                if char in _LIKE_LATIN:
                    return f"U+{ord(char):04X} {unicodedata.name(char)}"
    return ""


def foreign_word(text: str) -> str:
    """The first word all of whose letters are Cyrillic or Greek and look Latin; empty if there is none."""
    for word in words(text):
        letters = [char for char in word.text if char.isalpha()]
        if letters and all(char in _LIKE_LATIN for char in letters):
            return word.text
    return ""


def wrong_sign(text: str) -> str:
    """A kanji among katakana, katakana after kanji, or a digit among letters that looks like what belongs there."""
    plain = unicodedata.normalize("NFKC", text)
    if found := _HAN_IN_KANA.search(plain):
        return f"{found.group()} (Han) for {_HAN_FOR_KANA[found.group()]}"
    if found := _KANA_IN_HAN.search(plain):
        return f"{found.group()} (katakana) for {_KANA_FOR_HAN[found.group()]}"
    if found := _DIGIT_IN_WORD.search(plain):
        return f"{found.group()} (digit) for {_FOR_DIGIT[found.group()]}"
    return ""


def _script(char: str) -> str:
    script = unicodedata.name(char, "").partition(" ")[0]
    return script if script in ("LATIN", "CYRILLIC", "GREEK") else ""
