"""Japanese words: Sudachi where the extra `japanese` is installed, runs of one script where it is not.

SudachiPy was chosen because it installs from wheels with its dictionary (sudachidict-small, 43 MB), is
maintained, and gives each word a normalised form, which joins ways of writing (サーバ and サーバー).
It is an extra, not a part of the core, because it is needed only to propose variants: the sweep finds Japanese
variants anywhere in a line without cutting it into words.

>>> by_script("生成AIの電力")
[(0, 2), (2, 4), (5, 7)]
>>> other_kana("りんご"), other_kana("電力")
('リンゴ', '')
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from docaudit.wordforms import WORD

Segmenter = Callable[[str], list[tuple[int, int]]]
"""A text without blanks -> first and last + 1 character of each word that may be part of a term."""

_HIRAGANA_RUN = frozenset(chr(code) for code in range(0x3041, 0x3097))
_TO_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_TO_HIRAGANA = {code + 0x60: code for code in range(0x3041, 0x3097)}
_TOPICS = frozenset({"名詞", "形状詞", "接頭辞", "接尾辞", "動詞", "形容詞"})
_GRAMMAR = frozenset({"非自立可能", "助動詞語幹"})
_TOO_LONG = 10_000
"""Sudachi refuses more than 49,149 bytes at once; no run without a blank or full stop is this long but by error."""


def has_segmenter() -> bool:
    """Whether Sudachi and its dictionary are installed."""
    return find_spec("sudachipy") is not None and find_spec("sudachidict_small") is not None


def segmenter() -> Segmenter:
    """Words by Sudachi, or by script if it is not installed."""
    if not has_segmenter():
        return by_script
    tokenizer, mode = _sudachi()

    def cut(text: str) -> list[tuple[int, int]]:
        if len(text) > _TOO_LONG:
            return by_script(text)
        return [
            (word.begin(), word.end())
            for word in tokenizer.tokenize(text, mode)
            if word.part_of_speech()[0] in _TOPICS and word.part_of_speech()[1] not in _GRAMMAR
        ]

    return cut


def by_script(text: str) -> list[tuple[int, int]]:
    """Runs of one script; hiragana alone are mostly grammar and left out."""
    return [match.span() for match in WORD.finditer(text) if not set(match[0]) <= _HIRAGANA_RUN]


def normaliser() -> Callable[[str], str]:
    """A text with every word in Sudachi's normalised form; the text itself if Sudachi is not installed."""
    if not has_segmenter():
        return str
    tokenizer, mode = _sudachi()

    def normalised(text: str) -> str:
        if len(text) > _TOO_LONG:
            return text
        return "".join(word.normalized_form() for word in tokenizer.tokenize(text, mode))

    return normalised


def other_kana(text: str) -> str:
    """A text in hiragana as katakana, and the reverse; empty for a text of other letters, or of both."""
    codes = {ord(char) for char in text if char != "ー"}
    if codes and codes <= _TO_KATAKANA.keys():
        return text.translate(_TO_KATAKANA)
    if codes and codes <= _TO_HIRAGANA.keys():
        return text.translate(_TO_HIRAGANA)
    return ""


def _sudachi() -> tuple[Any, Any]:
    from sudachipy import Dictionary, SplitMode

    return Dictionary(dict="small").tokenizer(), SplitMode.A
