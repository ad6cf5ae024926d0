"""Canaries: a phrase planted into a copy of the document in each layout must be found there."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

import docaudit
from docaudit.errors import InputError, OptionError
from docaudit.extract.canary_plan import plan_canaries
from docaudit.extract.canary_run import planted_copy
from docaudit.justification import AbsenceJustification, ObligationCheck
from docaudit.options import AuditOptions
from tests import pdfs
from tests.conftest import parse_once
from tests.saboteurs import forgetful_sweep
from tests.test_controls import every_layout

TABLE = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})
LAYOUTS = {
    *("body", "caption", "column", "footnote", "heading", "list", "rotated", "table"),
    *("wrapped", "hyphenated"),
}
DATA = pdfs.document(every_layout, pdfs.text(*pdfs.PROSE))


def audited(data: Any, **options: Any) -> AbsenceJustification:
    return docaudit.audit(data, TABLE, **{"ocr": "off", "workers": 1, "canary": True, **options})


def control_of(finding: AbsenceJustification) -> ObligationCheck:
    return next(check for check in finding.obligations if check.obligation.value == "control_found")


def tried(finding: AbsenceJustification) -> dict[str, tuple[int, int]]:
    return {group.layout: (group.tried, group.found) for group in finding.controls if group.kind == "canary"}


def copy_of(data: bytes, **options: Any) -> list[str]:
    """The text of each page of the copy as a third reader has it, and all phrases that should be in it."""
    parsed = parse_once(data, **options)
    plants = plan_canaries(parsed.line_df, parsed.identity.sha256, ocr=False)
    with planted_copy(data, parsed.identity.sha256, parsed.options, plants) as (path, problems):
        assert problems == {}
        with pymupdf.open(path) as copy:
            texts = [page.get_text() for page in copy]
    for plant in plants:
        for part in plant.texts:
            assert part in texts[plant.page_num - 1], plant.layout
    return texts


def test_every_layout_is_planted_and_found() -> None:
    finding = audited(DATA)
    assert tried(finding) == dict.fromkeys(LAYOUTS, (1, 1))
    assert finding.finding == "absent_within_coverage"
    assert finding.options.canary
    assert "10 phrases planted into a copy (" in control_of(finding).evidence
    assert {group.witness for group in finding.controls if group.kind == "canary"} == {"planted"}


def test_with_ocr_one_is_a_picture() -> None:
    assert tried(audited(DATA, ocr="auto")) == dict.fromkeys({*LAYOUTS, "ocr"}, (1, 1))
    assert tried(audited(pdfs.document(pdfs.scan(*pdfs.PROSE)), ocr="auto")) == {"ocr": (1, 1)}


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_on_a_page_that_is_turned(rotation: int) -> None:
    data = pdfs.document(every_layout, finish=lambda doc: doc[0].set_rotation(rotation))
    copy_of(data)
    found = tried(audited(data))
    assert found
    assert set(found.values()) == {(1, 1)}


def test_the_copy_holds_the_phrases_and_not_what_they_replace() -> None:
    first, second = copy_of(DATA)
    assert "marginal scaffolding" not in first + second
    assert "Tonnage" not in first + second


def test_the_document_itself_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(DATA)
    finding = audited(path)
    assert path.read_bytes() == DATA
    assert list(tmp_path.iterdir()) == [path]
    assert (finding.hits, finding.document and finding.document.pages_total) == ((), 2)
    assert audited(path).digest == finding.digest
    assert audited(io.BytesIO(DATA)).controls == finding.controls


def test_of_an_encrypted_document(tmp_path: Path) -> None:
    locked = pdfs.document(
        pdfs.text(*pdfs.PROSE), pdfs.text(*pdfs.PROSE), encryption=5, user_pw="sesame", owner_pw="x"
    )
    assert tried(audited(locked, password="sesame")) == {
        "body": (1, 1), "wrapped": (1, 1), "hyphenated": (1, 1),
    }  # fmt: skip


def test_nothing_to_plant_in_a_blank_document() -> None:
    finding = audited(pdfs.document(pdfs.blank))
    assert finding.controls == ()
    assert control_of(finding).state == "not_run"


def test_a_canary_that_is_not_found_forbids_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep finds all words of the document and loses what was planted: only the canary tells."""
    real, blind = docaudit.audit, forgetful_sweep(1.0, seed=1)
    module = sys.modules["docaudit.audit"]
    sweep_lines = module.sweep_lines

    def sweep(line_df: Any, table: Any, **named: Any) -> Any:
        planted = all(" " in variant.text for variant in table.active)
        return (blind if planted else sweep_lines)(line_df, table, **named)

    monkeypatch.setattr(module, "sweep_lines", sweep)
    finding = real(DATA, TABLE, ocr="off", workers=1, canary=True)
    assert finding.finding == "not_established"
    assert tried(finding) == dict.fromkeys(LAYOUTS, (1, 0))
    assert control_of(finding).state == "unmet"
    assert set(control_of(finding).pages) <= {1, 2}


def test_it_needs_the_document_itself(tmp_path: Path) -> None:
    parsed = parse_once(DATA)
    saved = parsed.save(tmp_path / "saved")
    for source in (parsed, saved, str(saved)):
        with pytest.raises(OptionError, match="name the PDF"):
            docaudit.audit(source, TABLE, canary=True)
    with pytest.raises(OptionError, match="name the PDF"):
        docaudit.justify(parsed, TABLE, docaudit.sweep(parsed, TABLE), canary=True)


def test_another_document_is_refused() -> None:
    plants = plan_canaries(parse_once(DATA).line_df, "0", ocr=False)
    with pytest.raises(InputError, match="changed"), planted_copy(DATA, "0" * 64, AuditOptions(), plants):
        pass


def test_a_layout_without_room_is_not_planted_and_not_missed() -> None:
    finding = audited(pdfs.document(pdfs.text("Quay")))
    assert tried(finding) == {}
    assert control_of(finding).state == "met"
