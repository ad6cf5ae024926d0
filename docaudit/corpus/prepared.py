"""What every table needs of a document and none changes: search text, words and controls, made once and kept.

All this takes longer to make than many sweeps. What is kept belongs to one parse and to the very code that
made it: with any other it is made anew, so that it never decides what is found.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

import docaudit
from docaudit import atomic
from docaudit.control_runs import run_controls
from docaudit.evidence import ControlGroup
from docaudit.parsed import ParsedDocument
from docaudit.sweep import Prepared, prepare
from docaudit.vocabulary import Vocabulary, build_vocabulary, keep_vocabulary

_LIBRARIES = ("numpy", "pandas", "regex", "rapidfuzz", "ahocorasick-rs")
_DIGEST = 32


class _Kept(msgspec.Struct, array_like=True):
    made_by: str
    lines: str
    search: Prepared
    words: Vocabulary
    controls: list[Any]


def prepared(path: Path, parsed: ParsedDocument, lines: str) -> tuple[ControlGroup, ...]:
    """Make a parsed document ready for sweeps, from what is kept or anew; returns its controls.

    Args:
        path: Where it is kept.
        parsed: The document.
        lines: Hash of its line_df.
    """
    kept = _read(path, lines)
    if kept is not None:
        prepare(parsed.line_df, kept.search)
        keep_vocabulary(parsed.line_df, kept.words)
        return tuple(ControlGroup.model_validate(one) for one in kept.controls)
    made = prepare(parsed.line_df)
    controls = run_controls(parsed)
    told = [one.model_dump(mode="json") for one in controls]
    _write(path, _Kept(_made_by(), lines, made, build_vocabulary(parsed.line_df), told))
    return controls


def _read(path: Path, lines: str) -> _Kept | None:
    """What is kept; None if nothing is, or it is damaged, of another parse or of other code."""
    try:
        data = path.read_bytes()
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        with pa.CompressedInputStream(pa.BufferReader(data[_DIGEST:]), "zstd") as stream:
            kept = msgspec.msgpack.decode(stream.read(), type=_Kept)
    except (OSError, msgspec.MsgspecError, pa.ArrowException):
        return None
    return kept if (kept.made_by, kept.lines) == (_made_by(), lines) else None


def _write(path: Path, kept: _Kept) -> None:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(msgspec.msgpack.encode(kept))
    data = sink.getvalue().to_pybytes()
    atomic.write_bytes(path, hashlib.sha256(data).digest() + data)


@cache
def _made_by() -> str:
    """Hash of all code that the search text may depend on: of docaudit every file, of its libraries the version."""
    digest = hashlib.sha256()
    root = Path(docaudit.__file__).parent
    for file in sorted(root.rglob("*.py")):
        digest.update(file.read_bytes())
    for library in ("docaudit", *_LIBRARIES):
        digest.update(f"{library} {version(library)}\n".encode())
    return digest.hexdigest()
