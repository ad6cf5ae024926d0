"""From what the user names to bytes that are known to be a PDF; everything else is refused with file, cause, remedy."""

from __future__ import annotations

import hashlib
import io
import os
from pathlib import Path

import pytest

import docaudit
from docaudit.errors import DocauditError, DocumentNotFoundError, InputError, NotAPdfError
from docaudit.extract.source import identified
from tests import pdfs

DATA = pdfs.document(pdfs.text("one page"))


def refused(source: object, kind: type[InputError]) -> InputError:
    with pytest.raises(kind) as caught, identified(source):  # type: ignore[arg-type]
        pass
    assert caught.value.remedy
    assert caught.value.cause
    return caught.value


def test_path_as_text_and_as_path(tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    file.write_bytes(DATA)
    for source in (file, str(file)):
        with identified(source) as found:
            assert (found.path, found.name, found.size_bytes) == (file, "report.pdf", len(DATA))
            assert found.sha256 == hashlib.sha256(DATA).hexdigest()


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, io.BytesIO])
def test_bytes_and_open_files_lie_in_a_file_for_the_time_of_the_block(wrap: type) -> None:
    with identified(wrap(DATA)) as found:
        assert found.path.read_bytes() == DATA
        assert found.name == "(bytes)"
        assert found.sha256 == hashlib.sha256(DATA).hexdigest()
    assert not found.path.exists()


def test_temporary_file_goes_away_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), identified(DATA) as found:
        raise ZeroDivisionError
    assert not found.path.exists()


def test_open_file_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "named.pdf").write_bytes(DATA)
    with (tmp_path / "named.pdf").open("rb") as stream, identified(stream) as found:
        assert found.name == "named.pdf"


def test_missing(tmp_path: Path) -> None:
    error = refused(tmp_path / "nothing.pdf", DocumentNotFoundError)
    assert (error.file, error.cause) == (str(tmp_path / "nothing.pdf"), "no such file")


def test_directory(tmp_path: Path) -> None:
    error = refused(tmp_path, DocumentNotFoundError)
    assert (error.file, error.cause) == (str(tmp_path), "is a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_not_readable(tmp_path: Path) -> None:
    (tmp_path / "closed.pdf").write_bytes(DATA)
    (tmp_path / "closed.pdf").chmod(0)
    assert "cannot be read" in refused(tmp_path / "closed.pdf", DocumentNotFoundError).cause


@pytest.mark.parametrize("name", ["a\0b.pdf", "x" * 5000 + ".pdf"])
def test_name_that_no_file_can_have(name: str) -> None:
    assert refused(name, DocumentNotFoundError).file == name


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "HTML"),
        (b"\n\n  <HTML><head></head></HTML>", "HTML"),
        (b"\xef\xbb\xbf<html></html>", "HTML"),
        (b"<?xml version='1.0'?><x/>", "XML"),
        (b"PK\x03\x04" + b"\0" * 40, "ZIP or office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 40, "old office"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "PNG"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 40, "JPEG"),
        (b"{\\rtf1 hello}", "RTF"),
        (b"%!PS-Adobe-3.0\n", "PostScript"),
        (b"just some words\n", "not a PDF"),
        (b"\0" * 100, "not a PDF"),
    ],
)
def test_other_kinds_of_file_named_pdf(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "page.pdf").write_bytes(content)
    error = refused(tmp_path / "page.pdf", NotAPdfError)
    assert what in error.cause
    assert error.file == "page.pdf"
    assert what in refused(content, NotAPdfError).cause  # as bytes too


def test_text_mode_file(tmp_path: Path) -> None:
    (tmp_path / "text.pdf").write_text("words")
    with (tmp_path / "text.pdf").open() as stream:
        error = refused(stream, InputError)
    assert "text mode" in error.cause
    assert "rb" in error.remedy
    assert "text mode" in refused(io.StringIO("x"), InputError).cause


@pytest.mark.parametrize("source", [None, 7, 3.5, ["a.pdf"], object()])
def test_no_kind_of_source(source: object) -> None:
    assert type(source).__name__ in refused(source, InputError).cause


def test_bytes_before_the_header_are_allowed() -> None:
    with identified(b"\r\n\r\nmail header\r\n" + DATA) as found:
        assert found.size_bytes > len(DATA)


def test_the_message_names_file_cause_and_remedy() -> None:
    error = DocauditError("is broken", file="a.pdf", page=3, remedy="repair it")
    assert str(error) == "a.pdf: page 3: is broken (repair it)"


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    with pytest.raises(DocumentNotFoundError, match="no regular file"), identified(tmp_path / "pipe.pdf"):
        pass


@pytest.mark.parametrize("how", ["path", "open file"])
def test_name_that_is_no_utf8_is_read_and_shown(tmp_path: Path, how: str) -> None:
    path = os.fsencode(tmp_path) + b"/r\xe9port.pdf"
    with open(path, "wb") as stream:  # noqa: PTH123 - the name is bytes
        stream.write(DATA)
    if how == "path":
        parsed = docaudit.parse(os.fsdecode(path), ocr="off")
    else:
        with open(path, "rb") as stream:  # noqa: PTH123
            parsed = docaudit.parse(stream, ocr="off")
    assert parsed.identity.name == r"r\xe9port.pdf"
    assert parsed.line_df["text"].tolist() == ["one page"]
    parsed.identity.model_dump_json()  # a lone surrogate could not be written


def test_open_file_is_read_from_its_beginning() -> None:
    stream = io.BytesIO(DATA)
    stream.seek(len(DATA) - 5)
    with identified(stream) as found:
        assert found.size_bytes == len(DATA)


class _Silent:
    def read(self) -> None:
        return None


class _Piecemeal:
    def read(self, size: int) -> bytes:
        return b""


def test_open_files_that_cannot_be_read(tmp_path: Path) -> None:
    closed = io.BytesIO(DATA)
    closed.close()
    with (tmp_path / "new.pdf").open("wb") as write_only:
        for source in (closed, write_only, io.StringIO("x"), _Silent(), _Piecemeal()):
            refused(source, InputError)


def test_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "growing.pdf"
    file.write_bytes(DATA)
    with pytest.raises(InputError, match="changed while it was read"), identified(file):
        file.write_bytes(DATA + b"%%EOF\n")
