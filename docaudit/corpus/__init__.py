"""Many documents: a store that holds the parse and the audits of each, and the run that fills it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docaudit.corpus.matrix import load_matrix
    from docaudit.corpus.matrix_model import CorpusMatrix
    from docaudit.corpus.sql import query

_HOME = {
    "CorpusMatrix": "docaudit.corpus.matrix_model",
    "load_matrix": "docaudit.corpus.matrix",
    "query": "docaudit.corpus.sql",
}

__all__ = ["CorpusMatrix", "load_matrix", "query"]


def __getattr__(name: str) -> Any:
    """Import what is asked for and no more."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
