"""Files inside the file: where each is embedded, what it is called, and its bytes, within limits.

The list that the engine keeps has only the files of one name tree. Files may hang on a page, an annotation or any other
object as well, so all objects are looked through for file specifications and for embedded streams that none names.

What an embedded file is, and its text if it is a file of text: decoded, with the doubt about its encoding said.
"""

from __future__ import annotations

import codecs
import email.policy
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import PurePosixPath
from typing import Any

import pymupdf
from charset_normalizer import from_bytes
from striprtf.striprtf import rtf_to_text

from docaudit.codes import DOCUMENT_PAGE
from docaudit.extract.pdf_objects import (
    ENGINE_ERRORS,
    clean,
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
from docaudit.extract.protocol import AttachmentFact, Extracted
from docaudit.extract.xml import NotXmlError, html_rows, xml_rows

_SIGNATURES = (
    (b"PK\x03\x04", "a ZIP or office file"),
    (b"\xd0\xcf\x11\xe0", "an old office file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (b"II*\x00", "a picture"),
    (b"MM\x00*", "a picture"),
    (b"RIFF", "a picture, sound or film"),
    (b"ID3", "a sound"),
    (b"OggS", "a sound or film"),
    (b"\x1f\x8b", "a packed file"),
    (b"BZh", "a packed file"),
    (b"7z\xbc\xaf", "a packed file"),
    (b"Rar!", "a packed file"),
    (b"\xfd7zXZ", "a packed file"),
    (b"MZ", "a program"),
    (b"\x7fELF", "a program"),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HTML = (b"<!doctype html", b"<html")
_MAIL_HEADERS = (
    b"from:",
    b"received:",
    b"return-path:",
    b"mime-version:",
    b"message-id:",
    b"subject:",
    b"date:",
)
_WIDE = 0.2
"""Share of zero bytes in even or odd places that tells two-byte characters without a mark of their order."""
_NOT_TEXT = 0.02
"""Share of control characters from which a file is not taken for text."""


@dataclass(frozen=True)
class FileReading:
    """What became of a file: kind pdf, text (its rows) or other; detail says what it is, or what remains in doubt."""

    kind: str
    detail: str = ""
    rows: list[str] = field(default_factory=list)


def read_file(name: str, data: bytes) -> FileReading:
    """Tell what a file is by its bytes, and read it if it is text.

    Args:
        name: Its name; the ending decides where the bytes leave it open.
        data: All of its bytes.
    """
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    ending = PurePosixPath(name.lower().replace("\\", "/")).suffix
    if b"%pdf-" in head:
        return FileReading("pdf")
    if not data.strip():
        return FileReading("text")
    if head.startswith(b"{\\rtf"):
        return _rtf(data)
    for signature, kind in _SIGNATURES:
        if data.startswith(signature) and (len(signature) > 2 or b"\0" in data[:512]):
            return FileReading("other", kind)
    if ending in {".eml", ".mht", ".mhtml"} or (head.startswith(_MAIL_HEADERS) and b"\n\n" in _unix(data)):
        return _mail(data)
    if head.startswith(b"<?xml") or ending == ".xml":
        return _xml(data)
    text, doubt = decode(data)
    if text is None:
        return FileReading("other", f"a file of unknown kind ({ending or 'no ending'})")
    if head.startswith(_HTML) or ending in {".html", ".htm", ".xhtml"}:
        return _html(text, doubt)
    return FileReading("text", doubt, clean(text).splitlines())


def decode(data: bytes) -> tuple[str | None, str]:
    """The text of bytes, and the doubt about its encoding (empty if there is none); None for what is no text."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ""
    encoding = _two_bytes(data) or "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        best = from_bytes(data).best()
        if best is None:
            return None, ""
        encoding = best.encoding
        text = data.decode(encoding, "replace")
    doubt = "" if encoding == "utf-8" else f"its encoding is not declared; it was read as {encoding}"
    controls = sum(char < " " and char not in "\t\n\r\f\x1b" for char in text)
    return (None, "") if controls > _NOT_TEXT * len(text) else (text, doubt)


def _two_bytes(data: bytes) -> str:
    half = max(len(data) // 2, 1)
    if data[1::2].count(0) > _WIDE * half and data[::2].count(0) < 0.02 * half:
        return "utf-16-le"
    if data[::2].count(0) > _WIDE * half and data[1::2].count(0) < 0.02 * half:
        return "utf-16-be"
    return ""


def _unix(data: bytes) -> bytes:
    return data[: 1 << 16].replace(b"\r\n", b"\n")


def _rtf(data: bytes) -> FileReading:
    try:
        text = rtf_to_text(data.decode("latin-1"), errors="replace")
    except (ValueError, LookupError, IndexError, AttributeError, TypeError) as error:
        return FileReading("other", f"an RTF file that could not be read ({type(error).__name__})")
    return FileReading(
        "text", "pictures in it were not read" if b"\\pict" in data else "", clean(text).splitlines()
    )


def _xml(data: bytes) -> FileReading:
    try:
        return FileReading("text", "", [clean(row) for row in xml_rows(data, attributes=True)])
    except NotXmlError:
        text, doubt = decode(data)
        if text is None:
            return FileReading("other", "an XML file that could not be read")
        return FileReading("text", doubt, clean(text).splitlines())


def _html(text: str, doubt: str) -> FileReading:
    try:
        rows = html_rows(text.encode("utf-8", "replace"))
    except NotXmlError:
        return FileReading("text", doubt, clean(text).splitlines())
    pictures = "pictures in it were not read" if "<img" in text.lower() else ""
    return FileReading(
        "text", "; ".join(part for part in (doubt, pictures) if part), [clean(r) for r in rows]
    )


def _mail(data: bytes) -> FileReading:
    message = email.message_from_bytes(data, policy=email.policy.default)
    rows = [f"{key}: {value}" for key, value in message.items()]
    unread: list[str] = []
    for part in message.walk():
        if not isinstance(part, EmailMessage) or part.is_multipart():
            continue
        file = part.get_filename()
        if file:
            rows.append(file)
        inner = _mail_part(part)
        if inner is None:
            unread.append(file or part.get_content_type())
            continue
        rows += inner.rows
        unread += [inner.detail] if inner.detail else []
    detail = f"not read in this mail: {', '.join(dict.fromkeys(unread))}" if unread else ""
    return FileReading("text", detail, [clean(line) for row in rows for line in row.splitlines()])


def _mail_part(part: EmailMessage) -> FileReading | None:
    """The text of one part of a mail; None if it is no text."""
    if part.get_content_maintype() != "text":
        return None
    raw = part.get_payload(decode=True)
    if not isinstance(raw, bytes):
        return None
    charset = part.get_content_charset()
    try:
        text: str | None = raw.decode(charset) if charset else None
        doubt = ""
    except (LookupError, UnicodeDecodeError):
        text = None
    if text is None:
        text, doubt = decode(raw)
    if text is None:
        return None
    if part.get_content_subtype() == "html":
        return _html(text, doubt)
    return FileReading("text", doubt, text.splitlines())


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
