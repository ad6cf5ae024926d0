"""What a page holds and does not show: layers that are off, for whatever reason, and annotations that are hidden.

The document is opened a second time, and in that copy nothing is hidden: there are no layers any more, and a page's
hidden annotations lose their flag. What such a page says, and the page as it is shown does not, is read like any other
text; where it looks different, its ink is accounted for as well. Documents that hide nothing are not opened again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docaudit.codes import BlindSpotKind, TextLikely, Visibility
from docaudit.extract import pdf_objects as pdf
from docaudit.extract.fonts import font_spots
from docaudit.extract.images import read_images
from docaudit.extract.ink import PageInk
from docaudit.extract.ocr import OcrReader
from docaudit.extract.ocr_engines import TextFinder
from docaudit.extract.page_tree import PageTree
from docaudit.extract.pdf_objects import ENGINE_ERRORS
from docaudit.extract.protocol import Box, LineFact, PageReading, SpotFact
from docaudit.extract.renderings import BoxRenderings
from docaudit.extract.text_layer import page_dict, read_lines
from docaudit.extract.unread import UnreadInk, read_boxes

_POLICY = re.compile(r"/Type\s*/OCMD(?![A-Za-z0-9])")
_LAYER = re.compile(r"/(?:OC|OCG|OCMD)(?![A-Za-z0-9])")
_PAGE = re.compile(r"/Type\s*/Pages?(?![A-Za-z0-9])")
_REFERENCE = re.compile(r"(?<!\d)(\d{1,9}) \d{1,5} R(?![A-Za-z])")
_HIDDEN = 1 << 0 | 1 << 1 | 1 << 5
"""Flags of an annotation that is not drawn: of an unknown kind, hidden, not shown on the screen."""
_PRINTED = 4
_NEVER_DRAWN = frozenset({"Popup", "Link"})
_SIDE_PX = 1400
_CONTRAST = 24
"""Longest side of the renderings that are compared, and levels of 256 by which they differ; chosen, not measured."""
_ENGINE: Any = pymupdf.mupdf


def hides_layers(doc: pymupdf.Document) -> bool:
    """Whether some optional content may be off: by default, by an event or usage, or by a policy of several layers."""
    properties = pdf.get(pdf.object_of(doc, doc.pdf_catalog()), "OCProperties")
    if not pdf.is_dict(properties):
        return False
    default = pdf.get(properties, "D")
    if any(True for _ in pdf.items(pdf.get(default, "OFF"))) or pdf.name_of(
        pdf.get(default, "BaseState")
    ) in {
        "OFF",
        "Unchanged",
    }:
        return True
    for group in pdf.items(pdf.get(properties, "OCGs")):
        # A layer may be off on the screen, on paper or at some sizes, and a program follows that.
        usage = pdf.get(group, "Usage")
        states = (pdf.name_of(state) for _, use in pdf.entries(usage) for _, state in pdf.entries(use))
        if "OFF" in states or not pdf.is_null(pdf.get(usage, "Zoom")):
            return True
    return any(_POLICY.search(pdf.written(doc, number)) for number in range(1, doc.xref_length()))


class Layers:
    """Tells which pages use layers: only what a page draws with can belong to one. Each object is looked at once."""

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        self._without: set[int] = set()

    def used_by(self, page: pymupdf.Page) -> bool:
        """Something under the page names a layer; so it is as well if the page's resources are not its own, or an
        object cannot be read.
        """
        own = pdf.written(self._doc, page.xref)
        if "/Resources" not in own or _LAYER.search(own):
            return True
        seen: set[int] = set()
        waiting = [int(number) for number in _REFERENCE.findall(own)]
        while waiting:
            number = waiting.pop()
            if number in seen or number in self._without:
                continue
            seen.add(number)
            text = pdf.written(self._doc, number)
            if not text or _LAYER.search(text):
                return True
            if not _PAGE.search(text):
                waiting += [int(below) for below in _REFERENCE.findall(text)]
        self._without |= seen
        return False


class HiddenContent:
    """The second copy of a document, opened when the first page needs it.

    Args:
        doc: The document.
        open_again: Opens it once more.
        ocr: Reads images, or None.
        finder: Looks again at what OCR does not read.
    """

    def __init__(
        self,
        doc: pymupdf.Document,
        open_again: Callable[[], pymupdf.Document],
        ocr: OcrReader | None,
        finder: TextFinder,
    ) -> None:
        self._layers = Layers(doc) if hides_layers(doc) else None
        self._open_again = open_again
        self._ocr = ocr
        self._finder = finder
        self._tree: PageTree | None = None

    def read(
        self, page: pymupdf.Page, fact: PageReading, render: bool
    ) -> tuple[list[LineFact], list[SpotFact]]:
        """Lines that the page does not show, and a blind spot for what of it could not be read."""
        annotations = _hidden_annotations(page)
        layers = self._layers is not None and self._layers.used_by(page)
        if not layers and not annotations:
            return [], []
        kind = BlindSpotKind.LAYER_OFF if layers else BlindSpotKind.ANNOTATION_NOT_READ
        lines: list[LineFact] = []
        spots: list[SpotFact] = []
        try:
            before = page
            if layers:
                after = self._copy().load(fact.page_num)
                lines, spots = self._added(before, after, fact.lines, kind, render)
                before = after
            if annotations:
                kind = BlindSpotKind.ANNOTATION_NOT_READ
                after = self._copy().load(fact.page_num)
                for annotation in _hidden_annotations(after):
                    _ENGINE.pdf_dict_puts(annotation, "F", _ENGINE.pdf_new_int(_PRINTED))
                after = self._copy().load(fact.page_num)
                new, unread = self._added(before, after, fact.lines + lines, kind, render)
                lines, spots = lines + new, spots + unread
        except ENGINE_ERRORS as error:
            detail = f"what the page hides: {type(error).__name__}: {error}"
            spots.append(SpotFact(kind, TextLikely.UNKNOWN, detail))
        return lines, spots

    def _copy(self) -> PageTree:
        if self._tree is None:
            doc = self._open_again()
            self._tree = PageTree(doc)
            if self._layers is not None:
                doc.xref_set_key(doc.pdf_catalog(), "OCProperties", "null")
                _ENGINE.ll_pdf_read_ocg(pdf.file_of(doc).m_internal)
        return self._tree

    def _added(
        self,
        before: pymupdf.Page,
        after: pymupdf.Page,
        lines: list[LineFact],
        kind: BlindSpotKind,
        render: bool,
    ) -> tuple[list[LineFact], list[SpotFact]]:
        """Lines that `after` has and `before`, with these lines, has not; and blind spots of what else differs."""
        content = page_dict(after)
        text = read_lines(content, after.rect)
        seen = {(line.text, line.box) for line in lines}
        new = [line.fact for line in text if (line.fact.text, line.fact.box) not in seen]
        new_boxes = {line.box for line in new}
        spots = [spot for spot in font_spots(text, {}, tuple(after.rect)) if spot.box in new_boxes]
        if render and (difference := LayerDifference(before, after)).any:
            boxes = read_boxes(text, [])
            ink = PageInk(after, BoxRenderings(after, boxes), boxes)
            images = read_images(content, after.rect)
            unread = UnreadInk(after, ink, [line.fact for line in text], images)
            settled = unread.settle(self._ocr, self._finder)
            texts = {line.text for line in lines}
            new += [line for line in settled.lines if line.text not in texts and difference.touches(line.box)]
            spots += [spot for spot in settled.spots if difference.touches(spot.box)]
        layer = kind is BlindSpotKind.LAYER_OFF
        where = "on a layer that is off" if layer else "in an annotation that is hidden"
        spots = [
            SpotFact(kind, spot.text_likely, f"{where}: {spot.detail}", spot.box, spot.area_share)
            for spot in spots
        ]
        if not render:
            detail = "what the page hides was not drawn; its text was read"
            spots.append(SpotFact(kind, TextLikely.UNKNOWN, detail))
        for line in new:
            line.visibility = Visibility.LAYER_OFF if layer else Visibility.INVISIBLE
        return new, spots


def _hidden_annotations(page: pymupdf.Page) -> list[Any]:
    """Annotations with a drawing that is not shown."""
    return [
        annotation
        for annotation in pdf.items(pdf.get(pdf.object_of(page.parent, page.xref), "Annots"))
        if pdf.whole_number(pdf.get(annotation, "F")) & _HIDDEN
        and pdf.is_dict(pdf.get(annotation, "AP", "N"))
        and pdf.name_of(pdf.get(annotation, "Subtype")) not in _NEVER_DRAWN
    ]


class LayerDifference:
    """Where two renderings of a page differ."""

    def __init__(self, before: pymupdf.Page, after: pymupdf.Page) -> None:
        self._rect = after.rect
        self._zoom = min(1.0, _SIDE_PX / max(after.rect.width, after.rect.height, 1.0))
        first, second = self._grey(before), self._grey(after)
        if first.shape == second.shape:
            self._mask = np.asarray(np.abs(first.astype(np.int16) - second) > _CONTRAST)
        else:
            self._mask = np.ones(second.shape, dtype=np.bool_)
        self.any = bool(self._mask.any())

    def _grey(self, page: pymupdf.Page) -> NDArray[np.uint8]:
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(self._zoom, self._zoom), colorspace=pymupdf.csGRAY)
        rows = np.frombuffer(pixmap.samples_mv, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
        return rows[:, : pixmap.width].copy()  # a view would outlive the memory of the pixmap

    def touches(self, box: Box | None) -> bool:
        """Whether something differs inside a box; without a box, whether anything differs at all."""
        if box is None:
            return self.any
        origin = (self._rect.x0, self._rect.y0) * 2
        x0, y0, x1, y1 = (
            max(0, round((side - start) * self._zoom)) for side, start in zip(box, origin, strict=True)
        )
        return bool(self._mask[y0 : y1 + 1, x0 : x1 + 1].any())
