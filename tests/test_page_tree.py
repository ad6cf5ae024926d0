"""Page trees that are wrong: a bad entry costs itself and no other page, whatever the counts say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest

from docaudit.document import ParsedDocument
from tests import pdfs
from tests.conftest import Parse

WORDS = ["first page", "second page", "third page"]
THREE = pdfs.document(*(pdfs.text(word) for word in WORDS))
PLAIN = pdfs.plain(*(pdfs.text(word) for word in WORDS))
KIDS = re.compile(rb"/Kids\[([^\]]*)\]")
Name, Array, Dictionary = pikepdf.Name, pikepdf.Array, pikepdf.Dictionary

BAD: dict[str, Callable[[pikepdf.Pdf], Any]] = {
    "null": lambda pdf: None,
    "number": lambda pdf: 5,
    "name": lambda pdf: Name.Page,
    "number as an object": lambda pdf: pdf.make_indirect(5),
    "list as an object": lambda pdf: pdf.make_indirect(Array([])),
    "stream": lambda pdf: pdf.make_stream(b"x"),
    "font": lambda pdf: pdf.make_indirect(Dictionary(Type=Name.Font)),
    "nothing": lambda pdf: pdf.make_indirect(Dictionary()),
    "catalog": lambda pdf: pdf.Root,
}


def lost(parsed: ParsedDocument) -> list[list[Any]]:
    return parsed.blind_spot_df[["page_num", "kind"]].values.tolist()


@pytest.mark.parametrize("claimed", [3, 4])
@pytest.mark.parametrize("bad", BAD)
def test_bad_entry_costs_one_row(parse: Parse, bad: str, claimed: int) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.Root.Pages.Kids.insert(1, BAD[bad](pdf))
        pdf.Root.Pages.Count = claimed

    parsed = parse(pdfs.changed(THREE, change))
    assert parsed.page_df["state"].tolist() == ["text", "failed", "text", "text"]
    assert parsed.line_df["text"].tolist() == WORDS
    assert parsed.line_df["page_num"].tolist() == [1, 3, 4]
    assert lost(parsed) == [[2, "page_unreachable"]]


@pytest.mark.parametrize("entry", [b"999 0 R ", b"-4 0 R ", b"0 0 R ", b"99999999999 0 R "])
def test_entry_that_leads_nowhere(parse: Parse, entry: bytes) -> None:
    parsed = parse(KIDS.sub(rb"/Kids[" + entry + rb"\1]", PLAIN))
    assert parsed.page_df["state"].tolist() == ["failed", "text", "text", "text"]
    assert parsed.line_df["text"].tolist() == WORDS
    assert lost(parsed) == [[1, "page_unreachable"]]


def test_page_written_into_the_list(parse: Parse) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[2].obj
        inline = Dictionary({key: value for key, value in page.items() if key != "/Parent"})
        pdf.Root.Pages.Kids[2] = inline

    parsed = parse(pdfs.changed(THREE, change))
    assert parsed.line_df["text"].tolist() == WORDS
    assert parsed.page_df["state"].tolist() == ["text"] * 3


@pytest.mark.parametrize("sort", [None, Name.Font])
def test_page_without_its_type(parse: Parse, sort: Any) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        if sort is None:
            del page["/Type"]
        else:
            page.Type = sort

    assert parse(pdfs.changed(THREE, change)).line_df["text"].tolist() == WORDS


@pytest.mark.parametrize("count", [0, 1, 3, -1, 2**31])
def test_lying_count_of_an_inner_node(parse: Parse, count: int) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        root = pdf.Root.Pages
        inner = Dictionary(
            Type=Name.Pages, Count=count, Kids=Array([root.Kids[0], root.Kids[1]]), Parent=root
        )
        root.Kids = Array([pdf.make_indirect(inner), root.Kids[2]])

    parsed = parse(pdfs.changed(THREE, change))
    assert parsed.line_df["text"].tolist() == WORDS
    assert parsed.page_df["page_num"].tolist() == [1, 2, 3]


def test_tree_of_3000_levels(parse: Parse) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        node = pdf.Root.Pages.Kids[1]
        for _ in range(3000):
            node = pdf.make_indirect(Dictionary(Type=Name.Pages, Count=1, Kids=Array([node])))
        pdf.Root.Pages.Kids[1] = node

    assert parse(pdfs.changed(THREE, change)).line_df["text"].tolist() == WORDS


@pytest.mark.parametrize("instead", [rb"/Kidz[\1]", rb"/Kids 55", rb"/Kids 4 0 R"])
def test_tree_without_its_list_still_has_its_pages(parse: Parse, instead: bytes) -> None:
    assert parse(KIDS.sub(instead, PLAIN)).line_df["text"].tolist() == WORDS


def test_endless_tree_of_the_same_page(parse: Parse) -> None:
    """A few hundred bytes that claim a million pages: each node lists the next one a hundred times."""

    def change(pdf: pikepdf.Pdf) -> None:
        node = pdf.Root.Pages.Kids[0]
        for level in range(1, 4):
            kids = Array([node] * 100)
            node = pdf.make_indirect(Dictionary(Type=Name.Pages, Count=100**level, Kids=kids))
        pdf.Root.Pages.Kids = Array([node])
        pdf.Root.Pages.Count = 100**3

    parsed = parse(pdfs.changed(THREE, change), document_seconds=20)
    pages = parsed.page_df
    assert pages["page_num"].tolist() == list(range(1, len(pages) + 1))
    assert set(pages["state"]) <= {"text", "failed"}
    assert pages["state"][0] == "text"
