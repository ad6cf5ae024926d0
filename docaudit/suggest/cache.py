"""Vectors of terms that were embedded before, in a folder of the user: a second run does not load the model.

One file for each document and model; it holds the terms of the document as text, so the folder is the user's alone.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from docaudit.atomic import write_bytes
from docaudit.errors import OutputError

Vectors = npt.NDArray[np.float16]
"""One row for each text, of length 1 up to rounding: half precision, so that cached and new vectors are the same."""


def cache_folder() -> Path:
    """DOCAUDIT_CACHE, or docaudit in the user's cache folder (XDG_CACHE_HOME, ~/.cache)."""
    named = os.environ.get("DOCAUDIT_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "docaudit"


class VectorCache:
    """The vectors of one document under one model."""

    def __init__(self, document: str, model: str) -> None:
        """Name the file.

        Args:
            document: SHA-256 of the document.
            model: What identifies the model and its version.
        """
        name = hashlib.sha256(f"{document}\n{model}".encode()).hexdigest()[:32]
        self.path = cache_folder() / "vectors" / f"{name}.npz"

    def read(self) -> dict[str, Vectors]:
        """Text -> vector; empty if there is no file, or one that cannot be read: then all is embedded anew."""
        try:
            with np.load(io.BytesIO(self.path.read_bytes()), allow_pickle=False) as saved:
                texts = bytes(saved["texts"]).decode("utf-8").split("\n")
                vectors = saved["vectors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}
        if vectors.ndim != 2 or vectors.dtype != np.float16 or len(vectors) != len(texts):
            return {}
        return dict(zip(texts, vectors, strict=True))

    def write(self, known: Mapping[str, Vectors]) -> bool:
        """Keep vectors; False if the folder cannot be written, which costs time on the next run and nothing else."""
        stream = io.BytesIO()
        texts = np.frombuffer("\n".join(known).encode("utf-8"), dtype=np.uint8)
        np.savez(stream, texts=texts, vectors=np.stack(list(known.values())))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_bytes(self.path, stream.getvalue())
        except (OSError, OutputError):
            return False
        return True
