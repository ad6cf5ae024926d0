"""Parts of the file beside its pages: read as text of page 0, or listed as a blind spot that forbids absence."""

from __future__ import annotations

import pikepdf
import pymupdf
import pytest

import docaudit
from docaudit.parsed import ParsedDocument
from tests import pdfs
from tests.conftest import parse_once

TABLE = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})


def finish(doc: pymupdf.Document) -> None:
    doc.set_toc([[1, "A bookmark on quays", 1]])
    doc.set_metadata({"title": "Title of the file", "author": "Harbour Office", "keywords": "cranes, tides"})
    doc.embfile_add(
        "figures.xlsx", b"PK not really", filename="figures.xlsx", desc="numbers behind the charts"
    )


@pytest.fixture(scope="module")
def parsed() -> ParsedDocument:
    return parse_once(pdfs.document(pdfs.text(*pdfs.PROSE), finish=finish))


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("A bookmark on quays", "bookmark"),
        ("Title of the file", "metadata"),
        ("Harbour Office", "metadata"),
        ("cranes, tides", "metadata"),
        ("figures.xlsx", "attachment"),
        ("numbers behind the charts", "attachment"),
    ],
)
def test_text_of_the_document(parsed: ParsedDocument, text: str, source: str) -> None:
    found = parsed.line_df[parsed.line_df["text"] == text]
    assert set(found["source"]) == {source}
    assert set(found["page_num"]) == {0}


def test_xmp_metadata_is_read() -> None:
    packet = (
        "<?xpacket begin='' id='x'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><dc:description>words &amp; in XMP only"
        "</dc:description></x:xmpmeta><?xpacket end='w'?>"
    )
    data = pdfs.document(pdfs.text("one"), finish=lambda doc: doc.set_xml_metadata(packet))
    assert "words & in XMP only" in parse_once(data).line_df["text"].tolist()


def unread(data: bytes) -> list[list[object]]:
    spots = parse_once(data).blind_spot_df
    return spots.loc[spots["text_likely"] != "no", ["page_num", "kind"]].values.tolist()


ONE = pdfs.document(pdfs.text(*pdfs.PROSE))
PARTS = {
    "attachment": (pdfs.document(pdfs.text(*pdfs.PROSE), finish=finish), [0, "attachment_not_read"]),
    "xfa": (pdfs.with_xfa(ONE), [0, "form_not_read"]),
    "revision": (pdfs.updated(ONE, 1, "added later"), [1, "earlier_revision"]),
}


@pytest.mark.parametrize("name", PARTS)
def test_unread_part_forbids_absence(name: str) -> None:
    data, spot = PARTS[name]
    assert unread(data) == [spot]
    finding = docaudit.audit(parse_once(data), TABLE)
    assert finding.finding == "not_established"
    assert [check.obligation.value for check in finding.unmet] == ["parts_opened"]
    waived = docaudit.audit(parse_once(data), TABLE, waive={"parts_opened": "seen by the auditor"})
    assert waived.finding == "absent_within_coverage"


def test_nothing_beside_the_pages_is_no_blind_spot() -> None:
    assert unread(ONE) == []
    assert docaudit.audit(parse_once(ONE), TABLE).finding == "absent_within_coverage"


def test_attachment_of_an_annotation_is_not_passed_over() -> None:
    def pinned(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        page.add_file_annot((400, 100), b"secret numbers", "pinned.txt", desc="pinned to the page")

    data = pdfs.document(pinned)
    assert unread(data) == [[1, "attachment_not_read"]]
    assert {"pinned.txt", "pinned to the page"} <= set(parse_once(data).line_df["text"])
    assert docaudit.audit(parse_once(data), TABLE).finding == "not_established"


def test_text_on_a_layer_that_is_off_is_found_and_marked() -> None:
    parsed = parse_once(
        pdfs.document(lambda page: pdfs.layered(page, "zirconium on a layer"), pdfs.text("x"))
    )
    hits = docaudit.sweep(parsed, TABLE).hit_df
    assert hits[["page_num", "visibility"]].values.tolist() == [[1, "layer_off"]]


def test_alternative_and_replacement_text_of_tags() -> None:
    def tagged(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        root = pdf.make_indirect(pikepdf.Dictionary(Type=name.StructTreeRoot))
        figure = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=name.StructElem,
                S=name.Figure,
                P=root,
                Pg=pdf.pages[0].obj,
                Alt="a chart of zirconium prices",
            )
        )
        root.K = pikepdf.Array([figure])
        pdf.Root.StructTreeRoot = root

    lines = parse_once(pdfs.changed(ONE, tagged)).line_df
    found = lines[lines["text"] == "a chart of zirconium prices"]
    assert found[["page_num", "source"]].values.tolist() == [[1, "alt_text"]]


def test_outline_that_loops_ends() -> None:
    def loop(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        root = pdf.make_indirect(pikepdf.Dictionary(Type=name.Outlines, Count=2))
        one = pdf.make_indirect(pikepdf.Dictionary(Title="first mark", Parent=root))
        two = pdf.make_indirect(pikepdf.Dictionary(Title="second mark", Parent=root))
        one.Next, two.Next = two, one
        root.First, root.Last = one, two
        pdf.Root.Outlines = root

    parsed = parse_once(pdfs.changed(ONE, loop))
    assert parsed.page_df["state"].tolist() == ["text"]
    titles = parsed.line_df.loc[parsed.line_df["source"] == "bookmark", "text"]
    # either it is read, or it is said that it was not
    assert "first mark" in set(titles) or "outline_not_read" in set(parsed.blind_spot_df["kind"])
