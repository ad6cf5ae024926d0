"""How named objects are called and numbered: "Figures 3.D and 4", "Boxes 1–3", "Annex B", 図3, 表１, 別紙2, 第3条.

One grammar serves both the objects (captions, headings) and the mentions of them, so that both meet in one id.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_ENGLISH = {
    "figure": r"[Ff]igures?|FIGURES?|[Ff]igs?\.|FIGS?\.",
    "table": r"[Tt]ables?|TABLES?",
    "box": r"[Bb]ox(?:es)?|BOX(?:ES)?",
    "chart": r"[Cc]harts?|CHARTS?",
    "map": r"Maps?|MAPS?",
    "appendix": r"Appendix|Appendices|appendix|APPENDIX",
    "annex": r"Annex(?:es)?|annex|ANNEX",
    "exhibit": r"Exhibits?|EXHIBITS?",
    "schedule": r"Schedules?|SCHEDULES?",
    "section": r"[Ss]ections?|SECTIONS?|[Ss]ecs?\.|§§?",
    "chapter": r"[Cc]hapters?|CHAPTERS?",
    "part": r"Parts?|PARTS?",
    "article": r"Articles?|ARTICLES?",
    "item": r"Items?|ITEMS?",
    "note": r"Notes?|NOTES?",
    "equation": r"[Ee]quations?|Eqs?\.",
}
_JAPANESE = {
    "図": "図",
    "表": "(?<![代発公別図年])表",
    "別紙": "別紙",
    "別表": "別表",
    "別添": "別添",
    "付録": "付録|附録",
    "付図": "付図|附図",
    "様式": "様式",
    "資料": "資料",
    "写真": "写真",
}
WEAK_TYPES = frozenset(
    {
        "section",
        "chapter",
        "part",
        "article",
        "item",
        "note",
        "equation",
        "schedule",
        "exhibit",
        "資料",
        "条",
        "map",
    }
)
"""Types that as often name parts of laws, contracts and other documents as parts of this one."""

_DASH = "-‐‑‒–—−"
_NUM = r"\d+(?:[.\-‑–]\d+)*(?:\.?[A-Za-z](?![A-Za-z]))?(?:\([a-z0-9]{1,3}\))?"
_ID = rf"(?:[A-Z][.\-]?{_NUM}|{_NUM}|[IVX]{{1,5}}(?![A-Za-z])|[A-Z](?![A-Za-z]))"
_JOIN = rf"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|to|through)\s+|\s*&\s*|\s*[{_DASH}]\s*)"
_NEEDS_NUMBER = [
    "figure",
    "table",
    "box",
    "chart",
    "map",
    "section",
    "chapter",
    "article",
    "item",
    "note",
    "equation",
]

_MENTION = re.compile(
    "|".join(
        rf"(?P<{name}>(?<![A-Za-z])(?<!List of )(?:{words})\s{'*' if name == 'section' else '+'}"
        rf"(?P<{name}_ids>{_ID}(?:{_JOIN}{_ID})*))"
        for name, words in _ENGLISH.items()
    )
)
_JP_DIGITS = "0-9０-９"
_JP_NUM = (
    rf"(?:第\s*)?(?:[{_JP_DIGITS}]+(?:[.．\-－‐ー][{_JP_DIGITS}]+)*"
    r"|[一二三四五六七八九十]+(?=[号のにをはがとで、。）\s]|$)|[A-ZＡ-Ｚ](?![A-Za-z]))(?:号)?"
)
_JP_JOIN = r"\s*(?:[、，,・]|及び|および|並びに|と|から|～|〜|－)\s*"
_JP_MENTION = re.compile(
    "|".join(
        rf"(?P<j{position}>(?:{words})\s*(?P<j{position}_ids>{_JP_NUM}(?:{_JP_JOIN}{_JP_NUM})*))"
        for position, words in enumerate(_JAPANESE.values())
    )
    + rf"|(?P<jo>第\s*(?P<jo_ids>[{_JP_DIGITS}一二三四五六七八九十百]+)\s*条)"
)
# What a text must hold so that the long patterns can match in it: they are tried at every character.
_ID_SIGN = re.compile("[0-9A-Z]")
_STEMS = (
    "fig", "table", "box", "chart", "map", "append", "annex", "exhibit", "schedule", "sec", "§", "chapter", "part",
    "article", "item", "note", "eq",
)  # fmt: skip
_JP_SIGN = re.compile("[図表紙録様資写条添]")
_ONE = re.compile(_ID)
_JP_ONE = re.compile(_JP_NUM)
_RANGE = re.compile(rf"^\s*(?:[{_DASH}～〜－]|to|through|から)\s*$")
_KANJI = {char: number for number, char in enumerate("一二三四五六七八九", 1)}


class Mention(NamedTuple):
    """One named object in a text: its type, its canonical id, and where the text names it."""

    object_type: str
    object_id: str
    start: int
    end: int
    text: str


def mentions(text: str) -> Iterator[Mention]:
    """All named objects of a text; lists and ranges give one mention for each member.

    >>> [(m.object_type, m.object_id) for m in mentions("see Figures 3.D and 4, and Boxes 1–3")]
    [('figure', '3.D'), ('figure', '4'), ('box', '1'), ('box', '2'), ('box', '3')]
    >>> [m.object_id for m in mentions("Tables 10–12 and Table 3-1")]
    ['10', '11', '12', '3-1']
    >>> [(m.object_type, m.object_id) for m in mentions("図3及び別紙２を参照")]
    [('図', '3'), ('別紙', '2')]
    """
    if text.isascii() and not _ID_SIGN.search(text):
        return
    lowered = text.lower()
    for match in _MENTION.finditer(text) if any(stem in lowered for stem in _STEMS) else ():
        name = next(key for key, value in match.groupdict().items() if value and not key.endswith("_ids"))
        for object_id in _members(_spread(match[name], match[f"{name}_ids"]), _ONE):
            if name not in _NEEDS_NUMBER or any(char.isdigit() for char in object_id) or _roman(object_id):
                yield Mention(name, object_id, match.start(), match.end(), match[0])
    if text.isascii() or not _JP_SIGN.search(text):
        return
    names = ["appendix" if name == "付録" else name for name in _JAPANESE]
    for match in _JP_MENTION.finditer(text):
        key = next(key for key, value in match.groupdict().items() if value and not key.endswith("_ids"))
        name = "条" if key == "jo" else names[int(key[1:])]
        for object_id in _members(match[f"{key}_ids"], _JP_ONE):
            yield Mention(name, object_id, match.start(), match.end(), match[0])


def canonical_id(written: str) -> str:
    """The id by which mentions and objects meet.

    >>> canonical_id("３．Ｄ"), canonical_id("3d"), canonical_id("A.1"), canonical_id("第二"), canonical_id("3–1")
    ('3.D', '3.D', 'A1', '2', '3-1')
    """
    text = unicodedata.normalize("NFKC", written).strip().rstrip(".")
    text = re.sub(rf"[{_DASH}ー]", "-", text).replace("第", "").replace("号", "").strip()
    if text and all(char in "一二三四五六七八九十百" for char in text):
        return str(_kanji_number(text))
    text = re.sub(r"\(([a-z0-9]{1,3})\)$", r".\1", text)
    text = re.sub(r"^([A-Z])[.\-](?=\d)", r"\1", text)
    return re.sub(r"(?<=\d)\.?([A-Za-z])$", lambda found: f".{found[1].upper()}", text)


def _members(ids: str, one: re.Pattern[str]) -> Iterator[str]:
    """The members of a list of ids; a range gives all that lie between its ends."""
    previous: str | None = None
    end = 0
    for match in one.finditer(ids):
        current = canonical_id(match[0])
        if previous is not None and _RANGE.match(ids[end : match.start()]):
            yield from _between(previous, current)
        yield current
        previous, end = current, match.end()


def _spread(named: str, ids: str) -> str:
    """A dash after a plural is a range ("Tables 10–12"), after a singular a part of the number ("Table 3-1")."""
    if re.match(r"[A-Za-z]+s\b", named):
        return re.sub(rf"(?<=\d)[{_DASH}](?=\d)", " – ", ids)
    return ids


def _between(first: str, last: str) -> Iterator[str]:
    head, tail = re.match(r"^(.*?)(\d+|[A-Z])$", first), re.match(r"^(.*?)(\d+|[A-Z])$", last)
    if head is None or tail is None or tail[1] not in ("", head[1]):
        return
    if head[2].isdigit() and tail[2].isdigit():
        yield from (
            f"{head[1]}{number}" for number in range(int(head[2]) + 1, min(int(tail[2]), int(head[2]) + 100))
        )
    elif head[2].isalpha() and tail[2].isalpha():
        yield from (f"{head[1]}{chr(code)}" for code in range(ord(head[2]) + 1, ord(tail[2])))


def _roman(text: str) -> bool:
    return bool(re.fullmatch(r"[IVX]+", text))


def _kanji_number(text: str) -> int:
    total, current = 0, 0
    for char in text:
        if char in _KANJI:
            current = _KANJI[char]
        else:
            total += (current or 1) * (100 if char == "百" else 10)
            current = 0
    return total + current
