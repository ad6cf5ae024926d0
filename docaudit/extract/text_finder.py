"""Finds and reads text of any direction in a picture: a second look at ink in which the OCR engine read no words.

PP-OCR through RapidOCR (its models come in the package): a network that finds lines of text in scenes, stamps,
handwriting and photographs, and one that reads them. What it finds and cannot read is text that nobody read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docaudit.errors import OcrError
from docaudit.extract.facts import Box
from docaudit.extract.memory import program
from docaudit.extract.pictures import Picture

_FEWEST_PX, _STEP_PX, _MOST_PX = 96, 96, 2400


@dataclass(frozen=True)
class FoundText:
    """One line of text in a picture: its box in pixels, its length and height along its own direction, how surely it
    is a line (0 to 1), what it says as far as that can be read, and how surely (0 to 100).
    """

    box: Box
    length: float
    height: float
    score: float
    text: str
    confidence: float


class TextFinder:
    """The networks, loaded when the first picture comes; equal pictures are looked at once."""

    name = "rapidocr"

    def __init__(self, working: Callable[[], None] = lambda: None) -> None:
        self._working = working
        self._engine: Any = None
        self._cache: dict[bytes, list[FoundText]] = {}
        self.version = version(self.name)

    def find(self, picture: Picture) -> list[FoundText]:
        """All lines of text in a picture; raises OcrError."""
        key = blake2b(picture.tobytes(), digest_size=16).digest() + bytes(str(picture.shape), "ascii")
        if key not in self._cache:
            self._working()
            self._cache[key] = self._look(picture)
        return self._cache[key]

    def _look(self, picture: Picture) -> list[FoundText]:
        """The two networks one by one: the library's own call leaves out lines that it finds and cannot read."""
        with program():
            import cv2
            from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError
            from rapidocr.main import RapidOCRError

        try:
            if self._engine is None:
                self._engine = _load()
            try:
                crops, found = self._engine.detect_and_crop(_padded(picture), {})
            except RapidOCRError as error:
                if "result is empty" not in str(error):
                    raise
                return []  # its word for: no line in it
            upright, _ = self._engine.cls_and_rotate(crops)
            read = self._engine.recognize_txt(upright)
        except (RapidOCRError, ONNXRuntimeError, cv2.error, RuntimeError, ValueError, OSError) as error:
            said = str(error).strip().splitlines()[-1:]  # above it stand the paths of the runtime
            raise OcrError(
                f"rapidocr failed: {type(error).__name__}: {' '.join(said)[-200:]}", remedy="read the region"
            ) from error
        return [
            FoundText(
                _upright(corners),
                *_sides(corners),
                float(score),
                str(text).strip(),
                100.0 * float(confidence),
            )
            for corners, score, text, confidence in zip(
                found.boxes, found.scores, read.txts, read.scores, strict=True
            )
        ]


def _load() -> Any:
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    one_thread = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    size = {"Det.limit_type": "max", "Det.limit_side_len": _MOST_PX, "Global.use_vertical_padding": False}
    with program():
        from rapidocr import RapidOCR

        return RapidOCR(params={**one_thread, **size, "Global.log_level": "error"})


def _padded(picture: Picture) -> Picture:
    """The three colours, with a border to the right and below: for pictures too small for the network, and so that few
    sizes come up, since its runtime keeps memory for each.
    """
    height, width = picture.shape[:2]
    rows, columns = (max(_FEWEST_PX, -(-side // _STEP_PX) * _STEP_PX) for side in (height, width))
    padded = np.empty((rows, columns, 3), dtype=np.uint8)
    padded[:] = picture[-1, -1, :3]
    padded[:height, :width] = picture[:, :, :3]
    return padded


def _upright(corners: NDArray[np.float32]) -> Box:
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _sides(corners: NDArray[np.float32]) -> tuple[float, float]:
    """The longer and the shorter side of a box that may be slanted."""
    one, other = np.hypot(*(corners[1:3] - corners[:2]).T)
    return float(max(one, other)), float(min(one, other))
