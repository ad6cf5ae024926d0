"""The page about the ledger of runs."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from docaudit.abstention.ledger.checklists import BY_PEOPLE, LedgerLintCode
from docaudit.abstention.ledger.results import Symptom
from docaudit.abstention.ledger.rows import (
    Absence,
    Answerability,
    Behaviour,
    Boundary,
    Citation,
    ClaimKind,
    ClaimSeverity,
    Contract,
    EvidencePlace,
    Gold,
    Identity,
    Layer,
    LedgerCase,
    LedgerClaim,
    LedgerDocument,
    LedgerRun,
    Manifest,
    Metric,
    OperationLimits,
    Owner,
    Part,
    Planned,
    Support,
    VetoKind,
    Violation,
)
from docaudit.abstention.ledger.twenty_tests import BLOCKS, TESTS
from docaudit.abstention.render import TITLES
from docaudit.codes import Finding, Obligation
from reference_pages.markdown import fields_of, table

SAMPLE = Path(__file__).parents[2] / "samples" / "ledger"
LEDGER_FILES: tuple[tuple[str, str, tuple[type[BaseModel], ...]], ...] = (
    (
        "contract.json",
        "one object; frozen before the first output",
        (Contract, Identity, Manifest, OperationLimits),
    ),
    ("documents.jsonl", "one document of the corpus on each line; frozen by the contract", (LedgerDocument,)),
    (
        "cases.jsonl",
        "one labelled question on each line; frozen by the contract",
        (LedgerCase, Gold, Planned),
    ),
    (
        "runs.jsonl",
        "one run of a case on each line",
        (LedgerRun, EvidencePlace, Citation, Violation, Absence),
    ),
    ("claims.jsonl", "the review of one claim of one run on each line", (LedgerClaim,)),
)
LEDGER_HEAD = """# The ledger of runs

`docaudit evaluate LEDGER` recomputes from labelled runs of a question-answering tool whether each layer did its part:
eligible documents, retrieval, context, citations, claims, abstentions, isolation, each over its own denominator; where
to repair first; and whether the tool may be released. It reads a folder of five files; `samples/ledger` is one.

```sh
docaudit evaluate samples/ledger --html release.html                  # exit code 1: not released
docaudit evaluate samples/ledger --json > saved.json                  # exit code 1
docaudit evaluate samples/ledger --verify saved.json                  # every number again: the same
docaudit evaluate --diff samples/ledger samples/ledger                # which ratios moved, and which runs moved them?
```

JSON Schemas of the files stand in `schemas/ledger_*.schema.json`.

- The contract names the SHA-256 of documents.jsonl and cases.jsonl, and every run names the SHA-256 of contract.json
  (`sha256sum FILE` prints it). So labels cannot follow outputs. A contract that is younger than an output, a version
  that was observed and is not the contract's, and every other fault is refused with file and row: all faults of
  single rows first, then those between rows.
- Nothing is ever turned into 0: what was not measured is null or left out, NaN is refused, an empty denominator has no
  share, and cases to which a check does not apply are left out of both numbers and counted.
- Identifiers, permissions, versions, dates, places and citations are checked from the rows, before any judge: a claim
  that was judged `full` counts only if its passages are eligible and in the final context.
- A source that the identity may not use is a veto once it is in the context, cited or shown. As a mere candidate it
  fails the run (corpus eligibility) and is no veto: a filter after retrieval may still have stopped it.
- Each case has exactly `runs_per_case` runs, so that good runs that are repeated outvote nothing.
- Release needs a threshold for every metric, set in the contract, and every metric at its threshold or above. A veto
  blocks release at any average.

The method ("RAG evaluation checklist: 20 tests of grounded answers") defines context completeness over answerable runs,
and divides by all runs in its worked example RE098. Both are given, by name.
Of the fourteen parts that it wants fixed, thirteen have a version here, and top-k is a number of the contract.

An abstention may carry justifications of docaudit, one for each document. It is `justified` if every document of the
case's scope (by default all that its identity may use) is shown to lack it, `wrong` if one of them mentions it, else
`unproven`: with an obligation that a person waived, or without the SHA-256 of the document, nothing is shown. Each must
answer the question of the case, word by word, and follow from its own evidence; otherwise the ledger is refused. Only
`wrong` fails the run: by the method, whoever abstains rightly and names what is missing passes.
`docaudit.abstention.hold.Hold.keep` writes the justifications and gives the rows of `absence`.

A type in `code` is a table or a vocabulary of this page.

This page is written by docs/generate.py from docaudit/abstention/ledger.
"""

TWENTY_TESTS = """### Run a tool against them

`samples/twenty-tests` holds the 20 tests as fixtures, all invented: `documents.jsonl` (rows as above, each with the
`file` of its text, whose paragraphs are the passages), `questions.jsonl` (one question for each test: who asks, for
which day, within how many seconds) and `expected.jsonl` (what passes). A tool that takes documents and questions writes
one line for each question; `answers.jsonl` is what a tool that passes all might write. Its line for test 9:

```json
{answer}
```

`behaviour` is one of `Behaviour`; `text` is everything that the user is shown; `context` is what was sent to the model.

```python
from docaudit.abstention.ledger.twenty_tests import score

outcomes = score("samples/twenty-tests", "samples/twenty-tests/answers.jsonl")
assert [test.outcome for test in outcomes] == ["pass"] * 20
```

Each outcome has the reasons of a failure and where to look. `python -m docaudit.abstention.ledger.twenty_tests FOLDER
ANSWERS` prints the same; its exit code is 0 if all pass, 1 if one fails, 2 for an error. The texts are judged by
patterns, so a pass is necessary and not sufficient; test 20 is one question with a time limit, and the load of many
users is measured by the ledger."""


def ledger_text() -> str:
    """The reference page of the ledger."""
    lines = [LEDGER_HEAD]
    for name, what, models in LEDGER_FILES:
        lines += [f"## {name}", "", f"{what[0].upper()}{what[1:]}. From `samples/ledger`:", ""]
        lines += example_of(name)
        for model in models:
            lines += fields_of(model)
    lines += ["## What values mean", ""]
    lines += table("answerability", "meaning", "expected behaviour")
    lines += [f"| `{one.value}` | {one.meaning} | `{one.expected.value}` |" for one in Answerability]
    for title, values in (
        ("behaviour", Behaviour),
        ("parts of `versions`", Part),
        ("owners", Owner),
        ("kinds of claims", ClaimKind),
        ("severities", ClaimSeverity),
        ("support", Support),
        ("boundaries", Boundary),
        ("findings of a justification", Finding),
        ("obligations of a justification", Obligation),
    ):
        lines += ["", f"`{values.__name__}`, {title}: {', '.join(f'`{one.value}`' for one in values)}."]
    lines += ["", f"Points for `attested`: {', '.join(f'`{code}`' for code in BY_PEOPLE)}.", ""]
    lines += ["## Metrics", "", "The values of `Metric`.", "", *table("metric", "title", "counted / over")]
    lines += [f"| `{one.value}` | {TITLES[one.value]} | {one.meaning} |" for one in Metric]
    lines += ["", "## Vetoes", "", "The values of `VetoKind`.", "", *table("veto", "meaning")]
    lines += [f"| `{one.value}` | {one.meaning} |" for one in VetoKind]
    lines += ["", "## Layers", "", *table("layer", "what it decides")]
    lines += [f"| `{one.value}` | {one.meaning} |" for one in Layer]
    lines += [
        "",
        "## Where a failure is repaired",
        "",
        "In this order; the first that was seen names the layer.",
        "",
    ]
    lines += table("seen", "meaning", "layer", "what to do")
    lines += [f"| `{one.value}` | {one.meaning} | `{one.layer.value}` | {one.remedy} |" for one in Symptom]
    lines += ["", "## What is wrong with an evaluation itself", "", *table("code", "meaning", "remedy")]
    lines += [f"| `{one.value}` | {one.meaning} | {one.remedy} |" for one in LedgerLintCode]
    lines += ["", "## The 20 tests"]
    for block, title in BLOCKS.items():
        lines += ["", f"### {title}", "", *table("number", "test", "fixture", "passes", "diagnosis")]
        lines += [
            f"| {t.number} | {t.name} | {t.fixture} | {t.passes} | {t.diagnosis} |"
            for t in TESTS
            if t.block == block
        ]
    answers = (SAMPLE.parent / "twenty-tests" / "answers.jsonl").read_text("utf-8").splitlines()
    lines += ["", TWENTY_TESTS.format(answer=answers[8])]
    return "\n".join(lines) + "\n"


def example_of(file: str) -> list[str]:
    """The first row of a file of the sample; of the contract all, with one identity."""
    text = (SAMPLE / file).read_text("utf-8")
    if file.endswith(".jsonl"):
        return ["```json", text.splitlines()[0], "```", ""]
    contract = json.loads(text)
    contract["identities"] = contract["identities"][:1]
    parts = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in contract.items()]
    return ["```json", "{", ",\n".join(parts), "}", "```", ""]
