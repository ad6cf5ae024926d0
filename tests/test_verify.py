"""Replay of saved justifications: what was changed is named, what is the same is confirmed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docaudit
from docaudit.cli import main
from docaudit.codes import Finding
from docaudit.justification import AbsenceJustification
from docaudit.saved import digest_of, dump, load, with_digest
from docaudit.verify import Check, Step, Verification, cross_check, differences
from tests import pdfs

TABLE = docaudit.ConceptTable.from_variants(
    {"ferry": ["ferry", "ferries"], "uranium": ["uranium", "yellowcake"], "AI": ["AI", "人工知能"]}
)
QUESTION = "How much uranium do the ferries carry?"
OPTIONS = {"ocr": "off", "workers": 1}


REPORT = pdfs.text("The FERRIES were late be-", "cause of the wind; no ferry sank.")
DOCUMENT = pdfs.document(REPORT, pdfs.text("Nothing of the kind stands here."), pdfs.blank)


@pytest.fixture(scope="module")
def saved() -> AbsenceJustification:
    return load(dump(docaudit.audit(DOCUMENT, TABLE, question=QUESTION, **OPTIONS)))


def states(result: Verification) -> dict[str, str]:
    return {check.step.value: check.state for check in result.checks}


def of(result: Verification, step: Step) -> Check:
    return next(check for check in result.checks if check.step is step)


def changed(justification: AbsenceJustification, **fields: Any) -> AbsenceJustification:
    """Edited without care: the digest is the old one."""
    return load(json.dumps(json.loads(dump(justification)) | fields))


def test_the_same_document_verifies(saved: AbsenceJustification) -> None:
    result = docaudit.verify(saved, DOCUMENT)
    assert result.verified
    assert set(states(result).values()) == {"confirmed"}
    assert (
        "confirms 2 of 2 passages, and sees 0 places of 6 variants" in of(result, Step.SECOND_ENGINE).evidence
    )


def test_any_source_and_number_of_workers_gives_the_same(saved: AbsenceJustification, tmp_path: Path) -> None:
    path = tmp_path / "another name.pdf"
    path.write_bytes(DOCUMENT)
    assert docaudit.verify(saved, path).verified
    with path.open("rb") as stream:
        assert docaudit.verify(saved, stream).verified
    again = docaudit.audit(path, TABLE, question=QUESTION, ocr="off", workers=2)
    assert docaudit.verify(load(dump(again)), DOCUMENT).verified


def test_a_saved_parse_is_not_read_again_and_it_is_said(saved: AbsenceJustification, tmp_path: Path) -> None:
    docaudit.parse(DOCUMENT, **OPTIONS).save(tmp_path / "parsed")
    result = docaudit.verify(saved, tmp_path / "parsed")
    assert result.verified
    assert states(result)["second_engine"] == "not_run"
    assert "not read again" in of(result, Step.REPLAY).evidence


def test_a_redacted_one_verifies_as_well(saved: AbsenceJustification) -> None:
    redacted = load(dump(docaudit.redact(saved)))
    assert redacted.redacted
    assert docaudit.verify(redacted, DOCUMENT).verified
    moved = redacted.model_copy(update={"hits": redacted.hits[1:]})
    result = docaudit.verify(with_digest(moved), DOCUMENT)
    assert of(result, Step.REPLAY).differences[0].field == "hits"


def test_one_whose_candidates_are_redacted_verifies_but_for_its_fingerprint() -> None:
    taken = [
        docaudit.Variant(concept="ferry", text=text, status=status, source="embedding")
        for text, status in (("the wind", "proposed"), ("late be", "rejected"), ("sank", "proposed"))
    ]
    whole = docaudit.audit(DOCUMENT, TABLE.add(taken), question=QUESTION, **OPTIONS)
    redacted = load(dump(docaudit.redact(whole)))
    result = docaudit.verify(redacted, DOCUMENT)
    assert result.verified
    assert states(result) == {
        "digest": "confirmed",
        "fingerprint": "not_run",
        "document": "confirmed",
        "versions": "confirmed",
        "replay": "confirmed",
        "second_engine": "confirmed",
    }
    assert "redacted" in of(result, Step.FINGERPRINT).evidence
    # What is left of the table counts as before.
    rows = [
        row.model_copy(update={"status": "rejected"}) if row.status == "proposed" else row
        for row in redacted.concept_table.variants
    ]
    forged = redacted.model_copy(update={"concept_table": docaudit.ConceptTable(variants=tuple(rows))})
    assert states(docaudit.verify(with_digest(forged), DOCUMENT))["replay"] == "differs"


def test_another_document_is_not_replayed(saved: AbsenceJustification) -> None:
    result = docaudit.verify(saved, pdfs.document(REPORT))
    assert not result.verified
    assert states(result) == {
        "digest": "confirmed",
        "fingerprint": "confirmed",
        "document": "differs",
        "versions": "not_run",
        "replay": "not_run",
        "second_engine": "not_run",
    }


def test_one_changed_number_is_named_with_both_values(saved: AbsenceJustification) -> None:
    hits = [{**hit, "page_num": 2} for hit in json.loads(dump(saved))["hits"]]
    forged = with_digest(changed(saved, hits=hits))
    result = docaudit.verify(forged, DOCUMENT)
    assert not result.verified
    assert states(result)["digest"] == "confirmed"
    assert [str(one) for one in of(result, Step.REPLAY).differences] == [
        "hits[0].page_num: saved 2, now 1",
        "hits[1].page_num: saved 2, now 1",
        "hits[2].page_num: saved 2, now 1",
        "hits[3].page_num: saved 2, now 1",  # each is a form of the other, and a variant itself
    ]
    # The letters do not stand on page 2, and PDFium sees the words on page 1, where no hit is left.
    seen = [f"{one.saved} {one.now}" for one in of(result, Step.SECOND_ENGINE).differences]
    assert "page 2: 'FERRIES' not seen by PDFium" in seen
    assert " seen by PDFium: page 1: 'ferry'" in seen


def test_a_table_that_was_changed_does_not_fit_its_fingerprint(saved: AbsenceJustification) -> None:
    table = json.loads(dump(saved))["concept_table"]
    table["variants"] = [
        row | ({"text": "plutonium"} if row["text"] == "yellowcake" else {}) for row in table["variants"]
    ]
    ledger = json.loads(dump(saved))["ledger"]
    ledger = [row | ({"variant": "plutonium"} if row["variant"] == "yellowcake" else {}) for row in ledger]
    result = docaudit.verify(changed(saved, concept_table=table, ledger=ledger), DOCUMENT)
    assert states(result)["digest"] == states(result)["fingerprint"] == states(result)["replay"] == "differs"


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("document", "document.name"),
        ("concept_table", "concept_table.variants (id, source, reference, name of the reviewer, date, note"),
        ("options", "options (workers"),
    ],
)
def test_where_only_the_digest_differs_it_is_said_which_fields_no_replay_confirms(
    saved: AbsenceJustification, part: str, name: str
) -> None:
    content = json.loads(dump(saved))[part]
    if part == "document":
        content["name"] = "other.pdf"
    elif part == "concept_table":
        content["variants"][0] |= {"date": "2026-01-02", "note": "as agreed"}
    else:
        content["workers"] = 2
    result = docaudit.verify(changed(saved, **{part: content}), DOCUMENT)
    assert not result.verified
    assert [step for step, state in states(result).items() if state == "differs"] == ["digest"]
    said = of(result, Step.DIGEST).evidence
    assert said.startswith("its content was changed")
    assert name in said
    hits = json.loads(dump(saved))["hits"][1:]
    other = of(docaudit.verify(changed(saved, hits=hits), DOCUMENT), Step.DIGEST).evidence
    assert other == "its content was changed after docaudit wrote it"


def test_another_version_is_named_and_is_no_difference_in_the_result(saved: AbsenceJustification) -> None:
    document = json.loads(dump(saved))["document"]
    document["versions"] |= {"pymupdf": "1.0"}
    result = docaudit.verify(with_digest(changed(saved, document=document)), DOCUMENT)
    assert result.verified
    (one,) = of(result, Step.VERSIONS).differences
    assert one.field == "document.versions.pymupdf"
    assert one.saved == '"1.0"'


def test_an_encrypted_document_needs_its_password_again() -> None:
    locked = pdfs.encrypted(DOCUMENT, "secret")
    justification = load(dump(docaudit.audit(locked, TABLE, password="secret", **OPTIONS)))
    assert docaudit.verify(justification, locked, password="secret").verified
    with pytest.raises(docaudit.DocauditError, match="password"):
        docaudit.verify(justification, locked)


LEAF = st.one_of(st.integers(-9, 9), st.text("abA.", max_size=3), st.booleans(), st.none())


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_change_of_a_single_field_goes_unnoticed(saved: AbsenceJustification, data: st.DataObject) -> None:
    content = json.loads(dump(saved))
    part, name = content, data.draw(st.sampled_from(sorted(content)))
    while isinstance(part[name], (dict, list)) and part[name]:
        part = part[name]
        name = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
    new = data.draw(LEAF)
    if type(new) is type(part[name]) and new == part[name]:
        return
    part[name] = new
    try:
        edited = load(json.dumps(content))
    except docaudit.DocauditError:
        return
    # 1 for true and 1.0 for 1 mean the same when they are read; anything else does not fit the digest.
    assert digest_of(edited) != edited.digest or edited == saved


class TestWitness:
    """What another engine sees, by plain search."""

    def test_it_sees_a_word_that_the_sweep_left_out(self, saved: AbsenceJustification) -> None:
        texts = {
            1: "The FERRIES were late; no ferry sank.\r\nSome yellow-\ncake in the hold.",
            2: "人 工\n知能 and FAIR aid",
            3: None,
        }
        seen = cross_check(saved, texts)
        assert seen.pages_read == 2
        assert seen.unconfirmed == ()
        assert seen.missed == ("page 1: 'yellowcake'", "page 2: '人工知能'")

    def test_a_page_of_unknown_signs_confirms_and_denies_nothing(self, saved: AbsenceJustification) -> None:
        seen = cross_check(saved, {1: "+\x0b\x07 \x02\x03 late because", 2: ""})
        assert (seen.passages, seen.unconfirmed) == (0, ())

    def test_an_acronym_is_searched_in_capitals_and_as_a_whole_word(
        self, saved: AbsenceJustification
    ) -> None:
        said = cross_check(saved, {1: "ferry ferries", 2: "Ai ai AIR U.AI AI-driven"}).missed
        assert said == ()
        assert cross_check(saved, {1: "ferry ferries", 2: "of AI, too"}).missed == ("page 2: 'AI'",)


class TestDifferences:
    """Field by field."""

    @pytest.mark.parametrize(
        ("one", "other", "said"),
        [
            ({"a": 1}, {"a": True}, ["a: saved 1, now true"]),
            ({"a": 1}, {"a": 1.0}, ["a: saved 1, now 1.0"]),
            ({"a": 1}, {}, ["a: saved 1, now nothing"]),
            ({}, {"a": None}, ["a: saved nothing, now null"]),
            ({"a": 1, "b": 2}, {"b": 2, "a": 1}, [': saved ["a", "b"], now ["b", "a"]: another order']),
            ({"a": [1, 2, 2]}, {"a": [2, 3]}, ["a: saved 3 entries, now 2: no longer there: 1, 2; new: 3"]),
            ({"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, ['a[0].b: saved "x", now "y"']),
            ({"a": [1, {"b": []}]}, {"a": [1, {"b": []}]}, []),
        ],
    )
    def test_each_is_named(self, one: dict[str, Any], other: dict[str, Any], said: list[str]) -> None:
        assert [str(found) for found in differences(one, other)] == said


class TestCommand:
    """docaudit verify."""

    @pytest.fixture
    def folder(self, tmp_path: Path, saved: AbsenceJustification) -> Path:
        (tmp_path / "report.pdf").write_bytes(DOCUMENT)
        (tmp_path / "j.json").write_text(dump(saved), "utf-8")
        return tmp_path

    def test_arguments_the_wrong_way_round(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(folder / "report.pdf"), str(folder / "j.json")]) == 2
        said = capsys.readouterr().err
        assert "report.pdf: this is a PDF" in said
        assert "the JSON comes first" in said
        assert "codec" not in said

    def test_verified(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(folder / "j.json"), str(folder / "report.pdf")]) == 0
        assert capsys.readouterr().out.startswith("VERIFIED\n")

    def test_json(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", str(folder / "j.json"), str(folder / "report.pdf"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["verified"] is True

    def test_edited_by_hand(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        text = (folder / "j.json").read_text("utf-8").replace('"line_num": 2', '"line_num": 70')
        (folder / "j.json").write_text(text, "utf-8")
        assert main(["verify", str(folder / "j.json"), str(folder / "report.pdf")]) == 1
        said = capsys.readouterr().out
        assert said.startswith("NOT VERIFIED\n")
        assert "its content was changed after docaudit wrote it" in said
        assert ".line_num: saved 70, now 2" in said

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "not JSON"),
            ("{", "not JSON"),
            ("[]", "not a justification of docaudit"),
            ('{"kind": "absence", "schema_version": "1"}', "its form is version 1"),
            ('{"kind": "absence", "schema_version": "9"}', "its form is version 9"),
        ],
    )
    def test_no_justification(
        self, folder: Path, content: str, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (folder / "j.json").write_text(content)
        assert main(["verify", str(folder / "j.json"), str(folder / "report.pdf")]) == 2
        shown = capsys.readouterr().err
        assert said in shown
        assert shown.count("\n") == 1


class TestCompare:
    """A new edition."""

    @pytest.fixture
    def old(self) -> AbsenceJustification:
        table = docaudit.ConceptTable.from_variants({"uranium": ["uranium"], "ferry": ["ferry"]})
        justification = docaudit.audit(DOCUMENT, table, required=("uranium",), **OPTIONS)
        assert justification.finding is Finding.ABSENT
        return justification

    @pytest.mark.parametrize(
        ("page", "fate", "uranium", "ferry"),
        [
            (pdfs.text("A ferry without any cargo is late."), "holds", "holds", "was_not_absent"),
            (pdfs.text("Uranium was found on the ferry."), "voided", "voided", "was_not_absent"),
            (
                pdfs.scan("The cargo was weighed on Monday."),
                "not_established",
                "not_established",
                "was_not_absent",
            ),
        ],
    )
    def test_fates(
        self, old: AbsenceJustification, page: pdfs.Draw, fate: str, uranium: str, ferry: str
    ) -> None:
        result = docaudit.compare(old, pdfs.document(page))
        assert result.fate == fate
        assert {one.concept: one.fate.value for one in result.concepts} == {
            "uranium": uranium,
            "ferry": ferry,
        }
        assert not result.same_document
        assert bool(result.unmet) == (fate == "not_established")

    def test_a_waiver_does_not_come_along(self) -> None:
        table = docaudit.ConceptTable.from_variants({"uranium": ["uranium"]})
        with_picture = pdfs.document(pdfs.with_picture(["A ferry."], ["a logo"]))
        old = docaudit.audit(
            with_picture, table, waive={"ink_read": "a person saw that it is a logo"}, **OPTIONS
        )
        assert old.finding is Finding.ABSENT
        other = pdfs.document(pdfs.with_picture(["A ferry."], ["other words"]))
        result = docaudit.compare(old, other)
        assert result.fate == "not_established"
        assert [check.obligation for check in result.unmet] == ["ink_read"]

    def test_command_with_two_justifications(
        self, old: AbsenceJustification, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "a.json").write_text(dump(old), "utf-8")
        ferry = docaudit.ConceptTable.from_variants({"zeppelin": ["zeppelin"]})
        (tmp_path / "b.json").write_text(dump(docaudit.audit(DOCUMENT, ferry, **OPTIONS)), "utf-8")
        new = tmp_path / "new.pdf"
        new.write_bytes(pdfs.document(pdfs.text("Uranium was found on the ferry.")))
        files = [str(tmp_path / name) for name in ("a.json", "b.json", "new.pdf")]
        assert main(["compare", *files]) == 1
        said = capsys.readouterr().out
        assert "a.json: VOIDED: the new edition mentions it" in said
        assert "uranium: voided (0 hits before, 1 now on page 1)" in said
        assert "b.json: HOLDS: still absent within the stated coverage" in said
        assert main(["compare", *files[1:]]) == 0
