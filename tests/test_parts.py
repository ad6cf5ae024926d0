"""Parts of the file beside its pages: read as text of page 0, or listed as a blind spot that forbids absence."""

from __future__ import annotations

import pikepdf
import pymupdf
import pytest

import docaudit
from docaudit.document import ParsedDocument
from tests import pdfs
from tests.conftest import parse_once

TABLE = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})


def finish(doc: pymupdf.Document) -> None:
    doc.set_toc([[1, "A bookmark on quays", 1]])
    doc.set_metadata({"title": "Title of the file", "author": "Harbour Office", "keywords": "cranes, tides"})
    doc.embfile_add(
        "figures.xlsx", b"PK\x03\x04 numbers", filename="figures.xlsx", desc="numbers behind the charts"
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
    "xfa": (pdfs.with_xfa(ONE, "<broken", "<data>ok</data>"), [0, "form_not_read"]),
    "revision": (pdfs.rewritten(ONE, "other words"), [1, "earlier_revision"]),
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


class TestXfa:
    def test_captions_tooltips_rich_text_and_values(self) -> None:
        parsed = parse_once(pdfs.with_xfa(ONE))
        rows = parsed.line_df.loc[parsed.line_df["source"] == "xfa", "text"].tolist()
        assert rows == ["hidden caption", "hidden tooltip", "rich hidden text", "hidden value"]
        assert unread(pdfs.with_xfa(ONE)) == []

    def test_packets_make_one_document(self) -> None:
        data = pdfs.with_xfa(
            ONE, "<xdp:xdp xmlns:xdp='x'>", "<a>first words</a>", "<b>last</b>", "</xdp:xdp>"
        )
        assert {"first words", "last"} <= set(parse_once(data).line_df["text"])
        assert unread(data) == []

    def test_a_packet_that_is_no_xml_does_not_cost_the_others(self) -> None:
        data, _ = PARTS["xfa"]
        assert "ok" in set(parse_once(data).line_df["text"])

    def test_rich_text_written_as_a_string(self) -> None:
        data = pdfs.with_xfa(
            ONE,
            "<exData>&lt;body&gt;&lt;p&gt;drug &lt;b&gt;allergy&lt;/b&gt;&lt;/p&gt;&lt;/body&gt;</exData>",
        )
        assert "drug allergy" in set(parse_once(data).line_df["text"])

    def test_pictures_are_said(self) -> None:
        data = pdfs.with_xfa(ONE, "<draw><image contentType='image/png'>iVBORw0KGgo=</image></draw>")
        assert unread(data) == [[0, "form_not_read"]]

    def test_an_entity_bomb_is_not_expanded(self) -> None:
        bomb = (
            "<!DOCTYPE r [<!ENTITY a 'boom boom'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]><r>&b; end</r>"
        )
        lines = parse_once(pdfs.with_xfa(ONE, bomb)).line_df
        assert not lines["text"].str.contains("boom").any()


class TestMetadata:
    def test_keys_of_its_own(self) -> None:
        data = pdfs.changed(ONE, lambda pdf: pdf.docinfo.__setitem__("/Project", "a project name"))
        lines = parse_once(data).line_df
        assert lines.loc[lines["text"] == "a project name", "source"].tolist() == ["metadata"]

    @pytest.mark.parametrize(
        "packet", ["<r xmlns:d='d'><d:x d:title='in an attribute'/></r>", "<r a='<'>in an attribute<"]
    )
    def test_xmp_in_attributes_and_broken(self, packet: str) -> None:
        data = pdfs.document(pdfs.text("one"), finish=lambda doc: doc.set_xml_metadata(packet))
        assert parse_once(data).line_df["text"].str.contains("in an attribute").any()


def test_where_bookmarks_lead() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        root = pdf.make_indirect(pikepdf.Dictionary(Type=name.Outlines, Count=2))
        actions = [
            pikepdf.Dictionary(S=name.URI, URI="https://example.org/annex"),
            pikepdf.Dictionary(S=name.Launch, F="launched.doc"),
        ]
        marks = [
            pdf.make_indirect(pikepdf.Dictionary(Title=f"mark {n}", Parent=root, A=a))
            for n, a in enumerate(actions)
        ]
        marks[0].Next, marks[1].Prev = marks[1], marks[0]
        root.First, root.Last = marks
        pdf.Root.Outlines = root

    lines = parse_once(pdfs.changed(ONE, change)).line_df
    links = " ".join(lines.loc[lines["source"] == "link", "text"])
    assert "https://example.org/annex" in links
    assert "launched.doc" in links


def test_fields_that_no_page_shows() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        value = pikepdf.Dictionary(Type=name.Sig, Reason="reason off the page")
        fields = [
            pikepdf.Dictionary(FT=name.Tx, T="a", V="value off the page"),
            pikepdf.Dictionary(FT=name.Sig, T="b", V=value),
        ]
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([pdf.make_indirect(f) for f in fields]))

    lines = parse_once(pdfs.changed(ONE, change)).line_df
    off = lines[lines["text"].str.endswith("off the page")]
    assert set(off[["page_num", "text", "source"]].itertuples(index=False, name=None)) == {
        (0, "value off the page", "form_field"),
        (0, "reason off the page", "signature"),
    }
