"""Every option of an audit, with its default: the only place where defaults stand.

A field has the same name as the keyword of the function and the flag of the command line (page_seconds,
page_seconds=, --page-seconds).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from docaudit.codes import Obligation
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

    Raises OptionError for an unknown obligation to waive, or an empty reason.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ocr: Literal["auto", "off", "full"] = Field(
        default="auto",
        description=(
            "auto reads by OCR what no text explains; full reads pages with text as well, and "
            "compares; off reads none."
        ),
    )
    ocr_engine: Literal["tesserocr", "tesseract"] = Field(
        default="tesserocr",
        description="tesserocr is Tesseract in a package; tesseract is the program of that name.",
    )
    ocr_lang: str | None = Field(
        default=None,
        description=(
            "Languages for OCR, joined by a plus sign (eng+jpn); if none is named, English and Japanese."
        ),
    )
    ocr_confidence: float = Field(
        default=75.0,
        ge=0,
        le=100,
        description=(
            "Mean word confidence (0 to 100) below which a region read by OCR stays a blind spot; a "
            "line that only the text finder read needs 85 at least."
        ),
    )
    ink: bool = Field(
        default=True,
        description=(
            "Render every page and account for all it shows. Off, nothing is read by OCR and no "
            "absence can be shown."
        ),
    )
    second_reader: bool = Field(
        default=True,
        description="Read the text of every page with a second, independent engine as well, and compare.",
    )
    password: str | None = Field(
        default=None,
        exclude=True,
        repr=False,
        description="Password of an encrypted document; never written to any output.",
    )
    workers: int = Field(
        default=0,
        ge=0,
        le=64,
        description="Child processes that read pages; 0 takes one for each core.",
    )
    page_seconds: float = Field(
        default=20.0,
        gt=0,
        description="Time limit for reading one page, and for each region of it that goes to OCR.",
    )
    document_seconds: float = Field(
        default=3600.0,
        gt=0,
        description="Time limit for opening the document and for reading all pages together.",
    )
    memory_mb: int = Field(
        default=2048,
        ge=256,
        le=1_048_576,
        description=(
            "Memory that each child process may take for the document, in MiB, on top of what the "
            "program needs."
        ),
    )
    attachment_depth: int = Field(
        default=2,
        ge=0,
        le=9,
        description=(
            "How deep attachments are read: 1 those of the document, 2 also theirs; 0 only names them."
        ),
    )
    attachment_mb: int = Field(
        default=256,
        ge=0,
        le=1024,
        description=(
            "MiB of attachments (unpacked, all together) that are read; what goes beyond is named as unread."
        ),
    )
    revisions: bool = Field(
        default=False,
        description="Read the earlier revisions of a file that was saved incrementally, not only name them.",
    )
    scope: Scope = Field(
        default="page",
        description=(
            "Where concepts must meet: the same line, sentence, paragraph, section of the contents, "
            "page, or a window of words."
        ),
    )
    window_words: int = Field(
        default=50,
        ge=2,
        description="Size of the window when scope is window.",
    )
    required: tuple[str, ...] = Field(
        default=(),
        description='Concepts that must meet for the finding "mentioned"; empty means all of the table.',
    )
    regex_seconds: float = Field(
        default=1.0,
        gt=0,
        description="Time limit for one expert regular expression on one page.",
    )
    sweep_seconds: float = Field(
        default=600.0,
        gt=0,
        description="Time limit for all expert regular expressions on all pages together.",
    )
    closest: int = Field(
        default=5,
        ge=0,
        description="How many closest mentions are listed.",
    )
    language: Literal["en", "ja"] = Field(
        default="en",
        description="Language of the explanation, and of reports unless they name another.",
    )
    explain_with: Literal["template", "model"] = Field(
        default="template",
        description=(
            "template words the explanation here; model sends question, counts and snippets to the "
            "endpoint that DOCAUDIT_LLM_BASE_URL and DOCAUDIT_LLM_MODEL name, and checks what comes "
            "back (extra llm)."
        ),
    )
    explain_seconds: float = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="Time limit for each answer of the model.",
    )
    canary: bool = Field(
        default=False,
        description=(
            "Plant a phrase into a copy of the document in each layout present, and find it; takes a "
            "second reading."
        ),
    )
    waive: Mapping[str, str] = Field(
        default_factory=dict,
        description=(
            "Obligations that a person answers for, by code, each with a reason, which the finding "
            "then names."
        ),
    )

    @field_validator("waive")
    @classmethod
    def _waivable(cls, waive: Mapping[str, str]) -> Mapping[str, str]:
        codes = [obligation.value for obligation in Obligation]
        for code, reason in waive.items():
            if code not in codes:
                raise OptionError(
                    f"no obligation '{code}' to waive", remedy=f"obligations are {', '.join(sorted(codes))}"
                )
            if not reason.strip():
                raise OptionError(f"waiving '{code}' needs a reason", remedy="write why, it is recorded")
        return waive

    @classmethod
    def from_keywords(cls, options: AuditOptions | None, keywords: Mapping[str, Any]) -> AuditOptions:
        """The given options with single ones replaced by keyword; raises OptionError for a wrong one."""
        if options is not None and not isinstance(options, AuditOptions):
            raise OptionError(
                f"options is {type(options).__name__}, not AuditOptions",
                remedy="pass AuditOptions(...), or single options as keywords",
            )
        # Only what was set by name: read_with tells it from what is a default.
        by_name = (
            {} if options is None else {name: getattr(options, name) for name in options.model_fields_set}
        )
        try:
            return cls(**{**by_name, **keywords})
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            exists = name in cls.model_fields
            remedy = described(name) if exists else f"options are {', '.join(cls.model_fields)}"
            raise OptionError(f"option {name}: {first['msg']}", remedy=remedy) from error

    def read_with(self, before: AuditOptions) -> AuditOptions:
        """These options for a document that was read before: those of reading are the ones it was read with.

        Raises OptionError if another way of reading was asked for by name: a saved parse is not read again.
        """
        for name in READING_OPTIONS:
            value, before_value = getattr(self, name), getattr(before, name)
            if name in self.model_fields_set - _ANY_TIME and value != before_value:
                raise OptionError(
                    f"it was read with {_flag(name, before_value)}, not with {_flag(name, value)}",
                    remedy="parse the PDF again",
                )
        return self.model_copy(update={name: getattr(before, name) for name in READING_OPTIONS})


READING_OPTIONS = tuple(name for name in AuditOptions.model_fields if name not in SEARCH_OPTIONS)
"""Options that say how a document is read."""
_ANY_TIME = frozenset({"password", "workers"})
"""Options of reading that change nothing in what was read."""


def described(name: str) -> str:
    """What an option does, in one line."""
    return AuditOptions.model_fields[name].description or ""


def _flag(name: str, value: object) -> str:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"the default of --{flag}" if value is None else f"--{flag} {value}"
