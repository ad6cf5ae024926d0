"""Count again, with PDFium and plain string search, what the expected files say about the samples.

This shares no code with docaudit and none with the generators: a second witness. It exits with 1 and one
line for each disagreement.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium

HERE = Path(__file__).resolve().parent
LIMIT_BYTES = 3_000_000
FORBIDDEN_IN_REPORT = re.compile(
    r"\bai\b|artificial intelligence|machine learning|deep learning|neural|genai|\bllms?\b|language model"
    r"|data ?cent|server farm|hyperscal"
)


def page_texts(path: Path) -> list[str]:
    """Text of each page, normalized, with words divided at a line end joined (PDFium marks them U+FFFE)."""
    with pdfium.PdfDocument(path) as document:
        raw = [page.get_textpage().get_text_range() for page in document]
    return [re.sub(r"\ufffe(\r\n)?", "", unicodedata.normalize("NFKC", text)) for text in raw]


def outline_and_metadata(path: Path) -> str:
    """Everything outside the pages that a reader may see."""
    with pdfium.PdfDocument(path) as document:
        titles = [item.get_title() for item in document.get_toc()]
        return " ".join([*titles, *map(str, document.get_metadata_dict().values())])


def pattern(row: dict[str, str]) -> re.Pattern[str]:
    """A plain reading of one row of a concept table."""
    body = (
        r"\s*".join(map(re.escape, row["variant"]))
        if not row["variant"].isascii()
        else (r"\s+".join(map(re.escape, row["variant"].split())))
    )
    if row["match"] in ("word", "prefix"):
        body = r"\b" + body + (r"\b" if row["match"] == "word" and row["inflect"] == "off" else "")
    return re.compile(body, 0 if row["case"] == "sensitive" else re.IGNORECASE)


def count(texts: list[str], table: Path) -> dict[str, dict[str, int]]:
    """Hits by concept and physical page; proposed and rejected rows are not searched."""
    found: dict[str, dict[str, int]] = {}
    with table.open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["status"] == "accepted"]
    for row in rows:
        pages = found.setdefault(row["concept"], {})
        for number, text in enumerate(texts, 1):
            hits = len(pattern(row).findall(text))
            if hits:
                pages[str(number)] = pages.get(str(number), 0) + hits
    return found


def problems(expected: dict[str, Any]) -> list[str]:
    """Disagreements between one expected file and its document."""
    path = HERE / expected["document"]
    texts = page_texts(path)
    found = count(texts, HERE / expected["table"])
    out = []
    if len(texts) != expected["pages_total"]:
        out.append(f"{len(texts)} pages, expected {expected['pages_total']}")
    for concept, pages in expected["hit_pages"].items():
        links = expected.get("hits_in_links", {}).get(concept, {})
        on_pages = {number: count - links.get(number, 0) for number, count in pages.items() if number != "0"}
        if found[concept] != on_pages or sum(pages.values()) != expected["concept_hits"][concept]:
            out.append(f"{concept}: {found[concept]}, expected {pages}")
    for number in expected.get("scanned_pages", []):
        if texts[number - 1].strip():
            out.append(f"page {number} should have no text layer")
    if path.stat().st_size > LIMIT_BYTES:
        out.append(f"{path.stat().st_size} bytes are too many")
    return out


def report_problems() -> list[str]:
    """Words that must not be anywhere in the commodity report, not even in bookmarks or metadata."""
    path = HERE / "commodity-report.pdf"
    outside = outline_and_metadata(path).lower()
    text = " ".join(page_texts(path)).lower()
    out = [f"forbidden word {match!r}" for match in FORBIDDEN_IN_REPORT.findall(text + " " + outside)]
    if "electric" in outside or text.count("electric") != text.count("electricity"):
        out.append("a form of 'electric' outside the counted hits")
    return out


def main() -> int:
    """Check every expected file; print each disagreement."""
    bad = [("commodity-report", line) for line in report_problems()]
    for file in sorted((HERE / "expected").glob("*.json")):
        bad += [(file.name, line) for line in problems(json.loads(file.read_text(encoding="utf-8")))]
    for name, line in bad:
        print(f"{name}: {line}")
    print(f"{len(bad)} disagreements")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
