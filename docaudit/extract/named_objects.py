"""object_registry: which named objects a document has, by their captions and headings.

How named objects are called and numbered: "Figures 3.D and 4", "Boxes 1–3", "Annex B", 図3, 表１, 別紙2, 第3条.

One grammar serves both the objects (captions, headings) and the mentions of them, so that both meet in one id.
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


class Line(NamedTuple):
    """One line as this room sees it; `heading` has the title joined that stands beside a bare number."""

    page: int
    number: int
    text: str
    kind: str
    block: int
    first: bool
    bold: bool
    heading: str


def page_lines(line_df: pd.DataFrame, contents: frozenset[tuple[int, int]]) -> list[Line]:
    """Lines of the pages; entries of the printed contents name objects, but are neither objects nor mentions."""
    sources = {source.value for source in PAGE_SOURCES}
    wanted = ["page_num", "line_num", "text", "line_type", "block_num", "bold", "y0", "x1", "x0", "source"]
    rows = [
        row for row in zip(*(line_df[name].tolist() for name in wanted), strict=True) if row[9] in sources
    ]
    lines: list[Line] = []
    for position, (page, number, text, kind, block, bold, y0, x1, *_) in enumerate(rows):
        if (page, number) in contents:
            continue
        before = rows[position - 1] if position else None
        after = rows[position + 1] if position + 1 < len(rows) else None
        heading = text
        if after is not None and after[0] == page and _BARE_NUMBER.match(text):
            beside = abs(after[6] - y0) < 3 and 0 <= after[8] - x1 < 72
            heading = f"{text.strip()} {after[2].strip()}" if beside else text
        first = before is None or before[0] != page or before[4] != block
        if not first and before is not None and before[2].rstrip().endswith((".", ":", ";", "。")):
            first = bool(_NUMBER_STOPPED.match(text))  # "Section 101. Definitions" in the middle of a block
        lines.append(Line(page, number, text, kind, block, first, bold, heading))
    return lines


Objects = dict[tuple[str, str], dict[str, object]]


def objects_of(lines: list[Line]) -> Objects:
    """The first caption or heading of each named object."""
    objects: Objects = {}
    figures: dict[int, list[str]] = defaultdict(list)
    for line in lines:
        named = named_by(line)
        if named is not None:
            objects.setdefault(named, _object(named, line))
            if named[0] == "figure":
                figures[line.page].append(named[1])
    for named, line in _panels_in_captions(lines, figures):
        objects.setdefault(named, _object(named, line))
    for line in lines:
        panel = (
            _PANEL.match(line.text)
            if figures[line.page] and (line.first or line.kind != LineType.BODY)
            else None
        )
        if panel is not None:
            letter = (panel["a"] or panel["b"] or panel["c"]).upper()
            for figure in figures[line.page]:
                if "." not in figure or figure[-1].isdigit():
                    named = ("figure", f"{figure}.{letter}")
                    objects.setdefault(named, _object(named, line))
    for named, row in _lettered(lines).items():
        objects.setdefault(named, row)
    return objects


def _panels_in_captions(
    lines: list[Line], figures: dict[int, list[str]]
) -> Iterator[tuple[tuple[str, str], Line]]:
    """Panels that the caption of their figure names: "Figure 2. (A) A ribose zipper; (B) ..."."""
    for figure, caption in _figure_captions(lines, figures):
        found = [(panel, line) for line in caption for panel in _CAPTION_PANEL.finditer(line.text)]
        bare = {panel["c"] for panel, _ in found}
        for panel, line in found:
            if panel["c"] == "A" and "B" not in bare:
                continue  # "Figure 1: A quay" has the article, no panel
            first, last = panel["a"] or panel["c"], panel["b"] or panel["a"] or panel["c"]
            for code in range(ord(first.upper()), ord(last.upper()) + 1):
                yield ("figure", f"{figure}.{chr(code)}"), line


def _figure_captions(lines: list[Line], figures: dict[int, list[str]]) -> Iterator[tuple[str, list[Line]]]:
    """Each figure without a panel in its number, with the lines of its caption's block."""
    for position, line in enumerate(lines):
        named = named_by(line) if figures.get(line.page) else None
        if named is not None and named[0] == "figure" and not named[1][-1].isalpha():
            end = position + 1
            while end < len(lines) and (lines[end].page, lines[end].block) == (line.page, line.block):
                end += 1
            yield named[1], lines[position:end]


def named_by(line: Line) -> tuple[str, str] | None:
    """The object that this line is the caption or heading of."""
    heads = (
        line.first
        or line.bold
        or line.kind in {LineType.HEADING, LineType.CAPTION}
        or line.heading != line.text
    )
    if not heads or LEADER.search(line.text):
        return None
    article = _ARTICLE.match(line.text)
    if article is not None:
        return "条", canonical_id(article["id"])
    if CAPTION.match(line.text) or (_HEADED.match(line.heading) and _may_head(line)):
        text = _SPLIT_ROMAN.sub("", line.heading[:60])
        found = next(iter(mentions(text)), None)
        if found is not None and not text[: found.start].strip(" 【（(["):
            return found.object_type, found.object_id
    beside = line.heading != line.text and (line.bold or line.kind == LineType.HEADING)
    section = _SECTION_NUMBER.match(line.heading) or (_SECTION_BESIDE.match(line.heading) if beside else None)
    if section is not None and _may_be_section(line, section["id"]):
        return "section", section["id"]
    return None


def _may_be_section(line: Line, number: str) -> bool:
    """A number and a title: a heading by type or weight, or a short line that opens its block and ends no sentence."""
    numbered = line.heading != line.text and line.text.rstrip().endswith(".")
    if line.kind == LineType.HEADER and numbered:
        return True  # "11." at the top of two pages is no running header
    if line.kind in {LineType.FOOTNOTE, LineType.HEADER, LineType.FOOTER}:
        return False
    if line.heading != line.text and "." in number and line.kind != LineType.TABLE:
        return True
    plain = (
        line.first
        and line.kind != LineType.TABLE
        and len(line.text) < 80
        and not line.text.rstrip().endswith(".")
    )
    return line.kind == LineType.HEADING or line.bold or plain


def _may_head(line: Line) -> bool:
    """A heading by type or weight, or a short line of its own that does not go on as a sentence."""
    text = line.text.strip()
    return (
        line.kind == LineType.HEADING
        or line.bold
        or (
            len(text) < 90
            and not text.endswith((",", ";", "、", "。"))
            and (bool(_NUMBER_STOPPED.match(text)) or not _SENTENCE.search(text))
        )
    )


def _lettered(lines: list[Line]) -> Objects:
    """Headings "A.1 Data" as appendix A1: only where a letter has numbered headings, or B follows A."""
    found: Objects = {}
    for line in lines:
        match = _LETTERED.match(line.heading) if line.kind == LineType.HEADING or line.bold else None
        if match is not None and not LEADER.search(line.text):
            found.setdefault(("appendix", canonical_id(match["id"])), _object(("appendix", ""), line))
    ids = {object_id for _, object_id in found}
    kept = [named for named in found if named[1][1:] or f"{named[1]}1" in ids or _beside(named[1], ids)]
    return {named: {**found[named], "object_id": named[1]} for named in kept}


def _beside(letter: str, ids: set[str]) -> bool:
    return chr(ord(letter) - 1) in ids or (letter == "A" and "B" in ids)


def _object(named: tuple[str, str], line: Line) -> dict[str, object]:
    return {
        "object_type": named[0],
        "object_id": named[1],
        "title": line.text.strip(),
        "page_num": line.page,
        "line_num": line.number,
    }
