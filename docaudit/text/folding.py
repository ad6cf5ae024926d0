"""The folding of text for comparison, and the tables behind it: what each single character becomes.

The sweep (docaudit.search.lines) and all that compares words (docaudit.text.words.fold, which also composes accents and
reduces blanks) fold with it, so that what is the same word to one is the same to the other. Letters of chunks are
compared by it too (docaudit.retrieval.letters). Other foldings are others on purpose: the second reader and the
cross-check must not share a fault with the sweep, and what a person types into a cell or a message is NFKC only.

Folding is context-free: a character is folded in the same way wherever it stands, in the page and in the variant alike,
so that every way of writing the same thing meets in one form (compatibility decomposition, full case folding). The few
steps that need neighbours are the order of combining marks and the dot of i.
"""

from __future__ import annotations

import unicodedata

HYPHEN, DASH = "-", "\u2014"
"""All hyphens, short dashes and minus signs become HYPHEN, long dashes DASH: a long dash parts clauses, so
it joins no compound, but it still equals any dash that the variant itself has."""

_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\u2043\u058a\u1806\ufe58\ufe63\uff0d\u30a0\u2e17\u2e40"
_DASHES = "\u2014\u2015\u2e3a\u2e3b\ufe31\ufe32"
_SINGLE_QUOTES = (
    "\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02c8\u00b4\u0060\u2039\u203a\u275b\u275c\uff07"
)
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e\u301f\u275d\u275e\uff02\u02ba"
_KEPT = "\u2122\u2120\u00ae\u00a9"
"""Signs whose decomposition would put letters against a word (Bluebird\u2122 is not "bluebirdtm")."""

_SUPPLEMENT = (
    "2E81厂 2E82乛 2E83乚 2E84乙 2E85亻 2E86冂 2E88刀 2E89刂 2E8A卜 2E8B㔾 2E8C小 2E8D小 2E8E兀 "
    "2E8F尣 2E90尢 2E92巳 2E93幺 2E94彑 2E95彐 2E96忄 2E97㣺 2E98扌 2E99攵 2E9B旡 2E9C日 2E9D月 "
    "2E9E歺 2E9F母 2EA0民 2EA1氵 2EA2氺 2EA3灬 2EA4爫 2EA5爫 2EA6丬 2EA7牛 2EA8犭 2EA9王 2EAA疋 "
    "2EAB罒 2EAC示 2EAD礻 2EAE竹 2EAF糹 2EB0纟 2EB1罓 2EB2罒 2EB3㓁 2EB4㓁 2EB6羊 2EB8羋 2EB9耂 "
    "2EBA肀 2EBB聿 2EBC肉 2EBD臼 2EBE艹 2EBF艹 2EC0艹 2EC1虎 2EC2衤 2EC3覀 2EC4西 2EC5见 2EC6角 "
    "2EC8讠 2EC9贝 2ECA足 2ECB车 2ECC辶 2ECD辶 2ECE辶 2ECF阝 2ED0钅 2ED1長 2ED2镸 2ED3长 2ED4门 "
    "2ED6阝 2ED7雨 2ED8青 2ED9韦 2EDA页 2EDB风 2EDC飞 2EDD食 2EDF飠 2EE0饣 2EE2马 2EE3骨 2EE4鬼 "
    "2EE5鱼 2EE6鸟 2EE7卤 2EE8麦 2EE9黄 2EEA黾 2EEB斉 2EEC齐 2EED歯 2EEE齿 2EEF竜 2EF0龙 2EF1龜 "
    "2EF2亀 2EF3龟 "
)
SUPPLEMENT_RADICALS = {int(pair[:4], 16): pair[4:] for pair in _SUPPLEMENT.split()}
"""CJK Radicals Supplement to the unified ideograph that a reader takes it for; NFKC knows only two of them."""

_SHAPES = {"戶": "戸", "户": "戸", "黑": "黒", "黃": "黄", "靑": "青"}
"""Unified ideographs that Kangxi radicals decompose to, and the shape that Japanese text writes for the radical."""


def _is_dropped(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char) == "Cf"  # soft hyphen, zero-width, bidi controls, BOM
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF  # variation selectors
        or 0x180B <= code <= 0x180D
        or code in (0x0332, 0x0333, 0x0335, 0x0336)  # struck-out and underlined text is still text
        or code in (0x0640, 0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0)  # tatweel, joiner, Hangul fillers
        or 0x064B <= code <= 0x0652
        or code == 0x0670  # Arabic vowel signs, written or not
        or (0x0591 <= code <= 0x05C7 and unicodedata.category(char) == "Mn")  # Hebrew points, written or not
    )


def _basic(char: str) -> str:
    """One character of a decomposition, after the tables for dashes, quotes, spaces, digits and radicals."""
    category = unicodedata.category(char)
    if _is_dropped(char):
        return ""
    if category in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    for signs, sign in ((_HYPHENS, HYPHEN), (_DASHES, DASH), (_SINGLE_QUOTES, "'"), (_DOUBLE_QUOTES, '"')):
        if char in signs:
            return sign
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if char in ("\u0131", "\u0130"):  # Turkish i without and with its dot
        return "i"
    if char in "\u00b7\u2027\u0387":  # middle dots, as full-width text writes it
        return "\u30fb"
    if char == "\u301c":  # wave dash, drawn like the full-width tilde
        return "~"
    return SUPPLEMENT_RADICALS.get(ord(char), _SHAPES.get(char, char))


def fold_char(char: str) -> str:
    """The searchable form of one character: none, one or several characters."""
    if unicodedata.category(char) == "Cs":
        return "\ufffd"  # a lone surrogate cannot be encoded; it stays visible as a hole
    if char in _KEPT or _basic(char) != char:
        return char if char in _KEPT else _basic(char)
    parts = unicodedata.normalize("NFKD", char)
    if parts.startswith(" ") and len(parts) > 1:  # a spacing accent stands for itself
        return char
    folded = unicodedata.normalize("NFKD", "".join(map(_basic, parts)).casefold())
    return "".join(map(_basic, folded))


class FoldTable(dict[int, str]):
    """str.translate table that folds each character once, and remembers which do not fold to one character."""

    def __init__(self) -> None:
        super().__init__()
        self.uneven: set[str] = set()

    def __missing__(self, code: int) -> str:
        folded = fold_char(chr(code))
        if len(folded) != 1 or unicodedata.combining(folded):
            self.uneven.add(chr(code))
        self[code] = folded
        return folded

    def is_even(self, text: str) -> bool:
        """Whether every character of text, which was folded before, folds to just one that stays in its place."""
        return self.uneven.isdisjoint(text)


FOLD = FoldTable()
for _code in range(128):
    FOLD[_code] = fold_char(chr(_code))


def fold(text: str) -> str:
    """Fold text for comparison; equal results mean that a reader sees the same letters."""
    folded = text.translate(FOLD)
    if folded.isascii():
        return folded
    if not unicodedata.is_normalized("NFD", folded):
        folded = unicodedata.normalize("NFD", folded)  # only reorders marks: all is decomposed already
    return folded.replace("i\u0307", "i") if "\u0307" in folded else folded
