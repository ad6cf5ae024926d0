"""Bad ledgers are refused by name, with file and row, all faults at once; nothing becomes 0."""

from __future__ import annotations

import hashlib
import json
import os
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docaudit.abstention.ledger.read import ledger_of, load_ledger
from docaudit.errors import LedgerError
from docaudit.saved import dump
from tests.factories import absent, drawn
from tests.ledgers import Rows


def problems(rows: Rows, *, freeze: bool = True) -> tuple[str, ...]:
    with pytest.raises(LedgerError) as caught:
        ledger_of(rows.files(freeze=freeze))
    return caught.value.problems


def set_run(**fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows.runs[4].update(fields)


def set_case(**fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows.cases[4].update(fields)


def set_claim(**fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows.claims[8].update(fields)


def set_contract(**fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows.contract.update(fields)


def observed(**versions: str | None) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        seen = {**rows.runs[4]["observed"], **versions}
        rows.runs[4]["observed"] = {part: version for part, version in seen.items() if version is not None}

    return change


SAME = [{"document": "D05", "passage": "p2"}]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (set_run(run_id="Q004"), "runs.jsonl row 5: Q004 is already row 4"),
        (set_run(case_id="Q999"), "runs.jsonl row 5: the case Q999 is not in cases.jsonl"),
        (set_run(case_id="Q004"), "cases.jsonl row 5: the case Q005 has no run"),
        (set_run(seconds=float("nan")), "runs.jsonl row 5: seconds: Input should be a finite number"),
        (set_run(cost=float("inf")), "runs.jsonl row 5: cost: Input should be a finite number"),
        (set_run(seconds=-1), "runs.jsonl row 5: seconds: Input should be greater than or equal to 0"),
        (set_run(seconds="3"), "runs.jsonl row 5: seconds: Input should be a valid number"),
        (set_run(seconds=None), "runs.jsonl row 5: seconds: Input should be a valid number"),
        (set_run(behaviour="guess"), "runs.jsonl row 5: behaviour: Input should be 'answer'"),
        (set_run(score=0.9), "runs.jsonl row 5: score: Extra inputs are not permitted"),
        (set_run(output_at="2026-09-02T08:00:00"), "runs.jsonl row 5: output_at: Input should have timezone info"),
        (
            set_run(output_at="2026-09-01T08:59:59Z"),
            "runs.jsonl row 5: the contract (frozen 2026-09-01 09:00:00+00:00) is younger than this output",
        ),
        (observed(reranking="RR07"), "runs.jsonl row 5: reranking was RR07, and the contract says RR06"),
        (observed(reranking=None), "runs.jsonl row 5: the version of reranking was not observed"),
        (set_run(context=SAME * 2), "runs.jsonl row 5: context has D05 p2 twice"),
        (
            set_run(absence=[{"document": "D01", "path": "x", "digest": "0" * 64, "finding": "mentioned"}]),
            "runs.jsonl row 5: labels contradict: evidence of absence, but the run did not hold back",
        ),
        (set_case(case_id="Q004"), "cases.jsonl row 5: Q004 is already row 4"),
        (set_case(identity="I77"), "cases.jsonl row 5: the identity I77 is not in the contract"),
        (set_case(answerability="MAYBE"), "cases.jsonl row 5: answerability: Input should be 'ANSWERABLE'"),
        (set_case(tests=[21]), "cases.jsonl row 5: tests.0: Input should be less than or equal to 20"),
        (
            set_case(forbidden=SAME),
            "cases.jsonl row 5: labels contradict: D05 p2 is required and forbidden",
        ),
        (set_case(required=[]), "cases.jsonl row 5: labels contradict: ANSWERABLE, but no evidence is required"),
        (
            set_case(answerability="CONFLICTING", required=SAME),
            "cases.jsonl row 5: labels contradict: CONFLICTING, but fewer than two passages are required",
        ),
        (
            set_case(required=[{"document": "D05", "passage": "p99"}]),
            "cases.jsonl row 5: labels D05 p99, which documents.jsonl does not have",
        ),
        (
            set_case(required=[{"document": "D22", "passage": "p2"}], forbidden=[]),
            "cases.jsonl row 5: labels contradict: D22 is required or allowed, and retired for I05 on 2026-09-02",
        ),
        (set_case(scope=["D77"]), "cases.jsonl row 5: scope names D77, which documents.jsonl does not have"),
        (
            set_run(absence=[{"document": "D77", "path": "x", "digest": "0" * 64, "finding": "mentioned"}]),
            "runs.jsonl row 5: absence from D77, which documents.jsonl does not have",
        ),
        (
            set_run(absence=[{"document": "D01", "path": "x", "digest": "0" * 64, "finding": "mentioned"}] * 2),
            "runs.jsonl row 5: absence from D01 is there twice",
        ),
        (
            set_case(labelled_at="2026-09-03T00:00:00Z"),
            "cases.jsonl row 5: labelled at 2026-09-03 00:00:00+00:00, after the contract that froze it",
        ),
        (set_case(language="fr"), "contract.json: the manifest says 20 cases in en, and there are 19"),
        (
            lambda rows: rows.documents[0].update(effective_from="2026-02-01", effective_to="2026-01-31"),
            "documents.jsonl row 1: it applies from 2026-02-01 to 2026-01-31, which is no day at all",
        ),
        (set_claim(claim_id="c2"), "claims.jsonl row 10: Q005 c2 is already row 9"),
        (set_claim(run_id="Q999"), "claims.jsonl row 9: the run Q999 is not in runs.jsonl"),
        (lambda rows: rows.claims.pop(8), "runs.jsonl row 5: the claim c1 of Q005 has no review in claims.jsonl"),
        (set_claim(support="missing"), "claims.jsonl row 9: labels contradict: a missing claim has no evidence"),
        (set_claim(kind="fact"), "claims.jsonl row 9: the case plans c1; its kind stands there"),
        (set_claim(claim_id="c9"), "claims.jsonl row 9: c9 is not planned by the case, so its kind is needed"),
        (set_contract(top_k=0), "contract.json: top_k: Input should be greater than or equal to 1"),
        (set_contract(versions={"corpus": "CM08"}), "contract.json: versions lacks parsing, chunking, index"),
        (set_contract(owners={}), "contract.json: owners lacks product, corpus, domain, security, incident"),
        (
            lambda rows: rows.contract["thresholds"].update(accuracy=0.5),
            "contract.json: thresholds.accuracy.[key]: Input should be 'corpus_eligibility'",
        ),
        (lambda rows: rows.documents[0].update(status="retired"), "contract.json: the manifest says 9 retired"),
        (lambda rows: rows.documents.pop(), "contract.json: the manifest says 36 documents, and there are 35"),
        (lambda rows: rows.contract["identities"].pop(), "contract.json: the manifest says 10 identities"),
        (lambda rows: rows.cases[4]["claims"].pop(), "cases.jsonl row 5: 1 claims, and the manifest says 2"),
        (lambda rows: rows.claims.clear(), "claims.jsonl: has no row"),
        (lambda rows: rows.runs.clear(), "runs.jsonl: has no row"),
    ],
)  # fmt: skip
def test_every_fault_has_its_name_and_its_row(change: Callable[[Rows], None], fault: str) -> None:
    rows = Rows()
    change(rows)
    found = problems(rows)
    assert any(one.startswith(fault) for one in found), found


def test_all_faults_of_single_rows_at_once_and_then_those_between_them() -> None:
    rows = Rows()
    rows.runs[2]["seconds"] = float("nan")
    rows.claims[3]["support"] = "mostly"
    rows.cases[9]["identity"] = "nobody"
    assert [fault.split(":")[0] for fault in problems(rows)] == ["runs.jsonl row 3", "claims.jsonl row 4"]
    rows = Rows()
    rows.cases[9]["identity"] = "nobody"
    rows.runs[7]["case_id"] = "Q999"
    found = problems(rows)
    assert found[0] == "cases.jsonl row 8: the case Q008 has no run"
    assert found[1] == "cases.jsonl row 10: the identity nobody is not in the contract"
    assert found[2] == "runs.jsonl row 8: the case Q999 is not in cases.jsonl"


@pytest.mark.parametrize("name", ["documents", "cases"])
def test_what_was_frozen_cannot_follow_the_outputs(name: str) -> None:
    rows = Rows()
    rows.files()
    getattr(rows, name)[0]["restricted" if name == "documents" else "question"] = (
        False if name == "documents" else "another question"
    )
    if name == "documents":
        rows.documents[0]["owner"] = "somebody else"
    (fault,) = problems(rows, freeze=False)
    assert fault.startswith(f"{name}.jsonl: is not the file that the contract froze")


def test_the_very_moment_of_the_contract_is_early_enough() -> None:
    rows = Rows()
    rows.runs[4]["output_at"] = rows.cases[4]["labelled_at"] = rows.contract["frozen_at"]
    assert ledger_of(rows.files()).runs[4].output_at == ledger_of(rows.files()).contract.frozen_at


def test_passages_that_no_document_has_carry_nothing() -> None:
    rows = Rows()
    ghost = {"document": "D01", "passage": "GHOST"}
    rows.runs[0]["candidates"].append(ghost)
    rows.runs[0]["context"].append(ghost)
    rows.claims[0]["evidence"] = [ghost]
    assert list(problems(rows)) == [
        "runs.jsonl row 1: candidates has D01 GHOST, which documents.jsonl does not have",
        "runs.jsonl row 1: context has D01 GHOST, which documents.jsonl does not have",
        "claims.jsonl row 1: evidence D01 GHOST, which documents.jsonl does not have",
    ]


def test_good_runs_that_are_repeated_outvote_nothing() -> None:
    rows = Rows()
    again = {**rows.runs[0], "run_id": "Q001b"}
    rows.runs.append(again)
    rows.claims += [{**claim, "run_id": "Q001b"} for claim in rows.claims if claim["run_id"] == "Q001"]
    assert list(problems(rows)) == [
        "cases.jsonl row 1: 2 runs of Q001, and the manifest says 1 (runs_per_case)"
    ]


def test_a_contract_that_was_changed_after_the_runs() -> None:
    rows = Rows()
    rows.files()
    rows.contract["thresholds"]["complete_pass"] = 0.1
    found = problems(rows, freeze=False)
    assert len(found) == 1
    assert found[0].startswith("runs.jsonl row 1 and 59 more: ran under another contract")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"{", "not JSON: "),
        (b"[1]", "Input should be an object"),
        (b'{"run_id": "Q001", "run_id": "Q002"}', "not JSON: an object has run_id twice"),
        (b"\xff\xfe", "not "),
        (b"[" * 100_000, "not JSON: nested too deeply"),
    ],
)
def test_lines_that_are_no_rows(line: bytes, fault: str) -> None:
    files = Rows().files()
    files["runs.jsonl"] = files["runs.jsonl"] + b"\n" + line + b"\n"
    with pytest.raises(LedgerError) as caught:
        ledger_of(files)
    (one,) = caught.value.problems
    assert one.startswith(f"runs.jsonl row 62: {fault}")


def test_a_byte_order_mark_says_nothing() -> None:
    files = Rows().files()
    marked = {name: BOM_UTF8 + text for name, text in files.items()}
    contract = json.loads(files["contract.json"])
    for name in ("documents", "cases"):  # the hashes are those of the files as they are
        contract[f"{name}_sha256"] = hashlib.sha256(marked[f"{name}.jsonl"]).hexdigest()
    marked["contract.json"] = BOM_UTF8 + json.dumps(contract).encode()
    frozen = hashlib.sha256(marked["contract.json"]).hexdigest().encode()
    marked["runs.jsonl"] = marked["runs.jsonl"].replace(
        hashlib.sha256(files["contract.json"]).hexdigest().encode(), frozen
    )
    assert ledger_of(marked).runs[0].case_id == "Q001"


def test_a_folder_that_is_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "contract.json").write_text("{}")
    with pytest.raises(LedgerError, match=r"is not a ledger: documents\.jsonl: No such file") as caught:
        load_ledger(tmp_path)
    assert len(caught.value.problems) == 4


class TestJustifications:
    def folder(self, tmp_path: Path, question: str | None = None, **changes: str) -> Path:
        saved = drawn(absent())
        row = {
            "document": "D08",
            "path": "q.json",
            "digest": saved.digest,
            "finding": saved.finding.value,
            **changes,
        }
        rows = Rows()
        assert saved.document is not None
        rows.documents[7]["sha256"] = saved.document.sha256
        rows.documents[8]["sha256"] = "1" * 64
        rows.case("Q028")["question"] = question or saved.question
        rows.run("Q028")["absence"] = [row]
        folder = rows.write(tmp_path / "ledger")
        (folder / "q.json").write_text(dump(saved), "utf-8")
        return folder

    def test_the_right_one_is_taken(self, tmp_path: Path) -> None:
        load_ledger(self.folder(tmp_path))

    @pytest.mark.parametrize(
        ("changes", "fault"),
        [
            ({"path": "no.json"}, "no.json: cannot be read"),
            ({"path": "runs.jsonl"}, "runs.jsonl: not JSON"),
            ({"path": "../q.json"}, "lies outside the folder of the ledger"),
            ({"document": "D09"}, "q.json: is about another file than D09"),
            ({"question": "Who?"}, "q.json: answers another question than that of the case"),
            ({"digest": "0" * 64}, "q.json: is not the justification with this digest"),
            ({"waived": ["ink_read"]}, "q.json: has waived nothing, and the row says ink_read (waived)"),
            ({"finding": "mentioned"}, "q.json: finds absent_within_coverage, and the row says mentioned"),
        ],
    )
    def test_another_one_is_refused(self, tmp_path: Path, changes: dict[str, str], fault: str) -> None:
        with pytest.raises(LedgerError) as caught:
            load_ledger(self.folder(tmp_path, **changes))
        (one,) = caught.value.problems
        assert one.startswith("runs.jsonl row 28: ")
        assert fault in one

    def test_paths_that_lead_to_no_file(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path)
        (folder / "loop").symlink_to("loop")
        os.mkfifo(folder / "pipe")  # reading it would wait for ever
        runs = (folder / "runs.jsonl").read_text("utf-8")
        for path, fault in (
            ("j/\\u0000x", "is no path"),
            ("loop", ""),
            ("pipe", "is no file"),
            (".", "is no file"),
        ):
            (folder / "runs.jsonl").write_text(runs.replace('"q.json"', f'"{path}"'), "utf-8")
            with pytest.raises(LedgerError) as caught:
                load_ledger(folder)
            (one,) = caught.value.problems
            assert one.startswith("runs.jsonl row 28: ")
            assert fault in one

    @pytest.mark.parametrize("question", ["", " "])
    def test_one_for_a_case_without_a_question_is_refused(self, tmp_path: Path, question: str) -> None:
        folder = self.folder(tmp_path)
        rows = Rows()
        cases = [json.loads(line) for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]
        rows.cases, rows.runs = (
            cases,
            [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()],
        )
        rows.documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
        rows.case("Q028")["question"] = question
        with pytest.raises(LedgerError, match="has no question that it could be about"):
            load_ledger(rows.write(folder))

    def test_one_that_was_asked_nothing_is_refused(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path)
        nothing = drawn(absent(question=None))
        (folder / "q.json").write_text(dump(nothing), "utf-8")
        runs = (folder / "runs.jsonl").read_text("utf-8")
        (folder / "runs.jsonl").write_text(runs.replace(drawn(absent()).digest, nothing.digest), "utf-8")
        with pytest.raises(LedgerError, match="answers another question"):
            load_ledger(folder)

    def test_one_that_was_edited_is_refused(self, tmp_path: Path) -> None:
        folder = self.folder(tmp_path)
        data = json.loads((folder / "q.json").read_text("utf-8"))
        data["question"] = "another question"
        (folder / "q.json").write_text(json.dumps(data), "utf-8")
        with pytest.raises(LedgerError, match="is not the justification with this digest"):
            load_ledger(folder)
