"""Snippets: what is kept of a line, and where reports mark that it goes on."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docaudit
from docaudit.render.html import to_html
from docaudit.render.markdown import to_markdown
from docaudit.render.tables import hits_csv
from docaudit.render.terminal import to_text
from docaudit.text.words import SNIPPET_CHARS, window, with_ellipses
from tests import pdfs

LONG = "Indicate by check mark whether the registrant is a well-known issuer of so many words that no snippet holds, "
LINE = LONG + "and whether it uses electricity of its own or of others, " + LONG + "which is the end."


@given(st.integers(0, 400), st.integers(0, 400))
def test_marks_tell_what_was_cut(before: int, after: int) -> None:
    line = "b" * before + "MATCH" + "a" * after
    kept = window(line, before, before + 5)
    assert "MATCH" in kept
    assert kept in line
    marked = with_ellipses(kept, "MATCH")
    assert marked.strip("…") == kept
    middle = (SNIPPET_CHARS - 5) // 2
    # A line that is exactly as long as its window cannot be told from a longer one.
    if before not in (middle, SNIPPET_CHARS - 5 - after) and after != SNIPPET_CHARS - 5 - middle:
        assert marked.startswith("…") == (not line.startswith(kept))
        assert marked.endswith("…") == (not line.endswith(kept))


def test_each_line_of_a_snippet_is_marked_by_itself() -> None:
    one, other = "x" * 300 + " electric", "power " + "y" * 20
    snippet = "\n".join([window(one, 301, 309, 80), window(other, 0, 5, 80)])
    first, second = with_ellipses(snippet, "electric\npower").split("\n")
    assert first.startswith("…x")
    assert first.endswith("electric")
    assert second == other


@pytest.mark.parametrize("form", ["html", "markdown", "csv", "text"])
def test_reports_mark_where_the_line_goes_on(form: str) -> None:
    data = pdfs.document(pdfs.text(LINE, "Short: electricity.", size=2))
    table = docaudit.ConceptTable.from_variants({"power": ["electricity"]})
    j = docaudit.audit(data, table, ocr="off")
    long, short = (hit.snippet for hit in j.hits)
    assert long in LINE
    assert not long.startswith(LINE[:3])
    assert "…" not in long
    made = {
        "html": to_html,
        "markdown": to_markdown,
        "csv": lambda j: hits_csv(j.hits),
        "text": lambda j: to_text(j, width=400),
    }
    said = made[form](j)
    if form == "text":  # the terminal cuts once more
        (line, *_) = [line for line in said.splitlines() if "of its own" in line]
        assert line.count("…") == 2
    else:
        assert f"…{long[:12]}" in said
        assert f"{long[-12:].rstrip()}…" in said.replace(" …", "…")
    assert f"…{short[:5]}" not in said
    assert f"{short}…" not in said
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(said)))
        assert [row["snippet"] for row in rows] == [f"…{long}…", short]
