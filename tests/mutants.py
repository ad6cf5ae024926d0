"""PDFs broken at random, the same ones for the same seed: flipped bits, lost ends, objects that are swapped or gone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache

import pikepdf
import pymupdf

from tests import pdfs

Mutation = Callable[[bytearray, random.Random], bytes]
_OBJECT = re.compile(rb"\d+ \d+ obj\b.*?endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_NUMBER = re.compile(rb"(?<![\d.])\d{1,4}(?![\d.])")
_WORDS = [b"/Kids", b"/Count", b"/Length", b"/Contents", b"/Type", b"/Filter", b"/Root", b"/W", b"/Resources"]


@cache
def documents() -> dict[str, bytes]:
    """Documents of three pages each, one for each way in which a PDF is built; the keys of encryption are random."""
    three = [pdfs.text(f"page {number}", *pdfs.PROSE) for number in (1, 2, 3)]
    plain = pdfs.plain(*three)
    return {
        "plain": plain,
        "object streams": pdfs.changed(
            plain, lambda pdf: None, object_stream_mode=pikepdf.ObjectStreamMode.generate
        ),
        "encrypted": pdfs.encrypted(plain, user=""),
        "picture": pdfs.document(three[0], pdfs.with_picture(["text"], ["words in a picture"]), three[2]),
        "scan": pdfs.document(pdfs.scan("a scanned page", dpi=72), *three[1:]),
        "form": pdfs.document(_form, *three[1:]),
        "notes": pdfs.document(_notes, *three[1:], finish=_outline),
        "reportlab": pdfs.reportlab(
            *(lambda canvas, n=n: canvas.drawString(72, 700, f"page {n}") for n in (1, 2, 3))
        ),
        "nested tree": pdfs.changed(plain, _nest),
        "revised": pdfs.updated(plain, 2, "added later"),
    }


def _form(page: pymupdf.Page) -> None:
    field = pymupdf.Widget()
    field.field_type = vars(pymupdf)["PDF_WIDGET_TYPE_TEXT"]
    field.field_name, field.field_value = "name", "value of the field"
    field.rect = pymupdf.Rect(72, 72, 300, 100)
    page.add_widget(field)


def _notes(page: pymupdf.Page) -> None:
    page.add_text_annot((100, 100), "a note")
    page.add_freetext_annot(pymupdf.Rect(100, 200, 300, 240), "free text")
    page.parent.embfile_add("attached.txt", b"words of the attachment")


def _outline(doc: pymupdf.Document) -> None:
    doc.set_toc([[1, "Chapter", 1], [2, "Section", 2], [1, "End", 3]])


def _nest(pdf: pikepdf.Pdf) -> None:
    root = pdf.Root.Pages
    inner = pikepdf.Dictionary(
        Type=pikepdf.Name.Pages, Count=2, Kids=pikepdf.Array(list(root.Kids)[:2]), Parent=root
    )
    root.Kids = pikepdf.Array([pdf.make_indirect(inner), root.Kids[2]])


def _flip_bits(data: bytearray, dice: random.Random) -> bytes:
    for _ in range(dice.choice((1, 3, 10, 50))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def _truncate(data: bytearray, dice: random.Random) -> bytes:
    return bytes(data[: dice.randrange(1, len(data))])


def _lose_middle(data: bytearray, dice: random.Random) -> bytes:
    start = dice.randrange(len(data))
    return bytes(data[:start] + data[start + dice.randrange(1, 2000) :])


def _objects(data: bytearray, dice: random.Random) -> bytes:
    """Swap, repeat or drop an object."""
    found = list(_OBJECT.finditer(data))
    if len(found) < 2:
        return _flip_bits(data, dice)
    one, other = sorted(dice.sample(found, 2), key=lambda match: match.start())
    between = data[one.end() : other.start()]
    pair = dice.choice(((other, one), (one, one), (other, other), (one, None), (None, other)))
    first, second = (b"" if match is None else match[0] for match in pair)
    return bytes(data[: one.start()] + first + between + second + data[other.end() :])


def flip_streams(data: bytearray, dice: random.Random) -> bytes:
    """Other bytes within streams only: the objects stay whole."""
    found = [match for match in _STREAM.finditer(data) if match.end(1) - match.start(1) > 4]
    if not found:
        return _flip_bits(data, dice)
    for _ in range(dice.choice((1, 4, 16))):
        match = dice.choice(found)
        data[dice.randrange(match.start(1), match.end(1) - 2)] = dice.randrange(256)
    return bytes(data)


def _numbers(data: bytearray, dice: random.Random) -> bytes:
    """Another number: a reference, a length, an offset, a size."""
    for _ in range(dice.choice((1, 3, 8))):
        match = dice.choice(list(_NUMBER.finditer(data)))
        other = dice.choice((b"0", b"-1", b"7", b"99999999", b"%d" % dice.randrange(40)))
        data[match.start() : match.end()] = other
    return bytes(data)


def _names(data: bytearray, dice: random.Random) -> bytes:
    """A key goes, or becomes another."""
    present = [word for word in _WORDS if word in data]
    word, other = dice.choice(present or [b"obj"]), dice.choice([*_WORDS, b"/Nothing", b""])
    return bytes(data.replace(word, other, dice.choice((1, 2, -1))))


MUTATIONS: dict[str, Mutation] = {
    "bits": _flip_bits,
    "end": _truncate,
    "middle": _lose_middle,
    "objects": _objects,
    "streams": flip_streams,
    "numbers": _numbers,
    "names": _names,
}


def mutants(seed: int, count: int) -> Iterator[tuple[str, str, bytes]]:
    """Name of the document, name of the mutation, and the broken document."""
    dice = random.Random(seed)
    whole = documents()
    for number in range(count):
        name = list(whole)[number % len(whole)]
        how = list(MUTATIONS)[number // len(whole) % len(MUTATIONS)]
        data = MUTATIONS[how](bytearray(whole[name]), dice)
        if dice.random() < 0.2:
            data = _flip_bits(bytearray(data), dice) if data else data
        yield name, how, data
