"""Where a piece of text stands, where it came from, and the closed vocabularies that tables and models share."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

BBox = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points, origin top left, as the page is displayed."""

DOCUMENT_PAGE = 0
"""page_num of text and blind spots that belong to the document as a whole (metadata, bookmarks, attachments)."""


class TextSource(StrEnum):
    """Where a line of text was read."""

    TEXT_LAYER = "text_layer"
    SECOND_READER = "second_reader"
    OCR = "ocr"
    ANNOTATION = "annotation"
    FORM_FIELD = "form_field"
    XFA = "xfa"
    BOOKMARK = "bookmark"
    METADATA = "metadata"
    ALT_TEXT = "alt_text"
    ACTUAL_TEXT = "actual_text"
    LINK = "link"
    SIGNATURE = "signature"
    ATTACHMENT = "attachment"
    EARLIER_REVISION = "earlier_revision"


PAGE_SOURCES = frozenset({TextSource.TEXT_LAYER, TextSource.SECOND_READER, TextSource.OCR})
"""Sources whose lines stand on the page itself and continue into each other."""


class Visibility(StrEnum):
    """Whether a person who looks at the page can see the text."""

    VISIBLE = "visible"
    INVISIBLE = "invisible"
    SAME_COLOUR = "same_colour"
    COVERED = "covered"
    CROPPED = "cropped"
    LAYER_OFF = "layer_off"
    REPLACED = "replaced"
    UNKNOWN = "unknown"


class LineType(StrEnum):
    """What a line is on its page, by the plain rules of docaudit.extract.line_types."""

    HEADING = "heading"
    BODY = "body"
    CAPTION = "caption"
    HEADER = "header"
    FOOTER = "footer"
    FOOTNOTE = "footnote"
    LIST = "list"
    TABLE = "table"


class Direction(StrEnum):
    """How a line runs on the displayed page."""

    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"
    ROTATED_LEFT = "rotated_left"
    ROTATED_RIGHT = "rotated_right"
    UPSIDE_DOWN = "upside_down"
    SLANTED = "slanted"


class PageState(StrEnum):
    """What could be read of a page: each page of the page tree has exactly one."""

    TEXT = "text"
    MIXED = "mixed"
    IMAGE_ONLY = "image_only"
    BLANK = "blank"
    FAILED = "failed"
    NOT_RENDERED = "not_rendered"


class TextLikely(StrEnum):
    """Whether a region that was not read may hold text."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class MatchKind(StrEnum):
    """How a match was reached: what separated the page's characters from the variant as it is written."""

    EXACT = "exact"
    FOLDED = "folded"
    ACROSS_SIGNS = "across_signs"
    ACROSS_LINES = "across_lines"
    DEHYPHENATED = "dehyphenated"
    ACROSS_CELLS = "across_cells"
    ACROSS_PAGES = "across_pages"
    SQUEEZED = "squeezed"
    LETTER_SPACED = "letter_spaced"
    ACCENTS_DIFFER = "accents_differ"
    OCR_FUZZY = "ocr_fuzzy"

    @property
    def is_possible(self) -> bool:
        """Whether a match of this kind only may be one: it is listed and counted apart, and proves nothing."""
        return self in POSSIBLE_KINDS


POSSIBLE_KINDS = frozenset({MatchKind.ACCENTS_DIFFER, MatchKind.OCR_FUZZY})
"""Kinds of match that a person must look at: other accents, and perhaps misread by OCR."""


class Location(BaseModel):
    """One place in a document.

    Attributes:
        page_num: 1-based physical page; 0 for the document as a whole.
        line_num: 1-based line of that page in line_df.
        bbox: Box in points, origin top left, as displayed.
        char_span: Start and end of the characters in the line's text.
    """

    model_config = ConfigDict(frozen=True)

    page_num: int = Field(ge=0)
    line_num: int = Field(ge=0)
    bbox: BBox | None = None
    char_span: tuple[int, int] | None = None
