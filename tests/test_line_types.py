"""line_type by the plain rules of docaudit.extract.line_types, on pages laid out as people lay them out."""

from __future__ import annotations

import pandas as pd
import pymupdf
import pytest

from docaudit.codes import LineType
from tests import pdfs
from tests.conftest import parse_once

BODY = [*pdfs.PROSE, *pdfs.PROSE]


def layout(number: int) -> pdfs.Draw:
    def draw(page: pymupdf.Page) -> None:
        pdfs.write(page, ["Harbour Authority Yearly Statement"], y=40, size=9)
        pdfs.write(page, [f"{number}"], x=290, y=810, size=9)
        pdfs.write(page, [f"Chapter title {number}"], y=100, size=18)
        pdfs.write(page, BODY, y=140)
        pdfs.write(
            page, ["- first bullet", "· second bullet", "(a) lettered entry", "1) numbered entry"], y=330
        )
        pdfs.write(
            page,
            [f"Figure {number}.A: Passengers by island", f"Table {number}. Dredging by month"],
            y=420,
            step=30,
        )
        for row in range(3):
            for column, cell in enumerate(("January", "12.5", "13.9")):
                pdfs.write(page, [cell], x=72 + 130 * column, y=500 + 20 * row)
        pdfs.write(
            page, ["1 Source: regional council, own counting.", "2 Without the inner basin."], y=700, size=8
        )
        pdfs.write(page, ["A bold heading of its own"], y=610, fontname="hebo")

    return draw


@pytest.fixture(scope="module")
def lines() -> pd.DataFrame:
    return parse_once(
        pdfs.document(layout(1), layout(2), pdfs.japanese("第３章 総則", "図１ 体制", "・一つ目の項目"))
    ).line_df


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Harbour Authority Yearly Statement", LineType.HEADER),
        ("1", LineType.FOOTER),
        ("2", LineType.FOOTER),
        ("Chapter title 1", LineType.HEADING),
        ("A bold heading of its own", LineType.HEADING),
        ("- first bullet", LineType.LIST),
        ("· second bullet", LineType.LIST),
        ("(a) lettered entry", LineType.LIST),
        ("1) numbered entry", LineType.LIST),
        ("Figure 1.A: Passengers by island", LineType.CAPTION),
        ("Table 2. Dredging by month", LineType.CAPTION),
        ("January", LineType.TABLE),
        ("12.5", LineType.TABLE),
        ("1 Source: regional council, own counting.", LineType.FOOTNOTE),
        ("2 Without the inner basin.", LineType.FOOTNOTE),
        (pdfs.PROSE[0], LineType.BODY),
        (pdfs.PROSE[4], LineType.BODY),
        ("図１ 体制", LineType.CAPTION),
        ("・一つ目の項目", LineType.LIST),
        ("第３章 総則", LineType.HEADING),
    ],
)
def test_type(lines: pd.DataFrame, text: str, kind: LineType) -> None:
    found = set(lines.loc[lines["text"].str.strip() == text, "line_type"])
    assert found == {kind.value}


def test_no_line_is_lost_or_renamed_by_its_type(lines: pd.DataFrame) -> None:
    assert set(lines["line_type"]) <= {kind.value for kind in LineType}
    assert (lines["page_num"] == 1).sum() == 3 + len(BODY) + 4 + 2 + 9 + 2 + 1
