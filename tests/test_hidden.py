"""What a page holds and does not show: found and marked as such, its pictures read or listed."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pikepdf
import pymupdf
import pytest

import docaudit
from tests import pdfs
from tests.conftest import parse_once

Name, Dictionary, Array = pikepdf.Name, pikepdf.Dictionary, pikepdf.Array
TABLE = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})


def layer_with_a_picture(page: pymupdf.Page, on: bool = False) -> None:
    pdfs.write(page, pdfs.PROSE)
    group = page.parent.add_ocg("pictures", on=on)
    page.insert_image((72, 300, 492, 380), stream=pdfs.picture("zirconium in a picture"), oc=group)


def for_print_only(pdf: pikepdf.Pdf) -> None:
    """The layer is on, but what it is for switches it off on the screen."""
    group = pdf.Root.OCProperties.OCGs[0]
    group.Usage = Dictionary(View=Dictionary(ViewState=Name.OFF), Print=Dictionary(PrintState=Name.ON))
    event = Dictionary(Event=Name.View, Category=Array([Name.View]), OCGs=Array([group]))
    pdf.Root.OCProperties.D = Dictionary(ON=Array([group]), AS=Array([event]))


def base_state_off(pdf: pikepdf.Pdf) -> None:
    pdf.Root.OCProperties.D = Dictionary(BaseState=Name.OFF)


def policy(name: str) -> Callable[[pikepdf.Pdf], None]:
    """What shows the words depends on two layers, of which one is on and one is off."""

    def change(pdf: pikepdf.Pdf) -> None:
        on = pdf.Root.OCProperties.OCGs[0]
        off = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="other"))
        pdf.Root.OCProperties.OCGs.append(off)
        pdf.Root.OCProperties.D = Dictionary(OFF=Array([off]))
        both = Dictionary(Type=Name.OCMD, OCGs=Array([on, off]), P=Name(f"/{name}"))
        properties = pdf.pages[0].Resources.Properties
        for key in list(properties.keys()):
            properties[key] = both

    return change


CHANGES: dict[str, Callable[[pikepdf.Pdf], Any]] = {
    "off": lambda pdf: None,
    "event": for_print_only,
    "base state": base_state_off,
    "all on": policy("AllOn"),
    "any on": policy("AnyOn"),
    "any off": policy("AnyOff"),
    "all off": policy("AllOff"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_text_on_a_layer_is_found_whatever_switches_it(name: str) -> None:
    words = pdfs.document(lambda page: pdfs.layered(page, "zirconium on a layer", on=name != "off"))
    parsed = parse_once(pdfs.changed(words, CHANGES[name]))
    hits = docaudit.sweep(parsed, TABLE).hit_df
    assert hits["page_num"].tolist() == [1]
    if name in ("off", "event", "base state", "all off"):
        assert hits["visibility"].tolist() == ["layer_off"]


@pytest.mark.parametrize("name", ["off", "event", "base state"])
class TestPictureOnALayer:
    def data(self, name: str) -> bytes:
        return pdfs.changed(
            pdfs.document(lambda page: layer_with_a_picture(page, name != "off")), CHANGES[name]
        )

    def test_is_never_absent_by_silence(self, name: str) -> None:
        finding = docaudit.audit(parse_once(self.data(name)), TABLE)
        assert finding.finding == "not_established"
        assert [(spot.page_num, spot.kind, spot.text_likely) for spot in finding.blind_spots] == [
            (1, "layer_off", "yes")
        ]

    def test_is_read_by_ocr(self, name: str) -> None:
        parsed = docaudit.parse(self.data(name), ocr="auto", workers=1)
        hits = docaudit.sweep(parsed, TABLE).hit_df
        assert hits[["source", "visibility"]].values.tolist() == [["ocr", "layer_off"]]


def test_a_layer_that_is_on_is_part_of_the_page() -> None:
    parsed = parse_once(pdfs.document(lambda page: pdfs.layered(page, "zirconium on a layer", on=True)))
    hits = docaudit.sweep(parsed, TABLE).hit_df
    assert hits["visibility"].tolist() == ["visible"]
    assert parsed.blind_spot_df.empty


def test_a_layer_that_is_off_and_empty_is_no_blind_spot() -> None:
    data = pdfs.document(pdfs.text(*pdfs.PROSE), finish=lambda doc: doc.add_ocg("empty", on=False))
    assert parse_once(data).blind_spot_df.empty


def test_form_and_annotation_of_a_layer_that_is_off() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        group = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="off"))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([group]), D=Dictionary(OFF=Array([group])))
        form = pdfs.drawing(pdf, "words of a form")
        form.OC = group
        page = pdf.pages[0]
        page.contents_coalesce()
        page.Resources.XObject = Dictionary(X=form)
        page.Contents = pdf.make_stream(page.Contents.read_bytes() + b" q 1 0 0 1 50 300 cm /X Do Q")
        drawn = Dictionary(N=pdfs.drawing(pdf, "words of a stamp"))
        page.Annots = Array([pdfs.annotation(pdf, "Stamp", 50, AP=drawn, OC=group)])

    lines = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change)).line_df
    found = lines[lines["text"].str.startswith("words of")]
    assert found[["text", "visibility"]].values.tolist() == [
        ["words of a form", "layer_off"],
        ["words of a stamp", "layer_off"],
    ]


@pytest.mark.parametrize(
    ("flags", "visibility"), [(0, "visible"), (4, "visible"), (2, "invisible"), (36, "invisible")]
)
def test_words_drawn_by_an_annotation(flags: int, visibility: str) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        drawn = Dictionary(N=pdfs.drawing(pdf, "zirconium drawn"))
        pdf.pages[0].Annots = Array([pdfs.annotation(pdf, "Stamp", 50, AP=drawn, F=flags)])

    parsed = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change))
    hits = docaudit.sweep(parsed, TABLE).hit_df
    assert hits["visibility"].tolist() == [visibility]


def test_picture_in_an_annotation_that_is_hidden() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        with pikepdf.open(io.BytesIO(pdfs.document(layer_with_a_picture))) as other:
            image = pdf.copy_foreign(next(iter(other.pages[0].Resources.XObject.values())))
        form = pdfs.drawing(pdf, "")
        form.BBox, form.Resources = Array([0, 0, 200, 20]), Dictionary(XObject=Dictionary(I=image))
        form.write(b"200 0 0 20 0 0 cm /I Do")
        pdf.pages[0].Annots = Array([pdfs.annotation(pdf, "Stamp", 50, AP=Dictionary(N=form), F=2)])

    spots = parse_once(pdfs.changed(pdfs.document(pdfs.text(*pdfs.PROSE)), change)).blind_spot_df
    assert spots[["page_num", "kind"]].values.tolist() == [[1, "annotation_not_read"]]
