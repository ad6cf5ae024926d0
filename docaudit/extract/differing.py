"""Pages that engines may draw differently: standards leave room in annotations, layers and deep forms."""

from __future__ import annotations

import pymupdf

from docaudit.extract.objects import get, is_dict, is_null, items, name_of, object_of

_NEVER_DRAWN = frozenset({"Link", "Popup"})


def engines_may_differ(page: pymupdf.Page) -> bool:
    """The page has annotations with something to draw, forms within it, or a document with layers."""
    doc = page.parent
    for annotation in items(get(object_of(doc, page.xref), "Annots")):
        if is_dict(get(annotation, "AP")) or name_of(get(annotation, "Subtype")) not in _NEVER_DRAWN:
            return True
    if not is_null(get(object_of(doc, doc.pdf_catalog()), "OCProperties")):
        return True
    return bool(page.get_xobjects())
