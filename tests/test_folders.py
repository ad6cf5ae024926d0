"""Files below the folders named at start: how they are named, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import docaudit
from docaudit.errors import (
    DocauditError,
    DocumentNotFoundError,
    NotAPdfError,
    NotBelowRootsError,
    OptionError,
    TooLargeError,
)
from docaudit.integrations.folders import AllowedFolders
from tests import pdfs

SECRET = "the secret of another folder"
ONE_PAGE = pdfs.document(pdfs.text("solar power"))


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """data/report.pdf and data/sub/table.csv below the root; beside it data2, outside and a secret."""
    for name in ("data/sub", "data2", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "data/report.pdf").write_bytes(ONE_PAGE)
    (tmp_path / "data/sub/table.csv").write_text("concept,variant\npower,power\n")
    (tmp_path / "data2/secret.txt").write_text(SECRET)
    (tmp_path / "outside/secret.txt").write_text(SECRET)
    return tmp_path


def refusal(roots: AllowedFolders, path: str) -> str:
    """The message, without the name that the client gave."""
    with pytest.raises(NotBelowRootsError) as refused, roots.opened(path):
        pass
    return str(refused.value).removeprefix(f"{refused.value.file}: ")


MISSING = "no such file below the folders that are open to clients (name it by its path below data)"


def test_a_file_keeps_its_name_and_is_audited_as_by_its_path(folders: Path) -> None:
    roots = AllowedFolders([folders / "data"])
    table = docaudit.ConceptTable.from_variants({"wind": ["wind"]})
    with roots.opened("report.pdf") as path:
        found = docaudit.audit(path, table, ocr="off")
    assert found.document is not None
    assert found.document.name == "report.pdf"
    assert found == docaudit.audit(folders / "data/report.pdf", table, ocr="off")


@pytest.mark.parametrize(
    "path", ["report.pdf", "./report.pdf", "sub/./table.csv", "sub//table.csv", "{data}/report.pdf"]
)
def test_ways_to_name_a_file(folders: Path, path: str) -> None:
    with AllowedFolders([folders / "data"]).opened(path.format(data=folders / "data")) as opened:
        assert opened.read_bytes()
        assert opened.name == Path(path).name


@pytest.mark.parametrize(
    "path",
    [
        "missing.pdf",
        "../outside/secret.txt",
        "sub/../../outside/secret.txt",
        "sub/../report.pdf",
        "..",
        "{top}/outside/secret.txt",
        "{top}/outside/missing.txt",
        "{top}/data2/secret.txt",
        "{top}/data/../data2/secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "report.pdf/x",
        "REPORT.PDF",
        "Data/report.pdf",
        "report.pdf\0.txt",
        "~/x",
        "file:///etc/passwd",
        "\ud800",
        "x" * 300,
        "a/" * 5000,
    ],
)
def test_missing_and_outside_read_the_same(folders: Path, path: str) -> None:
    assert refusal(AllowedFolders([folders / "data"]), path.format(top=folders)) == MISSING


def test_links_lead_where_they_may(folders: Path) -> None:
    data = folders / "data"
    (data / "inside.pdf").symlink_to(data / "report.pdf")
    (data / "folder").symlink_to("sub")
    (data / "leak.txt").symlink_to(folders / "outside/secret.txt")
    (data / "leak").symlink_to(folders / "outside")
    (data / "sibling").symlink_to(folders / "data2")
    (data / "circle").symlink_to("circle")
    (data / "nowhere").symlink_to(folders / "outside/nothing")
    roots = AllowedFolders([data])
    with roots.opened("inside.pdf") as path:
        assert path.read_bytes() == ONE_PAGE
    with roots.opened("folder/table.csv") as path:
        assert docaudit.ConceptTable.load(path).concepts == ("power",)
    for name in ("leak.txt", "leak/secret.txt", "leak", "sibling/secret.txt", "circle", "nowhere"):
        assert refusal(roots, name) == MISSING


def test_a_path_by_a_link_outside_is_refused(folders: Path) -> None:
    (folders / "way_in").symlink_to(folders / "data")
    assert refusal(AllowedFolders([folders / "data"]), str(folders / "way_in/report.pdf")) == MISSING


def test_a_root_named_by_a_link_is_known_by_both_names(folders: Path) -> None:
    (folders / "alias").symlink_to(folders / "data")
    roots = AllowedFolders([folders / "alias"])
    for top in ("alias", "data"):
        with roots.opened(str(folders / top / "report.pdf")) as path:
            assert path.read_bytes() == ONE_PAGE


def test_devices_and_pipes_are_refused_at_once(folders: Path) -> None:
    os.mkfifo(folders / "data/pipe")
    (folders / "data/null").symlink_to("/dev/null")
    (folders / "data/zero").symlink_to("/dev/zero")
    roots = AllowedFolders([folders / "data"])
    assert refusal(roots, "pipe") == "is no regular file (name a PDF file)"
    assert refusal(roots, "null") == MISSING
    assert refusal(roots, "zero") == MISSING
    devices = AllowedFolders(["/dev"])
    assert refusal(devices, "zero") == "is no regular file (name a PDF file)"


def test_a_root_that_is_replaced_by_a_link_leads_nowhere(folders: Path) -> None:
    roots = AllowedFolders([folders / "data"])
    (folders / "data").rename(folders / "moved")
    (folders / "data").symlink_to(folders / "outside")
    assert refusal(roots, "secret.txt") == MISSING
    assert list(roots.walk()) == []


def test_several_roots_are_told_apart_by_name(folders: Path) -> None:
    (folders / "outside/data").mkdir()
    (folders / "outside/data/report.pdf").write_bytes(b"other")
    roots = AllowedFolders([folders / "data", folders / "data2", folders / "data", folders / "outside/data"])
    assert roots.names == ("data", "data2", "data-2")
    with roots.opened("data/report.pdf") as path:
        assert path.read_bytes() == ONE_PAGE
    with roots.opened("data-2/report.pdf") as path:
        assert path.read_bytes() == b"other"
    for path in ("report.pdf", "data/secret.txt", "data2/../data/report.pdf", "."):
        assert "begins with data or data2 or data-2" in refusal(roots, path)


@pytest.mark.parametrize("name", ["missing", "data/report.pdf", "\0"])
def test_a_root_must_be_a_folder(folders: Path, name: str) -> None:
    with pytest.raises(OptionError):
        AllowedFolders([folders / name])


def test_no_root_is_refused() -> None:
    with pytest.raises(OptionError, match="no folder is named"):
        AllowedFolders([])


def test_a_saved_parse_is_read_but_not_through_links_that_lead_outside(folders: Path) -> None:
    parsed = docaudit.parse(ONE_PAGE, ocr="off")
    saved = parsed.save(folders / "data/parsed")
    roots = AllowedFolders([folders / "data"])
    with roots.opened("parsed") as path:
        assert docaudit.ParsedDocument.load(path).identity == parsed.identity
    with AllowedFolders([saved]).opened(".") as path:
        assert docaudit.ParsedDocument.load(path).identity == parsed.identity
    (saved / "line_df.parquet").rename(folders / "outside/line_df.parquet")
    (saved / "line_df.parquet").symlink_to(folders / "outside/line_df.parquet")
    assert "lies outside the folders" in refusal(roots, "parsed")


def test_a_folder_without_a_parse_is_named_as_the_client_did(folders: Path) -> None:
    with (
        pytest.raises(DocumentNotFoundError) as refused,
        AllowedFolders([folders / "data"]).opened("sub") as path,
    ):
        docaudit.parse(path)
    assert str(refused.value) == "sub: is a directory (name a PDF file in it)"


def test_errors_name_the_file_as_the_client_did(folders: Path) -> None:
    (folders / "data/sub/bad.csv").write_text("concept,variant,colour\npower,power,red\n")
    with (
        pytest.raises(DocauditError) as refused,
        AllowedFolders([folders / "data"]).opened("sub/bad.csv") as path,
    ):
        docaudit.ConceptTable.load(path)
    assert str(refused.value).startswith("sub/bad.csv: ")
    with pytest.raises(NotAPdfError), AllowedFolders([folders / "data"]).opened("sub/bad.csv") as path:
        docaudit.parse(path)


def test_what_is_too_large_is_refused(folders: Path) -> None:
    with (folders / "data/large.pdf").open("wb") as stream:
        stream.truncate((1 << 20) + 1)
    with (
        pytest.raises(TooLargeError, match="more than the 1 MiB"),
        AllowedFolders([folders / "data"], max_mb=1).opened("large.pdf"),
    ):
        pass


def test_walk_lists_what_can_be_opened_and_nothing_outside(folders: Path) -> None:
    data = folders / "data"
    docaudit.parse(ONE_PAGE, ocr="off").save(data / "sub/parsed")
    os.mkfifo(data / "pipe")
    (data / "leak.txt").symlink_to(folders / "outside/secret.txt")
    (data / "leak").symlink_to(folders / "outside")
    (data / "link.pdf").symlink_to("report.pdf")
    (data / "again").symlink_to(".")
    assert _names(AllowedFolders([data]).walk()) == ["link.pdf", "report.pdf", "sub/table.csv", "sub/parsed"]
    both = AllowedFolders([data / "sub", folders / "data2"])
    listed = _names(both.walk())
    assert listed == ["sub/table.csv", "sub/parsed", "data2/secret.txt"]
    for name in listed:
        with both.opened(name) as path:
            assert path.exists()


def _names(walked: Iterator[tuple[str, Path]]) -> list[str]:
    return [name for name, _ in walked]
