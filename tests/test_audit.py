"""The whole way through the library: bad input, options, and a justification whose every part can be checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

import docaudit
from docaudit import saved as json_form
from docaudit.errors import (
    ConceptTableError,
    DamagedDocumentError,
    DocauditError,
    DocumentNotFoundError,
    InputError,
    NoPagesError,
    NotAPdfError,
    OptionError,
    PasswordRequiredError,
    QuestionError,
)
from docaudit.justification import AbsenceJustification
from docaudit.options import AuditOptions
from tests import pdfs
from tests.conftest import parse_once

TABLE = docaudit.ConceptTable.from_variants(
    {"ferry": ["ferry", "ferries"], "crane": ["crane", "tower crane"], "uranium": ["uranium", "yellowcake"]}
)
QUESTION = "How much uranium do the ferries carry?"


def report(page: pymupdf.Page) -> None:
    pdfs.write(
        page, [*pdfs.PROSE, "A tower crane fell into the basin; the FERRIES were late be-", "cause of it."]
    )


def second(page: pymupdf.Page) -> None:
    pdfs.write(page, ["The second page is about other matters.", "One ferry was sold to a museum."])


DATA = pdfs.document(report, second, pdfs.blank)


@pytest.fixture(scope="module")
def finding() -> AbsenceJustification:
    return docaudit.audit(parse_once(DATA), TABLE, question=QUESTION)


def audit(**options: object) -> AbsenceJustification:
    return docaudit.audit(parse_once(DATA), TABLE, **options)


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "content", "kind"),
        [
            ("missing.pdf", None, DocumentNotFoundError),
            ("empty.pdf", b"", NotAPdfError),
            ("page.pdf", b"<!DOCTYPE html><html></html>", NotAPdfError),
            ("photo.pdf", b"\x89PNG\r\n\x1a\n\0\0", NotAPdfError),
            ("locked.pdf", pdfs.encrypted(DATA, user="sesame"), PasswordRequiredError),
            ("hollow.pdf", pdfs.no_pages(), NoPagesError),
            ("cut.pdf", DATA[:80], (DamagedDocumentError, NoPagesError)),
            ("noise.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 20, (DamagedDocumentError, NoPagesError)),
        ],
    )
    def test_document(self, tmp_path: Path, name: str, content: bytes | None, kind: type[InputError]) -> None:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(kind) as caught:
            docaudit.audit(tmp_path / name, TABLE)
        error = caught.value
        assert isinstance(error, DocauditError)
        assert name in str(error.file)
        assert error.cause
        assert error.remedy
        assert "Traceback" not in str(error)

    def test_directory(self, tmp_path: Path) -> None:
        with pytest.raises(DocumentNotFoundError, match="is a directory"):
            docaudit.audit(tmp_path, TABLE)

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("missing.csv", None),
            ("empty.csv", b""),
            ("wrong.csv", b"word,other\nAI,AI\n"),
            ("noise.csv", b"\x00\xff\x00\x13" * 9),
            ("no_concept.csv", b"concept,variant\n"),
            ("blank_cells.csv", b"concept,variant\nAI,\n"),
            ("table.docx", b"PK\x03\x04"),
        ],
    )
    def test_concept_table(self, tmp_path: Path, name: str, content: bytes | None) -> None:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(ConceptTableError) as caught:
            docaudit.ConceptTable.load(tmp_path / name)
        assert name in str(caught.value.file)
        assert caught.value.remedy

    @pytest.mark.parametrize("question", ["", "   ", "\n\t", "???", "…"])
    def test_empty_question(self, question: str) -> None:
        with pytest.raises(QuestionError) as caught:
            audit(question=question)
        assert caught.value.remedy

    def test_a_question_without_a_word_is_refused_before_the_document_is_read(self) -> None:
        with pytest.raises(QuestionError):
            docaudit.audit("missing.pdf", docaudit.ConceptTable.from_variants({"A": ["a"]}), question="?")

    @pytest.mark.parametrize(
        "options",
        [
            {"ocr": "maybe"},
            {"scope": "chapter"},
            {"required": ("plutonium",)},
            {"waive": {"everything": "because"}},
            {"waive": {"ink_read": " "}},
            {"workers": -1},
            {"page_seconds": 0},
            {"colour": "red"},
            {"language": "fr"},
            {"window_words": 1},
        ],
    )
    def test_options(self, options: dict[str, object]) -> None:
        with pytest.raises(OptionError) as caught:
            audit(**options)
        assert caught.value.remedy
        assert ("options are" in caught.value.remedy) == ("colour" in options)


class TestFinding:
    def test_absent(self, finding: AbsenceJustification) -> None:
        # "carry" is a word of the question that no concept has
        assert (finding.finding, finding.reason) == ("not_established", "ambiguous_question")
        # ferries and FERRIES are found by both variants, ferry by one; tower crane by both, cranes by one
        assert dict(finding.concept_hits) == {"ferry": 6, "crane": 3, "uranium": 0}
        assert dict(finding.concept_pages) == {"ferry": (1, 2), "crane": (1,), "uranium": ()}
        assert finding.answer is None

    def test_required_and_scope(self) -> None:
        assert audit(required=("ferry",)).finding == "mentioned"
        assert audit(required=("uranium",)).finding == "absent_within_coverage"
        assert audit(required=("crane", "ferry"), scope="page").finding == "mentioned"
        assert audit(required=("crane", "ferry"), scope="line").finding == "mentioned"
        # "One ferry" and the cranes stand on different pages; the nearest other pair is in one line
        apart = docaudit.ConceptTable.from_variants({"crane": ["tower crane"], "museum": ["museum"]})
        off = docaudit.audit(parse_once(DATA), apart)
        assert (off.finding, off.reason, off.strength) == (
            "absent_within_coverage",
            "concept_found_but_off_topic",
            "moderate",
        )
        assert [mention.kind for mention in off.closest_mentions].count("pair") == 1
        assert (
            docaudit.audit(parse_once(DATA), apart, scope="window", window_words=200).finding == "mentioned"
        )
        assert (
            docaudit.audit(parse_once(DATA), apart, scope="window", window_words=5).finding
            == "absent_within_coverage"
        )

    def test_waive(self) -> None:
        data = pdfs.document(report, pdfs.scan("nobody reads this"))
        table = docaudit.ConceptTable.from_variants({"uranium": ["uranium"]})
        unread = docaudit.audit(parse_once(data), table)
        assert unread.finding == "not_established"
        assert [(check.obligation, check.pages) for check in unread.unmet] == [("ink_read", (2,))]
        waived = docaudit.audit(parse_once(data), table, waive={"ink_read": "I read page 2 myself"})
        assert waived.finding == "absent_within_coverage"
        check = next(one for one in waived.obligations if one.obligation == "ink_read")
        assert (check.state, check.waived_because) == ("waived", "I read page 2 myself")
        assert "waived ink_read" in waived.absence_explanation

    def test_a_word_of_the_question_that_no_concept_has(self) -> None:
        found = audit(question="Does the lighthouse store uranium?")
        assert (found.finding, found.reason) == ("not_established", "ambiguous_question")
        assert found.suggested_requery is not None
        assert "lighthouse" in found.suggested_requery

    def test_language(self) -> None:
        japanese = audit(required=("uranium",), language="ja").absence_explanation
        assert "uranium" in japanese
        assert "見つからない" in japanese

    def test_blank_document_is_absent_and_read(self) -> None:
        found = docaudit.audit(parse_once(pdfs.document(pdfs.blank)), TABLE)
        assert found.finding == "absent_within_coverage"
        assert found.coverage is not None
        assert found.coverage.pages_with_text == 0


class TestEvidence:
    def test_hits_are_counted_from_the_hits(self, finding: AbsenceJustification) -> None:
        counted = Counter(hit.concept for hit in finding.hits if hit.match_kind != "ocr_fuzzy")
        assert {name: counted.get(name, 0) for name in TABLE.concepts} == dict(finding.concept_hits)
        by_variant = Counter((hit.concept, hit.variant) for hit in finding.hits)
        assert {(row.concept, row.variant): row.hits for row in finding.ledger} == {
            (v.concept, v.text): by_variant.get((v.concept, v.text), 0) for v in TABLE.active
        }

    def test_concept_hits_are_the_groups_of_hit_df(self, finding: AbsenceJustification) -> None:
        hit_df = docaudit.sweep(parse_once(DATA), TABLE).hit_df
        groups = hit_df.groupby("concept").size().to_dict()
        assert {name: count for name, count in finding.concept_hits.items() if count} == groups
        for row in finding.ledger:
            assert row.pages_searched + row.pages_not_searchable == 3

    def test_snippets_and_matches_are_verbatim(self, finding: AbsenceJustification) -> None:
        lines = parse_once(DATA).line_df
        shown = [(hit.page_num, hit.snippet) for hit in finding.hits]
        shown += [(hit.page_num, hit.match_text) for hit in finding.hits]
        shown += [(mention.page_num, mention.snippet) for mention in finding.closest_mentions]
        assert len(shown) > 10
        for page, text in shown:
            on_page = lines.loc[lines["page_num"] == page, "text"].tolist()
            assert all(any(part in line for line in on_page) for part in text.split("\n")), text

    def test_a_word_divided_over_two_lines_is_found(self) -> None:
        table = docaudit.ConceptTable.from_variants({"because": ["because"]})
        hits = docaudit.audit(parse_once(DATA), table).hits
        assert [(hit.match_text, hit.match_kind, hit.page_num) for hit in hits] == [
            ("be-\ncause", "dehyphenated", 1)
        ]

    def test_every_obligation_is_listed_once_with_evidence(self, finding: AbsenceJustification) -> None:
        codes = [check.obligation for check in finding.obligations]
        assert sorted(codes) == sorted(set(codes))
        assert len(codes) == 9
        assert all(check.evidence for check in finding.obligations)

    def test_identity(self, finding: AbsenceJustification) -> None:
        import hashlib

        assert finding.document is not None
        assert finding.document.sha256 == hashlib.sha256(DATA).hexdigest()
        assert finding.document.size_bytes == len(DATA)
        assert finding.concept_table == TABLE
        assert finding.concept_table_fingerprint == TABLE.fingerprint

    def test_json_round_trip(self, finding: AbsenceJustification) -> None:
        written = json_form.dump(finding)
        assert json_form.load(written) == finding
        assert json.loads(written)["answer"] is None
        assert json_form.dump(json_form.load(written)) == written

    def test_same_input_same_bytes(self, finding: AbsenceJustification) -> None:
        again = docaudit.audit(DATA, TABLE, question=QUESTION, ocr="off", workers=1)
        assert json_form.dump(again) == json_form.dump(finding)


class TestSources:
    @pytest.mark.parametrize("wrap", [bytes, Path], ids=["bytes", "path"])
    def test_path_and_bytes_give_the_same(self, tmp_path: Path, wrap: Callable[[object], object]) -> None:
        (tmp_path / "(bytes)").write_bytes(DATA)
        source = DATA if wrap is bytes else tmp_path / "(bytes)"
        found = docaudit.audit(source, TABLE, ocr="off", workers=1)  # type: ignore[arg-type]
        assert found == audit()

    def test_folder_of_a_saved_parse(self, tmp_path: Path) -> None:
        from docaudit.audit import open_parsed

        assert open_parsed(tmp_path) is None
        parse_once(DATA).save(tmp_path / "kept")
        loaded = open_parsed(tmp_path / "kept")
        assert loaded is not None
        assert docaudit.audit(loaded, TABLE) == audit()
        assert docaudit.audit(tmp_path / "kept", TABLE) == audit()
        assert docaudit.audit(str(tmp_path / "kept"), TABLE) == audit()


def test_step_by_step_is_the_same_as_in_one_call(finding: AbsenceJustification) -> None:
    parsed = parse_once(DATA)
    result = docaudit.sweep(parsed, TABLE)
    assert docaudit.justify(parsed, TABLE, result, QUESTION) == finding


def test_all_that_is_public_is_there() -> None:
    assert all(getattr(docaudit, name) is not None for name in docaudit.__all__)
    with pytest.raises(AttributeError):
        _ = docaudit.no_such_name


def test_options_of_reading_are_those_of_the_parse() -> None:
    parsed = docaudit.parse(DATA, ocr="off")
    finding = docaudit.audit(parsed, TABLE, scope="line", workers=3)
    assert (finding.options.ocr, finding.options.scope) == ("off", "line")
    finding = docaudit.audit(parsed, TABLE, options=AuditOptions(ocr="off", scope="line"))
    assert (finding.options.ocr, finding.options.scope) == ("off", "line")
    result = docaudit.sweep(parsed, TABLE)
    for call in (
        lambda: docaudit.audit(parsed, TABLE, ocr="auto"),
        lambda: docaudit.audit(parsed, TABLE, options=AuditOptions(ocr="auto")),  # a default, but asked for
        lambda: docaudit.sweep(parsed, TABLE, ocr="auto"),
        lambda: docaudit.justify(parsed, TABLE, result, ocr="auto"),
    ):
        with pytest.raises(OptionError, match="it was read with --ocr off, not with --ocr auto") as caught:
            call()
        assert caught.value.remedy == "parse the PDF again"
    with pytest.raises(OptionError, match="read with --ink, not with --no-ink"):
        docaudit.audit(parsed, TABLE, ink=False)
