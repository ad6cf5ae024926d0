"""`docaudit gate`: the reference retriever against hand-made numbers, the commands, and the published experiment."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from docaudit.abstention.experiment import BM25, Document, read_inputs, run_experiment, tokens, unseen
from docaudit.abstention.plot import steps
from docaudit.abstention.results import read_frozen
from docaudit.abstention.threshold_sweep import sweep_thresholds
from docaudit.cli import main
from docaudit.errors import GateError
from tests.gates import OPERATING, QUESTIONS, content, hundred, row

CONFIG: dict[str, Any] = {
    "method": "BM25 positive-IDF",
    "k1": 1.2,
    "b": 0.75,
    "top_k": 3,
    "thresholds": [0, 0.5],
    "comparison": ">=",
    "experiment_date_jst": "2026-10-01",
    "corpus_scope": "two files, all readable",
}
DOCUMENTS = [
    {"id": "B", "title": "cat", "text": "cat fish bird"},
    {"id": "A", "title": "cat", "text": "dog"},
]


def query(name: str, text: str, required: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    answerable = {"required_doc_ids": required or [], "answerable_in_collection": bool(required)}
    return {"id": name, "query": text, **answerable, "label_reason": "read", **fields}


QUERIES = [query("Q1", "dog?", ["A"]), query("Q2", "Cat, cat!"), query("Q3", "zebra")]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return written(tmp_path, CONFIG, DOCUMENTS, QUERIES)


def written(folder: Path, config: Any, documents: Any, queries: Any) -> list[str]:
    arguments = []
    for name, made in (("config", config), ("documents", documents), ("queries", queries)):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(made, ensure_ascii=False), "utf-8")
        arguments += [f"--{name}", str(path)]
    return arguments


def written_groups(folder: Path) -> tuple[Path, Path]:
    """Six questions in six groups, two of each three with evidence, and a split that holds two of them out."""
    path, parts = folder / "frozen.json", folder / "split.json"
    names = ["alpha", "bravo charlie", "delta echo foxtrot", "golf", "hotel india", "juliett kilo lima mike"]
    rows = [
        row(f"Q{at}", at / 10, "present" if at % 3 else "absent", query=text, group=f"g{at}")
        for at, text in enumerate(names)
    ]
    path.write_text(json.dumps(content(rows)), "utf-8")
    assert main(["gate", "split", str(path), "--out", str(parts), "--held-out", "0.34", "--seed", "2"]) == 0
    return path, parts


class TestRetriever:
    def test_tokens(self) -> None:
        assert tokens("P-20") == ["p", "20"]
        assert tokens("Ｐ－２０ の返品。ＡＢＣ 犬") == ["p", "20", "の返", "返品", "abc", "犬"]
        assert tokens("…!?") == []

    def test_scores_by_hand(self) -> None:
        index = BM25([Document(**one) for one in DOCUMENTS], k1=1.2, b=0.75)
        # Lengths 4 and 2, mean 3. "dog" is in one of two: idf = ln(1 + 1.5 / 1.5) = ln 2; in A its weight is
        # 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2/3)) = 2.2 / 1.9.
        assert index.search("dog") == [("A", pytest.approx(math.log(2) * 2.2 / 1.9, rel=1e-15))]
        # "cat" is in both: idf = ln(1 + 0.5 / 2.5) = ln 1.2; twice in B: 2 * 2.2 / (2 + 1.2 * 1.25) = 4.4 / 3.5.
        assert index.search("cat") == [
            ("B", pytest.approx(math.log(1.2) * 4.4 / 3.5, rel=1e-15)),
            ("A", pytest.approx(math.log(1.2) * 2.2 / 1.9, rel=1e-15)),
        ]

    def test_a_token_of_the_query_counts_once(self) -> None:
        index = BM25([Document(**one) for one in DOCUMENTS], k1=1.2, b=0.75)
        assert index.search("cat cat CAT") == index.search("cat")

    def test_ties_by_name(self) -> None:
        same = [Document(id=name, title="", text="cat") for name in ("C", "A", "B")]
        assert [name for name, _ in BM25(same, k1=1.2, b=0.75).search("cat")] == ["A", "B", "C"]

    def test_nothing_found_is_nothing(self) -> None:
        assert BM25([Document(**one) for one in DOCUMENTS], k1=1.2, b=0.75).search("zebra") == []

    def test_documents_without_a_word_are_refused(self) -> None:
        with pytest.raises(GateError, match="no document has a word"):
            BM25([Document(id="A", title="", text="Київ")], k1=1.2, b=0.75)

    def test_what_is_not_searched_is_named(self) -> None:
        assert unseen("Ménage, 返品 10 한국") == "é한국"


class TestRun:
    def test_results(self, files: list[str], tmp_path: Path) -> None:
        out = tmp_path / "results.json"
        assert main(["gate", "run", *files, "--out", str(out)]) == 0
        results = json.loads(out.read_text("utf-8"))
        first, second, third = results["queries"]
        assert first["required_documents_covered_in_top_k"] is True
        assert [one["doc_id"] for one in second["candidates"]] == ["B", "A"]
        assert third["top_score"] is None  # not 0
        assert results["documents_count"] == 2
        lenient, strict = results["summaries"]
        assert [one["reason"] for one in lenient["decisions"]] == ["pass", "pass", "no_candidates"]
        assert [one["reason"] for one in strict["decisions"]] == ["pass", "below_threshold", "no_candidates"]
        assert (lenient["false_pass_ids"], strict["false_pass_ids"]) == (["Q2"], [])
        assert out.read_bytes().endswith(b"}\n")

    def test_the_bytes_are_the_same_again(self, files: list[str], tmp_path: Path) -> None:
        for name in ("one.json", "two.json"):
            assert main(["gate", "run", *files, "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()

    def test_json(self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "results.json"
        assert main(["gate", "run", *files, "--out", str(out), "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
        assert shown["points"][1]["gate"]["false_pass"]["denominator"] == 2

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (
                lambda one: one.update(candidatess=one.pop("candidates")),
                "row 1 (Q1): candidates: Field required",
            ),
            (
                lambda one: one.pop("answerable_in_collection"),
                "row 1 (Q1): answerable_in_collection: Field required",
            ),
            (
                lambda one: one.update(top_score=99.0),
                "row 1 (Q1): top_score is 99.0, and the first candidate has",
            ),
            (lambda one: one.update(status="failed"), "row 1 (Q1): a search that failed has no candidates"),
        ],
    )
    def test_results_that_somebody_edited(
        self, files: list[str], tmp_path: Path, change: Any, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "results.json"
        assert main(["gate", "run", *files, "--out", str(out)]) == 0
        results = json.loads(out.read_text("utf-8"))
        change(results["queries"][0])
        out.write_text(json.dumps(results), "utf-8")
        assert main(["gate", "sweep", str(out)]) == 2
        assert said in capsys.readouterr().err

    @pytest.mark.parametrize("name", ["config", "documents", "queries"])
    def test_an_input_is_never_written_over(
        self, name: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = (tmp_path / f"{name}.json").read_bytes()
        (tmp_path / "link.json").symlink_to(f"{name}.json")
        for out in (f"{name}.json", "link.json"):
            assert main(["gate", "run", *files, "--out", str(tmp_path / out)]) == 2
            assert "is one of the input files" in capsys.readouterr().err
        assert (tmp_path / f"{name}.json").read_bytes() == before

    def test_unverified_is_no_absence(self, tmp_path: Path) -> None:
        queries = [*QUERIES, query("Q4", "bird?", answerable_in_collection=None)]
        out = tmp_path / "results.json"
        assert main(["gate", "run", *written(tmp_path, CONFIG, DOCUMENTS, queries), "--out", str(out)]) == 0
        summary = json.loads(out.read_text("utf-8"))["summaries"][0]
        assert (summary["answerable_count"], summary["unanswerable_count"], summary["unverified_count"]) == (
            1,
            2,
            1,
        )
        assert main(["gate", "sweep", str(out)]) == 2
        assert main(["gate", "sweep", str(out), "--unverified", "apart"]) == 0

    def test_everything_wrong_at_once(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = written(
            tmp_path,
            {**CONFIG, "k1": "1.2", "thresholds": [1, 0]},
            [*DOCUMENTS, {"id": "A", "title": "x", "text": 1}, DOCUMENTS[0]],
            [query("Q1", "dog", ["Z"]), query("Q1", "cat", answerable_in_collection=True)],
        )
        assert main(["gate", "run", *files, "--out", str(tmp_path / "results.json")]) == 2
        said = capsys.readouterr().err
        for part in (
            "config.json: k1",
            "documents.json: row 3: text",
            "documents.json: rows 1, 4: the id 'B' is used twice",
            "queries.json: rows 1, 2: the id 'Q1' is used twice",
            "queries.json: Q1: there is no document 'Z'",
            "queries.json: row 2: answerable, but no required document is named",
        ):
            assert part in said
        assert not (tmp_path / "results.json").exists()

    @pytest.mark.parametrize("thresholds", [[1, 0], [0, 0], [math.nan], [0, math.inf], []])
    def test_thresholds(self, thresholds: list[float], tmp_path: Path) -> None:
        files = written(tmp_path, {**CONFIG, "thresholds": thresholds}, DOCUMENTS, QUERIES)
        assert main(["gate", "run", *files, "--out", str(tmp_path / "results.json")]) == 2

    def test_nan_in_a_field_that_is_only_kept(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        queries = [*QUERIES, query("Q4", "bird", weight=math.nan)]
        files = written(tmp_path, {**CONFIG, "note": math.inf}, DOCUMENTS, queries)
        assert main(["gate", "run", *files, "--out", str(tmp_path / "results.json")]) == 2
        said = capsys.readouterr().err
        assert "config.json: NaN and Infinity are no numbers" in said
        assert "queries.json: NaN and Infinity are no numbers" in said

    def test_absent_needs_a_scope(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        config = {name: value for name, value in CONFIG.items() if name != "corpus_scope"}
        files = written(tmp_path, config, DOCUMENTS, QUERIES)
        assert main(["gate", "run", *files, "--out", str(tmp_path / "results.json")]) == 2
        assert (
            "config.json: corpus_scope and experiment_date_jst: a text is needed (some questions"
            in capsys.readouterr().err
        )

    def test_what_the_config_lacks_is_named_in_the_config(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bare = {name: CONFIG[name] for name in ("method", "k1", "b", "top_k", "thresholds", "comparison")}
        run = ["gate", "run", *written(tmp_path, bare, DOCUMENTS, QUERIES), "--out", str(tmp_path / "r.json")]
        assert main(run) == 2
        said = capsys.readouterr().err
        assert "config.json: experiment_date_jst: a text is needed" in said
        assert "row 2" not in said
        parts = {
            "questions": {"name": "n", "period": "p", "origin": "designed"},
            "absent_basis": {"scope": "s", "version": "v", "permission": "p", "method": "m"},
        }
        written(tmp_path, {**bare, **parts}, DOCUMENTS, QUERIES)
        assert main(run) == 0
        parts["questions"] = {"name": "n", "period": "p", "origin": "found"}
        written(tmp_path, {**bare, **parts}, DOCUMENTS, QUERIES)
        assert main(run) == 2
        assert "config.json: questions.origin" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "text", ["", "{", '{"k1": 1, "k1": 2}', "\xff", '{"note": "\\ud800"}', "[" * 100_000]
    )
    def test_files_that_are_not_json(self, text: str, files: list[str], tmp_path: Path) -> None:
        (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
        assert main(["gate", "run", *files, "--out", str(tmp_path / "results.json")]) == 2

    def test_letters_that_are_not_searched_are_said(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = written(tmp_path, CONFIG, DOCUMENTS, [*QUERIES, query("Q4", "Київ")])
        assert main(["gate", "run", *files, "--out", str(tmp_path / "results.json")]) == 0
        assert (
            "note: question Q4: letters that this retriever does not search: київ" in capsys.readouterr().out
        )


class TestSweepCommand:
    @pytest.fixture
    def results(self, tmp_path: Path) -> Path:
        path = tmp_path / "frozen.json"
        path.write_text(json.dumps(content(hundred())), "utf-8")
        return path

    def test_the_published_table(self, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["gate", "sweep", str(results), "--thresholds", "0.4,0.7"]) == 0
        shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        assert "0.4 80 (80.0 %) 20 (20.0 %) 20 (66.7 %) 10 (14.3 %)" in shown
        assert "0.7 50 (50.0 %) 50 (50.0 %) 5 (16.7 %) 25 (35.7 %)" in shown
        assert "0.4 80 54 21 2 3" in shown
        assert "0.7 50 42 6 1 1" in shown
        assert "0.4 28.0 % of 75 26.3 % of 80 21.0 % of 100" in shown
        assert "0.7 12.5 % of 48 12.0 % of 50 6.0 % of 100" in shown
        assert not any("94" in line or "accura" in line for line in shown)

    def test_no_threshold_given(self, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["gate", "sweep", str(results), "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert [one["gate"]["threshold"] for one in shown["points"]] == [0.2, 0.6, 0.8]
        assert shown["sha256"] == hashlib.sha256(results.read_bytes()).hexdigest()

    def test_nothing_counts_as_zero(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "frozen.json"
        rows = [row("A", 0.9), row("B"), row("C", candidates=[{"doc_id": "D"}]), row("D", status="failed")]
        path.write_text(json.dumps(content(rows)), "utf-8")
        assert main(["gate", "sweep", str(path), "--thresholds", "0"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        held = "1 without candidates, 1 with a missing score, 1 because the search failed"
        assert f"Held at every threshold: {held}" in shown
        assert "false pass: 0 of 0 (not measurable)" in shown

    def test_nan_is_refused_with_its_row(self, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
        results.write_text(json.dumps(content([row("A", 0.9), row("B", math.nan)])), "utf-8")
        assert main(["gate", "sweep", str(results)]) == 2
        said = capsys.readouterr().err
        assert "row 2 (B): candidates.0.score" in said
        assert "Traceback" not in said

    @pytest.mark.parametrize(
        "arguments",
        [
            *(["--thresholds", one] for one in ("a", "nan", "1_0", "０.５", "0.4;0.7", "")),
            ["--part", "tuning"],
            ["--guarantee", "0.1"],
        ],
    )
    def test_usage(self, arguments: list[str], results: Path) -> None:
        assert main(["gate", "sweep", str(results), *arguments]) == 2

    def test_the_held_out_part_is_counted(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path, parts = written_groups(tmp_path)
        # A file that counts is never overwritten.
        assert main(["gate", "split", str(path), "--out", str(parts)]) == 2
        look = ["gate", "sweep", str(path), "--split", str(parts), "--thresholds", "0.2", "--part"]
        assert main([*look, "tuning"]) == 0
        assert json.loads(parts.read_text())["uses"] == []
        assert main([*look, "held_out"]) == 0
        capsys.readouterr()
        assert main([*look, "held_out"]) == 0
        assert "used 2 times: it counts as tuning data" in " ".join(capsys.readouterr().out.split())
        assert [one["purpose"] for one in json.loads(parts.read_text())["uses"]] == ["sweep of 0.2"] * 2

    def test_the_held_out_part_is_not_searched_for_a_threshold(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path, parts = written_groups(tmp_path)
        look = ["gate", "sweep", str(path), "--split", str(parts), "--part", "held_out"]
        assert main(look) == 2
        assert "name the one threshold" in capsys.readouterr().err
        assert json.loads(parts.read_text())["uses"] == []  # nothing was shown
        assert main([*look, "--thresholds", "0.2,0.4"]) == 0
        assert "choosing among them is tuning" in " ".join(capsys.readouterr().out.split())

    def test_unverified_is_said_in_80_columns(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        path = tmp_path / "frozen.json"
        rows = [row("A", 0.9, required_doc_ids=["D1"]), row("B", 0.8, "absent"), row("C", 0.7, "unverified")]
        path.write_text(json.dumps(content(rows)), "utf-8")
        assert main(["gate", "sweep", str(path), "--thresholds", "0.75", "--unverified", "apart"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= 80
        shown = " ".join(" ".join(lines).split())
        assert "1 question of 3 is unverified" in shown
        assert "unverified pass" in shown
        assert "0.75 0 1 of 1" in shown  # no unverified one passes; A's document is found, B has none to find

    def test_the_area_says_what_it_lies_between(
        self, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["gate", "sweep", str(results), "--thresholds", "0.4"]) == 0
        # 30 of 100 without evidence: 0.3 without any order, 0.3 ** 2 / 2 with a perfect one.
        assert "0.045 if scores told the two apart, 0.300 if they said nothing" in " ".join(
            capsys.readouterr().out.split()
        )
        path = tmp_path / "present.json"
        path.write_text(json.dumps(content([row("A", 0.9), row("B", 0.2)])), "utf-8")
        assert main(["gate", "sweep", str(path)]) == 0
        assert "risk-coverage curve: not measurable" in " ".join(capsys.readouterr().out.split())

    def test_guarantee(self, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("mapie", reason="the extra evaluate is not installed")
        arguments = ["--thresholds", "0.4,0.7", "--guarantee", "0.4", "--json"]
        assert main(["gate", "sweep", str(results), *arguments]) == 0
        got = capsys.readouterr()
        assert got.err == ""
        # 5 of 30 pass at 0.7 (binomial p = 0.006 for 40 %), 20 of 30 at 0.4.
        assert json.loads(got.out)["guarantee"]["valid"] == [0.7]


class TestAdoptCommand:
    TERMS = ("--handled-by", "desk", "--within", "a day", "--message-checked")

    def adopt(self, path: Path, parts: Path, out: Path, threshold: str, most: str = "1") -> int:
        agreed = ["--accept-false-pass", most, "--accept-over-hold", "1"]
        where = ["--split", str(parts), "--threshold", threshold, "--out", str(out)]
        return main(["gate", "adopt", str(path), *where, *agreed, *self.TERMS])

    def test_once_and_counted(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path, parts = written_groups(tmp_path)
        labels = {one["id"]: one["evidence"] for one in json.loads(path.read_text())["rows"]}
        held_out = json.loads(parts.read_text())["held_out"]
        assert {labels[name] for name in held_out} == {"present", "absent"}  # both shares can be measured
        assert self.adopt(path, parts, tmp_path / "a.json", "0.25") == 0
        assert [one["purpose"] for one in json.loads(parts.read_text())["uses"]] == ["adoption of 0.25"]
        assert self.adopt(path, parts, tmp_path / "b.json", "0.3") == 2
        assert "use 2" in capsys.readouterr().err
        assert not (tmp_path / "b.json").exists()
        assert main(["gate", "diff", str(tmp_path / "a.json"), str(tmp_path / "a.json")]) == 0
        other = json.loads((tmp_path / "a.json").read_text())
        other["operating"]["index_version"] = "i2"
        (tmp_path / "b.json").write_text(json.dumps(other))
        capsys.readouterr()
        assert main(["gate", "diff", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == 1
        assert capsys.readouterr().out == "operating.index_version: i1 -> i2 (evaluate again)\n"

    def test_a_look_that_fails_is_a_look(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path, parts = written_groups(tmp_path)
        assert self.adopt(path, parts, tmp_path / "a.json", "0", most="0.1") == 2
        assert "false_pass: 1 of 1" in capsys.readouterr().err
        assert len(json.loads(parts.read_text())["uses"]) == 1
        assert not (tmp_path / "a.json").exists()

    def test_a_sweep_of_the_part_counts_against_it(self, tmp_path: Path) -> None:
        path, parts = written_groups(tmp_path)
        look = ["--split", str(parts), "--part", "held_out", "--thresholds", "0.25"]
        assert main(["gate", "sweep", str(path), *look]) == 0
        assert self.adopt(path, parts, tmp_path / "a.json", "0.25") == 2

    def test_no_bundle(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path, _ = written_groups(tmp_path)
        assert main(["gate", "diff", str(path), str(path)]) == 2
        assert "is not what gate adopt wrote" in capsys.readouterr().err


class TestPlot:
    @pytest.mark.parametrize("suffix", ["png", "svg"])
    def test_picture(self, suffix: str, files: list[str], tmp_path: Path) -> None:
        pytest.importorskip("matplotlib", reason="the extra evaluate is not installed")
        made = []
        for name in ("one", "two"):
            path = tmp_path / f"{name}.{suffix}"
            assert main(["gate", "run", *files, "--out", str(tmp_path / "r.json"), "--plot", str(path)]) == 0
            made.append(path.read_bytes())
        assert made[0] == made[1]
        assert made[0].startswith(b"\x89PNG" if suffix == "png" else b"<?xml")

    def test_the_svg_says_what_is_drawn(self, files: list[str], tmp_path: Path) -> None:
        matplotlib = pytest.importorskip("matplotlib", reason="the extra evaluate is not installed")
        path = tmp_path / "p.svg"
        with matplotlib.rc_context({"svg.fonttype": "none"}):
            assert main(["gate", "run", *files, "--out", str(tmp_path / "r.json"), "--plot", str(path)]) == 0
        text = path.read_text("utf-8")
        assert "coverage: passed, of all questions with known evidence" in text
        assert "false pass, of 2 without evidence" in text
        assert "the rest has no score" in text

    def test_a_folder_that_is_not_there_is_said_first(
        self, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "r.json"
        plot = str(tmp_path / "no" / "p.png")
        assert main(["gate", "run", *files, "--out", str(out), "--plot", plot]) == 2
        assert "there is no such folder" in capsys.readouterr().err
        assert not out.exists()
        # A look at the held-out part that cannot be drawn is not taken.
        path, parts = written_groups(tmp_path)
        look = ["--split", str(parts), "--part", "held_out", "--thresholds", "0.2", "--plot", plot]
        assert main(["gate", "sweep", str(path), *look]) == 2
        assert json.loads(parts.read_text())["uses"] == []

    @staticmethod
    def drawn(tmp_path: Path, *named: str, **parts: Any) -> str:
        matplotlib = pytest.importorskip("matplotlib", reason="the extra evaluate is not installed")
        path, plot = tmp_path / "frozen.json", tmp_path / "p.svg"
        rows = [row("A", 0.9), row("B", 0.8, "absent"), row("C", 0.5)]
        path.write_text(json.dumps(content(rows, **parts)), "utf-8")
        with matplotlib.rc_context({"svg.fonttype": "none"}):
            assert main(["gate", "sweep", str(path), *named, "--plot", str(plot)]) == 0
        return plot.read_text("utf-8")

    def test_the_title_says_what_it_is_of(self, tmp_path: Path) -> None:
        named = self.drawn(tmp_path, "--thresholds", "0.6")
        assert "lending: cosine similarity, all questions" in named
        assert "no threshold was named" not in named
        assert "no threshold was named, so none is marked" in self.drawn(tmp_path)

    @pytest.mark.parametrize(
        ("name", "said"), [("規程", "letters that the font lacks"), ("a $x$ b", "a $x$ b")]
    )
    def test_names_are_drawn_as_they_are_or_it_says_so(self, tmp_path: Path, name: str, said: str) -> None:
        assert said in self.drawn(tmp_path, questions={**QUESTIONS, "name": name})

    @pytest.mark.parametrize(
        ("direction", "values", "states"),
        [
            ("higher_is_better", [0.5, 0.8, 0.9], [(2, 1), (2, 1), (1, 1), (1, 0), (0, 0)]),
            ("lower_is_better", [0.1, 0.2, 0.5], [(0, 0), (1, 0), (1, 1), (2, 1), (2, 1)]),
        ],
    )
    def test_the_steps_of_the_errors(
        self, direction: str, values: list[float], states: list[tuple[int, int]]
    ) -> None:
        scores = values[::-1] if direction == "higher_is_better" else values
        rows = [row("A", scores[0]), row("B", scores[1], "absent"), row("C", scores[2]), row("D")]
        made = read_frozen(content(rows, operating={**OPERATING, "direction": direction}), "0" * 64)
        places, passing = steps(sweep_thresholds(made))
        assert places[1:-1] == values
        assert places[0] < values[0] < values[-1] < places[-1]
        assert passing == states

    def test_another_suffix_is_refused(self, files: list[str], tmp_path: Path) -> None:
        out = ["--out", str(tmp_path / "r.json")]
        assert main(["gate", "run", *files, *out, "--plot", str(tmp_path / "p.jpeg")]) == 2


class TestPublishedExperiment:
    """Facts of a published experiment; its files are not ours and lie where DOCAUDIT_REFERENCE_GATE says."""

    SHA256 = "967e0a756586325a811e12ee192f8499aba2e085167085c79d398897f4e9e9cb"
    SCORES = (
        "9.811527 13.365760 15.887716 10.235241 25.221300 26.025947 20.055652 32.032532 8.000504 6.522068 8.854764 "
        "9.114474 7.898000 25.069183 22.339609 31.099818 none none"
    ).split()

    @pytest.fixture
    def folder(self) -> Path:
        named = os.environ.get("DOCAUDIT_REFERENCE_GATE")
        if not named:
            pytest.skip(
                "set DOCAUDIT_REFERENCE_GATE to the folder with config.json, documents.json, queries.json"
            )
        return Path(named)

    def test_all_of_it(self, folder: Path) -> None:
        done = run_experiment(
            read_inputs(*(folder / f"{name}.json" for name in ("config", "documents", "queries")))
        )
        top = [one["top_score"] for one in json.loads(done.text)["queries"]]
        assert ["none" if score is None else f"{score:.6f}" for score in top] == self.SCORES
        counts = [point.gate for point in done.sweep.points]
        assert [(one.passed.numerator, one.held.numerator) for one in counts] == [(16, 2)] * 3 + [(14, 4)]
        assert [(one.false_pass.numerator, one.false_pass.denominator) for one in counts] == [(6, 8)] * 3 + [
            (5, 8)
        ]
        assert [(one.over_hold.numerator, one.over_hold.denominator) for one in counts] == [(0, 10)] * 3 + [
            (1, 10)
        ]
        assert counts[-1].over_hold_ids == ("Q10",)
        assert [one.passed_with_required.numerator for one in counts] == [10, 10, 10, 9]
        assert done.sha256 == self.SHA256
        assert done.notes == ()

    def test_its_results_can_be_swept(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["gate", "sweep", str(folder / "results.json"), "--thresholds", "8", "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["sha256"] == self.SHA256
        assert shown["points"][0]["gate"]["false_pass_ids"] == ["Q11", "Q12", "Q14", "Q15", "Q16"]
