"""object_registry and cross_ref_df: which named objects a document has, which it mentions, and what does not resolve.

A mention of an object that is nowhere in the document is a sign that a part of it was not parsed, or is not there.
"Figure 3.D" is not resolved by "Figure 3": the panel itself must have been read.
"""

from __future__ import annotations

import re
from collections import defaultdict

import pandas as pd

from docaudit.extract.object_names import WEAK_TYPES, Mention, mentions
from docaudit.extract.other_documents import other_documents
from docaudit.extract.registry import LEADER, Line, Objects, named_by, objects_of, page_lines
from docaudit.frames import CROSS_REF_DF, OBJECT_REGISTRY

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


def objects_and_refs(
    line_df: pd.DataFrame, contents: frozenset[tuple[int, int]] = frozenset()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """OBJECT_REGISTRY and CROSS_REF_DF of a document whose line types are known.

    `contents` names the lines (page, line) of the printed contents.
    """
    lines = page_lines(line_df, contents)
    objects = objects_of(lines)
    refs = _refs(lines, objects)
    return OBJECT_REGISTRY.build(objects.values()), CROSS_REF_DF.build(refs)


def _refs(lines: list[Line], objects: Objects) -> list[dict[str, object]]:
    """Every mention, also one that goes on in the next line; captions and headings do not mention themselves."""
    numbering = _Numbering(objects)
    rows = []
    for position, line in enumerate(lines):
        following = lines[position + 1] if position + 1 < len(lines) else None
        joined = line.text
        goes_on = following is not None and following.page == line.page
        if goes_on and following is not None and not _JUST_A_NUMBER.match(following.text):
            joined = f"{line.text.rstrip()} {following.text.lstrip()}"
        own = objects.get(named_by(line) or ("", ""))
        for mention in mentions(joined):
            if mention.start >= len(line.text.rstrip()):
                break  # it belongs to the next line
            names_itself = own is not None and not line.text[: mention.start].strip(" 【（([")
            if names_itself or LEADER.search(line.text):
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
            if mention.start < len(line.text.rstrip()) and not _said_of_object(mention, joined)
        ]
    return rows


def _said_of_object(mention: Mention, joined: str) -> bool:
    """Whether it says of an object where it is ("Exhibit 10.4, filed separately"): that one is listed as external."""
    near = (joined[: mention.start].rstrip(" ,(") == joined[: one.end].rstrip() for one in mentions(joined))
    return mention.object_id.endswith("separately") and any(near)


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


def _ref(mention: Mention, line: Line, resolved: bool, external: bool) -> dict[str, object]:
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
