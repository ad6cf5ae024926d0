"""Rich text of annotations and form fields (XHTML in a string) as plain rows."""

from __future__ import annotations

import re
from html import unescape

from docaudit.extract.xml_text import NotXmlError, xml_rows

_TAG = re.compile(r"<[^>]*>")


def rich_rows(text: str) -> list[str]:
    """The rows of a rich text; of one that is no XML, what stands between its tags."""
    if not text.strip():
        return []
    try:
        return xml_rows(text.encode("utf-8", "replace"))
    except NotXmlError:
        return [row for row in unescape(_TAG.sub("\n", text)).splitlines() if row.strip()]
