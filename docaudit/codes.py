"""Where a piece of text stands, and the closed vocabularies that tables, models and reports share.

Every code carries its words: a label for a cell, a sentence that says what it means, and, of a blind spot, the remedy.
The codes stand in blind_spot_df, in the ledger and in justifications; none is ever reused for another meaning.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

BBox = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points, origin top left, as the page is displayed."""

DOCUMENT_PAGE = 0
"""page_num of text and blind spots that belong to the document as a whole (metadata, bookmarks, attachments)."""


class Code(StrEnum):
    """One value of a closed vocabulary, with its words in English; the Japanese ones stand in render/locale.

    Attributes:
        label: A few words, for a cell or a heading.
        meaning: One sentence; where none is given, the label.
    """

    label: str
    meaning: str

    def __new__(cls, value: str, label: str = "", meaning: str = "") -> Self:  # noqa: D102
        code = str.__new__(cls, value)
        code._value_ = value
        code.label = label
        code.meaning = meaning or label
        return code


class TextSource(Code):
    """Where a line of text was read."""

    TEXT_LAYER = "text_layer", "text layer", "The text of the page, as the first engine reads it."
    SECOND_READER = "second_reader", "second reader", "Text of the page that only the second engine read."
    OCR = "ocr", "OCR", "Read from the picture of the page."
    ANNOTATION = "annotation", "annotation", "A comment or other annotation."
    FORM_FIELD = "form_field", "form field", "The value or the name of a form field."
    XFA = "xfa", "XFA form", "An XFA form."
    BOOKMARK = "bookmark", "bookmark", "The outline of the document."
    METADATA = "metadata", "metadata", "The properties of the document."
    ALT_TEXT = "alt_text", "alternative text", "The alternative text of a picture."
    ACTUAL_TEXT = "actual_text", "replacement text", "The replacement text of a tag."
    LINK = "link", "link", "The target of a link."
    SIGNATURE = "signature", "signature", "Reason, name or place of a signature."
    ATTACHMENT = "attachment", "attachment", "A file that is embedded in the document."
    EARLIER_REVISION = "earlier_revision", "earlier revision", "An earlier revision of the file."


PAGE_SOURCES = frozenset({TextSource.TEXT_LAYER, TextSource.SECOND_READER, TextSource.OCR})
"""Sources whose lines stand on the page itself and continue into each other."""


class Visibility(Code):
    """Whether a person who looks at the page can see the text."""

    VISIBLE = "visible", "visible"
    INVISIBLE = "invisible", "invisible text"
    SAME_COLOUR = "same_colour", "in the colour of its background"
    COVERED = "covered", "covered"
    CROPPED = "cropped", "outside the visible page"
    LAYER_OFF = "layer_off", "on a layer that is off"
    REPLACED = "replaced", "replaced since, in an earlier revision of the file"
    UNKNOWN = "unknown", "visibility unknown"


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


class PageState(Code):
    """What could be read of a page: each page of the page tree has exactly one."""

    TEXT = "text", "text", "The page has text, and nothing beside it that may hold more."
    MIXED = "mixed", "text and images", "The page has text, and regions that OCR read or that remain unread."
    IMAGE_ONLY = (
        "image_only",
        "image only",
        "The page has ink and no visible text layer; OCR may have read it all the same.",
    )
    BLANK = "blank", "blank", "The page has no ink and no text."
    FAILED = "failed", "failed", "The page could not be read."
    NOT_RENDERED = (
        "not_rendered",
        "not rendered",
        "The page was not rendered (--no-ink), so what it shows was not compared with its text.",
    )


class TextLikely(Code):
    """Whether a region that was not read may hold text."""

    YES = "yes", "likely"
    NO = "no", "unlikely"
    UNKNOWN = "unknown", "unknown"


class MatchKind(Code):
    """How a match was reached: what separated the page's characters from the variant as it is written."""

    EXACT = "exact", "exact"
    FOLDED = "folded", "other case, width or form"
    ACROSS_SIGNS = "across_signs", "with quotes, brackets or marks between"
    ACROSS_LINES = "across_lines", "across lines"
    DEHYPHENATED = "dehyphenated", "across a hyphen"
    ACROSS_CELLS = "across_cells", "across cells"
    ACROSS_PAGES = "across_pages", "across pages"
    SQUEEZED = "squeezed", "without its spaces"
    LETTER_SPACED = "letter_spaced", "letter-spaced"
    ACCENTS_DIFFER = "accents_differ", "other accents, not counted"
    OCR_FUZZY = "ocr_fuzzy", "possible misreading by OCR, not counted"

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


class BlindSpotKind(Code):
    """Why a region of a page, or a part of the file, was not read."""

    remedy: str
    """What a person can do about it, where OCR was not run."""
    _after_ocr: str

    def __new__(cls, value: str, meaning: str = "", remedy: str = "", after_ocr: str = "") -> Self:  # noqa: D102
        code = str.__new__(cls, value)
        code._value_ = value
        code.label = value
        code.meaning = meaning
        code.remedy = remedy
        code._after_ocr = after_ocr or remedy
        return code

    IMAGE_ONLY_PAGE = (
        "image_only_page",
        "The page shows an image and no text that a program can read.",
        "run with --ocr auto, or read the page",
        "read the page, or supply a better scan",
    )
    IMAGE_NOT_READ = (
        "image_not_read",
        "An image on the page was not read; words may be part of it.",
        "run with --ocr auto, or look at the image",
        "look at the image",
    )
    OCR_UNCERTAIN = (
        "ocr_uncertain",
        "OCR read this region with low confidence; what it says may differ from what a person sees.",
        "read the region, or supply a better scan",
    )
    OCR_FAILED = (
        "ocr_failed",
        "The OCR engine failed on this region.",
        "read the region, or run again with another --ocr-engine or --ocr-lang",
    )
    OCR_NO_WORDS = (
        "ocr_no_words",
        "OCR was run on this region and read no words in it.",
        "look at the region",
    )
    TEXT_DISAGREES = (
        "text_disagrees",
        "What OCR reads in the picture of this region is not what its text layer says.",
        "read the region; both readings were searched",
    )
    VECTOR_NOT_READ = (
        "vector_not_read",
        "The page draws shapes where no text was read; they may be letters turned into outlines.",
        "run with --ocr auto, or read the page",
        "read the page",
    )
    UNKNOWN_GLYPHS = (
        "unknown_glyphs",
        "Glyphs on the page have no usable Unicode value: a person sees letters, a program does not.",
        "run with --ocr auto, or read the page",
        "read the page",
    )
    PAGE_FAILED = (
        "page_failed",
        "The engine could not read the page.",
        "open the page in a viewer and read it, or repair the file",
    )
    PAGE_CRASHED = (
        "page_crashed",
        "The engine crashed on the page.",
        "open the page in a viewer and read it, or repair the file",
    )
    PAGE_TIMED_OUT = (
        "page_timed_out",
        "Reading the page took longer than the limit.",
        "raise --page-seconds, or read the page",
    )
    PAGE_OUT_OF_MEMORY = (
        "page_out_of_memory",
        "Reading the page took more memory than the limit.",
        "raise --memory-mb, or read the page",
    )
    PAGE_DAMAGED = (
        "page_damaged",
        "The engine reported damage in the page's content; part of it may be lost.",
        "compare with the page in a viewer, or obtain an intact copy",
    )
    PAGE_UNREACHABLE = (
        "page_unreachable",
        "The file holds a page that its page tree does not reach or that the engine does not open.",
        "repair the file, or obtain an intact copy",
    )
    ATTACHMENT_NOT_READ = (
        "attachment_not_read",
        "A file is embedded in the document and was not read, or not as a whole.",
        "raise --attachment-depth or --attachment-mb if that is the cause, or extract the attachment and read it",
    )
    ANNOTATION_NOT_READ = (
        "annotation_not_read",
        "The page carries annotations whose text was not read.",
        "open the comments panel of a viewer",
    )
    FORM_NOT_READ = (
        "form_not_read",
        "The document has form fields or an XFA form whose text was not read.",
        "open the form in a viewer",
    )
    LAYER_OFF = (
        "layer_off",
        "An optional content group (layer) is switched off; what it holds was not read.",
        "switch the layer on in a viewer and read it",
    )
    EARLIER_REVISION = (
        "earlier_revision",
        "The file was saved incrementally; earlier revisions in it were not read.",
        "run with --revisions, or ask for the earlier versions if they matter",
    )
    SIGNATURE_NOT_READ = (
        "signature_not_read",
        "The document carries a signature whose reason, name and place were not read.",
        "open the signature panel of a viewer",
    )
    TAGGED_TEXT_NOT_READ = (
        "tagged_text_not_read",
        "Tags of the document give alternative or replacement text (Alt, ActualText) that was not read.",
        "inspect the tags, or compare the page in a viewer",
    )
    OUTLINE_NOT_READ = (
        "outline_not_read",
        "The outline (bookmarks) could not be read as a whole.",
        "open the bookmarks panel of a viewer",
    )
    METADATA_NOT_READ = (
        "metadata_not_read",
        "The document information or XMP metadata was not read.",
        "open the document properties in a viewer",
    )

    def remedy_after(self, *, ocr: bool) -> str:
        """What a person can do about it: nobody is told to run OCR where it was run.

        >>> BlindSpotKind.IMAGE_NOT_READ.remedy_after(ocr=False)
        'run with --ocr auto, or look at the image'
        >>> BlindSpotKind.IMAGE_NOT_READ.remedy_after(ocr=True)
        'look at the image'
        """
        return self._after_ocr if ocr else self.remedy


class NearMissReason(Code):
    """Why a text that is close to a variant is not a hit."""

    OTHER_CASE = "other_case", "Same letters in another case; the variant is matched case-sensitively."
    ACCENTS_DIFFER = "accents_differ", "Same letters with other accents."
    PARTED_BY_SIGN = (
        "parted_by_sign",
        "The words stand side by side, but a comma, full stop or other sign parts them.",
    )
    SPELLING_DIFFERS = "spelling_differs", "Differs in spelling."
    PART_OF_WORD = "part_of_word", "Stands inside a longer word; the variant is matched as a whole word."
    SAME_STEM = "same_stem", "Shares the stem of a word of the variant, not the word itself."


class LedgerState(Code):
    """What became of one variant in the sweep."""

    SEARCHED = "searched", "searched", "The variant was searched on every page that has text."
    FAILED = "failed", "failed", "The variant could not be searched; the ledger says why."
    TIMED_OUT = (
        "timed_out",
        "timed_out",
        "The search for the variant took longer than --regex-seconds or --sweep-seconds.",
    )
