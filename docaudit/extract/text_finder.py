"""Finds and reads text of any direction in a picture: a second look at ink in which the OCR engine read no words.

PP-OCR through RapidOCR (its models come in the package): a network that finds lines of text in scenes, stamps,
handwriting and photographs, and one that reads them. What it finds and cannot read is text that nobody read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docaudit.errors import OcrError
from docaudit.extract.facts import Box
from docaudit.extract.pictures import Picture

_FEWEST_PX, _MOST_PX = 96, 2400


@dataclass(frozen=True)
class FoundText:
    """One line of text in a picture: its box in pixels, what it says as far as that can be read, and how surely
    (0 to 100).
    """

    box: Box
    text: str
    confidence: float


class TextFinder:
    """The networks, loaded when the first picture comes; equal pictures are looked at once."""

    def __init__(self, working: Callable[[], None] = lambda: None) -> None:
        self._working = working
        self._engine: Any = None
        self._cache: dict[bytes, list[FoundText]] = {}

    def find(self, picture: Picture) -> list[FoundText]:
        """All lines of text in a picture; raises OcrError."""
        key = blake2b(picture.tobytes(), digest_size=16).digest() + bytes(str(picture.shape), "ascii")
        if key not in self._cache:
            self._working()
            self._cache[key] = self._look(picture)
        return self._cache[key]

    def _look(self, picture: Picture) -> list[FoundText]:
        try:
            if self._engine is None:
                self._engine = _load()
            result = self._engine(_padded(picture), use_cls=True, text_score=0.0)
        except _errors() as error:
            said = str(error).strip().splitlines()[-1:]  # above it stand the paths of the runtime
            raise OcrError(
                f"rapidocr failed: {type(error).__name__}: {' '.join(said)[-200:]}", remedy="read the region"
            ) from error
        if result.boxes is None or not len(result.boxes):
            return []
        return [
            FoundText(_upright(corners), str(text), 100.0 * float(score))
            for corners, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
        ]


def _load() -> Any:
    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    from rapidocr import RapidOCR

    one_thread = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    size = {"Global.max_side_len": _MOST_PX, "Det.limit_type": "max", "Det.limit_side_len": _MOST_PX}
    return RapidOCR(params={**one_thread, **size, "Global.log_level": "error"})


def _padded(picture: Picture) -> Picture:
    """The three colours, with a border to the right and below for pictures that are too small for the network."""
    height, width = picture.shape[:2]
    padded = np.empty((max(height, _FEWEST_PX), max(width, _FEWEST_PX), 3), dtype=np.uint8)
    padded[:] = picture[-1, -1, :3]
    padded[:height, :width] = picture[:, :, :3]
    return padded


def _errors() -> tuple[type[Exception], ...]:
    """What the networks and the library under them raise; they have no root in common."""
    import cv2
    from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

    return RuntimeError, ValueError, OSError, ImportError, cv2.error, ONNXRuntimeError


def _upright(corners: NDArray[np.float32]) -> Box:
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
