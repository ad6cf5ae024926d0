"""object_registry and cross_ref_df: which named objects a document has, which it mentions, and what does not resolve.

A mention of an object that is nowhere in the document is a sign that a part of it was not parsed, or is not there.
"Figure 3.D" is not resolved by "Figure 3": the panel itself must have been read. Mentions of other documents
("incorporated by reference", "filed separately", 別添) are no gap in the parse; they are listed, because the answer may
stand there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import pandas as pd

from docaudit.extract.named_objects import (
    LEADER,
    WEAK_TYPES,
    ObjectMention,
    Objects,
    PageLine,
    mentions,
    named_by,
    objects_of,
    page_lines,
)
from docaudit.tables import CROSS_REF_DF, OBJECT_REGISTRY

DOCUMENT = "document"
"""Type of the objects that are documents of their own."""

_KINDS = (
    r"(?:Annual|Quarterly|Interim|Technical|Main|Full|Final|Progress|Sustainability|Integrated|Current)\s+Reports?"
    r"|Proxy\s+Statements?|Registration\s+Statements?|Prospectus(?:es)?|Offering\s+Memorandum|White\s*[Pp]aper"
    r"|(?:User|Reference|Owner|Operator|Installation|Service)(?:['’]?s['’]?)?\s+(?:Guide|Manual)|Handbook|Circular"
)
_NAME = (
    rf"(?:[A-Z0-9][\w’'&-]*\s+){{0,4}}?(?:{_KINDS})(?:\s+on\s+Form\s+[\w-]+)?"
    r"(?:\s+(?:for|of|dated|as\s+of|filed)\s+(?:the\s+)?(?:(?:fiscal\s+)?year\s+)?(?:ended\s+)?"
    r"(?:[A-Z][a-z]+\s+(?:\d{1,2},?\s+)?)?(?:19|20)\d\d)?"
)
_WHOSE = r"(?:the|our|its|their|his|her|that|such|[A-Z][\w.&-]*(?:\s+[A-Z][\w.&-]*){0,3}['’]s?)\s+"
_BY_REFERENCE = rf"incorporated\s+(?:herein\s+)?by\s+reference\s+(?:to|from|into|in)\s+(?:{_WHOSE})?"
_SEE = rf"(?:\b(?:[Ss]ee|[Rr]efer\s+to|[Cc]onsult)(?:\s+also)?\s+|\b(?:in|from|of|with)\s+)(?:{_WHOSE})"
_MENTION = re.compile(
    rf"(?:{_BY_REFERENCE}|{_SEE})(?P<name>{_NAME})"
    r"|(?P<apart>\b(?:filed|furnished|published|provided|supplied|issued|submitted|bound|attached)\s+separately"
    r"|\bunder\s+separate\s+cover)"
    r"|(?P<annexed>別添(?:資料|書類)?(?!\s*(?:第\s*)?[\d０-９A-ZＡ-Ｚ一二三四五六七八九十])|別冊(?:子)?|別途(?:配布|公表|送付|提出|定める)[^\s。、]{0,8})"
)

_NAMES_OF_DOCUMENTS = (
    "Report", "Statement", "Prospectus", "Memorandum", "aper", "Guide", "Manual", "Handbook", "Circular",
    "separate", "別",
)  # fmt: skip
"""What a text must hold so that the long pattern can match in it: one of these stands in each of its branches."""
_TOP = re.compile(r"^\d+")
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
_JUST_A_NUMBER = re.compile(r"^\s*[\divxlc]+\s*$", re.IGNORECASE)


def other_documents(text: str) -> Iterator[ObjectMention]:
    """Mentions of other documents in a text, each with the name that the text gives it.

    >>> [m.object_id for m in other_documents("see the Annual Report for 2020, or our Proxy Statement")]
    ['Annual Report for 2020']
    >>> [m.object_id for m in other_documents("incorporated by reference to our 2019 Proxy Statement")]
    ['2019 Proxy Statement']
    >>> [m.object_id for m in other_documents("The accounts are published separately. 別添のとおり。")]
    ['published separately', '別添']
    """
    for match in _MENTION.finditer(text) if any(name in text for name in _NAMES_OF_DOCUMENTS) else ():
        name = match["name"] or match["apart"] or match["annexed"]
        yield ObjectMention(DOCUMENT, " ".join(name.split()), match.start(), match.end(), match[0])


def objects_and_refs(
    line_df: pd.DataFrame, contents: frozenset[tuple[int, int]] = frozenset()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """OBJECT_REGISTRY and CROSS_REF_DF of a document whose line types are known.

    `contents` names the lines (page, line) of the printed contents.
    """
    lines = page_lines(line_df, contents)
    objects = objects_of(lines)
    return OBJECT_REGISTRY.build(objects.values()), CROSS_REF_DF.build(_refs(lines, objects))


def _refs(lines: list[PageLine], objects: Objects) -> Iterator[dict[str, object]]:
    """Every mention, also one that goes on in the next line; captions and headings do not mention themselves."""
    numbering = _Numbering(objects)
    for position, line in enumerate(lines):
        following = lines[position + 1] if position + 1 < len(lines) else None
        joined, end = line.text, len(line.text.rstrip())
        if following is not None and following.page == line.page and not _JUST_A_NUMBER.match(following.text):
            joined = f"{line.text.rstrip()} {following.text.lstrip()}"
        own = objects.get(named_by(line) or ("", ""))
        for mention in mentions(joined):
            if mention.start >= end:
                break  # it belongs to the next line
            names_itself = own is not None and not line.text[: mention.start].strip(" 【（([")
            if names_itself or LEADER.search(line.text):
                continue  # a caption or contents entry names the object; that is no mention of it
            resolved = numbering.resolves(mention)
            external = not resolved and (
                _is_external(mention, joined)
                or (numbering.is_foreign(mention) and not _OF_THIS.match(joined[mention.end :]))
            )
            yield _ref(mention, line, resolved=resolved, external=external)
        for mention in other_documents(joined):
            # "Exhibit 10.4, filed separately" says of an object where it is: that one is listed as external.
            before = joined[: mention.start].rstrip(" ,(")
            near = (before == joined[: named.end].rstrip() for named in mentions(joined))
            of_object = mention.object_id.endswith("separately") and any(near)
            if mention.start < end and not of_object:
                yield _ref(mention, line, resolved=False, external=True)


def _ref(mention: ObjectMention, line: PageLine, *, resolved: bool, external: bool) -> dict[str, object]:
    return {
        "ref_type": mention.object_type,
        "ref_id": mention.object_id,
        "page_num": line.page,
        "line_num": line.line.line_num,
        "text": mention.text,
        "context": line.text,
        "resolved": resolved,
        "scope": "external" if external else "internal",
    }


def _is_external(mention: ObjectMention, joined: str) -> bool:
    """The words around a mention say that the object is in another document."""
    before, after = joined[: mention.start].rstrip(" ("), joined[mention.end :]
    if mention.object_type == "別添" or _SUPPLEMENT.search(before):
        return True
    return bool(_EXTERNAL_AFTER.match(after) or _EXTERNAL_BEFORE.search(before))


class _Numbering:
    """How this document numbers its objects: what resolves, and what cannot be meant to be in it."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        tops: dict[str, set[int]] = defaultdict(set)
        for object_type, object_id in objects:
            top = _TOP.match(object_id)
            if top is not None:
                tops[object_type].add(int(top[0]))
        self._last: dict[str, int] = defaultdict(int)
        for object_type, numbers in tops.items():
            # One number may be missing; a stray 31 after 9 is not part of a numbering.
            last = 0
            while last + 1 in numbers or last + 2 in numbers:
                last += 1 if last + 1 in numbers else 2
            self._last[object_type] = last

    def resolves(self, mention: ObjectMention) -> bool:
        """The object is there. Parts of a section or note ("Note 7(e)") are found where the section is."""
        object_id = mention.object_id
        if (mention.object_type, object_id) in self._objects:
            return True
        if mention.object_type in {"chapter", "note"} and ("section", object_id) in self._objects:
            return True  # chapters and notes to accounts are headed by their number alone
        while mention.object_type in WEAK_TYPES and "." in object_id:
            object_id = object_id.rpartition(".")[0]
            if (mention.object_type, object_id) in self._objects:
                return True
        return False

    def is_foreign(self, mention: ObjectMention) -> bool:
        """Sections, notes and the like that lie beyond this document's own numbers are those of a law or contract."""
        top = _TOP.match(mention.object_id)
        return mention.object_type in WEAK_TYPES and (
            top is None or int(top[0]) > self._last[mention.object_type]
        )
