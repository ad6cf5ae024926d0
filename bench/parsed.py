"""Documents of a folder as tables, parsed once and kept: benches measure the search, not the parser."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import docaudit
from docaudit.errors import DocauditError
from docaudit.parsed import ParsedDocument


def parsed_documents(
    folder: Path, cache: Path, limit: int | None = None
) -> Iterator[tuple[Path, ParsedDocument]]:
    """The first documents of a folder by name, as far as docaudit reads them; saved parses are taken from the cache."""
    for file in sorted(folder.glob("*.pdf"))[:limit]:
        saved = cache / f"{file.stem}-{hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"
        try:
            if not saved.exists():
                docaudit.parse(file, ocr="off").save(saved)
            yield file, ParsedDocument.load(saved)
        except DocauditError as error:
            print(f"left out: {error}")
