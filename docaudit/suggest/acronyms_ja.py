"""Short forms in Japanese text: the name beside the brackets is a run of kanji and kana, which letters cannot prove.

What can be told is what is no name: units ("容量 (MB)"), examples ("媒体 (CD、DVD など)"), remarks
("NTFS (読み込み専用)") and katakana that begin with another sound than the short form ("ミラーリング (RAID1)").

>>> name_before("DMA", "これは「ダイレクトメモリアクセス」"), name_before("RAID1", "ミラーリング")
('ダイレクトメモリアクセス', '')
>>> is_name_inside("QA", "品質保証"), is_name_inside("NTFS", "読み込み専用")
(True, False)
"""

from __future__ import annotations

import re

from docaudit.wordforms import CJK, HAN, HIRAGANA, KATAKANA

# Kana that end the stem of a verb in a name (バグ潰し, 読み取り) are not particles.
_NAME = rf"(?:[{HAN}][しりきみちけめれえ]?|[{KATAKANA}ー・])"
_NAME_BEFORE = re.compile(rf"(?:[A-Za-z]+ |第\d+ ?)?(?:{_NAME}|(?<![A-Za-z])[A-Z]{{2,}} ?)+$")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_NAME_INSIDE = re.compile(rf"[{HAN}{KATAKANA}{HIRAGANA}ー・]+\d*")
_UNIT = re.compile(r"[KMGTP]i?B|[KMGTP](?:bps|Hz)")
_REMARK = re.compile(
    r"(?:専用|推奨|必須|任意|以上|以下|未満|のみ|など|等|込み|済み|含む|除く|参照|デフォルト)$"
)
_SOUNDS = {
    "a": "アエオハ", "b": "バビブベボ", "c": "カキクケコサシスセソチ", "d": "ダヂヅデドジ", "e": "エイユア",
    "f": "フ", "g": "ガギグゲゴジゼ", "h": "ハヒフヘホ", "i": "イア", "j": "ジヤユハ", "k": "カキクケコナニノ",
    "l": "ラリルレロ", "m": "マミムメモ", "n": "ナニヌネノ", "o": "オワア", "p": "パピプペポフサシ", "q": "クキ",
    "r": "ラリルレロ", "s": "サシスセソザ", "t": "タチツテトザセシ", "u": "ユアウ", "v": "バビブベボヴ",
    "w": "ワウホラ", "x": "エクゼ", "y": "ヤユヨイ", "z": "ザジズゼゾ",
}  # fmt: skip
"""Letter to the katakana with which loan words that begin with it begin: エージェント (a), サード (t), ナレッジ (k)."""


def name_before(short: str, before: str) -> str:
    """The name in kanji and kana at the end of a text, if the short form in the brackets after it may stand for it.

    A Latin word belongs to it if the letters say so: "Debian フリーソフトウェアガイドライン (DFSG)",
    "パラレルラインIP (PLIP)".
    """
    run = _NAME_BEFORE.search(before.rstrip('」』”" '))
    if run is None or _UNIT.fullmatch(short) or re.search(r"\w\w/\w\w", short):
        return ""
    latin, _, name = run[0].strip().rpartition(" ") if run[0][0].isascii() else ("", "", run[0].strip())
    # Capitals in the middle are those of the short form, or not part of its name.
    foreign = [match.end() for match in _CAPITALS.finditer(name) if match[0] not in short]
    if foreign:
        name = name[foreign[-1] :].strip()
    elif latin and latin[0].lower() == short[0].lower():
        name = f"{latin} {name}"
    return name if len(name) >= 2 and CJK.search(name) and _sounds_like(short, name) else ""


def is_name_inside(short: str, inside: str) -> bool:
    """Whether the text in brackets after a short form is a name in kanji and kana."""
    return (
        _NAME_INSIDE.fullmatch(inside) is not None
        and _REMARK.search(inside) is None
        and _sounds_like(short, inside)
    )


def _sounds_like(short: str, name: str) -> bool:
    """Whether a name in katakana alone begins with the sound of the short form; True of all other names."""
    if re.fullmatch(rf"[{KATAKANA}ー・]+", name) is None:
        return True
    return name[0] in _SOUNDS.get(short[0].lower(), name[0])
