"""What `docaudit coverage` keeps: JSON, the page map, and tables for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from docaudit import atomic
from docaudit.readability import CorpusReadability
from docaudit.render.folder import BYTE_ORDER_MARK
from docaudit.render.page_map import Thumbnails, to_html
from docaudit.render.tables import BLIND_SPOT_COLUMNS, blind_spot_rows, table_csv

PAGE_COLUMNS = (
    "page_num",
    "label",
    "state",
    "read_in_full",
    "ink_read_share",
    "blind_spots",
    "kinds",
    "warnings",
)


def dump(corpus: CorpusReadability) -> str:
    """JSON with the same bytes for the same documents; schemas/coverage.schema.json says what is in it."""
    data = corpus.model_dump(mode="json")
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write(
    corpus: CorpusReadability,
    thumbnails: Sequence[Thumbnails],
    *,
    html: Path | None = None,
    folder: Path | None = None,
) -> list[Path]:
    """Write the page map, the folder, or both; raises OutputError. Each file appears whole or not at all."""
    texts: dict[Path, str] = {}
    if html is not None or folder is not None:
        page_map = to_html(corpus, thumbnails)
        texts |= {html: page_map} if html is not None else {}
        texts |= {} if folder is None else _files(corpus, page_map, folder)
    for path, text in texts.items():
        atomic.write_text(path, text)
    return list(texts)


def _files(corpus: CorpusReadability, page_map: str, folder: Path) -> dict[Path, str]:
    return {
        folder / "coverage.json": dump(corpus),
        folder / "page_map.html": page_map,
        folder / "pages.csv": BYTE_ORDER_MARK + table_csv(("document", *PAGE_COLUMNS), _pages(corpus)),
        folder / "blind_spots.csv": BYTE_ORDER_MARK
        + table_csv(("document", *BLIND_SPOT_COLUMNS), _blind_spots(corpus)),
    }


def _pages(corpus: CorpusReadability) -> Iterator[tuple[object, ...]]:
    for document in corpus.documents:
        for page in document.pages:
            kinds = [spot.kind.value for spot in document.blind_spots if spot.page_num == page.page_num]
            yield (
                document.document.name,
                page.page_num,
                page.label,
                page.state.value,
                page.read_in_full,
                page.ink_read_share,
                len(kinds),
                " ".join(dict.fromkeys(kinds)),
                page.warnings,
            )


def _blind_spots(corpus: CorpusReadability) -> Iterator[tuple[object, ...]]:
    for document in corpus.documents:
        for row in blind_spot_rows(document.blind_spots, ocr=document.options.ocr != "off"):
            yield (document.document.name, *row)
