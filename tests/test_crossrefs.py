"""Named objects and the mentions of them: what resolves, what stays open, what is said to be elsewhere."""

from __future__ import annotations

import pandas as pd
import pymupdf
import pytest

from docaudit.extract.cross_refs import objects_and_refs
from docaudit.extract.named_objects import mentions
from docaudit.tables import CROSS_REF_DF, OBJECT_REGISTRY
from tests import pdfs
from tests.conftest import parse_once
from tests.lines_helper import page_of, table


def named(text: str) -> list[tuple[str, str]]:
    return [(mention.object_type, mention.object_id) for mention in mentions(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see Figures 3.D and 4", [("figure", "3.D"), ("figure", "4")]),
        ("Boxes 1–3 show", [("box", "1"), ("box", "2"), ("box", "3")]),
        ("in Table A1 and", [("table", "A1")]),
        ("in Table A.1 and", [("table", "A1")]),
        ("as Annex B says", [("annex", "B")]),
        ("see Exhibit 10.1", [("exhibit", "10.1")]),
        ("Tables 2, 3 and 5", [("table", "2"), ("table", "3"), ("table", "5")]),
        ("Figures 2 through 4", [("figure", "2"), ("figure", "3"), ("figure", "4")]),
        ("Figs. 1 & 2", [("figure", "1"), ("figure", "2")]),
        ("Fig. 7a", [("figure", "7.A")]),
        ("Table 3-1", [("table", "3-1")]),
        ("Appendices A and B", [("appendix", "A"), ("appendix", "B")]),
        ("section 4.2.1", [("section", "4.2.1")]),
        ("§ 230", [("section", "230")]),
        ("図3を参照", [("図", "3")]),
        ("表１に示す", [("表", "1")]),
        ("別紙2のとおり", [("別紙", "2")]),
        ("図3及び別紙２", [("図", "3"), ("別紙", "2")]),
        ("第１２条による", [("条", "12")]),
        ("第十二条による", [("条", "12")]),
        ("the figure of merit and the table are set", []),
        ("configure 4 of them", []),
        ("tables turned", []),
        ("発表1回", []),
    ],
)
def test_mentions(text: str, expected: list[tuple[str, str]]) -> None:
    assert named(text) == expected


def lines_of(*texts: str, page: int = 1) -> list[dict[str, object]]:
    """Lines of one page, each a block of its own; a caption or heading by its text, as in a parsed page."""
    rows = page_of(*texts, page=page)
    for number, row in enumerate(rows, 1):
        row["block_num"] = number
        row["bold"] = False
        if str(row["text"]).startswith(("Figure", "Table", "Box")):
            row["line_type"] = "caption"
    return rows


def both(*texts: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    objects, refs = objects_and_refs(table(lines_of(*texts)))
    return OBJECT_REGISTRY.check(objects), CROSS_REF_DF.check(refs)


def unresolved(refs: pd.DataFrame) -> list[tuple[str, str]]:
    left = refs[~refs["resolved"] & (refs["scope"] == "internal")]
    return list(zip(left["ref_type"], left["ref_id"], strict=True))


def test_missing_appendix_gives_exactly_one_unresolved() -> None:
    _, refs = both(
        "For the method see Appendix B of this report and the text.",
        "Figure 1: Ferries",
        "As Figure 1 shows, it grew.",
    )
    assert unresolved(refs) == [("appendix", "B")]
    assert len(refs) == 2


def test_a_panel_is_not_resolved_by_its_figure() -> None:
    objects, refs = both(
        "Figure 3: Passengers by island",
        "The rise in Figure 3.D is steep.",
        "It is seen in Figure 3 as well.",
    )
    assert objects[["object_type", "object_id"]].values.tolist() == [["figure", "3"]]
    assert unresolved(refs) == [("figure", "3.D")]


def test_a_panel_with_its_own_caption_resolves() -> None:
    _, refs = both("Figure 3.D: Passengers by island", "The rise in Figure 3.D is steep.")
    assert unresolved(refs) == []
    assert refs["resolved"].tolist() == [True]


def test_captions_do_not_mention_themselves() -> None:
    objects, refs = both(
        "Table A1: Cranes", "Box 2. Why ferries matter", "Exhibit 10.1 Lease", "Annex B Statistics"
    )
    assert objects[["object_type", "object_id"]].values.tolist() == [
        ["table", "A1"],
        ["box", "2"],
        ["exhibit", "10.1"],
        ["annex", "B"],
    ]
    assert refs.empty


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Annex B describes the method in full.", ("annex", "B")),
        ("Appendix C has all of the figures.", ("appendix", "C")),
        ("別紙2のとおりとする。", ("別紙", "2")),
        ("図3及び前項を参照すること。", ("図", "3")),
    ],
)
def test_a_sentence_that_begins_with_an_object_is_not_its_heading(
    text: str, expected: tuple[str, str]
) -> None:
    objects, refs = both(text)
    assert objects.empty
    assert unresolved(refs) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "See Section 12 of the Harbour Act for the duties.",
        "as laid down in Article 5 of Regulation 2019 and elsewhere",
        "the lease (Exhibit 10.4, filed separately) ends",
    ],
)
def test_external(text: str) -> None:
    _, refs = both(text)
    assert refs["scope"].tolist() == ["external"]
    assert unresolved(refs) == []


@pytest.mark.parametrize(
    ("text", "type_and_id"),
    [
        ("Item 4. Mine Safety Disclosures.", ("item", "4")),
        ("Section\xa0101. Substitution of the Issuer under the Indenture.", ("section", "101")),
        ("ARTICLE 7 EARNINGS", ("article", "7")),
        ("別添１ 調査票", ("別添", "1")),
    ],
)
def test_a_heading_with_a_full_stop_is_a_heading(text: str, type_and_id: tuple[str, str]) -> None:
    objects, refs = both(text, f"see {text[:14].split('.')[0]}")
    assert objects[["object_type", "object_id"]].values.tolist() == [list(type_and_id)]
    assert unresolved(refs) == []
    assert refs["resolved"].all()


def test_panels_that_a_caption_names_were_read() -> None:
    objects, refs = both(
        "Figure 2. (A) A ribose zipper; (B–D) others.", "Figure 2A and Figures 2B–2D show it."
    )
    assert {"2", "2.A", "2.B", "2.C", "2.D"} == set(objects["object_id"])
    assert unresolved(refs) == []
    objects, refs = both("Figure 1: A quay", "See Figure 1A.")
    assert objects["object_id"].tolist() == ["1"]  # the article is no panel
    assert unresolved(refs) == [("figure", "1.A")]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("see the Annual Report for 2020 for details", "Annual Report for 2020"),
        ("is incorporated herein by reference to our 2023 Proxy Statement", "2023 Proxy Statement"),
        ("The accounts are published separately.", "published separately"),
        ("詳細は別添のとおり。", "別添"),
    ],
)
def test_other_documents_are_external(text: str, named: str) -> None:
    _, refs = both(text)
    assert refs[["ref_type", "ref_id", "scope"]].values.tolist() == [["document", named, "external"]]
    assert unresolved(refs) == []


@pytest.mark.parametrize(
    "text", ["this Annual Report on Form 10-K is long", "The report was filed on Monday."]
)
def test_the_document_itself_is_no_other(text: str) -> None:
    _, refs = both(text)
    assert refs.empty


@pytest.mark.parametrize("text", ["shown in Supplemental Figure S2 and", "see Supplementary Table S1"])
def test_supplements_are_external(text: str) -> None:
    _, refs = both(text)
    assert refs["scope"].tolist() == ["external"]


def test_a_page_number_below_a_line_is_not_part_of_it() -> None:
    _, refs = both("San Francisco Murals at Rincon Annex", "49")
    assert refs.empty


def test_a_mention_over_two_lines_is_one() -> None:
    rows = page_of("as can be seen in Figure", "12 of this report")
    _, refs = objects_and_refs(table([{**row, "bold": False} for row in rows]))
    assert refs[["ref_type", "ref_id", "line_num"]].values.tolist() == [["figure", "12", 1]]


def test_context_is_the_line_verbatim() -> None:
    line = "See  Table 9 — and nothing else."
    _, refs = both(line)
    assert refs["context"].tolist() == [line]
    assert refs["text"].tolist() == ["Table 9"]


def report(page: pymupdf.Page) -> None:
    pdfs.write(
        page,
        ["Figure 3.D: Passengers", "Figure 4: Cranes", "Box 1: Quays", "Box 2: Basins", "Box 3: Tides"],
        step=40,
    )
    pdfs.write(
        page,
        [
            "Figures 3.D and 4 show it; Boxes 1-3 tell more.",
            "Table A1 is in Annex B, the lease in Appendix C.",
        ],
        y=500,
        step=60,
    )


def test_from_a_real_page() -> None:
    parsed = parse_once(
        pdfs.document(
            report, pdfs.japanese("図3 体制図", "図3及び表１を参照すること。", "別紙2のとおりとする。")
        )
    )
    found = set(zip(parsed.object_registry["object_type"], parsed.object_registry["object_id"], strict=True))
    assert found == {
        ("figure", "3.D"),
        ("figure", "4"),
        ("box", "1"),
        ("box", "2"),
        ("box", "3"),
        ("図", "3"),
    }
    refs = parsed.cross_ref_df
    assert set(unresolved(refs)) == {
        ("table", "A1"),
        ("annex", "B"),
        ("appendix", "C"),
        ("表", "1"),
        ("別紙", "2"),
    }
    assert parsed.coverage.unresolved_cross_refs == (
        "table A1 (page 1)", "annex B (page 1)", "appendix C (page 1)", "表 1 (page 2)", "別紙 2 (page 2)",
    )  # fmt: skip
    assert (
        parsed.coverage.cross_refs_total == len(refs) == 11
    )  # 2 figures, 3 boxes, table, annex, appendix; 図 表 別紙


def test_lettered_appendices_come_in_the_order_of_the_document() -> None:
    """In a set their order would be another one in each process."""
    rows = lines_of(*(f"{letter}.1 Data of this part" for letter in "ABCDEFGH"))
    for row in rows:
        row["line_type"] = "heading"
    objects, _ = objects_and_refs(table(rows))
    found = objects.loc[objects["object_type"] == "appendix", "object_id"].tolist()
    assert found == [f"{letter}1" for letter in "ABCDEFGH"]
