"""Layers (optional content): whether a document may hide any, and which of its pages belong to one in part."""

from __future__ import annotations

import re
from typing import Any

import pymupdf

from docaudit.extract.objects import (
    entries,
    get,
    is_dict,
    is_null,
    items,
    name_of,
    object_of,
    written,
)

_POLICY = re.compile(r"/Type\s*/OCMD(?![A-Za-z0-9])")
_LAYER = re.compile(r"/(?:OC|OCG|OCMD)(?![A-Za-z0-9])")
_PAGE = re.compile(r"/Type\s*/Pages?(?![A-Za-z0-9])")
_REFERENCE = re.compile(r"(?<!\d)(\d{1,9}) \d{1,5} R(?![A-Za-z])")


def hides_layers(doc: pymupdf.Document) -> bool:
    """Whether some optional content may be off: by default, by an event or usage, or by a policy of several layers."""
    properties = get(object_of(doc, doc.pdf_catalog()), "OCProperties")
    if not is_dict(properties):
        return False
    default = get(properties, "D")
    if any(True for _ in items(get(default, "OFF"))) or name_of(get(default, "BaseState")) in {
        "OFF",
        "Unchanged",
    }:
        return True
    if any(_usage_hides(group) for group in items(get(properties, "OCGs"))):
        return True
    return any(_POLICY.search(written(doc, number)) for number in range(1, doc.xref_length()))


def _usage_hides(group: Any) -> bool:
    """A layer may be off on the screen, on paper or at some sizes, and a program follows that."""
    usage = get(group, "Usage")
    states = (name_of(state) for _, use in entries(usage) for _, state in entries(use))
    return "OFF" in states or not is_null(get(usage, "Zoom"))


class Layers:
    """Tells which pages use layers: only what a page draws with can belong to one. Each object is looked at once."""

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        self._without: set[int] = set()

    def used_by(self, page: pymupdf.Page) -> bool:
        """Something under the page names a layer; so it is as well if the page's resources are not its own, or an
        object cannot be read.
        """
        own = written(self._doc, page.xref)
        if "/Resources" not in own or _LAYER.search(own):
            return True
        seen: set[int] = set()
        waiting = _references(own)
        while waiting:
            number = waiting.pop()
            if number in seen or number in self._without:
                continue
            seen.add(number)
            text = written(self._doc, number)
            if not text or _LAYER.search(text):
                return True
            if not _PAGE.search(text):
                waiting += _references(text)
        self._without |= seen
        return False


def _references(text: str) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(text)]
