"""What each single character becomes in searchable text: the tables behind docaudit.normalize.

Folding is context-free: a character is folded in the same way wherever it stands, in the page and in the variant
alike, so that every way of writing the same thing meets in one form (compatibility decomposition, full case
folding). The few steps that need neighbours (order of combining marks, the dot of i) are in docaudit.normalize.
"""

from __future__ import annotations

import unicodedata

HYPHEN, DASH = "-", "\u2014"
"""All hyphens, short dashes and minus signs become HYPHEN, long dashes DASH: a long dash parts clauses, so it joins
no compound, but it still equals any dash that the variant itself has."""

_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\u2043\u058a\u1806\ufe58\ufe63\uff0d\u30a0\u2e17\u2e40"
_DASHES = "\u2014\u2015\u2e3a\u2e3b\ufe31\ufe32"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u2035\u02b9\u02bb\u02bc\u02c8\u00b4\u0060\u2039\u203a\u275b\u275c\uff07"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u301d\u301e\u301f\u275d\u275e\uff02\u02ba"
_KEPT = "\u2122\u2120\u00ae\u00a9"
"""Signs whose decomposition would put letters against a word (Bluebird\u2122 is not "bluebirdtm")."""

SUPPLEMENT_RADICALS = {
    0x2E81: "厂", 0x2E82: "乛", 0x2E83: "乚", 0x2E84: "乙", 0x2E85: "亻", 0x2E86: "冂", 0x2E88: "刀", 0x2E89: "刂",
    0x2E8A: "卜", 0x2E8B: "㔾", 0x2E8C: "小", 0x2E8D: "小", 0x2E8E: "兀", 0x2E8F: "尣", 0x2E90: "尢", 0x2E92: "巳",
    0x2E93: "幺", 0x2E94: "彑", 0x2E95: "彐", 0x2E96: "忄", 0x2E97: "㣺", 0x2E98: "扌", 0x2E99: "攵", 0x2E9B: "旡",
    0x2E9C: "日", 0x2E9D: "月", 0x2E9E: "歺", 0x2E9F: "母", 0x2EA0: "民", 0x2EA1: "氵", 0x2EA2: "氺", 0x2EA3: "灬",
    0x2EA4: "爫", 0x2EA5: "爫", 0x2EA6: "丬", 0x2EA7: "牛", 0x2EA8: "犭", 0x2EA9: "王", 0x2EAA: "疋", 0x2EAB: "罒",
    0x2EAC: "示", 0x2EAD: "礻", 0x2EAE: "竹", 0x2EAF: "糹", 0x2EB0: "纟", 0x2EB1: "罓", 0x2EB2: "罒", 0x2EB3: "㓁",
    0x2EB4: "㓁", 0x2EB6: "羊", 0x2EB8: "羋", 0x2EB9: "耂", 0x2EBA: "肀", 0x2EBB: "聿", 0x2EBC: "肉", 0x2EBD: "臼",
    0x2EBE: "艹", 0x2EBF: "艹", 0x2EC0: "艹", 0x2EC1: "虎", 0x2EC2: "衤", 0x2EC3: "覀", 0x2EC4: "西", 0x2EC5: "见",
    0x2EC6: "角", 0x2EC8: "讠", 0x2EC9: "贝", 0x2ECA: "足", 0x2ECB: "车", 0x2ECC: "辶", 0x2ECD: "辶", 0x2ECE: "辶",
    0x2ECF: "阝", 0x2ED0: "钅", 0x2ED1: "長", 0x2ED2: "镸", 0x2ED3: "长", 0x2ED4: "门", 0x2ED6: "阝", 0x2ED7: "雨",
    0x2ED8: "青", 0x2ED9: "韦", 0x2EDA: "页", 0x2EDB: "风", 0x2EDC: "飞", 0x2EDD: "食", 0x2EDF: "飠", 0x2EE0: "饣",
    0x2EE2: "马", 0x2EE3: "骨", 0x2EE4: "鬼", 0x2EE5: "鱼", 0x2EE6: "鸟", 0x2EE7: "卤", 0x2EE8: "麦", 0x2EE9: "黄",
    0x2EEA: "黾", 0x2EEB: "斉", 0x2EEC: "齐", 0x2EED: "歯", 0x2EEE: "齿", 0x2EEF: "竜", 0x2EF0: "龙", 0x2EF1: "龜",
    0x2EF2: "亀", 0x2EF3: "龟",
}  # fmt: skip
"""CJK Radicals Supplement to the unified ideograph that a reader takes it for; NFKC knows only two of them."""

_SHAPES = {"戶": "戸", "户": "戸", "黑": "黒", "黃": "黄", "靑": "青"}
"""Unified ideographs that Kangxi radicals decompose to, and the shape that Japanese text writes for the same radical."""


def _is_dropped(char: str) -> bool:
    code = ord(char)
    return (
        unicodedata.category(char) == "Cf"  # soft hyphen, zero-width, bidi controls, BOM
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF  # variation selectors
        or 0x180B <= code <= 0x180D
        or code in (0x0640, 0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0)  # tatweel, joiner, Hangul fillers
        or 0x064B <= code <= 0x0652
        or code == 0x0670  # Arabic vowel signs, written or not
        or 0x0591 <= code <= 0x05C7
        and unicodedata.category(char) == "Mn"  # Hebrew points, written or not
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
    """str.translate table that folds each character once and remembers it."""

    def __missing__(self, code: int) -> str:
        folded = fold_char(chr(code))
        self[code] = folded
        return folded


FOLD = FoldTable()
for _code in range(128):
    FOLD[_code] = fold_char(chr(_code))
