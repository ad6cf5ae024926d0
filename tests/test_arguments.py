"""Wrong kinds of arguments: an error of docaudit that says what is needed, never a raw one from inside."""

from __future__ import annotations

from typing import Any

import pytest

import docaudit
from docaudit import ConceptTable, ParsedDocument
from docaudit.errors import (
    ConceptTableError,
    MissingEvidenceError,
    OptionError,
    OutputError,
    QuestionError,
    SavedFileError,
    TableContractError,
)
from tests import pdfs
from tests.conftest import Parse

TABLE = ConceptTable.from_variants({"animal": ["zebra"]})
PAGE = pdfs.document(pdfs.text("a page about horses"))


@pytest.fixture(scope="module")
def parsed(parse: Parse) -> ParsedDocument:
    return parse(PAGE)


@pytest.mark.parametrize("wrong", [None, {"animal": ["zebra"]}, TABLE.to_dataframe(), "t.csv", ConceptTable])
def test_no_concept_table(parsed: ParsedDocument, wrong: Any) -> None:
    result = docaudit.sweep(parsed, TABLE)
    for call in (
        lambda: docaudit.audit(parsed, wrong),
        lambda: docaudit.sweep(parsed, wrong),
        lambda: docaudit.justify(parsed, wrong, result),
    ):
        with pytest.raises(ConceptTableError, match="a ConceptTable is needed"):
            call()


@pytest.mark.parametrize("wrong", [5, b"zebra?", ["zebra?"], "zebra \udce9?"])
def test_no_question(parsed: ParsedDocument, wrong: Any) -> None:
    with pytest.raises(QuestionError):
        docaudit.audit(parsed, TABLE, question=wrong)


@pytest.mark.parametrize("wrong", [{"ocr": "off"}, 5, "off", docaudit.AuditOptions])
def test_no_options(parsed: ParsedDocument, wrong: Any) -> None:
    with pytest.raises(OptionError, match="not AuditOptions"):
        docaudit.parse(PAGE, options=wrong)
    with pytest.raises(OptionError, match="not AuditOptions"):
        docaudit.audit(parsed, TABLE, options=wrong)


@pytest.mark.parametrize("given", [{"memory_mb": 10**30}, {"memory_mb": 5}, {"progress": 5}, {"password": 5}])
def test_option_out_of_range(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(given))):
        docaudit.parse(PAGE, **given)


def test_no_evidence(parsed: ParsedDocument) -> None:
    result: Any = docaudit.sweep(parsed, TABLE)
    for wrong in (None, "report.pdf", parsed.line_df):
        with pytest.raises(MissingEvidenceError):
            docaudit.sweep(wrong, TABLE)  # type: ignore[arg-type]
        with pytest.raises(MissingEvidenceError):
            docaudit.justify(wrong, TABLE, result)  # type: ignore[arg-type]
        with pytest.raises(MissingEvidenceError):
            docaudit.justify(parsed, TABLE, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [["zebra"], None, {"animal": None}, {"animal": b"zebra"}, {"animal": 5}])
def test_from_variants_of_no_mapping(wrong: Any) -> None:
    with pytest.raises(ConceptTableError):
        ConceptTable.from_variants(wrong)


def test_files_and_frames_of_a_wrong_kind(parsed: ParsedDocument) -> None:
    wrong: Any = 5
    with pytest.raises(ConceptTableError):
        ConceptTable.load(wrong)
    with pytest.raises(ConceptTableError):
        ConceptTable.from_dataframe(wrong)
    with pytest.raises(OutputError):
        TABLE.save(wrong)
    with pytest.raises(OutputError):
        parsed.save(wrong)
    with pytest.raises(SavedFileError):
        ParsedDocument.load(wrong)
    with pytest.raises(TableContractError):
        docaudit.sweep_for_absence(wrong, TABLE)
    with pytest.raises(ConceptTableError):
        docaudit.sweep_for_absence(parsed.line_df, wrong)
