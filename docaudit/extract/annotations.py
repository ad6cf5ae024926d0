"""What lies beside the text layer of one page: annotations, form fields, links and signatures, as lines of text.

All are read from the page's own list of annotations, whatever flags they have: one that is hidden, that is only printed
or that a program has no drawing for still says something. Of fields all texts are read (value, default, options,
tooltip, captions), whether or not a page shows them; of links and buttons the addresses and file names in their
actions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote

import pymupdf

from docaudit.codes import BlindSpotKind, TextLikely, TextSource, Visibility
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.boxes import centre_in, longest_side
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import Box, LineFact, SpotFact
from docaudit.extract.xml import rich_rows

_MOST_FIELDS, _MOST_ACTIONS = 200_000, 100
"""Fields of a form, and actions in a chain, that are walked at most; chosen, not measured."""
_SIGNATURE = ("Name", "Reason", "Location", "ContactInfo")
_CAPTIONS = ("CA", "RC", "AC")
_FILE = ("UF", "F", "Unix", "DOS", "Mac", "Desc")
_TEXTS = ("Contents", "T", "Subj", "OverlayText", "Alt", "ActualText")
_ICONS, _ICON_PT = frozenset({"Text", "FileAttachment"}), 40.0
_HIDDEN = 1 << 1 | 1 << 5
"""Flags of an annotation that nobody sees: hidden, and not shown on the screen."""
_DRAWN = frozenset({TextSource.FORM_FIELD, TextSource.ANNOTATION})
_WORD_STARTS = re.compile(r"(?<=[a-z])(?=[A-Z])")

SourcedText = tuple[TextSource, str]


class TooManyFieldsError(ValueError):
    """The form has more fields than docaudit walks."""


def page_marginalia(page: pymupdf.Page) -> tuple[list[LineFact], list[SpotFact]]:
    """Lines of all annotations, form fields and links of a page, and a blind spot for each that failed."""
    lines: list[LineFact] = []
    spots: list[SpotFact] = []
    annotations = pdf.get(pdf.object_of(page.parent, page.xref), "Annots")
    for number, annotation in enumerate(pdf.items(annotations), 1):
        if not pdf.is_dict(annotation):
            continue  # a damaged entry: there is nothing in it
        subtype = pdf.name_of(pdf.get(annotation, "Subtype"))
        try:
            lines += _annotation(page, annotation, subtype, number)
        except ENGINE_ERRORS as error:
            kind = BlindSpotKind.FORM_NOT_READ if subtype == "Widget" else BlindSpotKind.ANNOTATION_NOT_READ
            detail = f"annotation {number} ({subtype}): {type(error).__name__}: {error}"
            spots.append(SpotFact(kind, TextLikely.UNKNOWN, detail))
    return lines, spots


def _annotation(page: pymupdf.Page, annotation: Any, subtype: str, number: int) -> list[LineFact]:
    box: Box | None = None
    sides = pdf.rectangle(pdf.get(annotation, "Rect"))
    if sides is not None:
        shown = pymupdf.Rect(sides).normalize() * page.transformation_matrix * page.rotation_matrix
        box = float(shown.x0), float(shown.y0), float(shown.x1), float(shown.y1)
    hidden = pdf.whole_number(pdf.get(annotation, "F")) & _HIDDEN
    visibility = Visibility.INVISIBLE if hidden else Visibility.UNKNOWN
    if subtype == "Widget":
        texts = field_and_signature_texts(annotation)
    else:
        # What a link says of itself is for those who cannot see it.
        source = TextSource.ALT_TEXT if subtype == "Link" else TextSource.ANNOTATION
        rows = [pdf.text_of(pdf.get(annotation, key)) for key in _TEXTS]
        rows += rich_rows(pdf.text_of(pdf.get(annotation, "RC")))
        if subtype == "Stamp":
            rows.append(_WORD_STARTS.sub(" ", pdf.name_of(pdf.get(annotation, "Name"))))
        rows += [pdf.text_of(pdf.get(annotation, "MK", key)) for key in _CAPTIONS]
        texts = [(source, row) for row in rows]
        # A note or a pinned file is the viewer's own small icon, and some stamps it draws itself: their ink is known.
        icon = subtype in _ICONS and box is not None and longest_side(box) <= _ICON_PT
        stamp = subtype == "Stamp" and pdf.is_null(pdf.get(annotation, "AP", "N"))
        if not hidden and (subtype == "FreeText" or icon or stamp):
            visibility = Visibility.VISIBLE
    texts += [(TextSource.LINK, text) for text in action_texts(annotation)]
    return list(text_lines(texts, box, visibility, number))


def field_and_signature_texts(widget: Any) -> list[SourcedText]:
    """All texts of a field: its own, those it inherits, those of the widget that shows it, those of its signer."""
    texts = [text for key in ("V", "DV") for text in _values(pdf.inherited(widget, key))]
    texts += [pdf.text_of(pdf.inherited(widget, key)) for key in ("TU", "TM")]
    texts += rich_rows(pdf.text_of(pdf.inherited(widget, "RV")))
    texts += [text for option in pdf.items(pdf.inherited(widget, "Opt")) for text in _values(option)]
    texts += [pdf.text_of(pdf.get(widget, "MK", key)) for key in _CAPTIONS]
    texts += [pdf.text_of(pdf.get(widget, "Contents"))]
    sort = pdf.name_of(pdf.inherited(widget, "FT"))
    drawn = pdf.get(widget, "AP", "N")
    if sort == "Btn" and not pdf.is_stream(drawn):
        texts += [state for state, _ in pdf.entries(drawn) if state != "Off"]
    sourced = [(TextSource.FORM_FIELD, text) for text in dict.fromkeys(texts) if text]
    if sort == "Sig":
        value = pdf.inherited(widget, "V")
        signer = [pdf.text_of(pdf.get(value, key)) for key in _SIGNATURE]
        sourced += [(TextSource.SIGNATURE, text) for text in signer if text]
    return sourced


def _values(value: Any) -> Iterator[str]:
    yield pdf.text_of(value)
    name = pdf.name_of(value)
    if name and name != "Off":
        yield name
    for item in pdf.items(value):
        yield pdf.text_of(item)


def fields_without_page(doc: pymupdf.Document, pages: dict[int, int]) -> Iterator[Any]:
    """Fields of the form that no page shows.

    Args:
        doc: The document.
        pages: Object number -> page number.

    Raises TooManyFieldsError.
    """
    fields = pdf.get(pdf.object_of(doc, doc.pdf_catalog()), "AcroForm", "Fields")
    stack = list(pdf.items(fields))
    if not stack:
        return
    shown = {number for page in pages for number in pdf.references_under(doc, page, ("Annots",))}
    seen: set[int] = set()
    count = 0
    while stack:
        field = stack.pop()
        number = pdf.number_of(field)
        if not pdf.is_dict(field) or (number and number in seen):
            continue
        seen.add(number)
        count += 1
        if count > _MOST_FIELDS:
            raise TooManyFieldsError(f"the form has more than {_MOST_FIELDS} fields")
        kids = list(pdf.items(pdf.get(field, "Kids")))
        below = [kid for kid in kids if pdf.is_dict(kid) and not pdf.is_null(pdf.get(kid, "T"))]
        stack += below
        if not below and not any(pdf.number_of(widget) in shown for widget in (field, *kids)):
            yield field


def action_texts(holder: Any) -> list[str]:
    """Addresses and file names in all actions of an object; an address with codes also as it reads without them."""

    def chain(action: Any) -> Iterator[Any]:
        while pdf.is_dict(action):
            yield action
            action = pdf.get(action, "Next")

    actions = [pdf.get(holder, "A"), pdf.get(holder, "PA")]
    actions += [action for _, action in pdf.entries(pdf.get(holder, "AA"))]
    texts: list[str] = []
    for action in (step for first in actions for step in islice(chain(first), _MOST_ACTIONS)):
        texts.append(pdf.text_of(pdf.get(action, "URI")))
        for key in ("F", "Win"):
            target = pdf.get(action, key)
            texts.append(pdf.text_of(target))
            if pdf.is_dict(target):
                texts += [pdf.text_of(pdf.get(target, name)) for name in _FILE]
        texts.append(pdf.text_of(pdf.get(action, "T", "N")))
    texts += [unquote(text) for text in texts if "%" in text]
    return [text for text in dict.fromkeys(texts) if text]


def text_lines(
    texts: list[SourcedText], box: Box | None, visibility: Visibility, number: int
) -> Iterator[LineFact]:
    """One line for each different, not empty row; the rows of one text go on in each other, those of two do not."""
    seen: set[SourcedText] = set()
    for place, (source, text) in enumerate(texts):
        for row in (row.strip() for row in text.splitlines()):
            if row and (source, row) not in seen:
                seen.add((source, row))
                yield LineFact(row, box, number * 1000 + min(place, 999), source, visibility)


def without_drawn(lines: list[LineFact]) -> list[LineFact]:
    """The lines without those of fields and typewriter notes that the page shows word for word in the same place.

    What a person sees once is one line: the engine reads the drawing of a field as text of the page, line by line.
    """
    shown = [
        (line.box, line.text)
        for line in lines
        if line.box and line.source == TextSource.TEXT_LAYER and line.visibility == Visibility.VISIBLE
    ]

    def is_drawn(line: LineFact) -> bool:
        if line.box is None or line.source not in _DRAWN:
            return False
        inside = " ".join(text for box, text in shown if centre_in(box, line.box))
        return _words(line.text) in _words(inside)

    return [line for line in lines if not is_drawn(line)]


def _words(text: str) -> str:
    """The words of a text, each between spaces, so that one text is in another only with whole words."""
    return f" {' '.join(text.split())} "
