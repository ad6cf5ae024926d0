"""Markdown, workbook and search record: escaped, complete, safe to open, and the same bytes each time."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re

import openpyxl
import pytest

from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.render.markdown import escaped, to_markdown, to_search_record
from docaudit.render.tables import NOT_SEARCHED, TERM_COLUMNS, Sheet, search_terms_csv, sheets
from docaudit.render.workbook import workbook
from tests.factories import TABLE, absent, hit, japanese, meeting, mentioned, not_established, spot

EVIL = "a|b\n# head *bold* <img src=x> [link](http://evil.invalid) `code` @someone www.evil.invalid"


def opened(data: bytes) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(data))


def reviewed() -> ConceptTable:
    rows = [
        v.model_copy(update={"reviewer": "kim", "date": "2026-02-03", "source": "IEA"})
        for v in TABLE.variants
    ]
    rows[0] = rows[0].model_copy(update={"reviewer": "", "date": "", "source": ""})
    return ConceptTable(variants=(*rows, Variant(concept="AI", text="neural net", status="rejected")))


class TestMarkdown:
    @pytest.mark.parametrize("language", ["en", "ja"])
    @pytest.mark.parametrize("make", [absent, not_established, mentioned, meeting, japanese])
    def test_everything_that_a_ticket_needs(self, make, language: str) -> None:
        j = make()
        text = to_markdown(j, language)
        assert text.count("\n# ") + text.startswith("# ") == 1
        assert j.document.sha256 in text
        assert sum(text.count(mark) for mark in ("\n- ✓", "\n- ✗", "\n- ~", "\n- –")) == len(j.obligations)
        for concept in j.concept_hits:
            assert f"| {concept} | {j.concept_hits[concept]} |" in text
        for one in j.hits:
            assert f"**{one.match_text}**" in text

    def test_each_row_of_a_table_has_as_many_cells_as_its_head(self) -> None:
        table = ConceptTable(variants=(Variant(concept="a|b", text="x|y"),))
        ledger = (absent().ledger[0].model_copy(update={"concept": "a|b", "variant": "x|y"}),)
        counted = {"concept_hits": {"a|b": 0}, "concept_pages": {"a|b": ()}, "hits": (), "required": ("a|b",)}
        j = absent(concept_table=table, ledger=ledger, **counted)
        rows = [line for line in to_markdown(j).splitlines() if line.startswith("|")]
        cells = [len(re.findall(r"(?<!\\)\|", line)) for line in rows]
        assert r"| a\|b | 0 |" in to_markdown(j)
        assert cells[:3] == [5, 5, 5]

    def test_text_of_the_document_is_text(self) -> None:
        text = to_markdown(absent(hits=(hit(snippet=EVIL, match_text="code"),), question=EVIL))
        assert "\n# head" not in text
        assert not re.search(r"(?<!\\)<img", text)
        assert not re.search(r"(?<!\\)\[link", text)
        assert "http://" not in text
        assert "@someone" not in text
        assert "www.evil" not in text

    def test_numbers_stay_as_they_are_and_lists_do_not_begin(self) -> None:
        assert escaped("99.6 % of it") == "99.6 % of it"
        assert escaped("- 1. x") == r"\- 1. x"
        assert escaped("12. x") == r"12\. x"

    def test_hits_that_are_not_shown_are_counted(self) -> None:
        text = to_markdown(absent(hits=tuple(hit(line_num=n, line_end=n) for n in range(60))))
        assert text.count("**electricity**") == 50 + len(absent().closest_mentions)
        assert "… 10 more hits: all of them are in hits.csv and report.html" in text


class TestSearchTerms:
    def test_one_row_for_each_row_of_the_table(self) -> None:
        j = absent(concept_table=reviewed())
        rows = list(csv.DictReader(io.StringIO(search_terms_csv(j))))
        assert tuple(rows[0]) == TERM_COLUMNS
        assert [(row["concept"], row["variant"]) for row in rows] == [
            (v.concept, v.text) for v in reviewed().variants
        ]
        found = next(row for row in rows if row["variant"] == "electricity")
        counts = [found[name] for name in ("hits", "pages_with_hits", "unique_hits", "state")]
        assert counts == ["7", "2", "7", "searched"]
        assert (found["reviewer"], found["date"], found["source"]) == ("kim", "2026-02-03", "IEA")
        rejected = rows[-1]
        assert (rejected["state"], rejected["hits"], rejected["status"]) == (NOT_SEARCHED, "", "rejected")

    def test_sheets_hold_what_was_counted(self) -> None:
        j = not_established()
        book = opened(workbook(sheets(j)))
        assert book.sheetnames == ["terms", "concepts", "obligations", "blind spots", "document"]
        assert [sheet.max_row - 1 for sheet in book][:4] == [
            len(j.concept_table.variants),
            3,
            len(j.obligations),
            len(j.blind_spots),
        ]
        known = {row[0]: row[1] for row in book["document"].iter_rows(values_only=True)}
        assert known["finding"] == "not_established"
        assert known["sha256"] == j.document.sha256
        assert book["concepts"]["B4"].value == 7

    def test_head_stays_in_sight_and_columns_fit(self) -> None:
        for sheet in opened(workbook(sheets(not_established()))):
            assert sheet.freeze_panes == "A2"
            assert all(cell.font.bold for cell in sheet[1])
            for column in sheet.iter_cols():
                longest = max(len(str(cell.value or "")) for cell in column)
                assert sheet.column_dimensions[column[0].column_letter].width >= min(longest, 60)

    @pytest.mark.parametrize(
        "text", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://evil.invalid")', "\t=1"]
    )
    def test_no_formula(self, text: str) -> None:
        book = opened(workbook([Sheet("s", ("a",), [(text,)])]))
        cell = book["s"]["A2"]
        assert cell.data_type == "s"
        assert cell.value == text
        assert cell.quotePrefix

    def test_signs_and_lengths_that_no_sheet_takes(self) -> None:
        book = opened(workbook([Sheet("s", ("a",), [("a\x00b\x1b\ud800",), ("x" * 40_000,)])]))
        assert book["s"]["A2"].value == "a\ufffdb\ufffd\ufffd"
        cut = book["s"]["A3"].value
        assert len(cut) == 32_767
        assert cut.endswith("(40,000 characters in all: see justification.json)")

    def test_same_bytes_each_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert workbook(sheets(not_established())) == workbook(sheets(not_established()))
        data = workbook(sheets(absent(blind_spots=(spot(1, detail="=1"),))))
        assert str(dt.date.today().year).encode() not in data[:2000]


class TestSearchRecord:
    def test_it_says_what_the_evidence_carries(self) -> None:
        j = not_established(concept_table=reviewed())
        text = to_search_record(j, "en")
        assert "Not recorded: a justification is the same on every day." in text
        assert "15 of 16 variants were decided on by a named reviewer: kim (15)." in text
        assert "Decided from 2026-02-03 to 2026-02-03." in text
        assert "reviewed by another person is not recorded" in text
        assert "names, with the number of variants: IEA (15)." in text
        for row in j.ledger:
            assert f"`{row.pattern}`" in text
        assert "`image_only_page`: 7 blind spots, pages 58–64" in text
        assert "classification" in text

    def test_the_strategy_names_the_question_and_groups_variants_by_concept(self) -> None:
        rows = (
            Variant(concept="power", text="electricity"),
            Variant(concept="AI", text="AI", inflect="off"),
            Variant(concept="power", text="kWh?", match="regex", case="insensitive"),
        )
        first = absent().ledger[0]
        ledger = tuple(first.model_copy(update={"concept": v.concept, "variant": v.text}) for v in rows)
        j = absent(question="How much *power*?", concept_table=ConceptTable(variants=rows), ledger=ledger)
        text = to_search_record(j, "en")
        assert "Question: How much \\*power\\*?" in text
        also = "also in the plural and possessive, and with or without hyphen or space"
        pattern = f"`{first.pattern}`"
        assert (
            "- **power**\n"
            f"  - electricity (as whole words; in any case; {also}): {pattern}\n"
            f"  - kWh? (as a regular expression; in any case): {pattern}\n"
            "- **AI**\n"
            f"  - AI (as whole words; in this case only; in this form only): {pattern}\n"
        ) in text
        assert "word, auto, auto" not in text
        assert "質問: なし" in to_search_record(absent(question=None), "ja")

    def test_a_table_without_people_claims_no_review(self) -> None:
        text = to_search_record(absent(), "en")
        assert "names no reviewer" in text
        assert "names no source" in text
        assert "decided on by" not in text

    def test_the_day_is_that_of_the_caller(self) -> None:
        assert "\n2026-05-06\n" in to_search_record(absent(), "en", searched_on=dt.date(2026, 5, 6))

    @pytest.mark.parametrize("language", ["en", "ja"])
    def test_items_come_in_the_order_of_their_numbers(self, language: str) -> None:
        numbers = re.findall(r"^### (\d+)", to_search_record(meeting(), language), re.MULTILINE)
        assert numbers == ["1", "2", "8", "9", "10", "11", "12", "13", "14", "15", "16"]
