"""Every option of an audit, with its default: the only place where defaults stand.

A field has the same name as the keyword of the function and the flag of the command line (page_seconds,
page_seconds=, --page-seconds).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docaudit.errors import OptionError

Scope = Literal["line", "sentence", "paragraph", "section", "page", "window"]


SEARCH_OPTIONS = frozenset(
    {
        "scope",
        "window_words",
        "required",
        "regex_seconds",
        "sweep_seconds",
        "closest",
        "language",
        "waive",
        "canary",
        "explain_with",
        "explain_seconds",
    }
)
"""Options that matter after reading; all others say how a document is read."""


class AuditOptions(BaseModel):
    """Frozen options of one audit; a justification embeds them, so that it can be repeated.

    Attributes:
        ocr: auto reads by OCR what no text explains; full reads pages with text as well, and compares; off reads none.
        ocr_engine: tesserocr is Tesseract in a package; tesseract is the program of that name.
        ocr_lang: Languages for OCR, joined by a plus sign (eng+jpn); if none is named, English and Japanese.
        ocr_confidence: Mean word confidence (0 to 100) below which a region read by OCR stays a blind spot; a line that
            only the text finder read needs 85 at least.
        ink: Render every page and account for all it shows. Off, nothing is read by OCR and no absence can be shown.
        second_reader: Read the text of every page with a second, independent engine as well, and compare.
        password: Password of an encrypted document; never written to any output.
        workers: Child processes that read pages; 0 takes one for each core.
        page_seconds: Time limit for reading one page, and for each region of it that goes to OCR.
        document_seconds: Time limit for opening the document and for reading all pages together.
        memory_mb: Memory that each child process may take for the document, in MiB, on top of what the program needs.
        attachment_depth: How deep attachments are read: 1 those of the document, 2 also theirs; 0 only names them.
        attachment_mb: MiB of attachments (unpacked, all together) that are read; what goes beyond is named as unread.
        revisions: Read the earlier revisions of a file that was saved incrementally, not only name them.
        scope: Where concepts must meet: the same line, sentence, paragraph, section of the contents, page, or a window
            of words.
        window_words: Size of the window when scope is window.
        required: Concepts that must meet for the finding "mentioned"; empty means all of the table.
        regex_seconds: Time limit for one expert regular expression on one page.
        sweep_seconds: Time limit for all expert regular expressions on all pages together.
        closest: How many closest mentions are listed.
        language: Language of the explanation, and of reports unless they name another.
        explain_with: template words the explanation here; model sends question, counts and snippets to the endpoint
            that DOCAUDIT_LLM_BASE_URL and DOCAUDIT_LLM_MODEL name, and checks what comes back (extra llm).
        explain_seconds: Time limit for each answer of the model.
        canary: Plant a phrase into a copy of the document in each layout present, and find it; takes a second reading.
        waive: Obligations that a person answers for, by code, each with a reason, which the finding then names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ocr: Literal["auto", "off", "full"] = "auto"
    ocr_engine: Literal["tesserocr", "tesseract"] = "tesserocr"
    ocr_lang: str | None = None
    ocr_confidence: float = Field(default=75.0, ge=0, le=100)
    ink: bool = True
    second_reader: bool = True
    password: str | None = Field(default=None, exclude=True, repr=False)
    workers: int = Field(default=0, ge=0, le=64)
    page_seconds: float = Field(default=20.0, gt=0)
    document_seconds: float = Field(default=3600.0, gt=0)
    memory_mb: int = Field(default=2048, ge=256, le=1_048_576)
    attachment_depth: int = Field(default=2, ge=0, le=9)
    attachment_mb: int = Field(default=256, ge=0, le=1024)
    revisions: bool = False
    scope: Scope = "page"
    window_words: int = Field(default=50, ge=2)
    required: tuple[str, ...] = ()
    regex_seconds: float = Field(default=1.0, gt=0)
    sweep_seconds: float = Field(default=600.0, gt=0)
    closest: int = Field(default=5, ge=0)
    language: Literal["en", "ja"] = "en"
    explain_with: Literal["template", "model"] = "template"
    explain_seconds: float = Field(default=60.0, gt=0, le=3600)
    canary: bool = False
    waive: Mapping[str, str] = Field(default_factory=dict)

    @classmethod
    def from_keywords(cls, options: AuditOptions | None, keywords: Mapping[str, Any]) -> AuditOptions:
        """The given options with single ones replaced by keyword; raises OptionError for a wrong one."""
        if options is not None and not isinstance(options, AuditOptions):
            raise OptionError(
                f"options is {type(options).__name__}, not AuditOptions",
                remedy="pass AuditOptions(...), or single options as keywords",
            )
        # Only what was set by name: read_with tells it from what is a default.
        given = {} if options is None else {name: getattr(options, name) for name in options.model_fields_set}
        try:
            return cls(**{**given, **keywords})
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            known = name in cls.model_fields
            remedy = described(name) if known else f"options are {', '.join(cls.model_fields)}"
            raise OptionError(f"option {name}: {first['msg']}", remedy=remedy) from error

    def read_with(self, before: AuditOptions) -> AuditOptions:
        """These options for a document that was read before: those of reading are the ones it was read with.

        Raises OptionError if another way of reading was asked for by name: a saved parse is not read again.
        """
        for name in READING_OPTIONS:
            asked, was = getattr(self, name), getattr(before, name)
            if name in self.model_fields_set - _ANY_TIME and asked != was:
                raise OptionError(
                    f"it was read with {_flag(name, was)}, not with {_flag(name, asked)}",
                    remedy="parse the PDF again",
                )
        return self.model_copy(update={name: getattr(before, name) for name in READING_OPTIONS})


READING_OPTIONS = tuple(name for name in AuditOptions.model_fields if name not in SEARCH_OPTIONS)
"""Options that say how a document is read."""
_ANY_TIME = frozenset({"password", "workers"})
"""Options of reading that change nothing in what was read."""


def described(name: str) -> str:
    """What the docstring of AuditOptions says of an option, in one line."""
    found = re.search(rf"^ {{8}}{name}: (.+(?:\n {{12}}.+)*)$", AuditOptions.__doc__ or "", re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def _flag(name: str, value: object) -> str:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"the default of --{flag}" if value is None else f"--{flag} {value}"
