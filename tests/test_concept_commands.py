"""init, lint with a document, and diff: as functions and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docaudit.cli import main
from docaudit.concepts.change import diff_tables, first_table
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import ConceptInfo, Variant
from docaudit.errors import ConceptTableError, QuestionError
from docaudit.lint_document import lint_with_document
from tests import pdfs
from tests.conftest import Parse


@pytest.mark.parametrize(
    ("question", "concepts"),
    [
        ("How much electricity does AI consume?", ("electricity", "AI")),
        (
            "Does the report mention water cooling of AI data centres?",
            ("water cooling", "AI", "data centres"),
        ),
        ("Is the anti-corruption policy described?", ("anti-corruption policy",)),
        ("生成AIの利用に伴う電力消費量はどのように管理されるか。", ("生成AI", "電力", "管理")),
        ("データセンターの水使用量は？", ("データセンター", "水使用量")),
    ],
)
def test_a_first_table_has_the_words_of_the_question_and_accepts_none(
    question: str, concepts: tuple[str, ...]
) -> None:
    table = first_table(question)
    assert table.concepts == concepts
    assert table.active == ()
    assert {variant.source for variant in table.variants} == {"question"}
    assert all(variant.text in question for variant in table.variants)


@pytest.mark.parametrize("question", ["", "?", "What does the document say?", 5])
def test_no_table_from_a_question_without_a_subject(question: object) -> None:
    with pytest.raises(QuestionError):
        first_table(question)


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json", "yaml"])
def test_init_writes_a_table_that_loads_and_overwrites_nothing(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"t.{suffix}"
    question = "How much electricity does AI consume?"
    assert main(["init", str(path), "--question", question]) == 0
    assert ConceptTable.load(path) == first_table(question)
    before = path.read_bytes()
    assert main(["init", str(path), "--question", "Which whales?"]) == 2
    assert path.read_bytes() == before
    assert "there is such a file already" in capsys.readouterr().err


def test_init_with_a_name_that_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "a" * 300 + ".csv", "--question", "Which whales?"]) == 2
    assert "unexpected" not in capsys.readouterr().err


def test_a_table_of_init_cannot_be_audited_before_someone_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doc, path = tmp_path / "d.pdf", tmp_path / "t.csv"
    doc.write_bytes(pdfs.document(pdfs.text("a page about horses")))
    main(["init", str(path), "--question", "Which zebras?"])
    assert main(["audit", str(doc), "--concepts", str(path)]) == 2
    assert "no variant of the concept table is accepted" in capsys.readouterr().err


OLD = ConceptTable(
    variants=(
        Variant(concept="AI", text="AI", id="a1"),
        Variant(concept="AI", text="machine learning", id="a2"),
        Variant(concept="power", text="electricity", id="p1"),
    ),
    info=(ConceptInfo(name="AI", description="what learns"),),
)


def kinds(new: ConceptTable) -> list[tuple[str, str, tuple[tuple[str, str, str], ...]]]:
    return [
        (change.kind.value, change.variant, tuple((one.field, one.old, one.new) for one in change.fields))
        for change in diff_tables(OLD, new).changes
    ]


def test_order_is_no_difference() -> None:
    turned = ConceptTable(variants=OLD.variants[::-1], info=OLD.info)
    found = diff_tables(OLD, turned)
    assert found.changes == ()
    assert found.same_search


def test_an_edited_row_is_one_change_and_a_note_does_not_change_the_search() -> None:
    one, two, three = OLD.variants
    noted = ConceptTable(variants=(one.model_copy(update={"note": "n"}), two, three), info=OLD.info)
    assert kinds(noted) == [("changed", "AI", (("note", "", "n"),))]
    assert diff_tables(OLD, noted).same_search
    edited = ConceptTable(variants=(one, two.model_copy(update={"text": "learning"}), three), info=OLD.info)
    assert kinds(edited) == [("changed", "learning", (("variant", "machine learning", "learning"),))]
    assert not diff_tables(OLD, edited).same_search


def test_rows_that_come_and_go_roles_and_own_columns() -> None:
    one, _, three = OLD.variants
    own = three.model_copy(update={"own": (("x_owner", "legal"),)})
    new = ConceptTable(
        variants=(one, own, Variant(concept="AI", text="LLM", id="a3")),
        info=(ConceptInfo(name="power", role="context"),),
    )
    assert kinds(new) == [
        ("changed", "", (("description", "what learns", ""),)),
        ("changed", "", (("role", "required", "context"),)),
        ("changed", "electricity", (("x_owner", "", "legal"),)),
        ("added", "LLM", ()),
        ("removed", "machine learning", ()),
    ]


def test_a_row_whose_id_was_lost_is_still_the_same_row() -> None:
    assert (
        kinds(
            ConceptTable(variants=tuple(v.model_copy(update={"id": ""}) for v in OLD.variants), info=OLD.info)
        )
        == []
    )


def test_diff_takes_tables_alone() -> None:
    with pytest.raises(ConceptTableError, match="a ConceptTable is needed"):
        diff_tables(OLD, "new.csv")  # type: ignore[arg-type]


def test_diff_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = OLD.save(tmp_path / "old.csv"), tmp_path / "new.yaml"
    OLD.save(new)
    assert main(["diff", str(old), str(new)]) == 0
    assert capsys.readouterr().out == "no difference\n"
    OLD.add([Variant(concept="AI", text="LLM", status="proposed")]).save(new)
    assert main(["diff", str(old), str(new)]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("+ AI: LLM [v")
    assert first.endswith("] proposed")
    assert last == "1 difference; the tables do not search the same"
    assert main(["diff", str(old), str(new), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["same_search"] is False
    assert said["changes"][0]["kind"] == "added"
    assert main(["diff", str(old), str(tmp_path / "none.csv")]) == 2


PAGES = pdfs.document(
    *(pdfs.text(text) for text in ("market it is", "market IT", "market, a power plant", "Market", "whale"))
)


def test_frequency_and_case_in_a_document(parse: Parse) -> None:
    table = ConceptTable(
        variants=(
            Variant(concept="a", text="market"),
            Variant(concept="a", text="IT"),
            Variant(concept="b", text="whale"),
            Variant(concept="b", text="market place", status="rejected"),
        )
    )
    found = {(one.code.value, one.variant): one.message for one in lint_with_document(table, parse(PAGES))}
    assert found["too_common", "market"] == "'market' stands 4 times on 4 of 5 pages."
    assert found["case_decides", "IT"] == "'IT' has 1 hits with case sensitive, and 2 with case insensitive."
    assert ("case_decides", "market") in found  # Market on page 4
    assert not any(variant in ("whale", "market place") for _, variant in found)


def test_initials_of_a_phrase_that_stand_in_the_document(parse: Parse) -> None:
    parsed = parse(pdfs.document(pdfs.text("the data centre (DC) is new", "a DC, and pd of another day")))
    table = ConceptTable.from_variants(
        {"site": ["data centre", "public document"], "other": ["daily concern"]}
    )
    found = [one for one in lint_with_document(table, parsed) if one.code == "expansion_alone"]
    assert [one.variant for one in found] == ["data centre", "daily concern"]
    assert found[0].message == "'DC' stands in the document 2 times; it may be 'data centre'."
    known = table.add([Variant(concept=name, text="DC", status="rejected") for name in table.concepts])
    assert not [one for one in lint_with_document(known, parsed) if one.code == "expansion_alone"]


def test_lint_with_a_document_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    doc, path = tmp_path / "d.pdf", tmp_path / "t.csv"
    doc.write_bytes(PAGES)
    path.write_text("concept,variant\na,market\n", "utf-8")
    assert main(["lint", str(path)]) == 0
    assert "nothing to say" in capsys.readouterr().out
    assert main(["lint", str(path), "--doc", str(doc), "--ocr", "off", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [(one["code"], one["row"]) for one in said] == [("too_common", 1), ("case_decides", 1)]
    assert main(["lint", str(path), "--doc", str(tmp_path / "none.pdf")]) == 2


class TestAccept:
    """docaudit accept: proposed rows and terms of one's own, all or none."""

    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        path = tmp_path / "t.csv"
        first_table("生成AIの利用に伴う電力消費量は？").save(path)
        return path

    def test_a_proposed_row_and_new_ones(self, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
        concept = "生成AI"
        arguments = ["accept", str(table), concept, concept, "生成系AI", "GenAI", "--reviewer", "kim"]
        assert main([*arguments, "--reference", "JIS X 22989", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["new"] == 2
        rows = [row for row in ConceptTable.load(table).active if row.concept == concept]
        assert [(row.text, row.match, row.source) for row in rows] == [
            (concept, "word", "question"),
            ("生成系AI", "substring", "expert"),
            ("GenAI", "word", "expert"),
        ]
        assert {(row.reviewer, row.reference, row.note) for row in rows} == {("kim", "JIS X 22989", "")}

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["生成AI", "GenAI"], "needs a reviewer"),
            (["whales", "whale", "--reviewer", "kim"], "take one of 生成AI"),
            (["生成AI", "GenAI", "", "--reviewer", "kim"], "empty"),
            (["生成AI", "(", "--match", "regex", "--reviewer", "kim"], "regular expression"),
        ],
    )
    def test_nothing_is_written_if_anything_is_wrong(
        self, table: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = table.read_bytes()
        assert main(["accept", str(table), *arguments]) == 2
        assert said in capsys.readouterr().err
        assert table.read_bytes() == before


def test_a_decision_can_be_taken_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    first_table("How much electricity does Netflix use?").save(path)
    by = ["--reviewer", "kim"]
    assert (
        main(["reject", str(path), "Netflix", "Netflix", *by, "--note", "it is about Netflix throughout"])
        == 0
    )
    assert [row.status for row in ConceptTable.load(path).variants if row.text == "Netflix"] == ["rejected"]
    assert main(["accept", str(path), "Netflix", "Netflix", *by]) == 0
    assert [row.status for row in ConceptTable.load(path).variants if row.text == "Netflix"] == ["accepted"]
    assert main(["reject", str(path), "Netflix", "whale", *by]) == 2
    assert "'Netflix' has no variant 'whale'" in capsys.readouterr().err
    assert main(["accept", str(path), "water", "water use", *by]) == 2
    assert "--new-concept" in capsys.readouterr().err
    assert main(["accept", str(path), "water", "water use", *by, "--new-concept"]) == 0
    assert "water" in ConceptTable.load(path).concepts


def test_a_rejected_word_of_the_question_is_decided_on_and_not_shown_as_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, doc = tmp_path / "t.csv", tmp_path / "d.pdf"
    doc.write_bytes(pdfs.document(pdfs.text("Netflix writes of films alone.")))
    question = "How much electricity does Netflix use?"
    first_table(question).save(path)
    main(["accept", str(path), "electricity", "electricity", "--reviewer", "kim"])
    main(["reject", str(path), "Netflix", "Netflix", "--reviewer", "kim"])
    capsys.readouterr()
    assert main(["audit", str(doc), "--concepts", str(path), "--question", question, "--ocr", "off"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "but for what a person rejected: 'Netflix'" in said
    assert "Netflix no 0" not in said
