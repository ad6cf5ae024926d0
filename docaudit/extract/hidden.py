"""What a page holds and does not show: layers that are off, for whatever reason, and annotations that are hidden.

The document is opened a second time, and in that copy nothing is hidden: there are no layers any more, and a page's
hidden annotations lose their flag. What such a page says, and the page as it is shown does not, is read like any other
text; where it looks different, its ink is accounted for as well. Documents that hide nothing are not opened again.

Layers (optional content): whether a document may hide any, and which of its pages belong to one in part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray

from docaudit.codes import BlindSpotKind, TextLikely, Visibility
from docaudit.extract.fonts import font_spots
from docaudit.extract.images import read_images
from docaudit.extract.ink import BoxPictures, PageInk
from docaudit.extract.ocr import OcrReader
from docaudit.extract.ocr_engines import TextFinder
from docaudit.extract.pdf_objects import (
    ENGINE_ERRORS,
    PageTree,
    entries,
    get,
    is_dict,
    is_null,
    items,
    name_of,
    object_of,
    whole_number,
    written,
)
from docaudit.extract.protocol import Box, LineFact, PageFact, SpotFact
from docaudit.extract.text_layer import page_dict, read_lines
from docaudit.extract.unread import read_boxes, settle

_POLICY = re.compile(r"/Type\s*/OCMD(?![A-Za-z0-9])")
_LAYER = re.compile(r"/(?:OC|OCG|OCMD)(?![A-Za-z0-9])")
_PAGE = re.compile(r"/Type\s*/Pages?(?![A-Za-z0-9])")
_REFERENCE = re.compile(r"(?<!\d)(\d{1,9}) \d{1,5} R(?![A-Za-z])")


def hides_layers(doc: pymupdf.Document) -> bool:
    """Whether some optional content may be off: by default, by an event or usage, or by a policy of several layers."""
    properties = get(object_of(doc, doc.pdf_catalog()), "OCProperties")
    if not is_dict(properties):
        return False
    default = get(properties, "D")
    if any(True for _ in items(get(default, "OFF"))) or name_of(get(default, "BaseState")) in {
        "OFF",
        "Unchanged",
    }:
        return True
    if any(_usage_hides(group) for group in items(get(properties, "OCGs"))):
        return True
    return any(_POLICY.search(written(doc, number)) for number in range(1, doc.xref_length()))


def _usage_hides(group: Any) -> bool:
    """A layer may be off on the screen, on paper or at some sizes, and a program follows that."""
    usage = get(group, "Usage")
    states = (name_of(state) for _, use in entries(usage) for _, state in entries(use))
    return "OFF" in states or not is_null(get(usage, "Zoom"))


class Layers:
    """Tells which pages use layers: only what a page draws with can belong to one. Each object is looked at once."""

    def __init__(self, doc: pymupdf.Document) -> None:
        self._doc = doc
        self._without: set[int] = set()

    def used_by(self, page: pymupdf.Page) -> bool:
        """Something under the page names a layer; so it is as well if the page's resources are not its own, or an
        object cannot be read.
        """
        own = written(self._doc, page.xref)
        if "/Resources" not in own or _LAYER.search(own):
            return True
        seen: set[int] = set()
        waiting = _references(own)
        while waiting:
            number = waiting.pop()
            if number in seen or number in self._without:
                continue
            seen.add(number)
            text = written(self._doc, number)
            if not text or _LAYER.search(text):
                return True
            if not _PAGE.search(text):
                waiting += _references(text)
        self._without |= seen
        return False


def _references(text: str) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(text)]


_ENGINE: Any = pymupdf.mupdf
_HIDDEN = 1 << 0 | 1 << 1 | 1 << 5
"""Flags of an annotation that is not drawn: of an unknown kind, hidden, not shown on the screen."""
_PRINTED = 4
_NEVER_DRAWN = frozenset({"Popup", "Link"})
_SIDE_PX = 1400
_CONTRAST = 24


class HiddenContent:
    """The second copy of a document, opened when the first page needs it.

    Args:
        doc: The document.
        open_again: Opens it once more.
        ocr: Reads pictures, or None.
        finder: Looks again at what OCR does not read.
    """

    def __init__(
        self,
        doc: pymupdf.Document,
        open_again: Callable[[], pymupdf.Document],
        ocr: OcrReader | None,
        finder: TextFinder,
    ) -> None:
        self._finder = finder
        self._layers = Layers(doc) if hides_layers(doc) else None
        self._open_again = open_again
        self._ocr = ocr
        self._tree: PageTree | None = None

    def read(self, page: pymupdf.Page, fact: PageFact, render: bool) -> tuple[list[LineFact], list[SpotFact]]:
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
                self._compare(before, after, fact.lines, Visibility.LAYER_OFF, kind, render, lines, spots)
                before = after
            if annotations:
                kind = BlindSpotKind.ANNOTATION_NOT_READ
                after = self._unhide(fact.page_num)
                known = fact.lines + lines
                self._compare(before, after, known, Visibility.INVISIBLE, kind, render, lines, spots)
        except ENGINE_ERRORS as error:
            detail = f"what the page hides: {type(error).__name__}: {error}"
            spots.append(SpotFact(kind.value, TextLikely.UNKNOWN.value, detail))
        return lines, spots

    def _copy(self) -> PageTree:
        if self._tree is None:
            doc = self._open_again()
            self._tree = PageTree(doc)
            if self._layers is not None:
                doc.xref_set_key(doc.pdf_catalog(), "OCProperties", "null")
                _ENGINE.ll_pdf_read_ocg(vars(pymupdf)["_as_pdf_document"](doc).m_internal)
        return self._tree

    def _unhide(self, page_num: int) -> pymupdf.Page:
        page = self._copy().load(page_num)
        for annotation in _hidden_annotations(page):
            _ENGINE.pdf_dict_puts(annotation, "F", _ENGINE.pdf_new_int(_PRINTED))
        return self._copy().load(page_num)

    def _compare(
        self,
        before: pymupdf.Page,
        after: pymupdf.Page,
        known: list[LineFact],
        visibility: Visibility,
        kind: BlindSpotKind,
        render: bool,
        lines: list[LineFact],
        spots: list[SpotFact],
    ) -> None:
        """Add what `after` has and `before` has not."""
        content = page_dict(after)
        text = read_lines(content, after.rect)
        seen = {(line.text, line.box) for line in known}
        new = [line for line in text.lines if (line.text, line.box) not in seen]
        boxes_of_new = {line.box for line in new}
        spots += [_as(spot, kind) for spot in font_spots(text, {}, after.rect) if spot.box in boxes_of_new]
        boxes = read_boxes(text, [])
        if not render:
            detail = "what the page hides was not drawn; its text was read"
            spots.append(SpotFact(kind.value, TextLikely.UNKNOWN.value, detail))
        elif (difference := Difference(before, after)).any:
            settled = settle(
                after,
                PageInk(after, BoxPictures(after, boxes), boxes),
                text.lines,
                read_images(content, after.rect),
                self._ocr,
                self._finder,
            )
            ocr_seen = {line.text for line in known}
            new += [
                line for line in settled.lines if line.text not in ocr_seen and difference.touches(line.box)
            ]
            spots += [_as(spot, kind) for spot in settled.spots if difference.touches(spot.box)]
        for line in new:
            line.visibility = visibility.value
        lines += new


def _as(spot: SpotFact, kind: BlindSpotKind) -> SpotFact:
    where = "on a layer that is off" if kind is BlindSpotKind.LAYER_OFF else "in an annotation that is hidden"
    return SpotFact(kind.value, spot.text_likely, f"{where}: {spot.detail}", spot.box, spot.area_share)


def _hidden_annotations(page: pymupdf.Page) -> list[Any]:
    """Annotations with a drawing that is not shown."""
    return [
        annotation
        for annotation in items(get(object_of(page.parent, page.xref), "Annots"))
        if whole_number(get(annotation, "F")) & _HIDDEN
        and is_dict(get(annotation, "AP", "N"))
        and name_of(get(annotation, "Subtype")) not in _NEVER_DRAWN
    ]


class Difference:
    """Where two pictures of a page differ."""

    def __init__(self, before: pymupdf.Page, after: pymupdf.Page) -> None:
        self._rect = after.rect
        self._zoom = min(1.0, _SIDE_PX / max(after.rect.width, after.rect.height, 1.0))
        one, other = self._grey(before), self._grey(after)
        same = one.shape == other.shape
        far = (
            np.abs(one.astype(np.int16) - other) > _CONTRAST if same else np.ones(other.shape, dtype=np.bool_)
        )
        self._mask: NDArray[np.bool_] = np.asarray(far)
        self.any = bool(self._mask.any())

    def _grey(self, page: pymupdf.Page) -> NDArray[np.uint8]:
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(self._zoom, self._zoom), colorspace=pymupdf.csGRAY)
        rows = np.frombuffer(pixmap.samples_mv, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
        return rows[:, : pixmap.width].copy()  # a view would outlive the memory of the pixmap

    def touches(self, box: Box | None) -> bool:
        """Whether something differs inside a box; without a box, whether anything differs at all."""
        if box is None:
            return self.any
        sides = [
            round((side - origin) * self._zoom)
            for side, origin in zip(box, (self._rect.x0, self._rect.y0) * 2, strict=True)
        ]
        x0, y0, x1, y1 = (max(0, side) for side in sides)
        return bool(self._mask[y0 : y1 + 1, x0 : x1 + 1].any())
