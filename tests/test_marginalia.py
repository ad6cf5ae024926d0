"""What lies beside the text layer of a page is text with its own source; what cannot be read is a blind spot."""

from __future__ import annotations

import pandas as pd
import pikepdf
import pymupdf
import pytest

import docaudit
from tests import pdfs
from tests.conftest import parse_once


def annotated(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    page.add_text_annot((400, 100), "sticky remark")
    page.add_freetext_annot((72, 300, 300, 330), "typewriter words", fontsize=11)
    marked = page.add_highlight_annot(pymupdf.Rect(72, 80, 300, 95))
    marked.set_info(content="comment on a highlight", title="The Reviewer", subject="Question")
    marked.update()
    page.insert_link(
        {
            "kind": pymupdf.LINK_URI,
            "uri": "https://example.org/annex-b",
            "from": pymupdf.Rect(72, 110, 200, 125),
        }
    )


def form(page: pymupdf.Page) -> None:
    for number, (kind, name, value, options) in enumerate(
        [
            (pymupdf.PDF_WIDGET_TYPE_TEXT, "city", "value of a field", None),
            (pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "choice", "second option", ["first option", "second option"]),
        ]
    ):
        field = pymupdf.Widget()
        field.field_type, field.field_name, field.field_value = kind, name, value
        field.field_label = f"label of {name}"
        field.rect = pymupdf.Rect(72, 100 + 40 * number, 300, 120 + 40 * number)
        if options:
            field.choice_values = options
        page.add_widget(field)


@pytest.fixture(scope="module")
def lines() -> pd.DataFrame:
    return parse_once(pdfs.document(annotated, form)).line_df


@pytest.mark.parametrize(
    ("page", "text", "source"),
    [
        (1, "sticky remark", "annotation"),
        (1, "typewriter words", "text_layer"),
        (1, "comment on a highlight", "annotation"),
        (1, "The Reviewer", "annotation"),
        (1, "https://example.org/annex-b", "link"),
        (2, "value of a field", "text_layer"),
        (2, "label of city", "form_field"),
        (2, "first option", "form_field"),
        (2, "second option", "text_layer"),
    ],
)
def test_text_with_its_source(lines: pd.DataFrame, page: int, text: str, source: str) -> None:
    found = lines[(lines["text"] == text) & (lines["page_num"] == page)]
    assert source in set(found["source"])
    assert found["x0"].notna().all()


def test_such_text_is_swept() -> None:
    parsed = parse_once(pdfs.document(annotated, form))
    table = docaudit.ConceptTable.from_variants({"note": ["sticky remark"], "field": ["value of a field"]})
    hits = docaudit.sweep(parsed, table).hit_df
    found = set(hits[["concept", "page_num", "source"]].itertuples(index=False, name=None))
    assert {("note", 1, "annotation"), ("field", 2, "text_layer")} <= found


def test_a_value_of_a_field_is_one_hit() -> None:
    parsed = parse_once(pdfs.document(annotated, form))
    hits = docaudit.sweep(parsed, docaudit.ConceptTable.from_variants({"field": ["value of a field"]})).hit_df
    assert len(hits) == 1


def test_a_typewriter_note_explains_its_ink() -> None:
    spots = parse_once(pdfs.document(annotated, form)).blind_spot_df
    assert spots.loc[spots["text_likely"] == "yes", ["page_num", "kind", "detail"]].values.tolist() == []


def test_no_annotation_is_lost_to_a_damaged_neighbour() -> None:
    def damage(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[0]
        page.Annots.append(
            pdf.make_indirect(
                pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name("/Text"), Rect=[1])
            )
        )
        page.Annots.append(pikepdf.Array([1, 2]))

    lines = parse_once(pdfs.changed(pdfs.document(annotated), damage)).line_df
    assert {"sticky remark", "typewriter words"} <= set(lines["text"])


def test_every_text_of_an_annotation() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        note = pdfs.annotation(
            pdf, "Text", 700, Contents="contents\rsecond row", T="author", Subj="subject", F=2
        )
        pdf.pages[0].Annots = pikepdf.Array([
            note,
            pdfs.annotation(pdf, "Text", 670, Contents="a reply", IRT=note),
            pdfs.annotation(pdf, "Popup", 640, Parent=note, Contents="own text of a pop-up"),
            pdfs.annotation(pdf, "Redact", 610, OverlayText="overlay text"),
            pdfs.annotation(pdf, "Stamp", 580, Name=name.NotForPublicRelease),
            pdfs.annotation(pdf, "Highlight", 550, RC="<body><p>rich <b>te</b>xt</p></body>"),
            pdfs.annotation(pdf, "Line", 520, Contents="caption of a line", Cap=True),
            pdfs.annotation(pdf, "Link", 490, Contents="what a link says", A=pikepdf.Dictionary(
                S=name.Launch, F=pikepdf.Dictionary(F="launched.doc", Desc="what is launched"))),
            pdfs.annotation(pdf, "Link", 460, A=pikepdf.Dictionary(S=name.GoToR, F="remote%20file.pdf",
                Next=pikepdf.Dictionary(S=name.URI, URI="https://example.org/next"))),
            pikepdf.Dictionary(Type=name.Annot, Subtype=name.Text, Rect=[1, 1, 9, 9], Contents="written in place"),
        ])  # fmt: skip

    lines = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change)).line_df
    found = lines[lines["source"] != "text_layer"]
    assert set(found[["text", "source"]].itertuples(index=False, name=None)) == {
        *((text, "annotation") for text in (
            "contents", "second row", "author", "subject", "a reply", "own text of a pop-up", "overlay text",
            "rich text", "caption of a line", "written in place", "Not For Public Release")),
        ("what a link says", "alt_text"),
        *((text, "link") for text in (
            "launched.doc", "what is launched", "remote%20file.pdf", "remote file.pdf", "https://example.org/next")),
    }  # fmt: skip
    assert set(found.loc[found["text"] == "contents", "visibility"]) == {"invisible"}


def test_every_text_of_a_field() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        parent = pdf.make_indirect(pikepdf.Dictionary(
            FT=name.Tx, T="parent", V="inherited value", DV="default value", TU="tooltip", TM="mapping name",
            RV="<body><p>rich value</p></body>"))  # fmt: skip
        state = pikepdf.Dictionary(ExportValue=pdfs.drawing(pdf, ""), Off=pdfs.drawing(pdf, ""))
        signature = pikepdf.Dictionary(
            Name="signer", Reason="reason", Location="place", ContactInfo="contact"
        )
        pdf.pages[0].Annots = pikepdf.Array([
            pdfs.annotation(pdf, "Widget", 700, Parent=parent, AP=pikepdf.Dictionary(N=pdfs.drawing(pdf, ""))),
            pdfs.annotation(pdf, "Widget", 670, FT=name.Btn, T="b", MK=pikepdf.Dictionary(
                CA="caption", RC="rollover caption", AC="down caption")),
            pdfs.annotation(pdf, "Widget", 640, FT=name.Btn, T="c", AP=pikepdf.Dictionary(N=state), AS=name.Off),
            pdfs.annotation(pdf, "Widget", 610, FT=name.Ch, T="d", V="plain",
                Opt=pikepdf.Array([pikepdf.Array(["export", "shown"]), "plain"])),
            pdfs.annotation(pdf, "Widget", 580, FT=name.Sig, T="s", V=signature),
            pdfs.annotation(pdf, "Widget", 550, FT=name.Tx, T="t", V=pdf.make_stream(b"value in a stream"),
                AP=pikepdf.Dictionary(N=pdfs.drawing(pdf, ""))),
        ])  # fmt: skip
        parent.Kids = pikepdf.Array([pdf.pages[0].Annots[0]])
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([parent, *list(pdf.pages[0].Annots)[1:]]))

    lines = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change)).line_df
    by_source = {
        source: set(lines.loc[lines["source"] == source, "text"])
        for source in ("form_field", "signature", "text_layer")
    }
    assert by_source["signature"] == {"signer", "reason", "place", "contact"}
    assert by_source["form_field"] | by_source["text_layer"] == {*pdfs.PROSE, "inherited value", "default value",
        "tooltip", "mapping name", "rich value", "caption", "rollover caption", "down caption", "ExportValue",
        "export", "shown", "plain", "value in a stream"}  # fmt: skip
    assert set(lines["page_num"]) == {1}


def test_a_value_that_the_page_shows_in_part_is_not_taken_for_shown() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        drawn = pikepdf.Dictionary(N=pdfs.drawing(pdf, "MAINTAIN"))
        pdf.pages[0].Annots = pikepdf.Array(
            [
                pdfs.annotation(
                    pdf, "Widget", 700, FT=pikepdf.Name.Ch, T="a", Opt=pikepdf.Array(["AI"]), AP=drawn
                )
            ]
        )

    lines = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change)).line_df
    assert lines.loc[lines["text"] == "AI", "source"].tolist() == ["form_field"]


def test_rows_of_one_comment_go_on_and_two_texts_do_not() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].Annots = pikepdf.Array(
            [pdfs.annotation(pdf, "Text", 700, Contents="first row\rsecond row", T="the author")]
        )

    parsed = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change))
    table = docaudit.ConceptTable.from_variants({"over": ["row second"], "across": ["row the author"]})
    assert docaudit.sweep(parsed, table).hit_df["concept"].tolist() == ["over"]


def test_alternate_texts_beside_marked_content() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[0]
        page.contents_coalesce()
        marked = (
            rb" /Figure <</Alt (in the \(content\))/E <FEFF0065>>> BDC EMC"
            rb" /Span /P BDC BT /helv 9 Tf 72 90 Td (mark) Tj ET EMC"
        )
        page.Contents = pdf.make_stream(page.Contents.read_bytes() + marked)
        page.Resources.Properties = pikepdf.Dictionary(
            P=pikepdf.Dictionary(Alt="in the resources", ActualText="replaced by this")
        )

    lines = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change)).line_df
    assert set(lines.loc[lines["source"] == "alt_text", "text"]) == {
        "in the (content)",
        "e",
        "in the resources",
    }
    assert lines.loc[lines["source"] == "actual_text", "text"].tolist() == ["replaced by this"]
