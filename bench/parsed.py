"""Documents of a folder as tables, parsed once and kept: benches measure the search, not the parser."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import docaudit
from docaudit.document import ParsedDocument
from docaudit.errors import DocauditError


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


def documents_in(
    folder: Path, cache: Path, names: Sequence[str] | None = None
) -> Iterator[tuple[str, ParsedDocument]]:
    """The documents of a folder of PDFs or of saved parses, by name; of all names, or those with one of these parts."""

    def wanted(name: str) -> bool:
        return not names or any(part.removesuffix(".pdf") in name for part in names)

    for file in sorted(folder.glob("*/document.json")):
        if wanted(file.parent.name):
            parsed = ParsedDocument.load(file.parent)
            yield parsed.identity.name, parsed
    for path in sorted(folder.glob("*.pdf")):
        if wanted(path.name):
            saved = cache / f"{path.stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
            if not saved.exists():
                docaudit.parse(path, ocr="off").save(saved)
            yield path.name, ParsedDocument.load(saved)
