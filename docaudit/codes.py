"""Where a piece of text stands, where it came from, and the closed vocabularies that tables and models share.

Every reason why something was not read, not searched or not counted: a stable code, its meaning, its remedy.

The codes stand in blind_spot_df, in the ledger and in justifications. A code is never reused for another meaning.
"""

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


class BlindSpotKind(StrEnum):
    """Why a region of a page, or a part of the file, was not read."""

    IMAGE_ONLY_PAGE = "image_only_page"
    IMAGE_NOT_READ = "image_not_read"
    OCR_UNCERTAIN = "ocr_uncertain"
    OCR_FAILED = "ocr_failed"
    OCR_NO_WORDS = "ocr_no_words"
    TEXT_DISAGREES = "text_disagrees"
    VECTOR_NOT_READ = "vector_not_read"
    UNKNOWN_GLYPHS = "unknown_glyphs"
    PAGE_FAILED = "page_failed"
    PAGE_CRASHED = "page_crashed"
    PAGE_TIMED_OUT = "page_timed_out"
    PAGE_OUT_OF_MEMORY = "page_out_of_memory"
    PAGE_DAMAGED = "page_damaged"
    PAGE_UNREACHABLE = "page_unreachable"
    ATTACHMENT_NOT_READ = "attachment_not_read"
    ANNOTATION_NOT_READ = "annotation_not_read"
    FORM_NOT_READ = "form_not_read"
    LAYER_OFF = "layer_off"
    EARLIER_REVISION = "earlier_revision"
    SIGNATURE_NOT_READ = "signature_not_read"
    TAGGED_TEXT_NOT_READ = "tagged_text_not_read"
    OUTLINE_NOT_READ = "outline_not_read"
    METADATA_NOT_READ = "metadata_not_read"

    @property
    def meaning(self) -> str:
        """What it means, as one sentence."""
        return _KINDS[self][0]

    @property
    def remedy(self) -> str:
        """What a person can do about it, where OCR was not run."""
        return _KINDS[self][1]

    def remedy_after(self, *, ocr: bool) -> str:
        """What a person can do about it: nobody is told to run OCR where it was run.

        >>> BlindSpotKind.IMAGE_NOT_READ.remedy_after(ocr=False)
        'run with --ocr auto, or look at the image'
        >>> BlindSpotKind.IMAGE_NOT_READ.remedy_after(ocr=True)
        'look at the image'
        """
        return _REMEDIES_AFTER_OCR.get(self, self.remedy) if ocr else self.remedy


_KINDS = {
    BlindSpotKind.IMAGE_ONLY_PAGE: (
        "The page shows an image and no text that a program can read.",
        "run with --ocr auto, or read the page",
    ),
    BlindSpotKind.IMAGE_NOT_READ: (
        "An image on the page was not read; words may be part of it.",
        "run with --ocr auto, or look at the image",
    ),
    BlindSpotKind.OCR_UNCERTAIN: (
        "OCR read this region with low confidence; what it says may differ from what a person sees.",
        "read the region, or supply a better scan",
    ),
    BlindSpotKind.OCR_FAILED: (
        "The OCR engine failed on this region.",
        "read the region, or run again with another --ocr-engine or --ocr-lang",
    ),
    BlindSpotKind.OCR_NO_WORDS: (
        "OCR was run on this region and read no words in it.",
        "look at the region",
    ),
    BlindSpotKind.TEXT_DISAGREES: (
        "What OCR reads in the picture of this region is not what its text layer says.",
        "read the region; both readings were searched",
    ),
    BlindSpotKind.VECTOR_NOT_READ: (
        "The page draws shapes where no text was read; they may be letters turned into outlines.",
        "run with --ocr auto, or read the page",
    ),
    BlindSpotKind.UNKNOWN_GLYPHS: (
        "Glyphs on the page have no usable Unicode value: a person sees letters, a program does not.",
        "run with --ocr auto, or read the page",
    ),
    BlindSpotKind.PAGE_FAILED: (
        "The engine could not read the page.",
        "open the page in a viewer and read it, or repair the file",
    ),
    BlindSpotKind.PAGE_CRASHED: (
        "The engine crashed on the page.",
        "open the page in a viewer and read it, or repair the file",
    ),
    BlindSpotKind.PAGE_TIMED_OUT: (
        "Reading the page took longer than the limit.",
        "raise --page-seconds, or read the page",
    ),
    BlindSpotKind.PAGE_OUT_OF_MEMORY: (
        "Reading the page took more memory than the limit.",
        "raise --memory-mb, or read the page",
    ),
    BlindSpotKind.PAGE_DAMAGED: (
        "The engine reported damage in the page's content; part of it may be lost.",
        "compare with the page in a viewer, or obtain an intact copy",
    ),
    BlindSpotKind.PAGE_UNREACHABLE: (
        "The file holds a page that its page tree does not reach or that the engine does not open.",
        "repair the file, or obtain an intact copy",
    ),
    BlindSpotKind.ATTACHMENT_NOT_READ: (
        "A file is embedded in the document and was not read, or not as a whole.",
        "raise --attachment-depth or --attachment-mb if that is the cause, or extract the attachment and read it",
    ),
    BlindSpotKind.ANNOTATION_NOT_READ: (
        "The page carries annotations whose text was not read.",
        "open the comments panel of a viewer",
    ),
    BlindSpotKind.FORM_NOT_READ: (
        "The document has form fields or an XFA form whose text was not read.",
        "open the form in a viewer",
    ),
    BlindSpotKind.LAYER_OFF: (
        "An optional content group (layer) is switched off; what it holds was not read.",
        "switch the layer on in a viewer and read it",
    ),
    BlindSpotKind.EARLIER_REVISION: (
        "The file was saved incrementally; earlier revisions in it were not read.",
        "run with --revisions, or ask for the earlier versions if they matter",
    ),
    BlindSpotKind.SIGNATURE_NOT_READ: (
        "The document carries a signature whose reason, name and place were not read.",
        "open the signature panel of a viewer",
    ),
    BlindSpotKind.TAGGED_TEXT_NOT_READ: (
        "Tags of the document give alternative or replacement text (Alt, ActualText) that was not read.",
        "inspect the tags, or compare the page in a viewer",
    ),
    BlindSpotKind.OUTLINE_NOT_READ: (
        "The outline (bookmarks) could not be read as a whole.",
        "open the bookmarks panel of a viewer",
    ),
    BlindSpotKind.METADATA_NOT_READ: (
        "The document information or XMP metadata was not read.",
        "open the document properties in a viewer",
    ),
}


_REMEDIES_AFTER_OCR = {
    BlindSpotKind.IMAGE_ONLY_PAGE: "read the page, or supply a better scan",
    BlindSpotKind.IMAGE_NOT_READ: "look at the image",
    BlindSpotKind.VECTOR_NOT_READ: "read the page",
    BlindSpotKind.UNKNOWN_GLYPHS: "read the page",
}
"""Remedies of kinds that OCR can settle, where OCR was run and did not settle them."""


class NearMissReason(StrEnum):
    """Why a text that is close to a variant is not a hit."""

    OTHER_CASE = "other_case"
    ACCENTS_DIFFER = "accents_differ"
    PARTED_BY_SIGN = "parted_by_sign"
    SPELLING_DIFFERS = "spelling_differs"
    PART_OF_WORD = "part_of_word"
    SAME_STEM = "same_stem"

    @property
    def sentence(self) -> str:
        """The reason as a sentence for a report."""
        return _NEAR_MISS_SENTENCES[self]


_NEAR_MISS_SENTENCES = {
    NearMissReason.OTHER_CASE: "Same letters in another case; the variant is matched case-sensitively.",
    NearMissReason.ACCENTS_DIFFER: "Same letters with other accents.",
    NearMissReason.SPELLING_DIFFERS: "Differs in spelling.",
    NearMissReason.PART_OF_WORD: "Stands inside a longer word; the variant is matched as a whole word.",
    NearMissReason.PARTED_BY_SIGN: "The words stand side by side, but a comma, full stop or other sign parts them.",
    NearMissReason.SAME_STEM: "Shares the stem of a word of the variant, not the word itself.",
}


class LedgerState(StrEnum):
    """What became of one variant in the sweep."""

    SEARCHED = "searched"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
