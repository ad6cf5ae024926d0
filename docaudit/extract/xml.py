"""Rows of text from XML and HTML, parsed so that a hostile file can neither fetch, expand nor overrun anything.

Rich text of annotations and form fields (XHTML in a string) as plain rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from lxml import etree, html

_INLINE = frozenset(
    {
        "a",
        "abbr",
        "b",
        "big",
        "cite",
        "code",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "s",
        "small",
    }
    | {"span", "strike", "strong", "sub", "sup", "tt", "u", "var"}
)
_RUNNING = frozenset({"html", "body", "p"})
"""Inside these, inline elements are parts of a word or sentence; in other XML <code> or <b> may be anything."""
_NOT_TEXT = frozenset({"script", "style"})
_IDENTIFIER = re.compile(r"\{[^}]*\}")
_ABOUT_TEXT = re.compile(r"\{http://www\.w3\.org/(?:XML/1998/namespace|1999/02/22-rdf-syntax-ns#)\}")
"""Attributes that say something of the text (its language), and are none."""
_IMAGE_CHARS = 4096
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")

NotXmlError = etree.LxmlError
"""What is raised for text that is no XML."""


def xml_rows(data: bytes, *, attributes: bool = False) -> list[str]:
    """The text of an XML document, one row for each element that is not inline; raises NotXmlError.

    Args:
        data: The document.
        attributes: Values of attributes count as text too.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    return list(_rows(etree.fromstring(data, parser), attributes, skip=frozenset()))


def html_rows(data: bytes) -> list[str]:
    """The text of an HTML document, scripts and styles left out; raises NotXmlError if there is nothing in it."""
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, encoding="utf-8")
    return list(_rows(html.document_fromstring(data, parser), attributes=False, skip=_NOT_TEXT))


def _rows(root: Any, attributes: bool, skip: frozenset[str]) -> Iterator[str]:
    """Walk the tree without recursion, since it may be thousands of levels deep."""
    row: list[str] = []
    inside = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            if event == "end":
                row.append(element.tail or "")  # a processing instruction, or an entity that is not expanded
            continue
        tag = _IDENTIFIER.sub("", element.tag).lower()
        if event == "start":
            inside += tag in _RUNNING
            if not (inside and tag in _INLINE):
                yield from _flush(row)
            if attributes:
                named = (value for key, value in element.attrib.items() if not _ABOUT_TEXT.match(key))
                yield from (value.strip() for value in named if value.strip())
            if tag == "br":
                yield from _flush(row)
            text = element.text or ""
            if tag not in skip and not (len(text) > _IMAGE_CHARS and _BASE64.fullmatch(text)):
                row.append(text)
        else:
            if not (inside and tag in _INLINE):
                yield from _flush(row)
            inside -= tag in _RUNNING
            row.append(element.tail or "")
    yield from _flush(row)


def _flush(row: list[str]) -> Iterator[str]:
    text = " ".join("".join(row).split())
    row.clear()
    if text:
        yield text


_TAG = re.compile(r"<[^>]*>")


def rich_rows(text: str) -> list[str]:
    """The rows of a rich text; of one that is no XML, what stands between its tags."""
    if not text.strip():
        return []
    try:
        return xml_rows(text.encode("utf-8", "replace"))
    except NotXmlError:
        return [row for row in unescape(_TAG.sub("\n", text)).splitlines() if row.strip()]
