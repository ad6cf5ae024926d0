"""Small real PDFs for tests, as bytes; what is on each of their pages stands in the call that makes them."""

from __future__ import annotations

import io
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pikepdf
import pymupdf
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[pymupdf.Page], Any]
Painter = Callable[[Canvas], Any]

LEFT, TOP, LINE = 72.0, 90.0, 16.0
TALL = float(A4[1])

PROSE = (
    "The harbour authority published its yearly statement in March.",
    "Cranes on the northern quay were replaced by taller machines.",
    "Dredging of the inner basin will continue through the autumn.",
    "Ferries to the islands carried more passengers than ever before.",
    "Repairs of the breakwater were paid for by the regional council.",
)


def document(*pages: Draw, finish: Callable[[pymupdf.Document], Any] | None = None, **save: Any) -> bytes:
    """A PDF of A4 pages, each drawn by one function."""
    doc = pymupdf.open()
    for draw in pages:
        draw(doc.new_page(width=A4[0], height=A4[1]))
    if finish is not None:
        finish(doc)
    data: bytes = doc.tobytes(**{"deflate": True, "no_new_id": True, **save})
    doc.close()
    return data


def text(*lines: str, size: float = 11, **style: Any) -> Draw:
    """A page of lines, one under the other."""

    def draw(page: pymupdf.Page) -> None:
        write(page, lines, size=size, **style)

    return draw


def write(
    page: pymupdf.Page,
    lines: Iterable[str],
    x: float = LEFT,
    y: float = TOP,
    size: float = 11,
    step: float = 0,
    **style: Any,
) -> None:
    """Lines at a place; without a step the next line follows close, and so belongs to the same block."""
    for number, line in enumerate(lines):
        page.insert_text((x, y + number * (step or size * 1.45)), line, fontsize=size, **style)


def japanese(*lines: str, size: float = 11) -> Draw:
    """A page of Japanese lines, each a block of its own."""
    return lambda page: write(page, lines, size=size, step=40, fontname="japan")


def blank(page: pymupdf.Page) -> None:
    """Nothing at all."""


def picture(*lines: str, dpi: int = 200, size: float = 14, width: float = 420) -> bytes:
    """PNG of lines of text, cut to them."""
    with pymupdf.open() as doc:
        page = doc.new_page(width=width, height=30 + size * 1.5 * len(lines))
        write(page, lines, x=15, y=15 + size, size=size)
        png: bytes = page.get_pixmap(dpi=dpi).tobytes("png")
    return png


def scan(*lines: str, dpi: int = 150, size: float = 14) -> Draw:
    """A page that is an image of text and nothing else."""

    def draw(page: pymupdf.Page) -> None:
        with pymupdf.open() as source:
            text(*lines, size=size)(source.new_page(width=page.rect.width, height=page.rect.height))
            page.insert_image(page.rect, stream=source[0].get_pixmap(dpi=dpi).tobytes("png"))

    return draw


def with_picture(
    lines: Sequence[str], words: Sequence[str], box: tuple[float, ...] = (72, 400, 492, 480)
) -> Draw:
    """A page of text with a picture of words on it."""

    def draw(page: pymupdf.Page) -> None:
        write(page, lines)
        page.insert_image(pymupdf.Rect(box), stream=picture(*words))

    return draw


def photograph(page: pymupdf.Page, box: tuple[float, ...] = (72, 300, 372, 500)) -> None:
    """A smooth gradient: an image that certainly has no text."""
    samples = bytes(min(255, 60 + x // 2 + y // 3) for y in range(200) for x in range(300))
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, 300, 200, samples, False)
    page.insert_image(pymupdf.Rect(box), stream=pixmap.tobytes("png"))


def outlines(page: pymupdf.Page, words: str, y: float = 400, size: float = 24) -> None:
    """Words whose letters are shapes: a person reads them, the text layer has none of them."""
    with pymupdf.open() as source:
        source.new_page(width=page.rect.width, height=120).insert_text((LEFT, 60), words, fontsize=size)
        drawn = source[0].get_svg_image(text_as_path=True)
    with (
        pymupdf.open(stream=drawn.encode(), filetype="svg") as svg,
        pymupdf.open("pdf", svg.convert_to_pdf()) as shapes,
    ):
        page.show_pdf_page(pymupdf.Rect(0, y - 60, page.rect.width, y + 60), shapes, 0)


def layered(page: pymupdf.Page, words: str, y: float = 300, on: bool = False) -> None:
    """Words on a layer that is switched off, or on."""
    group = page.parent.add_ocg("working notes", on=on)
    page.insert_text((LEFT, y), words, fontsize=11, oc=group)


def reportlab(*pages: Painter) -> bytes:
    """A PDF of A4 pages drawn with ReportLab, the same bytes each time."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, invariant=1)
    for paint in pages:
        paint(canvas)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def changed(data: bytes, change: Callable[[pikepdf.Pdf], Any], **save: Any) -> bytes:
    """A PDF after a change of its objects."""
    stream = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as pdf:
        change(pdf)
        pdf.save(stream, **save)
    return stream.getvalue()


def plain(*pages: Draw) -> bytes:
    """A PDF without object streams and compression: its objects can be changed as bytes."""
    return document(*pages, deflate=False, garbage=0)


def encrypted(data: bytes, user: str, owner: str = "owner") -> bytes:
    """A PDF that asks for a password, or with an empty one only restricts what may be done."""
    return changed(data, lambda pdf: None, encryption=pikepdf.Encryption(user=user, owner=owner, R=6))


def lying_count(data: bytes, count: int) -> bytes:
    """A PDF whose root of the page tree claims a number of pages."""

    def change(pdf: pikepdf.Pdf) -> None:
        pdf.Root.Pages.Count = count

    return changed(data, change)


def looping_tree(data: bytes) -> bytes:
    """A PDF whose page tree has a node that lists the root again."""

    def change(pdf: pikepdf.Pdf) -> None:
        root = pdf.Root.Pages
        node = pdf.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.Pages, Count=1, Kids=pikepdf.Array([root]))
        )
        root.Kids.append(node)

    return changed(data, change)


def no_pages() -> bytes:
    """A PDF that is all right but for having no page."""
    return (
        b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 0/Kids[]>>\nendobj\n"
        b"trailer\n<</Root 1 0 R/Size 3>>\n%%EOF\n"
    )


def damaged_stream(data: bytes, page: int) -> bytes:
    """A PDF in which the content of one page (from 1) is cut off in the middle of its compression."""

    def change(pdf: pikepdf.Pdf) -> None:
        # raw bytes that claim to be compressed and are not, after a good beginning
        good = zlib.compress(b"q BT /helv 11 Tf 72 700 Td (half of this page is lo" + bytes(range(256)) * 8)
        stream = pikepdf.Stream(pdf, b"")
        stream.write(good[: len(good) // 2] + b"\x00\xff\x13garbage" * 4, filter=pikepdf.Name.FlateDecode)
        pdf.pages[page - 1].Contents = pdf.make_indirect(stream)

    return changed(data, change)


XFA = (
    "<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template><field name='dose'><caption><value><text>hidden caption"
    "</text></value></caption><assist><toolTip>hidden tooltip</toolTip></assist><value><exData contentType='text/html'>"
    "<body xmlns='http://www.w3.org/1999/xhtml'><p>rich <span>hid</span>den text</p></body></exData></value></field>"
    "</template><datasets><data><patient>hidden value</patient></data></datasets></xdp:xdp>"
)


def with_xfa(data: bytes, *packets: str) -> bytes:
    """A PDF with an XFA form in its catalog: one stream, or several with names."""

    def change(pdf: pikepdf.Pdf) -> None:
        streams = [pdf.make_stream(packet.encode()) for packet in packets or [XFA]]
        named = [part for number, stream in enumerate(streams) for part in (f"packet {number}", stream)]
        form = streams[0] if len(streams) == 1 else pikepdf.Array(named)
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([]), XFA=form)

    return changed(data, change)


def unknown_glyphs(length: int = 12) -> bytes:
    """A page with a word of shapes that the file gives no name for: a person sees letters, a program does not."""

    def change(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        shapes = {
            f"/q{n}": pdf.make_stream(b"600 0 0 0 600 700 d1 %d 0 120 700 re 0 0 500 120 re f" % (40 * n))
            for n in range(1, 9)
        }
        font = pikepdf.Dictionary(
            Type=name.Font, Subtype=name.Type3, FontBBox=[0, 0, 600, 700], FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            FirstChar=1, LastChar=8, Widths=[600] * 8, CharProcs=pikepdf.Dictionary(shapes),
            Encoding=pikepdf.Dictionary(Type=name.Encoding, Differences=[1, *(name(f"/q{n}") for n in range(1, 9))]),
            Resources=pikepdf.Dictionary(),
        )  # fmt: skip
        codes = "".join(f"{n % 8 + 1:02x}" for n in range(length)).encode()
        page = pdf.pages[0]
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=pdf.make_indirect(font)))
        page.Contents = pdf.make_stream(b"BT /F 16 Tf 72 600 Td <" + codes + b"> Tj ET")

    return changed(document(blank), change)


def own_font(*lines: str, change: Callable[[bytes], bytes] = bytes) -> bytes:
    """A page of lines in an embedded font, whose ToUnicode table `change` may falsify."""
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Vera", 12)
        for number, line in enumerate(lines):
            canvas.drawString(LEFT, 700 - 20 * number, line)

    def falsify(pdf: pikepdf.Pdf) -> None:
        for font in pdf.pages[0].Resources.Font.values():
            if "/ToUnicode" in font:
                font.ToUnicode = pdf.make_stream(change(font.ToUnicode.read_bytes()))

    return changed(reportlab(paint), falsify)


def shifted(table: bytes) -> bytes:
    """A ToUnicode table in which every small letter is said to be the one seven letters on."""

    def other(found: re.Match[bytes]) -> bytes:
        code = int(found[1], 16)
        small = ord("a") <= code <= ord("z")
        return b"> <%04X>" % ((code - ord("a") + 7) % 26 + ord("a") if small else code)

    return re.sub(rb"> <([0-9A-F]{4})>", other, table)


def updated(data: bytes, page: int, words: str) -> bytes:
    """The same file with a second revision appended that writes on one page (from 1)."""
    return appended(data, lambda doc: doc[page - 1].insert_text((LEFT, 500), words, fontsize=11))


def appended(data: bytes, change: Callable[[pymupdf.Document], Any]) -> bytes:
    """The same file with a second revision appended."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "first.pdf"
        file.write_bytes(data)
        with pymupdf.open(file) as second:
            change(second)
            second.saveIncr()
        return file.read_bytes()


def rewritten(data: bytes, *lines: str) -> bytes:
    """The same file with a second revision in which the first page has these lines and no others."""

    def change(doc: pymupdf.Document) -> None:
        stream = "BT /helv 11 Tf 72 750 Td " + " ".join(f"({line}) Tj 0 -16 Td" for line in lines) + " ET"
        contents = doc[0].get_contents()
        for number in contents:
            doc.update_stream(number, stream.encode() if number == contents[0] else b" ")

    return appended(data, change)


def signed(data: bytes) -> bytes:
    """The same file with a second revision that adds the field of a signature and nothing else."""

    def change(doc: pymupdf.Document) -> None:
        value, field = doc.get_new_xref(), doc.get_new_xref()
        page = doc[0].xref
        doc.update_object(value, "<</Type/Sig/Filter/Adobe.PPKLite/Reason(approved by all)/Name(A Signer)>>")
        doc.update_object(
            field,
            f"<</Type/Annot/Subtype/Widget/FT/Sig/T(s)/Rect[0 0 0 0]/F 132/V {value} 0 R/P {page} 0 R>>",
        )
        doc.xref_set_key(page, "Annots", f"[{field} 0 R]")
        doc.xref_set_key(doc.pdf_catalog(), "AcroForm", f"<</Fields[{field} 0 R]/SigFlags 3>>")

    return appended(data, change)


def drawing(pdf: pikepdf.Pdf, words: str) -> pikepdf.Stream:
    """The drawing of an annotation, or any other form: one line of words."""
    name = pikepdf.Name
    font = pikepdf.Dictionary(Type=name.Font, Subtype=name.Type1, BaseFont=name.Helvetica)
    form = pdf.make_stream(f"BT /F 10 Tf 2 5 Td ({words}) Tj ET".encode())
    form.Type, form.Subtype, form.BBox = name.XObject, name.Form, pikepdf.Array([0, 0, 200, 20])
    form.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    return form


def annotation(pdf: pikepdf.Pdf, subtype: str, y: float, **keys: Any) -> pikepdf.Object:
    """An annotation on the right of a page, not yet in its list."""
    name = pikepdf.Name
    rect = pikepdf.Array([300, y, 500, y + 20])
    return pdf.make_indirect(
        pikepdf.Dictionary(Type=name.Annot, Subtype=name(f"/{subtype}"), Rect=rect, **keys)
    )


def with_files(*files: tuple[str, bytes], first: Draw | None = None) -> bytes:
    """A page with embedded files."""

    def finish(doc: pymupdf.Document) -> None:
        for name, data in files:
            doc.embfile_add(name, data, filename=name)

    return document(first or text(*PROSE), finish=finish)


def with_missing_font(pages: int) -> bytes:
    """Pages with a Japanese word in a font that is named and not embedded: the engine complains when it loads it."""
    name, pdf = pikepdf.Name, pikepdf.new()
    about = {"FontName": name("/Ryumin-Light"), "Flags": 4, "ItalicAngle": 0, "Ascent": 800, "Descent": -200}
    descendant = pikepdf.Dictionary(
        Type=name.Font,
        Subtype=name.CIDFontType0,
        BaseFont=name("/Ryumin-Light"),
        CIDSystemInfo=pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Japan1", Supplement=4),
        FontDescriptor=pikepdf.Dictionary(
            Type=name.FontDescriptor, FontBBox=[-100, -200, 1000, 900], CapHeight=700, StemV=80, **about
        ),
    )
    font = pdf.make_indirect(
        pikepdf.Dictionary(
            Type=name.Font,
            Subtype=name.Type0,
            BaseFont=name("/Ryumin-Light"),
            Encoding=name("/Identity-H"),
            DescendantFonts=[pdf.make_indirect(descendant)],
        )
    )
    for _ in range(pages):
        pdf.add_blank_page(page_size=(300, 300))
        pdf.pages[-1].Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
        pdf.pages[-1].Contents = pdf.make_stream(b"BT /F1 20 Tf 40 200 Td <0E4A0E4B> Tj ET")
    stream = io.BytesIO()
    pdf.save(stream)
    return stream.getvalue()
