"""What lies beside the text layer of one page: annotations, form fields, links and signatures, as lines of text.

All are read from the page's own list of annotations, whatever flags they have: one that is hidden, that is only printed
or that a program has no drawing for still says something.

Texts of form fields and signatures: value, default, options, tooltip, captions, whether or not a page shows them.

Where links and buttons lead: addresses and file names in the actions of annotations, fields and bookmarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.extract.images import centre_in
from docaudit.extract.pdf_objects import (
    ENGINE_ERRORS,
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
    rectangle,
    references_under,
    text_of,
    whole_number,
)
from docaudit.extract.protocol import Box, LineFact, SpotFact
from docaudit.extract.xml import rich_rows

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


_MAX_ACTIONS = 100
_FILE = ("UF", "F", "Unix", "DOS", "Mac", "Desc")


def action_texts(holder: Any) -> list[str]:
    """Addresses and file names in all actions of an object; an address with codes also as it reads without them."""
    actions = [get(holder, "A"), get(holder, "PA")]
    actions += [action for _, action in entries(get(holder, "AA"))]
    found: list[str] = []
    for action in actions:
        for number, step in enumerate(_chain(action)):
            if number >= _MAX_ACTIONS:
                break
            found += _targets(step)
    plain = [unquote(text) for text in found if "%" in text]
    return [text for text in dict.fromkeys([*found, *plain]) if text]


def _chain(action: Any) -> Iterator[Any]:
    while is_dict(action):
        yield action
        action = get(action, "Next")


def _targets(action: Any) -> Iterator[str]:
    yield text_of(get(action, "URI"))
    for key in ("F", "Win"):
        target = get(action, key)
        yield text_of(target)
        if is_dict(target):
            yield from (text_of(get(target, name)) for name in _FILE)
    yield text_of(get(action, "T", "N"))


_TEXTS = ("Contents", "T", "Subj", "OverlayText", "Alt", "ActualText")
_ICONS = frozenset({"Text", "FileAttachment"})
_ICON_PT = 40.0
_HIDDEN = 1 << 1 | 1 << 5
"""Flags of an annotation that nobody sees: hidden, and not shown on the screen."""
_DRAWN = frozenset({TextSource.FORM_FIELD.value, TextSource.ANNOTATION.value})
_VISIBLE = Visibility.VISIBLE.value
_WORD_STARTS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def page_marginalia(page: pymupdf.Page) -> tuple[list[LineFact], list[SpotFact]]:
    """Lines of all annotations, form fields and links of a page, and a blind spot for each that failed."""
    lines: list[LineFact] = []
    spots: list[SpotFact] = []
    annotations = get(object_of(page.parent, page.xref), "Annots")
    for number, annotation in enumerate(items(annotations), 1):
        if not is_dict(annotation):
            continue  # a damaged entry: there is nothing in it
        subtype = name_of(get(annotation, "Subtype"))
        try:
            lines += _annotation(page, annotation, subtype, number)
        except ENGINE_ERRORS as error:
            kind = BlindSpotKind.FORM_NOT_READ if subtype == "Widget" else BlindSpotKind.ANNOTATION_NOT_READ
            detail = f"annotation {number} ({subtype}): {type(error).__name__}: {error}"
            spots.append(SpotFact(kind.value, TextLikely.UNKNOWN.value, detail))
    return lines, spots


def _annotation(page: pymupdf.Page, annotation: Any, subtype: str, number: int) -> list[LineFact]:
    box = _box(page, annotation)
    hidden = whole_number(get(annotation, "F")) & _HIDDEN
    visibility = Visibility.INVISIBLE if hidden else Visibility.UNKNOWN
    if subtype == "Widget":
        texts = [(TextSource.FORM_FIELD, text) for text in field_texts(annotation)]
        if is_signature(annotation):
            texts += [(TextSource.SIGNATURE, text) for text in signature_texts(annotation)]
    else:
        # What a link says of itself is for those who cannot see it.
        source = TextSource.ALT_TEXT if subtype == "Link" else TextSource.ANNOTATION
        texts = [(source, text) for text in _texts(annotation, subtype)]
        if not hidden and (subtype == "FreeText" or _is_drawn_as_icon(annotation, subtype, box)):
            visibility = Visibility.VISIBLE
    texts += [(TextSource.LINK, text) for text in action_texts(annotation)]
    return list(text_lines(texts, box, visibility, number))


def _texts(annotation: Any, subtype: str) -> Iterator[str]:
    for key in _TEXTS:
        yield text_of(get(annotation, key))
    yield from rich_rows(text_of(get(annotation, "RC")))
    if subtype == "Stamp":
        yield _WORD_STARTS.sub(" ", name_of(get(annotation, "Name")))
    for key in ("CA", "RC", "AC"):
        yield text_of(get(annotation, "MK", key))


def _is_drawn_as_icon(annotation: Any, subtype: str, box: Box | None) -> bool:
    """A note or a pinned file as the viewer's own small icon, or a stamp that the viewer draws: its ink is known."""
    if subtype == "Stamp":
        return is_null(get(annotation, "AP", "N"))
    small = box is not None and max(box[2] - box[0], box[3] - box[1]) <= _ICON_PT
    return small and subtype in _ICONS


def text_lines(
    texts: list[tuple[TextSource, str]], box: Box | None, visibility: Visibility, number: int
) -> Iterator[LineFact]:
    """One line for each different, not empty row; the rows of one text go on in each other, those of two do not."""
    seen: set[tuple[TextSource, str]] = set()
    for place, (source, text) in enumerate(texts):
        for row in text.splitlines():
            key = (source, row.strip())
            if key[1] and key not in seen:
                seen.add(key)
                block = number * 1000 + min(place, 999)
                yield LineFact(key[1], box, block, source.value, visibility.value)


def without_drawn(lines: list[LineFact]) -> list[LineFact]:
    """The lines without those of fields and typewriter notes that the page shows word for word in the same place.

    What a person sees once is one line: the engine reads the drawing of a field as text of the page, line by line.
    """
    beside = [line for line in lines if line.box and line.source in _DRAWN]
    if not beside:
        return lines
    shown = [line for line in lines if line.box and line.source == TextSource.TEXT_LAYER.value]
    drawn: set[int] = set()
    for line in beside:
        inside = (other for other in shown if other.box and line.box and centre_in(other.box, line.box))
        if _words(line.text) in _words(
            " ".join(other.text for other in inside if other.visibility == _VISIBLE)
        ):
            drawn.add(id(line))
    return [line for line in lines if id(line) not in drawn]


def _words(text: str) -> str:
    """The words of a text, each between blanks, so that one text is in another only with whole words."""
    return f" {' '.join(text.split())} "


def _box(page: pymupdf.Page, annotation: Any) -> Box | None:
    sides = rectangle(get(annotation, "Rect"))
    if sides is None:
        return None
    shown = pymupdf.Rect(sides).normalize() * page.transformation_matrix * page.rotation_matrix
    return float(shown.x0), float(shown.y0), float(shown.x1), float(shown.y1)
