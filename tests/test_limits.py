"""Hostile and enormous documents: each page ends in one state, in bounded time and memory; nothing is lost silently."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pikepdf
import pytest

import docaudit
from docaudit.document import PARSED_TABLES, ParsedDocument
from docaudit.extract import isolation
from tests import pdfs
from tests.test_isolation import children, sabotaged

pytestmark = pytest.mark.slow

Name, Array, Dictionary = pikepdf.Name, pikepdf.Array, pikepdf.Dictionary
ONE = pdfs.document(pdfs.text("visible words"))
LIMITS: dict[str, Any] = {"ocr": "off", "workers": 1, "page_seconds": 8.0}


def changed(change: Callable[[pikepdf.Pdf, Any], Any], data: bytes = ONE) -> bytes:
    return pdfs.changed(data, lambda pdf: change(pdf, pdf.pages[0].obj))


def resident_mb(pid: int) -> int:
    """MiB of memory of a process, what it shares with others in part."""
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) >> 10


@contextmanager
def peak_of_children() -> Iterator[list[int]]:
    peak, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak[0] = max(peak[0], sum(resident_mb(int(child)) for child in children()))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()


def kinds(parsed: ParsedDocument) -> set[str]:
    return set(parsed.blind_spot_df["kind"])


def says_what_is_lost(parsed: ParsedDocument) -> bool:
    """The page was read in full, or a blind spot says that it may hold more."""
    return bool((parsed.blind_spot_df["text_likely"] != "no").any())


@pytest.mark.parametrize(
    ("box", "unit"),
    [((0, 0, 14400, 14400), 1), ((0, 0, 595, 842), 75), ((0, 0, 10**9, 10**9), 1), ((0, 0, 0, 0), 1)],
)
def test_page_of_any_size(box: tuple[float, ...], unit: float) -> None:
    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        page.MediaBox = list(box)
        page.UserUnit = unit

    parsed = docaudit.parse(changed(change), **LIMITS)
    assert len(parsed.page_df) == 1
    read = parsed.line_df["text"].tolist() == ["visible words"]
    assert read or says_what_is_lost(parsed)


def test_outline_of_3000_levels() -> None:
    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        above = root = pdf.make_indirect(Dictionary(Type=Name.Outlines))
        for level in range(3000):
            title = pikepdf.String(f"level {level}")
            item = pdf.make_indirect(Dictionary(Title=title, Parent=above, Dest=Array([page, Name.Fit])))
            above.First = above.Last = item
            above.Count = 1
            above = item
        pdf.Root.Outlines = root

    parsed = docaudit.parse(changed(change), **LIMITS)
    assert parsed.toc_df["level"].max() == 3000
    assert "visible words" in parsed.line_df["text"].tolist()


def nested(pdf: pikepdf.Pdf, page: Any, depth: int, times: int) -> None:
    """Forms in forms, each drawn so many times by the next."""
    fonts = page.Resources.Font
    inner = pdf.make_stream(b"BT /helv 11 Tf 72 300 Td (deep words) Tj ET")
    inner.Resources = Dictionary(Font=fonts)
    for _ in range(depth):
        outer = pdf.make_stream(b"/F Do " * times)
        outer.Resources = Dictionary(XObject=Dictionary(F=inner))
        for form in (inner, outer):
            form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, [0, 0, 600, 800]
        inner = outer
    page.Resources = Dictionary(Font=fonts, XObject=Dictionary(F=inner))
    pdf.pages[0].contents_add(b"/F Do")


@pytest.mark.parametrize(("depth", "times"), [(12, 1), (3000, 1), (9, 10)])
def test_forms_in_forms(depth: int, times: int) -> None:
    data = changed(lambda pdf, page: nested(pdf, page, depth, times))
    parsed = docaudit.parse(data, **{**LIMITS, "page_seconds": 3.0})
    assert len(parsed.page_df) == 1
    assert "deep words" in parsed.line_df["text"].tolist() or says_what_is_lost(parsed)


def test_form_that_draws_itself() -> None:
    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        form = pdf.make_stream(b"BT /helv 11 Tf 72 300 Td (again) Tj ET /F Do")
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, [0, 0, 600, 800]
        form.Resources = page.Resources
        page.Resources.XObject = Dictionary(F=form)
        pdf.pages[0].contents_add(b"/F Do")

    parsed = docaudit.parse(changed(change), **LIMITS)
    assert parsed.line_df["text"].tolist()[:2] == ["visible words", "again"]


def test_object_streams_that_hold_each_other() -> None:
    """Object 5 is said to lie in stream 6, and object 6 in stream 5."""
    body = b"%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    body += b"2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n"
    body += b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 5 0 R>>\nendobj\n"
    offsets = [body.index(b"%d 0 obj" % number) for number in (1, 2, 3)]
    rows = [(0, 0, 255), *((1, offset, 0) for offset in offsets), (1, len(body), 0), (2, 6, 0), (2, 5, 0)]
    table = b"".join(bytes([a]) + b.to_bytes(4, "big") + bytes([c]) for a, b, c in rows)
    stream = zlib.compress(table)
    data = (
        body
        + b"4 0 obj\n<</Type/XRef/Size 7/W[1 4 1]/Root 1 0 R/Filter/FlateDecode/Length %d>>stream\n"
        % len(stream)
    )
    data += stream + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % len(body)
    parsed = docaudit.parse(data, **LIMITS)
    assert len(parsed.page_df) == 1
    assert says_what_is_lost(parsed)


def test_thousands_of_annotations_on_a_page() -> None:
    """Each is read once: looking for each from the first one would take minutes."""

    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        note = {"Type": Name.Annot, "Subtype": Name.Text, "Rect": Array([10, 10, 30, 30])}
        page.Annots = Array(
            pdf.make_indirect(Dictionary(**note, Contents=pikepdf.String(f"note {number}")))
            for number in range(5_000)
        )

    parsed = docaudit.parse(changed(change), ocr="off", workers=1)
    assert (parsed.line_df["source"] == "annotation").sum() == 5_000


@pytest.mark.parametrize(("side", "bits"), [(20_000, 8), (65_000, 1), (33_000, 8)])
def test_image_that_unpacks_to_hundreds_of_megabytes(side: int, bits: int) -> None:
    """A white image with one black bar: the bar is ink, or the page says that it could not be looked at as a whole."""

    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        row = side * bits // 8
        white, black = (
            b"\xff" * row,
            b"\xff" * (row // 3) + b"\x00" * (row // 3) + b"\xff" * (row - row // 3 * 2),
        )
        packer = zlib.compressobj(1)
        packed = b"".join(packer.compress(black if 0.4 < y / side < 0.6 else white) for y in range(side))
        image = pikepdf.Stream(pdf, b"")
        image.write(packed + packer.flush(), filter=Name.FlateDecode)
        image.Type, image.Subtype, image.ColorSpace = Name.XObject, Name.Image, Name.DeviceGray
        image.Width = image.Height = side
        image.BitsPerComponent = bits
        page.Resources.XObject = Dictionary(Im=pdf.make_indirect(image))
        pdf.pages[0].contents_add(b"q 400 0 0 300 72 200 cm /Im Do Q")

    data = changed(change)
    with peak_of_children() as peak:
        parsed = docaudit.parse(data, **{**LIMITS, "page_seconds": 60})
    assert parsed.line_df["text"].tolist() == ["visible words"]
    drawn = parsed.page_df["ink_total"].max() > 2 * parsed.page_df["ink_read"].max()
    assert says_what_is_lost(parsed) if side * side * bits >> 33 else drawn
    assert peak[0] < 1400


def test_content_that_unpacks_without_end() -> None:
    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        packer = zlib.compressobj(1)
        packed = b"".join(packer.compress(b" " * (1 << 20)) for _ in range(300))
        packed += packer.compress(b"BT /helv 11 Tf 72 300 Td (after the bomb) Tj ET") + packer.flush()
        stream = pikepdf.Stream(pdf, b"")
        stream.write(packed, filter=Name.FlateDecode)
        page.Contents = pdf.make_indirect(stream)

    data = changed(change, pdfs.document(pdfs.text("bomb"), pdfs.text("second page")))
    with peak_of_children() as peak:
        parsed = docaudit.parse(data, **LIMITS)
    read = parsed.line_df["text"].tolist()
    assert read == ["after the bomb", "second page"] or (
        read == ["second page"] and says_what_is_lost(parsed)
    )
    assert parsed.page_df["state"].tolist()[1] == "text"
    assert peak[0] < 1400


@pytest.mark.parametrize(
    "what",
    ["gigabyte:2", "endless:2", "opened:2", "state:2", "source:2", "nan:2", "block:2"],
)
def test_a_child_is_not_believed(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """It lost its mind on page 2: what it says then is refused, and nothing is taken from it any more."""
    three = pdfs.document(*(pdfs.text(word) for word in ("first page", "second page", "third page")))
    parsed = sabotaged(monkeypatch, what, three, page_seconds=3.0)
    assert parsed.page_df["state"].tolist() == ["text", "failed", "text"]
    assert parsed.line_df["text"].tolist() == ["first page", "third page"]
    assert kinds(parsed) <= {"page_crashed", "page_timed_out", "page_out_of_memory"}
    assert parsed.blind_spot_df["page_num"].tolist() == [2]


@pytest.mark.parametrize("what", ["pages:0", "elsewhere:0", "page:0", "reason:0"])
def test_a_child_is_not_believed_about_the_document(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    with pytest.raises(docaudit.DocauditError) as caught:
        sabotaged(monkeypatch, what)
    assert caught.value.remedy


def test_a_second_child_that_cannot_open_the_document_loses_no_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only the first child can start; the second thread gives its pages back."""
    real, started = isolation.Child, []

    def once(*arguments: Any, **named: Any) -> Any:
        started.append(arguments)
        if len(started) > 1:
            raise docaudit.errors.InputError("no process can be started")
        return real(*arguments, **named)

    monkeypatch.setattr(isolation, "Child", once)
    many = pdfs.document(*(pdfs.text(f"page number {number}") for number in range(60)))
    parsed = docaudit.parse(many, ocr="off", workers=2)
    assert len(started) == 2
    assert parsed.page_df["state"].tolist() == ["text"] * 60


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path) -> None:
    draw = [pdfs.text(f"page number {number}", *pdfs.PROSE) for number in range(72)]
    draw[10] = pdfs.scan("words in a picture", "and some more of them")
    draw[40] = pdfs.with_picture(["a page with a picture"], ["words inside it"])
    draw[55] = pdfs.blank
    data = pdfs.document(*draw)
    saved = {}
    for workers in (1, 2, 3):
        folder = docaudit.parse(data, ocr="auto", workers=workers).save(tmp_path / str(workers))
        saved[workers] = {name: (folder / f"{name}.parquet").read_bytes() for name in PARSED_TABLES}
    assert saved[1] == saved[2] == saved[3]
    assert "ocr" in set(pd.read_parquet(tmp_path / "1" / "line_df.parquet")["source"])


@pytest.mark.slow
def test_memory_grows_little_with_pages() -> None:
    """2,000 pages of prose; by the same measure 10,000 pages stay under a gigabyte, children included."""

    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        kids = [pdf.make_indirect(Dictionary(page)) for _ in range(1_999)]
        pdf.Root.Pages.Kids = Array([page, *kids])
        pdf.Root.Pages.Count = 2_000

    data = changed(change, pdfs.document(pdfs.text(*(pdfs.PROSE * 8), size=9)))
    before = resident_mb(os.getpid())
    with peak_of_children() as peak:
        parsed = docaudit.parse(data, ink=False, second_reader=False, workers=2)
    assert len(parsed.page_df) == 2_000
    assert len(parsed.line_df) == 80_000
    assert resident_mb(os.getpid()) - before + peak[0] < 500


class TestWithoutInk:
    """Without pictures of the pages a parse is fast, and shows no absence."""

    PAGES = pdfs.document(pdfs.text("plain words"), pdfs.scan("words in a picture"), pdfs.blank)

    def test_text_is_read_and_no_page_is_called_read(self) -> None:
        parsed = docaudit.parse(self.PAGES, ink=False)
        assert parsed.line_df["text"].tolist() == ["plain words"]
        assert parsed.page_df["state"].tolist() == ["not_rendered"] * 3
        assert parsed.page_df["ink_total"].isna().all()
        assert parsed.coverage.words_second_reader_only == 0
        assert parsed.image_df["ocr_state"].tolist() == ["not_run"]

    @pytest.mark.parametrize("second_reader", [True, False])
    def test_nothing_is_absent(self, second_reader: bool) -> None:
        table = docaudit.ConceptTable.from_variants({"x": ["zebra"]})
        finding = docaudit.audit(
            pdfs.document(pdfs.text("plain words")), table, ink=False, second_reader=second_reader
        )
        assert finding.finding == "not_established"
        check = {check.obligation.value: check for check in finding.unmet}["pages_readable"]
        assert check.pages == (1,)
        assert "not rendered" in check.evidence
        assert check.remedy == "run with --ink"


@pytest.mark.parametrize("content", [5, Name.Nothing, Dictionary(), Array([5])])
def test_content_that_is_no_stream_is_no_blank_page(content: Any) -> None:
    def change(pdf: pikepdf.Pdf, page: Any) -> None:
        page.Contents = pdf.make_indirect(content)

    parsed = docaudit.parse(changed(change), **LIMITS)
    assert kinds(parsed) == {"page_damaged"}
    assert says_what_is_lost(parsed)


def test_bytes_that_are_no_text_in_names_and_warnings(tmp_path: Path) -> None:
    """The engine hands them out as lone surrogates, which no message can hold."""
    data = pdfs.plain(pdfs.text("visible words")).replace(b"/helv", b"/h\xe9\x9fv", 1)
    parsed = docaudit.parse(data, **LIMITS)
    assert len(parsed.page_df) == 1
    assert "page_crashed" not in kinds(parsed)
