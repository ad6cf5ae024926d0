"""The documents of the net, each with what it is asked; generated with the same content in every run."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pikepdf
import pymupdf
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Table, TableStyle

from tests import pdfs
from tests.traps.make_traps import TRAPS, WORD

Variants = Mapping[str, Sequence[str]]

MACHINES: Variants = {"AI": ("AI", "machine learning"), "electricity": ("electricity", "power demand")}
PHRASE: Variants = {"phrase": ("crane driver", "harbour master")}
SCOPES = ("line", "sentence", "paragraph", "section", "page", "window")


@dataclass(frozen=True)
class Case:
    """A document and what it is asked.

    Attributes:
        data: The PDF.
        variants: The concept table, as variants by concept.
        reading: Options of the parse; OCR is off unless they say otherwise.
        asked: Options of each audit of the one parse, by a name that tells them apart.
        question: The question, if one is asked.
    """

    data: bytes
    variants: Variants = field(default_factory=lambda: PHRASE)
    reading: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"plain": {}})
    question: str | None = None


def columns(count: int) -> pdfs.Draw:
    """Columns in which a phrase goes on in the next line, and another in the next column."""

    def draw(page: pymupdf.Page) -> None:
        wide = 470 / count
        for column in range(count):
            lines = [f"Column {column} tells of", "the quay and its crane", "driver, who was seen"] * 6
            ends = ["the harbour"] if column == 0 else []
            starts = ["master of the port"] if column == 1 else []
            pdfs.write(page, [*starts, *lines, *ends], x=60 + column * wide, size=9)

    return draw


def wrapped_cells(canvas: Canvas) -> None:
    """A ruled table whose cells hold phrases over two lines."""
    style = getSampleStyleSheet()["BodyText"]
    texts = (
        ("Post", "Who", "Since when and why"),
        (
            "crane driver of the northern quay",
            "harbour master and his deputy",
            "after the great storm of the year",
        ),
        ("night watch", "no person", "the crane that has a driver by day stands still"),
    )
    table = Table([[Paragraph(text, style) for text in row] for row in texts], colWidths=[70, 80, 110])
    table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")]))
    table.wrapOn(canvas, 400, 400)
    table.drawOn(canvas, 72, 500)


def footnoted(page: pymupdf.Page) -> None:
    """A sentence with the sign of a note, and the note at the foot of the page."""
    pdfs.write(page, [*pdfs.PROSE, "It was shown to the harbour"])
    page.insert_text((212, 165), "1", fontsize=6)
    pdfs.write(page, ["master on the day after."], y=185)
    page.draw_line((72, 740), (200, 740))
    pdfs.write(page, ["1 The crane driver was asked as well; see Annex C."], y=755, size=8)


def running(number: int, *lines: str) -> pdfs.Draw:
    """A page with a running header and footer."""

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 40), "Statement of the harbour master", fontsize=8)
        page.insert_text((280, 820), f"Page {number} of 4", fontsize=8)
        pdfs.write(page, [*pdfs.PROSE, *lines], y=500)
        pdfs.write(page, [f"{number} Part {number}"], y=90, size=16)

    return draw


def broken_phrase() -> bytes:
    """A phrase that begins at the end of one page and ends on the next."""

    def last(page: pymupdf.Page) -> None:
        pdfs.write(page, [*pdfs.PROSE * 8, "Nobody but the crane"])

    return pdfs.document(last, pdfs.text("driver knew of it.", *pdfs.PROSE))


def arabic(page: pymupdf.Page) -> None:
    page.insert_htmlbox(
        pymupdf.Rect(72, 72, 500, 300),
        "<p dir='rtl'>السلطة المينائية نشرت تقريرها السنوي عن الذكاء الاصطناعي</p>",
    )


def rotated(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    for turn, place in ((90, (500, 600)), (270, (540, 300)), (180, (500, 700))):
        page.insert_text(place, f"crane driver turned by {turn}", fontsize=12, rotate=turn)


def turned(page: pymupdf.Page) -> None:
    pdfs.write(page, [*pdfs.PROSE, "the harbour master on a turned page"])
    page.set_rotation(90)


def form(page: pymupdf.Page) -> None:
    """Form fields of several kinds."""
    kinds = (
        (pymupdf.PDF_WIDGET_TYPE_TEXT, "who", "the crane driver"),
        (pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "post", "harbour master"),
        (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "agreed", "Yes"),
    )
    for number, (kind, name, value) in enumerate(kinds):
        widget = pymupdf.Widget()
        widget.field_type, widget.field_name, widget.field_value = kind, name, value
        widget.field_label = f"label of {name}"
        widget.rect = pymupdf.Rect(72, 100 + 40 * number, 300, 120 + 40 * number)
        if kind == pymupdf.PDF_WIDGET_TYPE_COMBOBOX:
            widget.choice_values = ["harbour master", "pilot"]
        page.add_widget(widget)
    pdfs.write(page, pdfs.PROSE, y=400)


def noted(page: pymupdf.Page) -> None:
    """Annotations of several kinds, and a link."""
    pdfs.write(page, pdfs.PROSE)
    page.add_text_annot((400, 100), "ask the crane driver")
    page.add_freetext_annot((72, 300, 300, 330), "the harbour master signed", fontsize=11)
    mark = page.add_highlight_annot(pymupdf.Rect(72, 80, 300, 95))
    mark.set_info(content="comment of a reviewer", title="The Reviewer")
    mark.update()
    link = {
        "kind": pymupdf.LINK_URI,
        "uri": "https://example.org/crane",
        "from": pymupdf.Rect(72, 110, 200, 125),
    }
    page.insert_link(link)


def outlined() -> bytes:
    """Contents, bookmarks (one of them leads nowhere), and a section of each."""

    def contents(page: pymupdf.Page) -> None:
        pdfs.write(page, ["Contents"], size=18)
        pdfs.write(
            page,
            [f"{n} {name} {'.' * 50} {n + 1}" for n, name in ((1, "Quays"), (2, "Basin"))],
            y=140,
            step=22,
        )

    def chapter(title: str, *lines: str) -> pdfs.Draw:
        def draw(page: pymupdf.Page) -> None:
            pdfs.write(page, [title], y=90, size=16)
            pdfs.write(page, [*pdfs.PROSE, *lines], y=130)

        return draw

    def bookmarks(doc: pymupdf.Document) -> None:
        doc.set_toc([[1, "1 Quays", 2], [2, "1.1 Crane driver", 2], [1, "2 Basin", 3], [1, "Nowhere", 1]])

    return pdfs.document(
        contents,
        chapter("1 Quays", "AI is used here."),
        chapter("2 Basin", "The power demand is low.", "AI helps to lower electricity."),
        finish=bookmarks,
    )


def referring(resolved: bool) -> bytes:
    """Mentions of figures, tables and annexes that are there, or are not."""
    mentioned = (
        "As Figure 1 shows, and Table 2 as well, the quay is long.",
        "Details are in Annex B and in Section 3.2 of this report.",
        "See also Appendix D (published separately).",
    )
    there = ("Figure 1: The quay", "Table 2: Its length", "3.2 The length of the quay", "Annex B")
    pages = [pdfs.text(name, "", *pdfs.PROSE, size=12) for name in there] if resolved else []
    return pdfs.document(pdfs.text(*pdfs.PROSE, *mentioned), *pages)


def labelled() -> bytes:
    """Printed page labels with a gap."""
    rules = [{"startpage": 0, "style": "r"}, {"startpage": 1, "style": "D", "firstpagenum": 5}]
    pages = [running(n) for n in (1, 2, 4)]
    return pdfs.document(*pages, finish=lambda doc: doc.set_page_labels(rules))


def drop_cap(page: pymupdf.Page) -> None:
    page.insert_text((72, 118), "C", fontsize=48)
    pdfs.write(page, ["rane drivers have a long day,", "and the harbour master too."], x=108, y=95)
    pdfs.write(page, pdfs.PROSE, y=150)


def spaced(page: pymupdf.Page) -> None:
    """Words set with space between their letters, by the text and by the place of each letter."""
    pdfs.write(page, [*pdfs.PROSE, "the c r a n e  d r i v e r was there"])
    for number, letter in enumerate("HARBOUR MASTER"):
        page.insert_text((72 + 14 * number, 300), letter, fontsize=11)


def invisible(page: pymupdf.Page) -> None:
    """Text that nobody sees: invisible, white, tiny, and beside the page."""
    pdfs.write(page, pdfs.PROSE)
    page.insert_text((72, 300), "an invisible crane driver", fontsize=11, render_mode=3)
    page.insert_text((72, 330), "a white harbour master", fontsize=11, color=(1, 1, 1))
    page.insert_text((72, 360), "a tiny crane driver", fontsize=0.8)
    page.insert_text((900, 390), "a harbour master beside the page", fontsize=11)


def covered(page: pymupdf.Page) -> None:
    pdfs.write(page, [*pdfs.PROSE, "the covered crane driver"])
    page.draw_rect(pymupdf.Rect(60, 155, 400, 175), fill=(0, 0, 0))


def layers(page: pymupdf.Page) -> None:
    pdfs.write(page, pdfs.PROSE)
    pdfs.layered(page, "the crane driver on a layer that is off", y=300)
    pdfs.layered(page, "the harbour master on a layer that is on", y=340, on=True)


def tagged(pdf: pikepdf.Pdf) -> None:
    """Alternative text in the tree of tags."""
    name = pikepdf.Name
    root = pdf.make_indirect(pikepdf.Dictionary(Type=name.StructTreeRoot))
    figure = pikepdf.Dictionary(Type=name.StructElem, S=name.Figure, P=root, Alt="picture of a crane driver")
    root.K = pdf.make_indirect(figure)
    pdf.Root.StructTreeRoot = root


MET = (
    "AI needs electricity. Nobody measured it. The quay is quiet.",
    "Machine learning is used by the pilots.",
    "The power demand of the cranes is high.",
    "Electricity prices rose. AI was not the cause of it.",
)
DENIED = (
    "The authority does not use AI.",
    "Neither machine learning nor any other method is used.",
    "There is no power demand; electricity is not needed without AI.",
)
ALMOST = (
    "The Ai Group, an electricty trader.",
    "machine-learnt, machine earning, elektricity",
    "A.I. and a i",
)
ODD = (
    "crane\u00a0driver and har\u00adbour master, c\u0072ane-driver",
    "CRANE DRIVER, Crane Driver's, crane drivers",
    "ｃｒａｎｅ driver, harbor master, “harbour master”",
)
TEXTS = (
    "The related party transaction was at arm's length; the asset freeze of a designated person came later.",
    "Personal data of data subjects are kept in a data centre whose power consumption is 3 GWh.",
    "Climate change is a physical risk; there is substantial doubt about the ability to continue.",
    "No forced labour, no bribery, no machine learning.",
)
JAPANESE = (
    "港湾局は人工知能の利用を検討した。",
    "電力の消費量はまだ測定されていない。",
    "ＡＩによる電力需要の増加は見込まれない。",
)


def undated(pdf: pikepdf.Pdf) -> None:
    """Embedded files without the time at which they were embedded."""
    for one in pdf.objects:
        if isinstance(one, pikepdf.Stream) and "/Params" in one:
            del one.Params


def attachments() -> bytes:
    """Attachments of several kinds, one within another; the same bytes each time."""
    deep = pdfs.with_files(("deep.txt", b"the harbour master, two levels down"))
    inner = pdfs.changed(deep, undated, deterministic_id=True)
    page = base64.b64decode(b"PGh0bWw+PHA+Y3JhbmU8L3A+PHA+ZHJpdmVyPC9wPjwvaHRtbD4=")
    data = pdfs.with_files(
        ("notes.txt", b"written by the crane driver"),
        ("rows.csv", b"post,who\nharbour master,nobody\n"),
        ("page.html", page),
        ("inner.pdf", inner),
        ("blob.bin", bytes(range(256))),
    )
    return pdfs.changed(data, undated, deterministic_id=True)


@cache
def cases() -> dict[str, Case]:
    """Every generated document by its name."""
    doc, text = pdfs.document, pdfs.text
    languages: dict[str, dict[str, Any]] = {"english": {}, "japanese": {"language": "ja"}}
    chinese, korean = (
        ("港口管理局发布了年度报告。", "人工智能没有使用。"),
        ("항만 당국은 보고서를 발표했다.", "인공지능은 없다."),
    )
    closest: dict[str, dict[str, Any]] = {"plain": {}, "closest-0": {"closest": 0}}
    hyphens = ("The har-", "bour master saw the crane dri-", "ver at the quay-", "side.")
    met = doc(text(*MET, *pdfs.PROSE), text(*pdfs.PROSE, MET[1]), text(*pdfs.PROSE, MET[2]))
    scopes: dict[str, dict[str, Any]] = {scope: {"scope": scope} for scope in SCOPES}
    scopes |= {
        "window-3": {"scope": "window", "window_words": 3},
        "required": {"required": ("AI",)},
        "japanese": {"language": "ja"},
        "closest-1": {"closest": 1},
    }
    waived = {"parts_opened": "the annexes were read by hand", "ink_read": "a logo"}
    words = doc(pdfs.with_picture(pdfs.PROSE, ["the crane driver"]))
    plain = doc(text(*pdfs.PROSE), text(*pdfs.PROSE, "the harbour master"))
    return {
        "columns-two": Case(doc(columns(2))),
        "columns-three": Case(doc(columns(3))),
        "table-wrapped": Case(pdfs.reportlab(wrapped_cells)),
        "hyphens": Case(doc(text(*hyphens, *pdfs.PROSE))),
        "footnote": Case(doc(footnoted)),
        "page-break": Case(broken_phrase()),
        "running-heads": Case(doc(*(running(n) for n in range(1, 5)))),
        "japanese": Case(
            doc(pdfs.japanese(*JAPANESE)),
            {"AI": ("AI", "人工知能"), "電力": ("電力", "電力消費")},
            asked={"english": {}, "japanese": {"language": "ja"}, "line": {"scope": "line", "language": "ja"}},
            question="AIの電力消費量はどれくらいか。",
        ),
        "chinese": Case(
            doc(lambda page: pdfs.write(page, chinese, fontname="china-s")),
            {"AI": ("人工智能",), "电": ("电力",)},
        ),
        "korean": Case(
            doc(lambda page: pdfs.write(page, korean, fontname="korea")),
            {"AI": ("인공지능",), "power": ("전력",)},
        ),
        "arabic": Case(doc(arabic), {"AI": ("الذكاء الاصطناعي",), "power": ("الكهرباء",)}),
        "rotated": Case(doc(rotated, turned)),
        "form": Case(doc(form)),
        "xfa": Case(pdfs.with_xfa(plain), {"form": ("hidden value", "hidden caption", "crane driver")}),
        "annotations": Case(doc(noted)),
        "attachments": Case(attachments(), asked={"plain": {}, "waived": {"waive": waived}}),
        "attachments-closed": Case(attachments(), reading={"attachment_depth": 0}),
        "layers": Case(doc(layers)),
        "outline": Case(outlined(), MACHINES, asked=scopes, question="How much electricity does AI need?"),
        "restricted": Case(pdfs.encrypted(plain, "")),
        "password": Case(pdfs.encrypted(plain, "secret"), reading={"password": "secret"}),
        "references-resolved": Case(referring(True)),
        "references-open": Case(referring(False), asked={"plain": {}, "japanese": {"language": "ja"}}),
        "labels": Case(labelled()),
        "drop-cap": Case(doc(drop_cap)),
        "letter-spacing": Case(doc(spaced)),
        "odd-letters": Case(doc(text(*ODD, *pdfs.PROSE))),
        "invisible": Case(doc(invisible)),
        "covered": Case(doc(covered)),
        "tags": Case(pdfs.changed(plain, tagged)),
        "near-misses": Case(doc(text(*ALMOST, *pdfs.PROSE)), MACHINES, asked=closest),
        "meetings": Case(met, MACHINES, asked=scopes, question="How much electricity does AI need?"),
        "negation": Case(doc(text(*DENIED, *pdfs.PROSE)), MACHINES, asked=scopes),
        "blank-pages": Case(doc(text(*pdfs.PROSE), pdfs.blank, text(*pdfs.PROSE)), asked=languages),
        "absent": Case(doc(*(text(*pdfs.PROSE, f"page {n}") for n in range(8))), asked=languages),
        "no-ink": Case(plain, reading={"ink": False}),
        "one-reader": Case(plain, reading={"second_reader": False}),
        "revisions-named": Case(pdfs.rewritten(pdfs.plain(text(*pdfs.PROSE, "a crane driver")), "other words")),
        "revisions-read": Case(
            pdfs.rewritten(pdfs.plain(text(*pdfs.PROSE, "a crane driver")), "other words"), reading={"revisions": True}
        ),
        "signed": Case(pdfs.signed(pdfs.plain(text(*pdfs.PROSE))), {"signer": ("A Signer", "approved by all")}),
        "lying-font": Case(pdfs.own_font("the harbour master", *pdfs.PROSE, change=pdfs.shifted)),
        "own-font": Case(pdfs.own_font("the harbour master", *pdfs.PROSE)),
        "missing-font": Case(pdfs.with_missing_font(2)),
        "photograph": Case(doc(lambda page: (pdfs.write(page, pdfs.PROSE), pdfs.photograph(page)))),
        "picture-unread": Case(words),
        "picture-ocr": Case(words, reading={"ocr": "auto", "ocr_lang": "eng"}),
        "scan-ocr": Case(
            doc(text(*pdfs.PROSE), pdfs.scan(*pdfs.PROSE, "a crane driver")), reading={"ocr": "full", "ocr_lang": "eng"}
        ),
        "scan-unread": Case(doc(text(*pdfs.PROSE), pdfs.scan("a crane driver"), text(*pdfs.PROSE))),
        "canary": Case(plain, asked={"canary": {"canary": True}}),
        "ten-tables": Case(doc(text(*(part for line in TEXTS for part in line.split("; "))), text(*pdfs.PROSE))),
    } | {
        f"trap-{trap.name}": Case(trap.data, {"metal": (WORD,)}) for trap in TRAPS if not trap.sabotage
    }  # fmt: skip


RENDERED = ("meetings", "japanese", "scan-unread", "attachments", "references-open", "table-wrapped")
"""Documents of which also every form of the report and every table is kept."""
