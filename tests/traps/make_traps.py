"""One document for each kind of blind spot, with what must be said of it: `python -m tests.traps.make_traps FOLDER`.

A new kind gets a row in TRAPS, or in NO_TRAP with the reason why no document can cause it; tests/test_traps.py fails
otherwise. Each document hides WORD from a program, in a place where a person can find it.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pikepdf
import pymupdf

from docaudit.codes import BlindSpotKind as Kind
from tests import pdfs

WORD = "zirconium"
PLAIN = pdfs.document(*(pdfs.text(*pdfs.PROSE, f"page number {number}") for number in (1, 2, 3)))

PICTURE = pdfs.document(pdfs.with_picture(pdfs.PROSE, [WORD]))


@dataclass(frozen=True)
class Trap:
    """A document, and the blind spots that must be listed for it.

    Attributes:
        name: File name without its ending.
        data: The PDF.
        kinds: Every kind that must be listed, and no other, each with its page (0: the document as a whole).
        likely: Whether text is in it, as it must be said: "no" leaves absence possible.
        unmet: Obligations that must be unmet; none where the blind spot holds no text.
        options: Options of the parse; OCR is off unless they say otherwise.
        sabotage: What the child process does wrong ("crash:2"), see tests/saboteurs.py; for what no PDF of ours causes.
    """

    name: str
    data: bytes
    kinds: Mapping[Kind, int]
    likely: frozenset[str] = frozenset({"yes", "unknown"})
    unmet: frozenset[str] = frozenset()
    options: Mapping[str, Any] = field(default_factory=dict)
    sabotage: str = ""


def attachment(doc: pymupdf.Document) -> None:
    doc.embfile_add("drawing.dwg", b"AC1027" + bytes(range(256)) * 9 + WORD.encode(), filename="drawing.dwg")


def hidden_picture(page: pymupdf.Page) -> None:
    """A picture of the word on a layer that is off."""
    pdfs.write(page, pdfs.PROSE)
    group = page.parent.add_ocg("drafts", on=False)
    page.insert_image(pymupdf.Rect(72, 400, 492, 440), stream=pdfs.picture(WORD), oc=group)


def braille(page: pymupdf.Page) -> None:
    """Rows of Braille: text that OCR does not read."""
    pdfs.write(page, pdfs.PROSE)
    for row in range(3):
        for cell in range(20):
            dots = random.Random(cell * 7 + row)
            for x, y in itertools.product((0, 4), (-5, 0, 5)):
                if dots.random() < 0.5:
                    page.draw_circle((80 + 14 * cell + x, 300 + 24 * row + y), 1.3, fill=(0, 0, 0))


def other_layer(page: pymupdf.Page) -> None:
    """A scan, and an invisible text layer over it that says something else."""
    pdfs.scan("The lighthouse register is complete", size=16)(page)  # what it read is searched
    page.insert_text((pdfs.LEFT, pdfs.TOP), "Quarterly figures improved again", fontsize=16, render_mode=3)


def broken_form(pdf: pikepdf.Pdf) -> None:
    """An XFA form that is no XML."""
    packet = pdf.make_stream(b"<xdp:xdp><field>" + WORD.encode() + b" <<< &")
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([]), XFA=packet)


def missing_page() -> bytes:
    """The page tree claims a fourth page, and nothing leads to it."""
    data = pdfs.plain(*(pdfs.text(*pdfs.PROSE, f"page number {number}") for number in (1, 2, 3)))
    assert data.count(b"/Count 3") == 1
    return data.replace(b"/Count 3", b"/Count 4")


def looping_outline(pdf: pikepdf.Pdf) -> None:
    root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Outlines, Count=2))
    one = pdf.make_indirect(pikepdf.Dictionary(Title=WORD, Parent=root))
    one.Next = one
    root.First, root.Last = one, one
    pdf.Root.Outlines = root


PAGES, INK, PARTS = frozenset({"pages_readable"}), frozenset({"ink_read"}), frozenset({"parts_opened"})
SURE = frozenset({"yes"})

TRAPS = (
    Trap("scan", pdfs.document(pdfs.text(*pdfs.PROSE), pdfs.scan(WORD)), {Kind.IMAGE_ONLY_PAGE: 2}, unmet=INK),
    Trap("picture_of_a_word", PICTURE, {Kind.IMAGE_NOT_READ: 1}, unmet=INK),
    Trap(
        "outlines",
        pdfs.document(lambda page: (pdfs.write(page, pdfs.PROSE), pdfs.outlines(page, WORD))),
        {Kind.VECTOR_NOT_READ: 1},
        unmet=INK,
    ),
    Trap("unknown_glyphs", pdfs.unknown_glyphs(), {Kind.UNKNOWN_GLYPHS: 1, Kind.VECTOR_NOT_READ: 1}, unmet=INK),
    Trap(
        "ocr_without_confidence",
        pdfs.document(pdfs.with_picture(pdfs.PROSE, ["lighthouse"])),  # what it read is searched all the same
        {Kind.OCR_UNCERTAIN: 1},
        SURE,
        INK,
        {"ocr": "auto", "ocr_confidence": 100.0},
    ),
    Trap(
        "ocr_fails",
        PICTURE,
        {Kind.OCR_FAILED: 1},
        unmet=INK,
        options={"ocr": "auto", "ocr_lang": "eng"},
        sabotage="break:ocr_engines.language_folder",
    ),
    Trap("braille", pdfs.document(braille), {Kind.OCR_NO_WORDS: 1}, unmet=INK, options={"ocr": "auto"}),
    Trap("other_layer", pdfs.document(other_layer), {Kind.TEXT_DISAGREES: 1}, SURE, INK, {"ocr": "full"}),
    Trap("damaged_content", pdfs.damaged_stream(PLAIN, 2), {Kind.PAGE_DAMAGED: 2}, unmet=PAGES),
    Trap("missing_page", missing_page(), {Kind.PAGE_UNREACHABLE: 4}, unmet=PAGES),
    Trap(
        "attachment",
        pdfs.document(pdfs.text(*pdfs.PROSE), finish=attachment),
        {Kind.ATTACHMENT_NOT_READ: 0},
        SURE,
        PARTS,
    ),
    Trap("broken_form", pdfs.changed(PLAIN, broken_form), {Kind.FORM_NOT_READ: 0}, SURE, PARTS),
    Trap("layer_off", pdfs.document(hidden_picture), {Kind.LAYER_OFF: 1}, unmet=PARTS),
    Trap("earlier_revision", pdfs.rewritten(PLAIN, "other words"), {Kind.EARLIER_REVISION: 1}, unmet=PARTS),
    Trap("looping_outline", pdfs.changed(PLAIN, looping_outline), {Kind.OUTLINE_NOT_READ: 0}, unmet=PARTS),
    # What only a failing engine causes: the child process fails on purpose.
    Trap("page_failed", PLAIN, {Kind.PAGE_FAILED: 2}, unmet=PAGES, sabotage="refuse:2"),
    Trap("page_crashed", PLAIN, {Kind.PAGE_CRASHED: 2}, unmet=PAGES, sabotage="crash:2"),
    Trap(
        "page_timed_out",
        PLAIN,
        {Kind.PAGE_TIMED_OUT: 2},
        unmet=PAGES,
        options={"page_seconds": 2.0},
        sabotage="hang:2",
    ),
    Trap(
        "page_out_of_memory",
        PLAIN,
        {Kind.PAGE_OUT_OF_MEMORY: 2},
        unmet=PAGES,
        options={"memory_mb": 1500},
        sabotage="memory:2",
    ),
    Trap(
        "annotation_fails",
        pdfs.document(lambda page: (pdfs.write(page, pdfs.PROSE), page.add_text_annot((400, 100), WORD))),
        {Kind.ANNOTATION_NOT_READ: 1},
        unmet=PARTS,
        sabotage="break:annotations._annotation",
    ),
    Trap("metadata_fails", PLAIN, {Kind.METADATA_NOT_READ: 0}, unmet=PARTS, sabotage="break:parts._metadata"),
    Trap("tags_fail", PLAIN, {Kind.TAGGED_TEXT_NOT_READ: 0}, unmet=PARTS, sabotage="break:parts._tags"),
)  # fmt: skip

NO_TRAP: Mapping[Kind, str] = {
    Kind.SIGNATURE_NOT_READ: "signatures are read with the form fields; the code is kept for documents saved with it",
}


def main(folder: Path) -> None:
    """Write every document that traps by itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for trap in TRAPS:
        if not trap.sabotage:
            (folder / f"{trap.name}.pdf").write_bytes(trap.data)
            print(
                f"{trap.name}.pdf: {', '.join(f'{kind.value} on page {page}' for kind, page in trap.kinds.items())}"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
