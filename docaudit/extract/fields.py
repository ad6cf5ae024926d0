"""Texts of form fields and signatures: value, default, options, tooltip, captions, whether or not a page shows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf

from docaudit.extract.objects import (
    entries,
    get,
    inherited,
    is_dict,
    is_null,
    is_stream,
    items,
    name_of,
    number_of,
    object_of,
    references_under,
    text_of,
)
from docaudit.extract.rich_text import rich_rows

_MAX_FIELDS = 200_000
_SIGNATURE = ("Name", "Reason", "Location", "ContactInfo")
_CAPTIONS = ("CA", "RC", "AC")


class TooManyFieldsError(ValueError):
    """The form has more fields than docaudit walks."""


def field_texts(widget: Any) -> list[str]:
    """All texts of a field: its own, those it inherits, and those of the widget that shows it."""
    texts = [text for key in ("V", "DV") for text in _values(inherited(widget, key))]
    texts += [text_of(inherited(widget, key)) for key in ("TU", "TM")]
    texts += rich_rows(text_of(inherited(widget, "RV")))
    texts += [text for option in items(inherited(widget, "Opt")) for text in _values(option)]
    texts += [text_of(get(widget, "MK", key)) for key in _CAPTIONS]
    texts += [text_of(get(widget, "Contents"))]
    if name_of(inherited(widget, "FT")) == "Btn":
        drawn = get(widget, "AP", "N")
        texts += [] if is_stream(drawn) else [state for state, _ in entries(drawn) if state != "Off"]
    return [text for text in dict.fromkeys(texts) if text]


def _values(value: Any) -> Iterator[str]:
    yield text_of(value)
    name = name_of(value)
    if name and name != "Off":
        yield name
    for item in items(value):
        yield text_of(item)


def is_signature(widget: Any) -> bool:
    """The field is one of a signature."""
    return name_of(inherited(widget, "FT")) == "Sig"


def signature_texts(widget: Any) -> list[str]:
    """Name, reason, place and contact of a signature, as the signer's program wrote them."""
    value = inherited(widget, "V")
    return [text for key in _SIGNATURE if (text := text_of(get(value, key)))]


def fields_without_page(doc: pymupdf.Document, pages: dict[int, int]) -> Iterator[Any]:
    """Fields of the form that no page shows.

    Args:
        doc: The document.
        pages: Object number -> page number.

    Raises TooManyFieldsError.
    """
    fields = get(object_of(doc, doc.pdf_catalog()), "AcroForm", "Fields")
    stack = list(items(fields))
    if not stack:
        return
    shown = {number for page in pages for number in references_under(doc, page, ("Annots",))}
    seen: set[int] = set()
    count = 0
    while stack:
        field = stack.pop()
        number = number_of(field)
        if not is_dict(field) or (number and number in seen):
            continue
        seen.add(number)
        count += 1
        if count > _MAX_FIELDS:
            raise TooManyFieldsError(f"the form has more than {_MAX_FIELDS} fields")
        kids = list(items(get(field, "Kids")))
        inner = [kid for kid in kids if is_dict(kid) and not is_null(get(kid, "T"))]
        stack += inner
        widgets = [field, *kids]
        if not inner and not any(number_of(widget) in shown for widget in widgets):
            yield field
