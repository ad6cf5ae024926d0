"""Why a document has no audit: one code for each way in which reading or auditing it ended, kept in the store."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from docaudit.errors import (
    DamagedDocumentError,
    DocumentNotFoundError,
    InputError,
    NoPagesError,
    NotAPdfError,
    PasswordRequiredError,
)


class FailureCode(StrEnum):
    """What came in the way of a document."""

    NOT_A_PDF = "not_a_pdf"
    PASSWORD_REQUIRED = "password_required"
    NO_PAGES = "no_pages"
    DAMAGED = "damaged"
    NOT_READABLE = "not_readable"
    WORKER_DIED = "worker_died"
    OUT_OF_MEMORY = "out_of_memory"
    TIMED_OUT = "timed_out"
    UNEXPECTED = "unexpected"

    @property
    def meaning(self) -> str:
        """What came in the way, as a sentence."""
        return _MEANINGS[self]

    @property
    def passes(self) -> bool:
        """It lies in the moment and not in the bytes of the document: the next run tries again by itself."""
        return self is FailureCode.NOT_READABLE


_MEANINGS = {
    FailureCode.NOT_A_PDF: "The file is empty, or something else than a PDF.",
    FailureCode.PASSWORD_REQUIRED: "It is encrypted, and no password or a wrong one was given.",
    FailureCode.NO_PAGES: "It opens, but no page can be reached.",
    FailureCode.DAMAGED: "It is too damaged or hostile to be opened within the limits.",
    FailureCode.NOT_READABLE: "It is gone, closed, or changed during the run. The next run tries again.",
    FailureCode.WORKER_DIED: "The process that worked on it ended, twice.",
    FailureCode.OUT_OF_MEMORY: "Memory ran out.",
    FailureCode.TIMED_OUT: "The process that worked on it gave no sign of life, twice.",
    FailureCode.UNEXPECTED: "A fault of docaudit; the detail is worth a report.",
}


class Failure(BaseModel):
    """What is kept of a document that could not be read or audited.

    Attributes:
        name: File name of the document.
        size_bytes: Length of the file.
        code: What came in the way.
        detail: What happened, as a sentence without its full stop.
        remedy: What a person can do about it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size_bytes: int
    code: FailureCode
    detail: str
    remedy: str


_CODES: tuple[tuple[type[InputError], FailureCode], ...] = (
    (NotAPdfError, FailureCode.NOT_A_PDF),
    (PasswordRequiredError, FailureCode.PASSWORD_REQUIRED),
    (NoPagesError, FailureCode.NO_PAGES),
    (DamagedDocumentError, FailureCode.DAMAGED),
    (DocumentNotFoundError, FailureCode.NOT_READABLE),
    (InputError, FailureCode.NOT_READABLE),
)


def code_of(error: InputError) -> FailureCode:
    """The code for what `docaudit.parse` raised."""
    return next(code for kind, code in _CODES if isinstance(error, kind))
