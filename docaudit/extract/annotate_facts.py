"""What parent and child say to each other about the annotated copy of a document."""

from __future__ import annotations

import msgspec

Box = tuple[float, float, float, float]
Colour = tuple[float, float, float]


class Mark(msgspec.Struct, array_like=True):
    """One hit to be highlighted: its text line by line, and the box of its first line (points, as displayed).

    `text_layer` tells that its letters stand in the text layer of the page, and not only in what another reader saw.
    """

    page_num: int
    page_end: int
    box: Box
    lines: list[str]
    colour: Colour
    note: str
    text_layer: bool = True


class Outline(msgspec.Struct, array_like=True):
    """One region to be outlined."""

    page_num: int
    box: Box | None
    note: str


class Bookmark(msgspec.Struct, array_like=True):
    """One entry of the outline; page 0 is the legend."""

    level: int
    title: str
    page_num: int
    top: float


class AnnotateRequest(msgspec.Struct, array_like=True, tag="annotate"):
    """Draw marks and outlines into the document, add bookmarks and a legend as its last page, and save it to `path`."""

    path: str
    marks: list[Mark]
    outlines: list[Outline]
    bookmarks: list[Bookmark]
    contents_title: str
    legend: list[tuple[Colour | None, str]]


class Annotated(msgspec.Struct, array_like=True, tag="annotated"):
    """The annotated document was saved; `problems` names pages on which nothing could be drawn."""

    problems: list[str]
