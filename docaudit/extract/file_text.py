"""What an embedded file is, and its text if it is a file of text: decoded, with the doubt about its encoding said."""

from __future__ import annotations

import codecs
import email
import email.policy
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import PurePosixPath

from charset_normalizer import from_bytes
from striprtf.striprtf import rtf_to_text

from docaudit.extract.engine import clean
from docaudit.extract.xml_text import NotXmlError, html_rows, xml_rows

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
