"""Whatever a document or its reader does, each page of the page tree has a row, and a lost one says why it is lost."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pandas as pd
import pytest

import docaudit
from docaudit.codes import BlindSpotKind
from docaudit.document import PARSED_TABLES, ParsedDocument
from docaudit.errors import DamagedDocumentError, InputError, NoPagesError, PasswordRequiredError
from docaudit.extract import isolation
from tests import pdfs
from tests.conftest import Parse

WORDS = ("first page", "second page", "third page")
THREE = pdfs.document(*(pdfs.text(word) for word in WORDS))


def sabotaged(
    monkeypatch: pytest.MonkeyPatch, what: str, data: bytes = THREE, **options: object
) -> ParsedDocument:
    monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
    monkeypatch.setenv("DOCAUDIT_SABOTAGE", what)
    return docaudit.parse(data, ocr="off", workers=1, **options)


class TestPassword:
    LOCKED = pdfs.encrypted(THREE, user="sesame")

    @pytest.mark.parametrize(("given", "cause"), [(None, "needs a password"), ("wrong", "password is wrong")])
    def test_missing_or_wrong(self, given: str | None, cause: str) -> None:
        with pytest.raises(PasswordRequiredError, match=cause) as caught:
            docaudit.parse(self.LOCKED, password=given)
        assert caught.value.file == "(bytes)"
        assert "--password" in caught.value.remedy

    @pytest.mark.parametrize("given", ["sesame", "owner"])
    def test_right(self, parse: Parse, given: str) -> None:
        parsed = parse(self.LOCKED, password=given)
        assert parsed.line_df["text"].tolist() == list(WORDS)

    def test_owner_password_alone_needs_none(self, parse: Parse) -> None:
        parsed = parse(pdfs.encrypted(THREE, user=""))
        assert parsed.line_df["text"].tolist() == list(WORDS)


class TestPageTree:
    def test_zero_pages(self) -> None:
        with pytest.raises(NoPagesError) as caught:
            docaudit.parse(pdfs.no_pages())
        assert caught.value.remedy

    @pytest.mark.parametrize("count", [0, 1, 2, 7, -1, 2**31])
    def test_lying_count(self, parse: Parse, count: int) -> None:
        parsed = parse(pdfs.lying_count(THREE, count))
        assert parsed.page_df["page_num"].tolist() == [1, 2, 3]
        assert parsed.line_df["text"].tolist() == list(WORDS)

    def test_loop(self, parse: Parse) -> None:
        parsed = parse(pdfs.looping_tree(THREE))
        assert parsed.line_df["text"].tolist() == list(WORDS)
        assert parsed.coverage.pages_total == 3

    def test_truncated_before_its_table_of_objects_keeps_all(self, parse: Parse) -> None:
        data = pdfs.plain(*(pdfs.text(word) for word in WORDS))
        parsed = parse(data[: data.rindex(b"xref\n0")])
        assert parsed.page_df["page_num"].tolist() == [1, 2, 3]
        assert parsed.line_df["text"].tolist() == list(WORDS)

    def test_truncated_within_a_page_says_so(self, parse: Parse) -> None:
        data = pdfs.plain(*(pdfs.text(word) for word in WORDS))
        parsed = parse(data[: data.rindex(b"/helv 11 Tf")])
        assert parsed.page_df["page_num"].tolist() == [1, 2, 3]
        assert parsed.line_df["text"].tolist() == list(WORDS[:2])
        spots = parsed.blind_spot_df
        assert set(spots["kind"]) == {"page_damaged"}
        assert spots["page_num"].tolist() == [0, 3]
        assert "cut off" in spots["detail"][0]
        finding = docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"x": ["third"]}))
        assert finding.finding == "not_established"
        assert finding.unmet[0].pages == (0, 3)

    def test_truncated_so_that_no_page_is_left(self) -> None:
        with pytest.raises(InputError) as caught:
            docaudit.parse(THREE[:60])
        assert isinstance(caught.value, (DamagedDocumentError, NoPagesError))
        assert caught.value.remedy

    def test_damaged_content_is_a_blind_spot_of_its_page(self, parse: Parse) -> None:
        parsed = parse(pdfs.damaged_stream(THREE, 2))
        spots = parsed.blind_spot_df
        assert len(parsed.page_df) == 3
        assert spots["page_num"].tolist() == [2]
        assert spots["kind"].tolist() == ["page_damaged"]
        assert spots["text_likely"].tolist() != ["no"]
        assert parsed.coverage.pages_with_warnings == (2,)


class TestSabotage:
    """A saboteur in place of the worker; the other pages must be as if nothing had happened."""

    @pytest.mark.parametrize(
        ("what", "kind"),
        [
            ("crash", BlindSpotKind.PAGE_CRASHED),
            ("exit", BlindSpotKind.PAGE_CRASHED),
            ("hang", BlindSpotKind.PAGE_TIMED_OUT),
            ("memory", BlindSpotKind.PAGE_OUT_OF_MEMORY),
            ("refuse", BlindSpotKind.PAGE_FAILED),
            ("garbage", BlindSpotKind.PAGE_CRASHED),
            ("huge", BlindSpotKind.PAGE_CRASHED),
            ("wrong_number", BlindSpotKind.PAGE_CRASHED),
        ],
    )
    def test_one_page_is_lost_and_says_why(
        self, monkeypatch: pytest.MonkeyPatch, what: str, kind: BlindSpotKind
    ) -> None:
        limits = {"page_seconds": 2.0} if what == "hang" else {"memory_mb": 1500}
        parsed = sabotaged(monkeypatch, f"{what}:2", **limits)
        assert parsed.page_df["page_num"].tolist() == [1, 2, 3]
        assert parsed.page_df["state"].tolist() == ["text", "failed", "text"]
        assert parsed.line_df["text"].tolist() == ["first page", "third page"]
        spots = parsed.blind_spot_df
        assert list(zip(spots["page_num"], spots["kind"], strict=True)) == [(2, kind.value)]
        assert spots["text_likely"].tolist() == ["unknown"]
        assert spots["detail"].tolist() != [""]

    def test_a_page_that_crashes_only_while_it_is_drawn_keeps_its_text(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parsed = sabotaged(monkeypatch, "draw:2")
        assert parsed.line_df["text"].tolist() == list(WORDS)
        assert parsed.page_df["state"].tolist() == ["text", "not_rendered", "text"]
        spots = parsed.blind_spot_df
        assert spots[["page_num", "kind"]].values.tolist() == [[2, "page_crashed"]]
        assert spots["text_likely"].tolist() != ["no"]

    def test_a_lost_page_forbids_absence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        parsed = sabotaged(monkeypatch, "crash:3")
        finding = docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"x": ["third"]}))
        assert finding.finding == "not_established"
        unmet = {check.obligation.value: check.pages for check in finding.unmet}
        assert unmet == {"pages_readable": (3,)}

    @pytest.mark.parametrize(
        ("what", "said", "limit"), [("crash:0", "crashed", 40), ("hang:0", "longer than 3 s", 3)]
    )
    def test_failure_while_opening(
        self, monkeypatch: pytest.MonkeyPatch, what: str, said: str, limit: float
    ) -> None:
        start = time.monotonic()
        with pytest.raises(DamagedDocumentError, match=said):
            sabotaged(monkeypatch, what, document_seconds=limit)
        assert time.monotonic() - start < 30

    def test_memory_while_opening(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(DamagedDocumentError):
            sabotaged(monkeypatch, "memory:0", memory_mb=1500)

    def test_time_limit_of_the_document_loses_no_page(self, monkeypatch: pytest.MonkeyPatch) -> None:
        parsed = sabotaged(monkeypatch, "hang:1", page_seconds=60.0, document_seconds=12.0)
        assert parsed.page_df["state"].tolist() == ["failed"] * 3
        assert set(parsed.blind_spot_df["kind"]) == {"page_timed_out"}
        assert parsed.blind_spot_df["page_num"].tolist() == [1, 2, 3]


def test_same_result_for_any_number_of_workers() -> None:
    many = pdfs.document(*(pdfs.text(f"page number {n}", *pdfs.PROSE) for n in range(1, 51)))
    one = docaudit.parse(many, workers=1)
    two = docaudit.parse(many, workers=2)
    for name in PARSED_TABLES:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(two, name))
    assert one.page_df["page_num"].tolist() == list(range(1, 51))
    assert one.coverage == two.coverage
    assert one.line_df["text"].str.extract(r"page number (\d+)")[0].dropna().tolist() == [
        str(n) for n in range(1, 51)
    ]


def test_progress_is_told_of_every_page() -> None:
    seen: list[tuple[int, int]] = []
    docaudit.parse(THREE, ocr="off", workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_an_error_of_the_caller_leaves_no_child() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    docaudit.parse(THREE, ocr="off", workers=1)  # starts the fork server, which stays
    before = children()
    with pytest.raises(KeyboardInterrupt):
        docaudit.parse(THREE, ocr="off", workers=1, progress=stop)
    assert children() <= before


def children(of: str = str(os.getpid())) -> set[str]:
    """Numbers of the processes that a process and those it has started have started, and that still live."""
    try:
        found = {
            number
            for task in Path(f"/proc/{of}/task").glob("*/children")
            for number in task.read_text().split()
        }
    except OSError:
        return set()
    return found.union(*(children(number) for number in found))


def test_nothing_is_imported_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pymupdf", "msgspec", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(docaudit.parse(THREE, ocr="off").page_df) == 3


def test_warnings_of_a_font_belong_to_every_page_that_uses_it_whoever_reads_it() -> None:
    """The engine complains about a font when it loads it, once for each process: the page that came first."""
    data = pdfs.with_missing_font(pages=60)
    one, two = (docaudit.parse(data, ocr="off", workers=workers).page_df for workers in (1, 2))
    assert one["warnings"].str.contains("non-embedded font").all()
    assert one["warnings"].tolist() == two["warnings"].tolist()
