"""Write the reference pages from the code: `make docs` after a change of a docstring, an option, a code or a table.

tests/test_docs.py fails while a page differs from the code.
"""

from __future__ import annotations

from pathlib import Path

from reference_pages import codes, commands, justification, ledger, library, store, tables

from docaudit.files import write_text

FOLDER = Path(__file__).parent
PAGES = {
    "blind-spots.md": codes.blind_spots_text,
    "lint.md": codes.lint_text,
    "obligations.md": codes.obligations_text,
    "ledger.md": ledger.ledger_text,
    "reference/commands.md": commands.commands_text,
    "reference/library.md": library.library_text,
    "reference/tables.md": tables.tables_text,
    "reference/store.md": store.store_text,
    "reference/justification.md": justification.justification_text,
}


def main() -> None:
    """Write the pages."""
    for name, text in PAGES.items():
        write_text(FOLDER / name, text())
        print(name)


if __name__ == "__main__":
    main()
