"""Page labels ("iii", "A-12"), read by the second engine: the first mistakes the /Type of a label for its prefix."""

from __future__ import annotations

import pymupdf
import pypdfium2

from docaudit.extract.engine import clean, key_of


def page_labels(doc: pymupdf.Document, path: str, password: str | None) -> list[str]:
    """Labels of the pages in order; empty if the document declares none or the engine cannot read them."""
    if key_of(doc, doc.pdf_catalog(), "PageLabels")[0] == "null":
        return []
    try:
        peer = pypdfium2.PdfDocument(path, password=password)
    except pypdfium2.PdfiumError:
        return []  # labels only name pages; the pages themselves are read by the first engine
    try:
        return [clean(peer.get_page_label(index)) for index in range(len(peer))]
    finally:
        peer.close()
