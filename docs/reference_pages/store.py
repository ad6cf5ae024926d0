"""The page about the tables of a store: names, types and meanings of all columns."""

from __future__ import annotations

from docaudit.corpus.audits import STORE_TABLES
from docaudit.corpus.store import FailureCode
from reference_pages.markdown import page, row, table

HEAD = """# Tables of a store

`docaudit corpus run` writes them into `STORE/tables` ([how to run it](../corpus.md)). `documents`, `paths`, `audits`,
`pages` and `blind_spots` are one Parquet file each; `findings`, `cells` and `hits` are a folder with one file for each
audit, named by its key. Rows are sorted by hash. Texts that are not there are empty; numbers that were not measured are
null. A document that could not be read has its rows in `findings` and `cells`, with the finding `error`: what was not
searched must not look like what was not found.

To `docaudit corpus query` the tables `findings`, `cells` and `hits` are those of the current audits, as to `docaudit
corpus show`: `all_findings`, `all_cells` and `all_hits` have the same columns, and also the rows of concept tables that
were edited since. A document with `n_paths` 0 is in no source any more.

This page is written by docs/generate.py from docaudit/corpus.
"""


def store_text() -> str:
    """The reference page of the store."""
    lines = [HEAD]
    for contract in STORE_TABLES.values():
        lines += [f"## {contract.name}", "", f"One row is {contract.row}.", ""]
        lines += table("column", "type", "meaning")
        lines += [row(f"`{one.name}`", one.dtype, one.meaning) for one in contract.fields]
        lines.append("")
    lines += ["## Codes of failures", "", *table("code", "what came in the way")]
    lines += [row(f"`{code.value}`", code.meaning) for code in FailureCode]
    return page(lines)
