"""A redacted report holds nothing of what the document says, and still everything that was counted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import openpyxl
import pymupdf
import pytest

import docaudit
from docaudit import saved
from docaudit.codes import Obligation, ObligationState, PageState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.justification import (
    AbsenceJustification,
    ControlGroup,
    ExplanationRecord,
    MissedControl,
    PageFact,
)
from docaudit.render.terminal import to_text
from tests import pdfs
from tests.factories import TABLE, absent, checks, coverage, near_miss, not_established

SECRET = "Project Nightjar will close the northern smelter in May"


def contents(page: pymupdf.Page) -> None:
    entries = ["1 Why the northern smelter must close now .... 2", "2 Nobody outside may know .... 3"]
    pdfs.write(page, ["Contents", *entries])


def body(page: pymupdf.Page) -> None:
    pdfs.write(page, ["1 Why the northern smelter must close now"], size=16)
    pdfs.write(
        page,
        [
            SECRET + ", as the electricity bill",
            "of the plant went beyond what the board had set aside (see Figure 9.Z and Annex Q of the",
            "confidential memorandum of the works council). The plants use AI nowhere, and electric",
            "power only from the grid of the province.",
        ],
        y=130,
    )


PAGES = (contents, body, pdfs.with_picture(["The board met behind closed doors."], ["Minutes of the board"]))


def finish(doc: pymupdf.Document) -> None:
    doc.set_toc(
        [[1, "Why the northern smelter must close now", 2], [1, "An entry that stands on no page at all", 3]]
    )
    doc.embfile_add("minutes.bin", b"\x00\x01\x02" * 50, filename="minutes of the secret board meeting.bin")
    doc.set_page_labels([{"startpage": 0, "prefix": "nightjar plan page ", "style": "D", "firstpagenum": 1}])


DOCUMENT = pdfs.document(*PAGES, finish=finish)


@cache
def audited() -> AbsenceJustification:
    table = docaudit.ConceptTable.from_variants(
        {"power": ["electricity", "electric power"], "AI": ["AI"], "coal": ["coals", "smelters"]}
    )
    return docaudit.audit(DOCUMENT, table, question="Does it mention coal?", ocr="off")


def runs(texts: Iterable[str], words: int) -> set[str]:
    """Every run of so many words, in small letters, without what is no letter or figure at their ends."""
    found = set()
    for text in texts:
        said = [word.strip(".,()[]|*<>\"'“”:;") for word in text.casefold().split()]
        said = [word for word in said if word]
        found |= {" ".join(said[start : start + words]) for start in range(len(said) - words + 1)}
    return found


def everything(folder: Path) -> list[str]:
    """The text of every file, of the cells of the workbook too."""
    texts = [
        file.read_text("utf-8")
        for file in folder.iterdir()
        if file.suffix in {".json", ".html", ".md", ".csv"}
    ]
    book = openpyxl.load_workbook(folder / "search-terms.xlsx")
    cells = [str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row if cell]
    return [*texts, *cells]


def of_document() -> set[str]:
    with pymupdf.open(stream=DOCUMENT) as doc:
        pages = [page.get_text() for page in doc]
        beside = [title for _, title, _ in doc.get_toc()] + [page.get_label() for page in doc]
    return runs([*pages, *beside, "minutes of the secret board meeting.bin"], 4)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_four_words_of_the_document_survive(tmp_path: Path, language: str) -> None:
    open_ones = docaudit.report(audited(), tmp_path / "open", DOCUMENT, language=language)
    assert len(of_document() & runs(everything(tmp_path / "open"), 4)) > 20, (
        "the test can see what is to be left out"
    )
    assert {file.name for file in open_ones} >= {"annotated.pdf"}

    files = docaudit.report(audited(), tmp_path / "shut", DOCUMENT, language=language, redact=True)
    assert not of_document() & runs(everything(tmp_path / "shut"), 4)
    html = (tmp_path / "shut" / "report.html").read_text("utf-8")
    assert "data:image" not in html
    assert "annotated.pdf" not in {file.name for file in files}
    shut = docaudit.redact(audited())
    assert not of_document() & runs([to_text(shut, width=200)], 4)


def test_a_copy_of_an_earlier_report_does_not_stay_beside_a_redacted_one(tmp_path: Path) -> None:
    docaudit.report(audited(), tmp_path, DOCUMENT)
    assert (tmp_path / "annotated.pdf").exists()
    docaudit.report(audited(), tmp_path, DOCUMENT, redact=True)
    assert not (tmp_path / "annotated.pdf").exists()


def test_what_was_counted_stays() -> None:
    whole, shut = audited(), docaudit.redact(audited())
    for name in (
        "finding",
        "reason",
        "strength",
        "concept_hits",
        "concept_pages",
        "document",
        "ledger",
        "question",
    ):
        assert getattr(shut, name) == getattr(whole, name)
    assert shut.absence_explanation == whole.absence_explanation
    for name in (
        "hits",
        "blind_spots",
        "near_misses",
        "closest_mentions",
        "pages",
        "obligations",
        "controls",
    ):
        assert len(getattr(shut, name)) == len(getattr(whole, name))
    assert [hit.bbox for hit in shut.hits] == [hit.bbox for hit in whole.hits]
    assert len(shut.coverage.unresolved_cross_refs) == len(whole.coverage.unresolved_cross_refs) > 0


def test_it_is_a_justification_of_its_own() -> None:
    shut = docaudit.redact(audited())
    assert shut.redacted
    assert shut.digest == saved.digest_of(shut) != audited().digest
    assert saved.load(saved.dump(shut)) == shut
    assert docaudit.redact(shut) == shut


@pytest.mark.parametrize("make", [absent, not_established])
def test_every_place_where_text_of_the_document_stands(make) -> None:
    quote = "Quoted from the page verbatim"
    own = (
        Variant(concept="AI", text="AI", source="acronym", note=quote, own=(("x_line", quote),)),
        Variant(
            concept="AI", text="deep learning", source="expert", note="the expert's note", reviewer="kim"
        ),
        *(v for v in TABLE.variants if v.text not in ("AI", "deep learning")),
    )
    table = ConceptTable(variants=own)
    whole = make(
        concept_table=table,
        closest_mentions=(
            near_miss(
                kind="pair",
                why_not=f"The nearest '{quote}' stands 3 words away, on page 2: they do not meet.",
            ),
        ),
        near_misses=(near_miss(text=quote, snippet=quote),),
        coverage=coverage(
            unresolved_cross_refs=(quote,),
            external_refs=(quote,),
            page_label_gaps=(quote,),
            page_label_mismatches=(quote,),
            number_gaps=(quote,),
            contents_not_found=(quote,),
        ),
        controls=(
            ControlGroup(
                kind="positive",
                witness="ocr",
                layout="body",
                tried=2,
                found=1,
                missed=(MissedControl(word=quote, page_num=1),),
            ),
        ),
        pages=(
            PageFact(page_num=1, page_label=quote, width_pt=1, height_pt=1, state=PageState.TEXT),
            PageFact(page_num=2, page_label="xiv", width_pt=1, height_pt=1, state=PageState.TEXT),
        ),
        explained_by=ExplanationRecord(method="model", model="m", refused=(quote,)),
        model_remark=quote,
    )
    shut = docaudit.redact(whole)
    assert quote in saved.dump(whole)
    assert quote not in saved.dump(shut)
    assert shut.explained_by == ExplanationRecord(method="model", model="m", refused=("[redacted]",))
    assert shut.model_remark is None
    assert shut.absence_explanation == whole.absence_explanation
    assert [page.page_label for page in shut.pages] == ["[redacted]", "xiv"]
    notes = {v.text: v.note for v in shut.concept_table.variants}
    assert notes["AI"] == "[redacted]"
    assert notes["deep learning"] == "the expert's note"
    assert shut.concept_table_fingerprint == shut.concept_table.fingerprint == whole.concept_table_fingerprint


def test_controls_stay_as_numbers_without_their_words() -> None:
    evidence = "25 words that ocr saw (body): 23 of 25 were found (92.0 %), not 'nightjar' (page 3), 'smelter' (page 4)"
    waived = {"evidence": evidence, "waived_because": "seen by a person"}
    whole = absent(obligations=checks(control_found=(ObligationState.WAIVED, waived)))
    shut = docaudit.redact(whole)
    (check,) = [one for one in shut.obligations if one.obligation is Obligation.CONTROL_FOUND]
    assert (
        check.evidence
        == "25 words that ocr saw (body): 23 of 25 were found (92.0 %), not '[redacted]' (page 4)"
    )


def test_candidates_that_nobody_accepted_are_left_out_and_searched_words_stay(tmp_path: Path) -> None:
    """`suggest` takes words out of the document; one that was accepted is a word that was searched."""
    taken = {"proposed": "northern smelter", "rejected": "works council", "accepted": "electricity bill"}
    rows = [
        Variant(
            concept="power",
            text=text,
            status=status,
            source="embedding",
            note=f"like '{text}'",
            reference=f"stands near {text}",
        )
        for status, text in taken.items()
    ]
    rows += [
        Variant(concept="power", text="turbine", status="rejected", source="expert"),
        Variant(concept="AI", text="AI"),
    ]
    whole = docaudit.audit(DOCUMENT, ConceptTable(variants=tuple(rows)), ocr="off")
    shut = docaudit.redact(whole)
    assert [(v.text, v.status) for v in shut.concept_table.variants] == [
        ("[redacted]", "proposed"),
        ("[redacted]", "rejected"),
        ("electricity bill", "accepted"),
        ("turbine", "rejected"),
        ("AI", "accepted"),
    ]
    assert not {v.id for v in shut.concept_table.variants[:2]} & {v.id for v in whole.concept_table.variants}
    assert docaudit.redact(shut) == shut
    docaudit.report(whole, tmp_path / "open")
    docaudit.report(whole, tmp_path / "shut", redact=True)
    for status, text in taken.items():
        assert any(text in file for file in everything(tmp_path / "open"))
        assert any(text in file for file in everything(tmp_path / "shut")) == (status == "accepted")
    (reviewed,) = [one for one in shut.obligations if one.obligation is Obligation.VARIANTS_REVIEWED]
    assert reviewed.evidence == "1 proposed: '[redacted]'"
    assert shut.concept_table_fingerprint == whole.concept_table_fingerprint
