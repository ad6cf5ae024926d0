"""Files inside the file: where each is embedded, what it is called, and its text if it is a file of text.

The list that the engine keeps has only the files of one name tree. Files may hang on a page, an annotation or any other
object as well, so all objects are looked through for file specifications and for embedded streams that none names. Text
is decoded, with the doubt about its encoding said.
"""

from __future__ import annotations

import codecs
import email.policy
import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import PurePosixPath
from typing import Any

import pymupdf
from charset_normalizer import from_bytes
from striprtf.striprtf import rtf_to_text

from docaudit.codes import DOCUMENT_PAGE
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import AttachmentFact, Extracted
from docaudit.extract.xml import NotXmlError, html_rows, xml_rows

_HAS_FILE = re.compile(r"/EF(?![A-Za-z0-9])")
_IS_FILE = re.compile(r"/Type\s*/EmbeddedFile(?![A-Za-z0-9])")
_FOLDER = re.compile(r"/Type\s*/Folder(?![A-Za-z0-9])")
_HOLDS_FILE = re.compile(r"/(?:FS|AF|RichMedia|Sound|Movie|R)(?![A-Za-z0-9])")
_NAMES = ("UF", "F", "Unix", "DOS", "Mac")

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
_MAIL = (b"from:", b"received:", b"return-path:", b"mime-version:", b"message-id:", b"subject:", b"date:")
_WIDE = 0.2
"""Share of zero bytes in even or odd places that tells two-byte characters without a mark of their order; this and the
next are chosen, not measured."""
_NOT_TEXT = 0.02
"""Share of control characters from which a file is not taken for text."""


_UNREAD_IMAGES = "pictures in it were not read"


@dataclass(frozen=True)
class FileReading:
    """What became of a file: kind pdf, text (its rows) or other; detail says what it is, or what remains in doubt."""

    kind: str
    detail: str = ""
    rows: list[str] = field(default_factory=list)


def embedded_files(doc: pymupdf.Document, pages: dict[int, int]) -> list[AttachmentFact]:
    """Every embedded file, each stream once.

    Args:
        doc: The document.
        pages: Object number -> page number.
    """
    holders: list[int] = []
    streams: list[int] = []
    names: list[str] = []
    for number in range(1, doc.xref_length()):
        text = pdf.written(doc, number)
        if _HAS_FILE.search(text):
            holders.append(number)
        if _IS_FILE.search(text):
            streams.append(number)
        if _FOLDER.search(text):
            names += [pdf.text_of(pdf.get(pdf.object_of(doc, number), key)) for key in ("Name", "Desc")]
    if not holders and not streams:
        return []
    on_page = _pages_of_holders(doc, pages)
    files: dict[int, AttachmentFact] = {}
    for number in holders:
        for fact in _files_of(pdf.object_of(doc, number), on_page.get(number, DOCUMENT_PAGE)):
            first = files.setdefault(fact.stream or -len(files) - 1, fact)
            first.page_num = first.page_num or fact.page_num
    for number in streams:
        name = f"object {number}, which no file specification names"
        files.setdefault(number, AttachmentFact(name, DOCUMENT_PAGE, number, []))
    with suppress(*ENGINE_ERRORS):  # of a damaged tree: the files themselves are known without it
        names += [pdf.clean(name) for name in doc.embfile_names()]
    facts = list(files.values())
    taken = {fact.name for fact in facts}
    facts[0].texts += [name for name in names if name and name not in taken]
    return facts


def _pages_of_holders(doc: pymupdf.Document, pages: dict[int, int]) -> dict[int, int]:
    """Objects that hang on a page -> the page: its annotations, and what these and the page itself name as files."""
    holders = dict(pages)
    for number, page in pages.items():
        for below in pdf.references_under(doc, number, ("Annots", "AF")):
            holders.setdefault(below, page)
            text = pdf.written(doc, below)
            if _HOLDS_FILE.search(text) or not text.startswith("<<"):
                for inner in pdf.references_in(text):
                    holders.setdefault(inner, page)
    return holders


def _files_of(holder: Any, page_num: int) -> Iterator[AttachmentFact]:
    for spec in pdf.direct_dictionaries(holder):
        streams = pdf.get(spec, "EF")
        if not pdf.is_dict(streams):
            continue
        names = [text for key in _NAMES if (text := pdf.text_of(pdf.get(spec, key)))]
        name = names[0] if names else "a file without a name"
        texts = [pdf.text_of(pdf.get(spec, "Desc")), *names[1:]]
        fields = [value for _, value in pdf.entries(pdf.get(spec, "CI"))]
        texts += [pdf.text_of(value) for value in fields]
        texts += [pdf.text_of(pdf.get(value, "D")) for value in fields if pdf.is_dict(value)]
        texts = [text for text in dict.fromkeys(texts) if text != name]
        numbers = dict.fromkeys(pdf.number_of(stream) for _, stream in pdf.entries(streams))
        for number in numbers or [0]:
            yield AttachmentFact(name, page_num, number, list(texts))


def extract_file(doc: pymupdf.Document, stream: int, name: str, limit: int) -> Extracted:
    """Unpack one embedded file and read it if it is text; raises StreamTooLargeError or one of ENGINE_ERRORS."""
    thing = pdf.object_of(doc, stream) if stream else None
    if thing is None or not pdf.is_stream(thing):
        raise ValueError("its bytes are not in the file")
    data = pdf.stream_bytes(thing, limit)
    reading = read_file(name, data)
    return Extracted(
        kind=reading.kind,
        detail=reading.detail,
        rows=reading.rows,
        data=data if reading.kind == "pdf" else b"",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def read_file(name: str, data: bytes) -> FileReading:
    """What a file is by its bytes, and its rows if it is text.

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
        try:
            text = rtf_to_text(data.decode("latin-1"), errors="replace")
        except (ValueError, LookupError, IndexError, AttributeError, TypeError) as error:
            return FileReading("other", f"an RTF file that could not be read ({type(error).__name__})")
        return FileReading("text", _UNREAD_IMAGES if b"\\pict" in data else "", pdf.clean(text).splitlines())
    for signature, kind in _SIGNATURES:
        if data.startswith(signature) and (len(signature) > 2 or b"\0" in data[:512]):
            return FileReading("other", kind)
    has_headers = head.startswith(_MAIL) and b"\n\n" in data[: 1 << 16].replace(b"\r\n", b"\n")
    if has_headers or ending in {".eml", ".mht", ".mhtml"}:
        return _mail(data)
    is_xml = head.startswith(b"<?xml") or ending == ".xml"
    if is_xml:
        try:
            return FileReading("text", "", [pdf.clean(row) for row in xml_rows(data, attributes=True)])
        except NotXmlError:
            pass  # it is read as plain text
    text, doubt = decode(data)
    if text is None:
        unread = f"a file of unknown kind ({ending or 'no ending'})"
        return FileReading("other", "an XML file that could not be read" if is_xml else unread)
    if not is_xml and (head.startswith(_HTML) or ending in {".html", ".htm", ".xhtml"}):
        return _html(text, doubt)
    return FileReading("text", doubt, pdf.clean(text).splitlines())


def decode(data: bytes) -> tuple[str | None, str]:
    """The text of bytes, and the doubt about its encoding (empty if there is none); None for what is no text."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), ""
    half = max(len(data) // 2, 1)
    even, odd = data[::2].count(0), data[1::2].count(0)
    encoding = "utf-8"
    if odd > _WIDE * half and even < 0.02 * half:
        encoding = "utf-16-le"
    elif even > _WIDE * half and odd < 0.02 * half:
        encoding = "utf-16-be"
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


def _html(text: str, doubt: str) -> FileReading:
    try:
        rows = html_rows(text.encode("utf-8", "replace"))
    except NotXmlError:
        return FileReading("text", doubt, pdf.clean(text).splitlines())
    images = _UNREAD_IMAGES if "<img" in text.lower() else ""
    return FileReading("text", "; ".join(filter(None, (doubt, images))), [pdf.clean(row) for row in rows])


def _mail(data: bytes) -> FileReading:
    message = email.message_from_bytes(data, policy=email.policy.default)
    rows = [f"{key}: {value}" for key, value in message.items()]
    unread: list[str] = []
    for part in message.walk():
        if not isinstance(part, EmailMessage) or part.is_multipart():
            continue
        name = part.get_filename()
        if name:
            rows.append(name)
        reading = _mail_part(part)
        if reading is None:
            unread.append(name or part.get_content_type())
            continue
        rows += reading.rows
        unread += [reading.detail] if reading.detail else []
    detail = f"not read in this mail: {', '.join(dict.fromkeys(unread))}" if unread else ""
    return FileReading("text", detail, [pdf.clean(line) for row in rows for line in row.splitlines()])


def _mail_part(part: EmailMessage) -> FileReading | None:
    """The text of one part of a mail; None if it is no text."""
    raw = part.get_payload(decode=True)
    if part.get_content_maintype() != "text" or not isinstance(raw, bytes):
        return None
    charset = part.get_content_charset()
    text, doubt = None, ""
    with suppress(LookupError, UnicodeDecodeError):  # else its bytes tell
        text = raw.decode(charset) if charset else None
    if text is None:
        text, doubt = decode(raw)
    if text is None:
        return None
    if part.get_content_subtype() == "html":
        return _html(text, doubt)
    return FileReading("text", doubt, text.splitlines())
