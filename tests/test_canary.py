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
from docaudit.extract.controls import plan_canaries
from docaudit.extract.tasks import planted_copy
from docaudit.justification import AbsenceJustification, ObligationCheck
from docaudit.options import AuditOptions
from tests import pdfs
from tests.conftest import parse_once
from tests.saboteurs import forgetful_sweep
from tests.test_controls import every_layout

pytestmark = pytest.mark.slow

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
    groups = [group for group in finding.controls if group.kind == "canary" and group.tried]
    return {group.layout: (group.tried, group.found) for group in groups}


def copy_of(data: bytes, **options: Any) -> list[str]:
    """The text of each page of the copy as a third reader has it, and all phrases that should be in it."""
    parsed = parse_once(data, **options)
    plants, left = plan_canaries(parsed.line_df, parsed.identity.sha256, ocr=False)
    assert left == {}
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


def slanted(page: pymupdf.Page) -> None:
    start = pymupdf.Point(100, 500)
    page.insert_text(start, "Slanted harbour", fontsize=14, morph=(start, pymupdf.Matrix(30)))


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (pdfs.blank, "planted in any layout: its pages have no line of text in sight"),
        (pdfs.text("Quay"), "planted in body: there is no room for it"),
        (pdfs.text(*pdfs.PROSE, size=3), "planted in body: there is no room for it"),
        (slanted, "planted in slanted: slanted lines are not imitated"),
    ],
)
def test_a_canary_that_plants_nothing_is_not_met(draw: pdfs.Draw, said: str) -> None:
    finding = audited(pdfs.document(draw))
    check = control_of(finding)
    assert tried(finding) == {}
    assert (finding.finding, check.state) == ("not_established", "unmet")
    assert f"no phrase could be {said}" in check.evidence
    assert check.remedy == "audit without --canary, or look at the layouts named"
    assert control_of(audited(pdfs.document(draw), canary=False)).state != "unmet"


def test_a_layout_without_a_phrase_is_named_beside_those_that_have_one() -> None:
    finding = audited(pdfs.document(pdfs.text(*pdfs.PROSE), slanted))
    assert tried(finding)["body"] == (1, 1)
    assert "slanted" not in tried(finding)
    assert (finding.finding, control_of(finding).state) == ("absent_within_coverage", "met")
    said = control_of(finding).evidence
    assert "(body, wrapped): all were found; no phrase could be planted in " in said
    assert said.endswith("; no phrase could be planted in slanted: slanted lines are not imitated")


@pytest.mark.parametrize("away", [0.0, 0.4, 4.0])
def test_lines_that_are_printed_twice_give_their_place_once(away: float) -> None:
    """For a bold look, or by a layer over the other: the second phrase would wipe out the first."""

    def twice(page: pymupdf.Page) -> None:
        pdfs.write(page, pdfs.PROSE)
        pdfs.write(page, pdfs.PROSE, x=pdfs.LEFT + away, y=pdfs.TOP + away)

    finding = audited(pdfs.document(twice))
    found = tried(finding)
    assert {"body", "wrapped"} <= set(found)
    assert set(found.values()) == {(1, 1)}
    assert control_of(finding).state == "met"


def test_a_canary_that_is_not_found_forbids_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep finds all words of the document and loses what was planted: only the canary tells."""
    real, blind = docaudit.audit, forgetful_sweep(1.0, seed=1)
    module = sys.modules["docaudit.controls"]
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
    plants, _ = plan_canaries(parse_once(DATA).line_df, "0", ocr=False)
    with pytest.raises(InputError, match="changed"), planted_copy(DATA, "0" * 64, AuditOptions(), plants):
        pass
