"""Text that nobody sees: same colour as the page, covered, or outside it; told by the ink, not by the drawing order."""

from __future__ import annotations

from docaudit.extract.facts import Box, LineFact
from docaudit.extract.ink import PageInk
from docaudit.extract.lines import TextLayer
from docaudit.extract.spots import has_unknown_glyphs
from docaudit.location import TextSource, Visibility

_SHOWN = frozenset({TextSource.SECOND_READER.value})


def read_boxes(text: TextLayer, beside: list[LineFact]) -> list[Box]:
    """Boxes of all text that was read and is drawn on the page; lines with unknown glyphs were not read.

    What the second reader alone saw was read as well. Of annotations only those that show their text count (it is
    marked visible): the rectangle of any other may lie over a picture. What a form field shows is in the text layer.
    """
    boxes = [
        box
        for line, spans in zip(text.lines, text.spans, strict=True)
        if line.visibility == Visibility.VISIBLE.value and not has_unknown_glyphs(line.text)
        for box in spans
    ]
    shown = (line for line in beside if line.source in _SHOWN)
    return boxes + [line.box for line in shown if line.box and line.visibility == Visibility.VISIBLE.value]


def mark_visibility(text: TextLayer, ink: PageInk) -> None:
    """Set the visibility of lines without any ink of their own."""
    for line, spans in zip(text.lines, text.spans, strict=True):
        if (
            line.visibility == Visibility.VISIBLE.value
            and line.box is not None
            and ink.bare(spans or [line.box])
        ):
            if ink.shade_differs(line.box):
                line.visibility = Visibility.COVERED.value
            elif not any(ink.undrawn(box) for box in spans or [line.box]):
                line.visibility = Visibility.SAME_COLOUR.value
