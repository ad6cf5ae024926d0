"""object_registry: which named objects a document has, by their captions and headings.

How named objects are called and numbered: "Figures 3.D and 4", "Boxes 1–3", "Annex B", 図3, 表１, 別紙2, 第3条. One
grammar serves both the objects and the mentions of them, so that both meet in one id.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from docaudit.codes import PAGE_SOURCES, LineType
from docaudit.extract.line_types import CAPTION
from docaudit.tables import Line, lines_of

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
WEAK_TYPES = frozenset({
    "section", "chapter", "part", "article", "item", "note", "equation", "schedule", "exhibit", "資料", "条", "map",
})  # fmt: skip
"""Types that as often name parts of laws, contracts and other documents as parts of this one."""

_DASH = "-‐‑‒–—−"
_NUM = r"\d+(?:[.\-‑–]\d+)*(?:\.?[A-Za-z](?![A-Za-z]))?(?:\([a-z0-9]{1,3}\))?"
_ID = rf"(?:[A-Z][.\-]?{_NUM}|{_NUM}|[IVX]{{1,5}}(?![A-Za-z])|[A-Z](?![A-Za-z]))"
_JOIN = rf"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|to|through)\s+|\s*&\s*|\s*[{_DASH}]\s*)"
_NEEDS_NUMBER = frozenset({
    "figure", "table", "box", "chart", "map", "section", "chapter", "article", "item", "note", "equation",
})  # fmt: skip

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
_ID_CHARACTER = re.compile("[0-9A-Z]")
_STEMS = (
    "fig", "table", "box", "chart", "map", "append", "annex", "exhibit", "schedule", "sec", "§", "chapter", "part",
    "article", "item", "note", "eq",
)  # fmt: skip
_JP_CHARACTER = re.compile("[図表紙録様資写条添]")
_ONE = re.compile(_ID)
_JP_ONE = re.compile(_JP_NUM)
_ROMAN = re.compile("[IVX]+")
_PLURAL = re.compile(r"[A-Za-z]+s\b")
_RANGE_IN_PLURAL = re.compile(rf"(?<=\d)[{_DASH}](?=\d)")
"""A dash after a plural is a range ("Tables 10–12"), after a singular a part of the number ("Table 3-1")."""
_RANGE = re.compile(rf"^\s*(?:[{_DASH}～〜－]|to|through|から)\s*$")
_KANJI = {char: number for number, char in enumerate("一二三四五六七八九", 1)}


class ObjectMention(NamedTuple):
    """One named object in a text: its type, its canonical id, and where the text names it."""

    object_type: str
    object_id: str
    start: int
    end: int
    text: str


def mentions(text: str) -> Iterator[ObjectMention]:
    """All named objects of a text; lists and ranges give one mention for each member.

    >>> [(m.object_type, m.object_id) for m in mentions("see Figures 3.D and 4, and Boxes 1–3")]
    [('figure', '3.D'), ('figure', '4'), ('box', '1'), ('box', '2'), ('box', '3')]
    >>> [m.object_id for m in mentions("Tables 10–12 and Table 3-1")]
    ['10', '11', '12', '3-1']
    >>> [(m.object_type, m.object_id) for m in mentions("図3及び別紙２を参照")]
    [('図', '3'), ('別紙', '2')]
    """
    if text.isascii() and not _ID_CHARACTER.search(text):
        return
    lowered = text.lower()
    for match in _MENTION.finditer(text) if any(stem in lowered for stem in _STEMS) else ():
        name = next(key for key, value in match.groupdict().items() if value and not key.endswith("_ids"))
        ids = match[f"{name}_ids"]
        if _PLURAL.match(match[name]):
            ids = _RANGE_IN_PLURAL.sub(" – ", ids)
        for object_id in _members(ids, _ONE):
            if (
                name not in _NEEDS_NUMBER
                or any(char.isdigit() for char in object_id)
                or _ROMAN.fullmatch(object_id)
            ):
                yield ObjectMention(name, object_id, match.start(), match.end(), match[0])
    if text.isascii() or not _JP_CHARACTER.search(text):
        return
    names = ["appendix" if name == "付録" else name for name in _JAPANESE]
    for match in _JP_MENTION.finditer(text):
        key = next(key for key, value in match.groupdict().items() if value and not key.endswith("_ids"))
        name = "条" if key == "jo" else names[int(key[1:])]
        for object_id in _members(match[f"{key}_ids"], _JP_ONE):
            yield ObjectMention(name, object_id, match.start(), match.end(), match[0])


def canonical_id(written: str) -> str:
    """The id by which mentions and objects meet.

    >>> canonical_id("３．Ｄ"), canonical_id("3d"), canonical_id("A.1"), canonical_id("第二"), canonical_id("3–1")
    ('3.D', '3.D', 'A1', '2', '3-1')
    """
    text = unicodedata.normalize("NFKC", written).strip().rstrip(".")
    text = re.sub(rf"[{_DASH}ー]", "-", text).replace("第", "").replace("号", "").strip()
    if text and all(char in "一二三四五六七八九十百" for char in text):
        total, current = 0, 0
        for char in text:
            if char in _KANJI:
                current = _KANJI[char]
            else:
                total += (current or 1) * (100 if char == "百" else 10)
                current = 0
        return str(total + current)
    text = re.sub(r"\(([a-z0-9]{1,3})\)$", r".\1", text)
    text = re.sub(r"^([A-Z])[.\-](?=\d)", r"\1", text)
    return re.sub(r"(?<=\d)\.?([A-Za-z])$", lambda match: f".{match[1].upper()}", text)


def _members(ids: str, member: re.Pattern[str]) -> Iterator[str]:
    """The members of a list of ids; a range gives all that lie between its ends."""
    previous: str | None = None
    end = 0
    for match in member.finditer(ids):
        current = canonical_id(match[0])
        if previous is not None and _RANGE.match(ids[end : match.start()]):
            yield from _between(previous, current)
        yield current
        previous, end = current, match.end()


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


_HEADED = re.compile(
    r"^\s*(?:(?:Appendix|APPENDIX|Annex|ANNEX|Exhibit|EXHIBIT|Schedule|SCHEDULE|Chapter|CHAPTER|Part|PART|Article|ARTICLE"
    r"|Item|ITEM|Section|SECTION|Note|NOTE|Map|Chart)\s+\S|別紙|別表|別添|付録|附録|付図|様式|資料|[【（(]?(?:別紙|別表|別添|様式))"
)
_SECTION_NUMBER = re.compile(r"^\s*(?P<id>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])")
_SECTION_BESIDE = re.compile(r"^\s*(?P<id>\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?=[\d.]+\s+[^\W\d_]{3})")
"""A title that begins with a number ("7.13 3.0 source format"), where the section number stands on its own."""
_ARTICLE = re.compile(r"^\s*第\s*(?P<id>[0-9０-９一二三四五六七八九十百]+)\s*条")
_LETTERED = re.compile(r"^\s*(?P<id>[A-Z](?:\.\d{1,2})*)\.?\s+(?=\S{2})")
_SPLIT_ROMAN = re.compile(r"(?<=[IVX]) (?=[IVX]+\b)")
_PANEL = re.compile(r"^\s*(?:\((?P<a>[a-zA-Z])\)|(?P<b>[A-H])[.:]|Panel\s+(?P<c>[A-H])\b)\s*\S")
_CAPTION_PANEL = re.compile(
    r"\((?P<a>[A-Za-z])(?:\s*[-‐‑–—]\s*(?P<b>[A-Za-z]))?\)|(?:^|(?<=[.;,:] ))(?P<c>[A-H])(?=[,:]?\s+[A-Za-z])"
)
LEADER = re.compile(r"(?:[.·…‥]\s?){4,}\s*\S{0,6}\s*$")
_SENTENCE = re.compile(r"(?:\s\S+){4,}\.$")
"""Words enough for a sentence, and its full stop: "Annex B describes the method in full." is no heading of Annex B."""
_NUMBER_STOPPED = re.compile(r"^\w+\s+(?:\d+(?:[.\-]\d+)*[A-Z]?|[IVX]+|[A-Z])[.:](?=\s+[^\Wa-z])")
"""A number with its own full stop or colon, and a capital letter: "Item 4. Mine Safety Disclosures." is a heading."""
_BARE_NUMBER = re.compile(
    r"^\s*(?:Section\s+|Article\s+|SECTION\s+|ARTICLE\s+)?(?:[A-Z]|[A-Z]?\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,4})\.?\s*$"
)


NamedObject = tuple[str, str]
"""Type and canonical id."""
Objects = dict[NamedObject, dict[str, object]]


class PageLine(NamedTuple):
    """A line of a page, whether it opens its block, and how it reads as a heading: with the title that stands beside a
    bare number.
    """

    line: Line
    first: bool
    heading: str

    @property
    def page(self) -> int:
        """1-based physical page."""
        return self.line.page_num

    @property
    def text(self) -> str:
        """The line, verbatim."""
        return self.line.text

    @property
    def beside(self) -> bool:
        """A title stands beside its number."""
        return self.heading != self.line.text


def page_lines(line_df: pd.DataFrame, contents: frozenset[tuple[int, int]]) -> list[PageLine]:
    """Lines of the pages; entries of the printed contents name objects, but are neither objects nor mentions."""
    lines = [line for line in lines_of(line_df) if line.source in PAGE_SOURCES]
    listed: list[PageLine] = []
    for position, line in enumerate(lines):
        if (line.page_num, line.line_num) in contents:
            continue
        before = lines[position - 1] if position else None
        after = lines[position + 1] if position + 1 < len(lines) else None
        heading = line.text
        if after is not None and after.page_num == line.page_num and _BARE_NUMBER.match(line.text):
            # Points, chosen: the title stands on the same baseline, up to an inch further right.
            beside = abs(after.y0 - line.y0) < 3 and 0 <= after.x0 - line.x1 < 72
            heading = f"{line.text.strip()} {after.text.strip()}" if beside else line.text
        first = before is None or (before.page_num, before.block_num) != (line.page_num, line.block_num)
        if not first and before is not None and before.text.rstrip().endswith((".", ":", ";", "。")):
            first = bool(
                _NUMBER_STOPPED.match(line.text)
            )  # "Section 101. Definitions" in the middle of a block
        listed.append(PageLine(line, first, heading))
    return listed


def objects_of(lines: list[PageLine]) -> Objects:
    """The first caption or heading of each named object."""
    objects: Objects = {}
    figures: dict[int, list[str]] = defaultdict(list)

    def register(named: NamedObject, line: PageLine) -> None:
        row: dict[str, object] = {
            "object_type": named[0],
            "object_id": named[1],
            "title": line.text.strip(),
            "page_num": line.page,
            "line_num": line.line.line_num,
        }
        objects.setdefault(named, row)

    for line in lines:
        named = named_by(line)
        if named is not None:
            register(named, line)
            if named[0] == "figure":
                figures[line.page].append(named[1])
    for named, line in _panels_in_captions(lines, figures):
        register(named, line)
    for line in lines:
        opens = figures[line.page] and (line.first or line.line.line_type != LineType.BODY)
        panel = _PANEL.match(line.text) if opens else None
        if panel is not None:
            letter = (panel["a"] or panel["b"] or panel["c"]).upper()
            for figure in figures[line.page]:
                if "." not in figure or figure[-1].isdigit():
                    register(("figure", f"{figure}.{letter}"), line)
    for named, line in _lettered_headings(lines):
        register(named, line)
    return objects


def _panels_in_captions(
    lines: list[PageLine], figures: dict[int, list[str]]
) -> Iterator[tuple[NamedObject, PageLine]]:
    """Panels that the caption of their figure names: "Figure 2. (A) A ribose zipper; (B) ..."."""
    for position, head in enumerate(lines):
        named = named_by(head) if figures.get(head.page) else None
        if named is None or named[0] != "figure" or named[1][-1].isalpha():
            continue  # a panel in its number: the caption is one of a panel
        end, block = position + 1, (head.page, head.line.block_num)
        while end < len(lines) and (lines[end].page, lines[end].line.block_num) == block:
            end += 1
        panels = [
            (panel, line) for line in lines[position:end] for panel in _CAPTION_PANEL.finditer(line.text)
        ]
        bare = {panel["c"] for panel, _ in panels}
        for panel, line in panels:
            if panel["c"] == "A" and "B" not in bare:
                continue  # "Figure 1: A quay" has the article, no panel
            first, last = panel["a"] or panel["c"], panel["b"] or panel["a"] or panel["c"]
            for code in range(ord(first.upper()), ord(last.upper()) + 1):
                yield ("figure", f"{named[1]}.{chr(code)}"), line


def _lettered_headings(lines: list[PageLine]) -> Iterator[tuple[NamedObject, PageLine]]:
    """Headings "A.1 Data" as appendix A1: only where a letter has numbered headings, or B follows A."""
    headed: dict[str, PageLine] = {}
    for line in lines:
        is_heading = line.line.line_type == LineType.HEADING or line.line.bold
        match = _LETTERED.match(line.heading) if is_heading else None
        if match is not None and not LEADER.search(line.text):
            headed.setdefault(canonical_id(match["id"]), line)
    for letter, line in headed.items():
        beside = chr(ord(letter[0]) - 1) in headed or (letter == "A" and "B" in headed)
        if letter[1:] or f"{letter}1" in headed or beside:
            yield ("appendix", letter), line


def named_by(line: PageLine) -> NamedObject | None:
    """The object that this line is the caption or heading of."""
    kind, bold = line.line.line_type, line.line.bold
    heads = line.first or bold or kind in {LineType.HEADING, LineType.CAPTION} or line.beside
    if not heads or LEADER.search(line.text):
        return None
    article = _ARTICLE.match(line.text)
    if article is not None:
        return "条", canonical_id(article["id"])
    if CAPTION.match(line.text) or (_HEADED.match(line.heading) and _may_head(line)):
        text = _SPLIT_ROMAN.sub("", line.heading[:60])
        mention = next(mentions(text), None)
        if mention is not None and not text[: mention.start].strip(" 【（(["):
            return mention.object_type, mention.object_id
    section = _SECTION_NUMBER.match(line.heading)
    if section is None and line.beside and (bold or kind == LineType.HEADING):
        section = _SECTION_BESIDE.match(line.heading)
    if section is not None and _may_be_section(line, section["id"]):
        return "section", section["id"]
    return None


def _may_be_section(line: PageLine, number: str) -> bool:
    """A number and a title: a heading by type or weight, or a short line that opens its block and ends no sentence."""
    kind, stopped = line.line.line_type, line.text.rstrip().endswith(".")
    if kind == LineType.HEADER and line.beside and stopped:
        return True  # "11." at the top of two pages is no running header
    if kind in {LineType.FOOTNOTE, LineType.HEADER, LineType.FOOTER}:
        return False
    if line.beside and "." in number and kind != LineType.TABLE:
        return True
    short = line.first and kind != LineType.TABLE and len(line.text) < 80 and not stopped
    return kind == LineType.HEADING or line.line.bold or short


def _may_head(line: PageLine) -> bool:
    """A heading by type or weight, or a short line of its own that does not go on as a sentence."""
    if line.line.line_type == LineType.HEADING or line.line.bold:
        return True
    text = line.text.strip()
    if len(text) >= 90 or text.endswith((",", ";", "、", "。")):
        return False
    return bool(_NUMBER_STOPPED.match(text)) or not _SENTENCE.search(text)
