"""Each kind of blind spot has a document that causes it, is listed where it is, and never lets absence be claimed."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path

import pytest

import docaudit
from docaudit.codes import BlindSpotKind
from docaudit.coverage import CorpusReadability, measure_readability
from docaudit.document import ParsedDocument
from docaudit.extract import isolation
from docaudit.render import coverage as coverage_files
from docaudit.render.coverage import to_html as page_map
from docaudit.render.html import to_html
from docaudit.render.tables import blind_spots_csv
from docaudit.render.terminal import to_text
from tests.traps.make_traps import NO_TRAP, TRAPS, WORD, Trap, main

TABLE = docaudit.ConceptTable.from_variants({"metal": [WORD]})
by_name = pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)


@cache
def parsed(name: str) -> ParsedDocument:
    trap = next(trap for trap in TRAPS if trap.name == name)
    with pytest.MonkeyPatch.context() as patch:
        if trap.sabotage:
            patch.setattr(isolation, "WORKER", "tests.saboteurs")
            patch.setenv("DOCAUDIT_SABOTAGE", trap.sabotage)
        return docaudit.parse(trap.data, **{"ocr": "off", "workers": 1, **trap.options})


@by_name
def test_listed_where_it_is(trap: Trap) -> None:
    spots = parsed(trap.name).blind_spot_df
    found = set(zip(spots["kind"], spots["page_num"], strict=True))
    assert found == {(kind.value, page) for kind, page in trap.kinds.items()}
    assert set(spots["text_likely"]) <= trap.likely
    assert (spots["detail"] != "").all()


@by_name
def test_what_follows_from_it(trap: Trap) -> None:
    finding = docaudit.audit(parsed(trap.name), TABLE)
    assert {check.obligation.value for check in finding.unmet} == trap.unmet
    if trap.unmet:
        assert finding.finding == "not_established"
        for check in finding.unmet:
            assert check.remedy
            assert set(check.pages) == set(trap.kinds.values())


@by_name
def test_no_output_leaves_it_out(trap: Trap, tmp_path: Path) -> None:
    document = parsed(trap.name)
    finding = docaudit.audit(document, TABLE)
    corpus = CorpusReadability.of([measure_readability(document)])
    outputs = {
        "text": to_text(finding),
        "html": to_html(finding),
        "csv": blind_spots_csv(finding),
        "coverage.json": coverage_files.dump(corpus),
        "page_map": page_map(corpus, [{}]),
    }
    coverage_files.write(corpus, [{}], folder=tmp_path)
    outputs["blind_spots.csv"] = (tmp_path / "blind_spots.csv").read_text("utf-8-sig")
    outputs["pages.csv"] = (tmp_path / "pages.csv").read_text("utf-8-sig")
    for kind, page in trap.kinds.items():
        for name, text in outputs.items():
            if page or name != "pages.csv":
                assert kind.value in text, name
    rows = list(csv.DictReader(io.StringIO(outputs["blind_spots.csv"])))
    assert len(rows) == len(document.blind_spot_df)
    assert len(json.loads(outputs["coverage.json"])["documents"][0]["blind_spots"]) == len(rows)


def test_every_kind_has_a_trap_or_a_reason_for_none() -> None:
    trapped = {kind for trap in TRAPS for kind in trap.kinds}
    assert trapped | set(NO_TRAP) == set(BlindSpotKind)
    assert not trapped & set(NO_TRAP)
    assert all(NO_TRAP.values())
    assert len({trap.name for trap in TRAPS}) == len(TRAPS)


def test_the_script_writes_them(tmp_path: Path) -> None:
    main(tmp_path)
    assert {file.stem for file in tmp_path.glob("*.pdf")} == {t.name for t in TRAPS if not t.sabotage}
    assert all(file.read_bytes().startswith(b"%PDF") for file in tmp_path.glob("*.pdf"))
