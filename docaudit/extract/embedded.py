"""Files inside the file: where each is embedded, what it is called, and its bytes, within limits.

The list that the engine keeps has only the files of one name tree. Files may hang on a page, an annotation or any other
object as well, so all objects are looked through for file specifications and for embedded streams that none names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import pymupdf

from docaudit.extract.engine import ENGINE_ERRORS, clean
from docaudit.extract.facts import AttachmentFact, Extracted
from docaudit.extract.file_text import read_file
from docaudit.extract.objects import (
    direct_dictionaries,
    entries,
    get,
    is_dict,
    is_stream,
    number_of,
    object_of,
    references_under,
    stream_bytes,
    text_of,
    written,
)
from docaudit.location import DOCUMENT_PAGE

_HAS_FILE = re.compile(r"/EF(?![A-Za-z0-9])")
_IS_FILE = re.compile(r"/Type\s*/EmbeddedFile(?![A-Za-z0-9])")
_FOLDER = re.compile(r"/Type\s*/Folder(?![A-Za-z0-9])")
_HANGS_ON = re.compile(r"/(?:FS|AF|RichMedia|Sound|Movie|R)(?![A-Za-z0-9])")
_REFERENCE = re.compile(r"(\d+) \d+ R")
_NAMES = ("UF", "F", "Unix", "DOS", "Mac")


def embedded_files(doc: pymupdf.Document, pages: dict[int, int]) -> list[AttachmentFact]:
    """Every embedded file, each stream once.

    Args:
        doc: The document.
        pages: Object number -> page number.
    """
    holders: list[int] = []
    streams: list[int] = []
    more: list[str] = []
    for number in range(1, doc.xref_length()):
        text = written(doc, number)
        if _HAS_FILE.search(text):
            holders.append(number)
        if _IS_FILE.search(text):
            streams.append(number)
        if _FOLDER.search(text):
            more += [text_of(get(object_of(doc, number), key)) for key in ("Name", "Desc")]
    if not holders and not streams:
        return []
    on_page = _pages_of_holders(doc, pages)
    found: dict[int, AttachmentFact] = {}
    for number in holders:
        for fact in _files_of(object_of(doc, number), on_page.get(number, DOCUMENT_PAGE)):
            known = found.setdefault(fact.stream or -len(found) - 1, fact)
            known.page_num = known.page_num or fact.page_num
    for number in streams:
        name = f"object {number}, which no file specification names"
        found.setdefault(number, AttachmentFact(name, DOCUMENT_PAGE, number, []))
    files = list(found.values())
    named = {fact.name for fact in files}
    files[0].texts += [text for text in (*more, *_tree_names(doc)) if text and text not in named]
    return files


def extract_file(doc: pymupdf.Document, stream: int, name: str, limit: int) -> Extracted:
    """Unpack one embedded file and read it if it is text; raises StreamTooLargeError or one of ENGINE_ERRORS."""
    thing = object_of(doc, stream) if stream else None
    if thing is None or not is_stream(thing):
        raise ValueError("its bytes are not in the file")
    data = stream_bytes(thing, limit)
    reading = read_file(name, data)
    return Extracted(
        kind=reading.kind,
        detail=reading.detail,
        rows=reading.rows,
        data=data if reading.kind == "pdf" else b"",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _files_of(holder: Any, page_num: int) -> Iterator[AttachmentFact]:
    for spec in direct_dictionaries(holder):
        files = get(spec, "EF")
        if not is_dict(files):
            continue
        names = [text for key in _NAMES if (text := text_of(get(spec, key)))]
        name = names[0] if names else "a file without a name"
        texts = [text_of(get(spec, "Desc")), *names[1:]]
        texts += [text_of(value) for _, value in entries(get(spec, "CI"))]
        texts += [text_of(get(value, "D")) for _, value in entries(get(spec, "CI")) if is_dict(value)]
        numbers = dict.fromkeys(number_of(stream) for _, stream in entries(files))
        for number in numbers or [0]:
            yield AttachmentFact(
                name, page_num, number, [text for text in dict.fromkeys(texts) if text != name]
            )


def _pages_of_holders(doc: pymupdf.Document, pages: dict[int, int]) -> dict[int, int]:
    """Objects that hang on a page -> the page: its annotations, and what these and the page itself name as files."""
    found = dict(pages)
    for number, page in pages.items():
        for below in references_under(doc, number, ("Annots", "AF")):
            found.setdefault(below, page)
            text = written(doc, below)
            if _HANGS_ON.search(text) or not text.startswith("<<"):
                for inner in _REFERENCE.findall(text):
                    found.setdefault(int(inner), page)
    return found


def _tree_names(doc: pymupdf.Document) -> list[str]:
    """Names under which the name tree lists its files; a viewer may show these."""
    try:
        return [clean(name) for name in doc.embfile_names()]
    except ENGINE_ERRORS:
        return []  # a damaged tree; the files themselves were found without it
