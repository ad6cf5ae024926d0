"""The text of a document by the second engine alone: a witness that shares no code with the first reading."""

from __future__ import annotations

from collections.abc import Iterable

from docaudit.extract.document import Source
from docaudit.extract.errands import for_each_page
from docaudit.extract.facts import SecondText
from docaudit.options import AuditOptions


def read_second_text(source: Source, options: AuditOptions, pages: Iterable[int]) -> dict[int, str | None]:
    """Text of each page (1-based) as PDFium gives it; None where it cannot read the page.

    Raises InputError and its subclasses if the document cannot be opened.
    """
    read = for_each_page(
        source, options, pages, lambda child, page, seconds: child.second_text(page, seconds)
    )
    return {page: answer.text if isinstance(answer, SecondText) else None for page, answer in read.items()}
