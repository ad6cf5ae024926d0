"""Write docs/blind-spots.md from the code: `make docs` after a change of a kind of blind spot.

tests/test_docs.py fails while the page differs from the code.
"""

from __future__ import annotations

from pathlib import Path

from docaudit.atomic import write_text
from docaudit.justification import Obligation
from docaudit.obligations import PAGE_KINDS, PART_KINDS, REGION_KINDS
from docaudit.reasons import BlindSpotKind
from docaudit.render.words import OBLIGATIONS

FILE = Path(__file__).parent / "blind-spots.md"
GROUPS = (
    (
        "Ink on a page",
        Obligation.INK_READ,
        REGION_KINDS,
        "A region of a page that shows something, and no text that was read explains it.",
    ),
    (
        "Whole pages",
        Obligation.PAGES_READABLE,
        PAGE_KINDS,
        "The page, or a part of it that cannot be told, was not read. Its row in the page table is never missing.",
    ),
    (
        "Parts of the file beside its pages",
        Obligation.PARTS_OPENED,
        PART_KINDS,
        "They belong to the document though no page shows them, or only on demand.",
    ),
)


def page_text() -> str:
    """The reference page."""
    lines = [
        "# Blind spots",
        "",
        "Everything that docaudit did not read has a code. The codes stand in `blind_spot_df`, in every justification",
        "and in every report, and never change their meaning. `docaudit explain CODE` prints the same on a terminal.",
        "",
        "Each blind spot also says whether text is likely in it (`yes`, `unknown`, `no`). With `yes` or `unknown` the",
        "obligation named below is unmet, and absence is not established. With `no` it is listed and does no harm.",
        "",
        "This page is written by docs/generate.py from docaudit/reasons.py.",
    ]
    for title, obligation, kinds, what in GROUPS:
        lines += [
            "",
            f"## {title}",
            "",
            f"{what} Obligation: `{obligation.value}` ({OBLIGATIONS[obligation]}).",
            "",
        ]
        lines += ["| code | meaning | what settles it |", "|---|---|---|"]
        lines += [row(kind) for kind in BlindSpotKind if kind in kinds]
    return "\n".join(lines) + "\n"


def row(kind: BlindSpotKind) -> str:
    """One kind as a row of its table."""
    after = kind.remedy_after(ocr=True)
    remedy = kind.remedy if after == kind.remedy else f"{kind.remedy}; where OCR was run: {after}"
    return f"| `{kind.value}` | {kind.meaning} | {remedy} |"


def main() -> None:
    """Write the page."""
    write_text(FILE, page_text())
    print(FILE.name)


if __name__ == "__main__":
    main()
