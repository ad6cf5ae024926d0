"""A store with every outcome, names that are hard, a table that changed, and a document that came later."""

from __future__ import annotations

from pathlib import Path

from docaudit.concepts.model import ConceptTable
from tests import pdfs
from tests.corpora import run_here

QUESTION = "Where are the cranes?"
CRANES = ConceptTable.from_variants({"cranes": ["crane"]})
"""Cranes are in PROSE."""
WATER = ConceptTable.from_variants({"dredging": ["dredging"], "submarine": ["submarine"]})
LONG = "a name that goes on and on so that no column of a terminal can hold it as it is, to the end"
PROSE = pdfs.text(*pdfs.PROSE)


def make_store(root: Path) -> Path:
    """A store of six documents: see the assertions of tests/test_corpus_show.py for what is in it."""
    folder, store = root / "documents", root / "store"
    folder.mkdir()
    quiet = pdfs.text("Nothing of the kind is on this page of the record.", "It goes on for a second line.")
    files = {
        "=HYPERLINK(1).pdf": pdfs.document(PROSE, PROSE),
        "<b>quiet & co.pdf": pdfs.document(quiet),
        f"{LONG}.pdf": pdfs.document(quiet, pdfs.scan("Cranes of the northern quay")),
        "broken.pdf": b"no pdf at all",
        "電力報告書.pdf": pdfs.document(pdfs.japanese("電力の消費量は増えている。")),
        "notes.txt": b"no document",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    old = ConceptTable.from_variants({"cranes": ["cranes on the quay"]})
    run_here(folder, store, tables={"machines": old})
    run_here(folder, store, tables={"machines": CRANES, "water": WATER})
    (folder / "later.pdf").write_bytes(pdfs.document(quiet, PROSE))
    run_here(folder, store, tables={"machines": CRANES}, question=QUESTION)
    return store
