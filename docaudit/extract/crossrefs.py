"""object_registry and cross_ref_df: which named objects a document has, which it mentions, and what does not resolve.

A mention of an object that is nowhere in the document is a sign that a part of it was not parsed, or is not there.
"Figure 3.D" is not resolved by "Figure 3": the panel itself must have been read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from docaudit.extract.line_types import CAPTION
from docaudit.extract.object_names import WEAK_TYPES, Mention, canonical_id, mentions
from docaudit.extract.other_documents import other_documents
from docaudit.frames import CROSS_REF_DF, OBJECT_REGISTRY
from docaudit.location import PAGE_SOURCES, LineType

_HEADED = re.compile(
    r"^\s*(?:(?:Appendix|APPENDIX|Annex|ANNEX|Exhibit|EXHIBIT|Schedule|SCHEDULE|Chapter|CHAPTER|Part|PART|Article|ARTICLE"
    r"|Item|ITEM|Section|SECTION|Note|NOTE|Map|Chart)\s+\S|別紙|別表|別添|付録|附録|付図|様式|資料|[【（(]?(?:別紙|別表|別添|様式))"
)
_SECTION_NUMBER = re.compile(r"^\s*(?P<id>\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])")
_SECTION_BESIDE = re.compile(r"^\s*(?P<id>\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?=[\d.]+\s+[^\W\d_]{3})")
"""A title that begins with a number ("7.13 3.0 source format"), where the section number stands on its own."""
_ARTICLE = re.compile(r"^\s*第\s*(?P<id>[0-9０-９一二三四五六七八九十百]+)\s*条")
_TOP = re.compile(r"^\d+")
_LETTERED = re.compile(r"^\s*(?P<id>[A-Z](?:\.\d{1,2})*)\.?\s+(?=\S{2})")
_SPLIT_ROMAN = re.compile(r"(?<=[IVX]) (?=[IVX]+\b)")
_PANEL = re.compile(r"^\s*(?:\((?P<a>[a-zA-Z])\)|(?P<b>[A-H])[.:]|Panel\s+(?P<c>[A-H])\b)\s*\S")
_CAPTION_PANEL = re.compile(
    r"\((?P<a>[A-Za-z])(?:\s*[-‐‑–—]\s*(?P<b>[A-Za-z]))?\)|(?<=[.;,:] )(?P<c>[A-H])(?=[,:]?\s+[A-Za-z])"
)
_LEADER = re.compile(r"(?:[.·…‥]\s?){4,}\s*\S{0,6}\s*$")
_LIST_GOES_ON = (
    r"(?:[\s,]*(?:and|or|OR|AND)?\s*(?:(?:Sections?|Items?|SECTIONS?)\s*)?(?:\d+(?:\.\d+)*)?(?:\(\w{1,4}\))+"
    r"|\s+(?:and|or)\s+(?:Sections?|Items?)\s+[\d.]+)*"
)
_EXTERNAL_AFTER = re.compile(
    rf"^{_LIST_GOES_ON}[\s,]*(?:(?:of|to|in|under|OF|TO|IN|UNDER)\s+(?:the\s+|THE\s+|The\s+|our\s+|its\s+)?"
    r"(?:[A-Z][\w’'&.-]*|\d{4}|this\s+chapter|\w+\s+(?:Act|Code|Regulation|Agreement))|\(?\s*(?:filed\s+separately|incorporated)"
    r"|[^。]{0,10}(?:別添|省略))"
)
_EXTERNAL_BEFORE = re.compile(
    r"(?:incorporated\s+(?:herein\s+)?by\s+reference\s+(?:to|from)|filed\s+as|furnished\s+as|\[\d+\][,;]?|U\.?S\.?C\.?"
    r"|(?:Act|Code|Regulation|Rule|Law|Directive|S-K|S-X)[,]?|[法令則例約])\s*(?:as\s+|in\s+|to\s+|under\s+)?$"
)
_SUPPLEMENT = re.compile(r"\b(?:suppl(?:ement(?:al|ary)?|\.)|online|web)\s*$", re.IGNORECASE)
"""Supplements of articles are published beside them."""
_OF_THIS = re.compile(
    r"^(?:\(\w{1,4}\))*\s+(?:of|to|in)\s+this\s+(?:agreement|report|document|annex|annual|quarterly|contract|plan|policy)\b",
    re.I,
)
_SENTENCE = re.compile(r"(?:\s\S+){4,}\.$")
"""Words enough for a sentence, and its full stop: "Annex B describes the method in full." is no heading of Annex B."""
_NUMBER_STOPPED = re.compile(r"^\w+\s+(?:\d+(?:[.\-]\d+)*[A-Z]?|[IVX]+|[A-Z])[.:](?=\s+[^\Wa-z])")
"""A number with its own full stop or colon, and a capital letter: "Item 4. Mine Safety Disclosures." is a heading."""
_JUST_A_NUMBER = re.compile(r"^\s*[\divxlc]+\s*$", re.IGNORECASE)
_BARE_NUMBER = re.compile(
    r"^\s*(?:Section\s+|Article\s+|SECTION\s+|ARTICLE\s+)?(?:[A-Z]|[A-Z]?\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,4})\.?\s*$"
)


class _Line(NamedTuple):
    """One line as this room sees it; `heading` has the title joined that stands beside a bare number."""

    page: int
    number: int
    text: str
    kind: str
    block: int
    first: bool
    bold: bool
    heading: str


def objects_and_refs(
    line_df: pd.DataFrame, contents: frozenset[tuple[int, int]] = frozenset()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """OBJECT_REGISTRY and CROSS_REF_DF of a document whose line types are known.

    `contents` names the lines (page, line) of the printed contents.
    """
    lines = _page_lines(line_df, contents)
    objects = _objects(lines)
    refs = _refs(lines, objects)
    return OBJECT_REGISTRY.build(objects.values()), CROSS_REF_DF.build(refs)


def _page_lines(line_df: pd.DataFrame, contents: frozenset[tuple[int, int]]) -> list[_Line]:
    """Lines of the pages; entries of the printed contents name objects, but are neither objects nor mentions."""
    sources = {source.value for source in PAGE_SOURCES}
    wanted = ["page_num", "line_num", "text", "line_type", "block_num", "bold", "y0", "x1", "x0", "source"]
    rows = [
        row for row in zip(*(line_df[name].tolist() for name in wanted), strict=True) if row[9] in sources
    ]
    lines: list[_Line] = []
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
        lines.append(_Line(page, number, text, kind, block, first, bold, heading))
    return lines


Objects = dict[tuple[str, str], dict[str, object]]


def _objects(lines: list[_Line]) -> Objects:
    """The first caption or heading of each named object."""
    objects: Objects = {}
    figures: dict[int, list[str]] = defaultdict(list)
    for line in lines:
        named = _named_by(line)
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
    lines: list[_Line], figures: dict[int, list[str]]
) -> Iterator[tuple[tuple[str, str], _Line]]:
    """Panels that the caption of their figure names: "Figure 2. (A) A ribose zipper; (B) ...", "Fig. 2. Maps. A Map of"."""
    current: tuple[int, int, str] | None = None
    for line in lines:
        named = _named_by(line) if figures.get(line.page) else None
        if named is not None and named[0] == "figure" and not named[1][-1].isalpha():
            current = (line.page, line.block, named[1])
        elif current is not None and (line.page, line.block) != current[:2]:
            current = None
        if current is not None:
            for found in _CAPTION_PANEL.finditer(line.text):
                first, last = found["a"] or found["c"], found["b"] or found["a"] or found["c"]
                for code in range(ord(first.upper()), ord(last.upper()) + 1):
                    yield ("figure", f"{current[2]}.{chr(code)}"), line


def _named_by(line: _Line) -> tuple[str, str] | None:
    """The object that this line is the caption or heading of."""
    heads = (
        line.first
        or line.bold
        or line.kind in {LineType.HEADING, LineType.CAPTION}
        or line.heading != line.text
    )
    if not heads or _LEADER.search(line.text):
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


def _may_be_section(line: _Line, number: str) -> bool:
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


def _may_head(line: _Line) -> bool:
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


def _lettered(lines: list[_Line]) -> Objects:
    """Headings "A.1 Data" as appendix A1: only where a letter has numbered headings, or B follows A."""
    found: Objects = {}
    for line in lines:
        match = _LETTERED.match(line.heading) if line.kind == LineType.HEADING or line.bold else None
        if match is not None and not _LEADER.search(line.text):
            found.setdefault(("appendix", canonical_id(match["id"])), _object(("appendix", ""), line))
    ids = {object_id for _, object_id in found}
    kept = {named for named in found if named[1][1:] or f"{named[1]}1" in ids or _beside(named[1], ids)}
    return {named: {**found[named], "object_id": named[1]} for named in kept}


def _beside(letter: str, ids: set[str]) -> bool:
    return chr(ord(letter) - 1) in ids or (letter == "A" and "B" in ids)


def _object(named: tuple[str, str], line: _Line) -> dict[str, object]:
    return {
        "object_type": named[0],
        "object_id": named[1],
        "title": line.text.strip(),
        "page_num": line.page,
        "line_num": line.number,
    }


def _refs(lines: list[_Line], objects: Objects) -> list[dict[str, object]]:
    """Every mention, also one that goes on in the next line; captions and headings do not mention themselves."""
    numbering = _Numbering(objects)
    rows = []
    for position, line in enumerate(lines):
        following = lines[position + 1] if position + 1 < len(lines) else None
        joined = line.text
        goes_on = following is not None and following.page == line.page
        if goes_on and following is not None and not _JUST_A_NUMBER.match(following.text):
            joined = f"{line.text.rstrip()} {following.text.lstrip()}"
        own = objects.get(_named_by(line) or ("", ""))
        for mention in mentions(joined):
            if mention.start >= len(line.text.rstrip()):
                break  # it belongs to the next line
            names_itself = own is not None and not line.text[: mention.start].strip(" 【（([")
            if names_itself or _LEADER.search(line.text):
                continue  # a caption or contents entry names the object; that is no mention of it
            resolved = numbering.resolves(mention)
            external = not resolved and (
                _says_external(mention, joined)
                or (numbering.is_foreign(mention) and not _OF_THIS.match(joined[mention.end :]))
            )
            rows.append(_ref(mention, line, resolved, external))
        rows += [
            _ref(mention, line, resolved=False, external=True)
            for mention in other_documents(joined)
            if mention.start < len(line.text.rstrip())
        ]
    return rows


def _counted_up_to(numbers: set[int]) -> int:
    """How far a numbering counts up from its start; one number may be missing, a stray 31 after 9 is not part of it."""
    last = 0
    while last + 1 in numbers or last + 2 in numbers:
        last += 1 if last + 1 in numbers else 2
    return last


class _Numbering:
    """How this document numbers its objects: what resolves, and what cannot be meant to be in it."""

    def __init__(self, objects: Objects) -> None:
        self._ids = set(objects)
        tops: dict[str, set[int]] = defaultdict(set)
        for object_type, object_id in objects:
            top = _TOP.match(object_id)
            if top is not None:
                tops[object_type].add(int(top[0]))
        self._last = {object_type: _counted_up_to(numbers) for object_type, numbers in tops.items()}

    def resolves(self, mention: Mention) -> bool:
        """The object is there. Parts of a section or note ("Note 7(e)") are found where the section is."""
        object_id = mention.object_id
        if (mention.object_type, object_id) in self._ids:
            return True
        if mention.object_type in {"chapter", "note"} and ("section", object_id) in self._ids:
            return True  # chapters and notes to accounts are headed by their number alone
        while mention.object_type in WEAK_TYPES and "." in object_id:
            object_id = object_id.rpartition(".")[0]
            if (mention.object_type, object_id) in self._ids:
                return True
        return False

    def is_foreign(self, mention: Mention) -> bool:
        """Sections, notes and the like that lie beyond this document's own numbers are those of a law or contract."""
        top = _TOP.match(mention.object_id)
        return mention.object_type in WEAK_TYPES and (
            top is None or int(top[0]) > self._last.get(mention.object_type, 0)
        )


def _says_external(mention: Mention, joined: str) -> bool:
    before, after = joined[: mention.start].rstrip(" ("), joined[mention.end :]
    if mention.object_type == "別添" or _SUPPLEMENT.search(before):
        return True
    return bool(_EXTERNAL_AFTER.match(after) or _EXTERNAL_BEFORE.search(before))


def _ref(mention: Mention, line: _Line, resolved: bool, external: bool) -> dict[str, object]:
    return {
        "ref_type": mention.object_type,
        "ref_id": mention.object_id,
        "page_num": line.page,
        "line_num": line.number,
        "text": mention.text,
        "context": line.text,
        "resolved": resolved,
        "scope": "external" if external else "internal",
    }
