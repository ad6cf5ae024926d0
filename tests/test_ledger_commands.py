"""`docaudit evaluate`: decision first, exit codes, JSON, HTML, two ledgers side by side."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from docaudit.abstention.render import to_html
from docaudit.cli import main
from tests.ledgers import FOLDER, ROOT, Rows
from tests.test_ledger import perfect

Run = Callable[..., tuple[int, str, str]]
EVIL = "<script>alert(1)</script>\x1b[31m {{ 7*7 }}"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_not_released_is_1_and_stands_first(run: Run) -> None:
    code, out, err = run("evaluate", FOLDER)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "NOT_RELEASED  RE098, 60 runs; warnings: 5 points of the checklist open"
    assert lines[1:3] == ["  ✗ veto: Q034 (cross_tenant_leak)", "  ✗ veto: Q054 (document_changed_policy)"]
    # Clopper-Pearson: the 2.5 % quantile of Beta(57, 4) is 0.8608, the 97.5 % one of Beta(58, 3) is 0.9896.
    for row in (
        "57 of 60  95.00 %  86.1 to 99.0",
        "110 of 120  91.67 %",
        "47 of 60  78.33 %",
        "38 of 48   79.17 %",
    ):
        assert row in out
    assert "2 runs are vetoed: Q034, Q054" in " ".join(out.split())


def test_released_is_0(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("evaluate", perfect().write(tmp_path / "ledger"))
    assert code == 0
    assert out.startswith("RELEASED  RE098, 60 runs; warnings: 4 points of the checklist open\n")
    assert "failed" not in out


def test_the_reason_of_a_hold_that_failed_is_the_true_one(run: Run, tmp_path: Path) -> None:
    rows = perfect()
    rows.run("Q008")["next_step"] = ""
    rows.run("Q009")["behaviour"] = "answer"
    _, out, _ = run("evaluate", rows.write(tmp_path / "ledger"))
    assert "Q008  generation: no next step was offered\n" in out
    label = rows.case("Q009")["answerability"]
    assert f"Q009  generation: {label} expects" in out
    assert "not the expected behaviour" not in out


def test_a_release_that_rests_on_little_says_so(run: Run, tmp_path: Path) -> None:
    rows = perfect()
    for case in rows.cases:
        case["tests"] = []
    code, out, _ = run("evaluate", rows.write(tmp_path / "ledger"))
    assert code == 0
    assert out.startswith(
        "RELEASED  RE098, 60 runs; warnings: no_negatives, 4 points of the checklist open\n"
    )
    shown = " ".join(out.split())
    assert "no case names test 5" in shown
    assert "UNANSWERABLE" in shown.split("cases that name no test:")[1].split("(")[0]


def test_one_edit_of_the_contract_is_one_fault(run: Run, tmp_path: Path) -> None:
    folder = perfect().write(tmp_path / "ledger")
    contract = folder / "contract.json"
    contract.write_bytes(contract.read_bytes() + b"\n")
    code, _, err = run("evaluate", folder)
    assert code == 2
    assert err.count("another contract") == 1
    assert "runs.jsonl row 1 and 59 more: ran under another contract" in err
    assert hashlib.sha256(contract.read_bytes()).hexdigest() in err


def test_json_fits_its_schema(run: Run) -> None:
    code, out, _ = run("evaluate", FOLDER, "--json")
    data = json.loads(out)
    schema = json.loads((ROOT / "schemas" / "ledger_evaluation.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert (code, data["decision"]) == (1, "NOT_RELEASED")
    assert [(one["numerator"], one["denominator"]) for one in data["ratios"]][4] == (110, 120)


def test_faults_are_one_line_with_all_rows_and_exit_2(run: Run, tmp_path: Path) -> None:
    rows = Rows()
    rows.runs[2]["seconds"] = float("nan")
    rows.runs[7]["behaviour"] = "guess"
    code, out, err = run("evaluate", rows.write(tmp_path / "ledger"))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "runs.jsonl row 3: seconds: Input should be a finite number" in err
    assert "runs.jsonl row 8: behaviour: " in err


def test_no_file_of_the_ledger_is_written_over(run: Run, tmp_path: Path) -> None:
    folder = perfect().write(tmp_path / "ledger")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (tmp_path / "link.html").symlink_to(folder / "runs.jsonl")
    for html in (*folder.iterdir(), tmp_path / "link.html"):
        code, _, err = run("evaluate", folder, "--html", html)
        assert code == 2
        assert "is a file of the ledger" in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_pipe_is_not_replaced_by_a_file_and_a_link_leaves_its_target(run: Run, tmp_path: Path) -> None:
    folder = perfect().write(tmp_path / "ledger")
    pipe, link, kept = (tmp_path / name for name in ("pipe", "link.html", "kept.html"))
    os.mkfifo(pipe)
    code, _, err = run("evaluate", folder, "--html", pipe)
    assert (code, pipe.is_fifo()) == (2, True)
    assert "is a device or pipe" in err
    kept.write_text("kept")
    link.symlink_to(kept)
    assert run("evaluate", folder, "--html", link)[0] == 0
    assert (kept.read_text(), link.is_symlink()) == ("kept", False)


def test_a_folder_that_is_none(run: Run, tmp_path: Path) -> None:
    code, _, err = run("evaluate", tmp_path / "none")
    assert code == 2
    assert "is not a ledger" in err
    assert "docs/ledger.md" in err


def test_diff_names_what_moved_and_by_which_row(run: Run, tmp_path: Path) -> None:
    rows = Rows()
    rows.run("Q001")["citations"][0]["resolved"] = False
    after = rows.write(tmp_path / "after")
    code, out, _ = run("evaluate", "--diff", FOLDER, after)
    assert code == 1
    assert out.splitlines()[0] == "NOT_RELEASED → NOT_RELEASED"
    assert "Citations resolve  53/60 → 52/60\n  lost: Q001\n" in out
    assert "Complete pass  47/60 → 46/60\n  lost: Q001\n" in out
    assert "Corpus" not in out

    code, out, _ = run("evaluate", "--diff", after, FOLDER, "--json")
    data = json.loads(out)
    schema = json.loads((ROOT / "schemas" / "ledger_diff.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert [(one["name"], one["gained"]) for one in data["moved"]] == [
        ("citation_resolvability", ["Q001"]),
        ("complete_pass", ["Q001"]),
    ]


def test_diff_of_the_same_is_0_and_a_veto_that_goes_is_named(run: Run, tmp_path: Path) -> None:
    assert run("evaluate", "--diff", FOLDER, FOLDER)[:2] == (
        0,
        "NOT_RELEASED → NOT_RELEASED\n  Nothing moved.\n",
    )
    rows = Rows()
    rows.run("Q054")["violations"] = []
    _, out, _ = run("evaluate", "--diff", FOLDER, rows.write(tmp_path / "after"))
    assert "veto gone: Q054 document_changed_policy" in out
    assert "Security isolation  10/12 → 11/12\n  gained: Q054\n" in out


def test_verify_recomputes_a_saved_evaluation(run: Run, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    told.write_text(run("evaluate", FOLDER, "--json")[1], "utf-8")
    assert run("evaluate", FOLDER, "--verify", told)[:2] == (
        0,
        "VERIFIED: every number is what the rows give\n",
    )

    data = json.loads(told.read_text("utf-8"))
    data["ratios"][0]["numerator"] = 60
    told.write_text(json.dumps(data), "utf-8")
    code, out, _ = run("evaluate", FOLDER, "--verify", told)
    assert code == 1
    assert out.splitlines() == ["NOT VERIFIED", "  ratios.corpus_eligibility.numerator: saved 60, now 57"]
    code, out, _ = run("evaluate", FOLDER, "--verify", told, "--json")
    assert (code, json.loads(out)["verified"]) == (1, False)

    data["ratios"][0]["numerator"] = 57
    data["groups"][0]["ratios"][0]["numerator"] = 1
    data["runs"].append(data["runs"][0])
    told.write_text(json.dumps(data), "utf-8")
    _, out, _ = run("evaluate", FOLDER, "--verify", told)
    first = data["groups"][0]
    name = f"groups.{first['by']} {first['value']}.ratios.corpus_eligibility.numerator"
    assert f"  {name}: saved 1" in out
    assert "  runs: " in out  # a run that stands twice is not folded into one

    good = run("evaluate", FOLDER, "--json")[1]
    for edited in (
        good.replace('"numerator": 57', '"numerator": "57"', 1),
        good.replace('"decision":', '"decision": "RELEASED", "decision":', 1),
    ):
        assert edited != good
        told.write_text(edited, "utf-8")
        assert run("evaluate", FOLDER, "--verify", told)[0] == 2
    data = json.loads(good)
    data["ratios"].insert(0, {**data["ratios"][0], "numerator": 60})
    told.write_text(json.dumps(data), "utf-8")
    assert run("evaluate", FOLDER, "--verify", told)[0] == 1

    told.write_text("{}", "utf-8")
    code, _, err = run("evaluate", FOLDER, "--verify", told)
    assert code == 2
    assert "is not what docaudit evaluate --json printed" in err


@pytest.mark.parametrize(
    "arguments",
    [
        (FOLDER, FOLDER),
        ("--diff", FOLDER),
        (),
        ("--diff", FOLDER, FOLDER, "--html", "x"),
        (FOLDER, "--verify"),
    ],
)
def test_arguments_that_do_not_fit(run: Run, arguments: tuple[object, ...]) -> None:
    code, out, err = run("evaluate", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("docaudit: ")


class _Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not {"src", "href", "onerror", "onload"} & dict(attrs).keys()

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_html_is_escaped_and_shows_the_decision_first(run: Run, tmp_path: Path) -> None:
    rows = Rows()
    rows.contract["name"] = EVIL
    rows.runs[0]["run_id"] = EVIL
    rows.runs[0]["violations"] = [{"kind": "unauthorised_source", "channel": "log", "what": EVIL}]
    for claim in rows.claims[:2]:
        claim["run_id"] = EVIL
    file = tmp_path / "release.html"
    code, out, _ = run("evaluate", rows.write(tmp_path / "ledger"), "--html", file)
    assert code == 1
    assert "\x1b[31m" not in out
    html = file.read_text("utf-8")
    page = _Page(html)
    assert "script" not in page.tags
    assert "\x1b" not in html
    text = " ".join(" ".join(page.text).split())
    assert text.index("NOT_RELEASED") < text.index("Vetoes") < text.index("Ratios")
    assert "{{ 7*7 }}" in text


@pytest.mark.parametrize("make", [Rows, perfect])
@pytest.mark.parametrize("width", [375, 1280])
def test_html_in_the_browser(browser, tmp_path: Path, make: Callable[[], Rows], width: int) -> None:
    evaluation = make().evaluation()
    file = tmp_path / "release.html"
    file.write_text(to_html(evaluation), "utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800})
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    assert page.locator("h1").inner_text() == evaluation.decision.value
    assert page.get_by_text("110 of 120" if make is Rows else "120 of 120").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Nothing of a metric lies outside the window: on a phone each metric is a block of its own.
    table = page.locator("table.ratios").first
    assert table.evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")
    assert table.locator("th[scope=row]").first.bounding_box()["width"] > 150
    assert (messages, requests) == ([], [file.as_uri()])
    page.close()
