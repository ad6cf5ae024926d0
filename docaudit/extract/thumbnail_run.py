"""Thumbnails of the pages of a document."""

from __future__ import annotations

from collections.abc import Mapping

from docaudit.extract.document import Source
from docaudit.extract.errands import for_each_page
from docaudit.extract.facts import Refused
from docaudit.options import AuditOptions
from docaudit.readability import Thumbnail


def read_thumbnails(source: Source, options: AuditOptions, widths: Mapping[int, int]) -> dict[int, Thumbnail]:
    """Thumbnails of the pages (1-based) in `widths`, each as many pixels wide as it says there.

    A page that cannot be drawn gets one without a picture that says why. Raises InputError and its subclasses if the
    document cannot be opened.
    """
    drawn = for_each_page(
        source, options, widths, lambda child, page, seconds: child.thumbnail(page, widths[page], seconds)
    )
    return {
        page: Thumbnail(page_num=page, problem=answer.message)
        if isinstance(answer, Refused)
        else Thumbnail(page_num=page, jpeg=answer)
        for page, answer in drawn.items()
    }
