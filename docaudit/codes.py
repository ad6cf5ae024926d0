"""Where a piece of text stands, and the closed vocabularies that tables, models and reports share.

Every code carries its words: a label for a cell, a sentence that says what it means, and, of a blind spot or an
obligation, the remedy. The codes stand in blind_spot_df, in the ledger and in justifications; none is ever reused for
another meaning.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from docaudit.errors import ExitCode

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

    def __new__(cls, code: str, label: str = "", meaning: str = "", *more: str) -> Self:
        """The member, whose value is its code alone; a subclass takes more words in its __init__."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.label = label
        member.meaning = meaning or label
        return member


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

    def __init__(self, code: str, meaning: str = "", remedy: str = "", after_ocr: str = "") -> None:
        self.label, self.meaning, self.remedy = code, meaning, remedy
        self._after_ocr = after_ocr or remedy

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


class Finding(Code):
    """What the audit concludes."""

    MENTIONED = (
        "mentioned",
        "Mentioned",
        "What is required is there (several concepts: they meet within the scope); it must be read.",
    )
    ABSENT = (
        "absent_within_coverage",
        "Absent within the stated coverage",
        "It was not found, and no obligation is unmet.",
    )
    NOT_ESTABLISHED = (
        "not_established",
        "Not established",
        "It was not found, but an obligation is unmet, so this does not show that it is absent.",
    )

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command line for this finding."""
        return {
            Finding.MENTIONED: ExitCode.MENTIONED,
            Finding.ABSENT: ExitCode.ABSENT,
            Finding.NOT_ESTABLISHED: ExitCode.NOT_ESTABLISHED,
        }[self]


class AbsenceReason(Code):
    """Why there is no answer; null where the finding is `mentioned`."""

    CONCEPT_NOT_FOUND = "concept_not_found", "a required concept has no hit"
    OFF_TOPIC = "concept_found_but_off_topic", "every required concept has hits, but they never meet"
    AMBIGUOUS_QUESTION = "ambiguous_question", "words of the question are in no concept of the table"


class Strength(Code):
    """How strongly the hits alone speak for absence; unmet obligations weigh separately."""

    STRONG = "strong", "no hit of a required concept"
    MODERATE = "moderate", "there are hits, but they never meet"
    WEAK = "weak", "the concepts meet: someone must read the passages"


class Obligation(Code):
    """What must be shown before `absent_within_coverage` may be said."""

    # The meaning says when it is met. How each is weighed stands in docaudit.rules.

    remedy: str
    """What a person can do about it."""
    unmet: str
    """What the explanation says where it is unmet."""

    def __init__(
        self, code: str, label: str = "", meaning: str = "", remedy: str = "", unmet: str = ""
    ) -> None:
        self.remedy, self.unmet = remedy, unmet

    PAGES_READABLE = (
        "pages_readable",
        "Every page could be read",
        "Every page of the page tree was opened, rendered and read without damage.",
        "read the pages named, or repair the file",
        "pages could not be read in full",
    )
    INK_READ = (
        "ink_read",
        "No unread ink that may be text",
        "No ink that may be text is left unread, and no possible hit of a required concept stands there.",
        "run with OCR, or look at the regions named",
        "what may be text was not read with certainty",
    )
    PARTS_OPENED = (
        "parts_opened",
        "No attachment, layer, form or revision left unopened",
        "No attachment, annotation, form, layer, earlier revision or other part of the file is left unopened.",
        "open the parts named in a viewer",
        "parts of the file were not opened",
    )
    REFERENCES_RESOLVED = (
        "references_resolved",
        "Cross-references resolve, page labels have no gap",
        "Every figure, table or annex that the text refers to is there, and the page labels have no gap.",
        "look for what is referred to: it may be in a part that was not read",
        "references lead to nothing that was read",
    )
    VARIANTS_SEARCHED = (
        "variants_searched",
        "Every variant was searched on every page",
        "Every accepted variant was searched on every page that has text.",
        "correct the pattern, or raise its time limit",
        "variants could not be searched",
    )
    VARIANTS_REVIEWED = (
        "variants_reviewed",
        "No proposed variant is left unreviewed",
        "No proposed variant waits for the decision of a person.",
        "accept or reject the proposed variants",
        "proposed variants wait for a decision",
    )
    QUESTION_COVERED = (
        "question_covered",
        "Every content word of the question is in a concept",
        "The question names a subject; each of its content words belongs to a concept, or a person rejected it.",
        "add the words to a concept, or ask without them",
        "the question asks for more than the concept table covers",
    )
    CONTROL_FOUND = (
        "control_found",
        "What is known to be there was found",
        "Words known to be there (and phrases planted into a copy, with --canary) are found by the same sweep.",
        "look at the pages named, and report it: the search does not find what is there; or audit without --canary",
        "a word known to be there was not found",
    )
    READERS_AGREE = (
        "readers_agree",
        "Independent readers agree",
        "A second, independent reader saw nothing that the first missed over a good part of a page.",
        "read the pages named",
        "a second reader saw other words",
    )


class ObligationState(Code):
    """Not run and met are never the same value."""

    MET = "met", "met"
    UNMET = "unmet", "unmet"
    WAIVED = "waived", "waived"
    NOT_RUN = "not_run", "not run"


class ChunkPlace(Code):
    """Whether the text of a chunk stands in the document."""

    WHOLE = "whole", "whole", "The letters of the chunk stand in the document in one run."
    IN_PARTS = "in_parts", "in parts", "A quarter of its letters or more stand in the document, in runs."
    NOT_IN_DOCUMENT = (
        "not_in_document",
        "not in the document as far as it was read",
        "Its text is not in what was read: another document, or another reading of this one.",
    )
    WITHOUT_TEXT = "without_text", "without text", "It has no text: a page that was retrieved as a picture."


class RetrievalVerdict(Code):
    """Whether the retriever missed what the sweep found."""

    # The label is the sentence of a report, with places for its numbers.
    NOTHING_TO_MISS = (
        "nothing_to_miss",
        (
            "No required concept has a hit in what was read, so there was nothing for the retriever to miss "
            "(it gave {chunks})."
        ),
        "No required concept has a hit in what was read of the document.",
    )
    ALL_RETRIEVED = (
        "all_retrieved",
        "The retriever missed nothing that was found: {hits} in what it gave ({chunks}).",
        "Each hit that is to be read stands in the text of a chunk.",
    )
    PAGES_RETRIEVED = (
        "pages_retrieved",
        (
            "Nothing that was found is surely missed: {in_text} of {hits} in what the retriever gave ({chunks}), "
            "the others on its pages."
        ),
        "No hit is surely missed, but of some only the page is known to be retrieved.",
    )
    PARTLY_MISSED = (
        "partly_missed",
        "The retriever missed {n} of {hits} of required concepts: not in what it gave ({chunks}).",
        "Some of the hits are in no chunk.",
    )
    MISSED = (
        "missed",
        "The retriever missed all that was found: {hits} of required concepts, none in what it gave ({chunks}).",
        "Not one of the hits is in any chunk.",
    )
