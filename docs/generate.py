"""Write the reference pages from the code: `make docs` after a change of a blind spot, an obligation or a lint code.

tests/test_docs.py fails while a page differs from the code.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pydantic import BaseModel

from docaudit.abstention.ledger.cases import Case, Document, Gold, Planned
from docaudit.abstention.ledger.checklist import BY_PEOPLE
from docaudit.abstention.ledger.contract import Contract, Identity, Limits, Manifest, Part
from docaudit.abstention.ledger.lint import LintCode as LedgerLintCode
from docaudit.abstention.ledger.records import Absence, Citation, Claim, Place, Run, Violation
from docaudit.abstention.ledger.routing import Symptom
from docaudit.abstention.ledger.twenty_tests import BLOCKS, TESTS
from docaudit.abstention.ledger.vocabulary import (
    Answerability,
    Boundary,
    ClaimKind,
    Layer,
    Metric,
    Severity,
    Support,
    VetoKind,
)
from docaudit.atomic import write_text
from docaudit.corpus.failures import FailureCode
from docaudit.corpus.store_tables import STORE_TABLES
from docaudit.justification import Obligation
from docaudit.linting.codes import LintCode
from docaudit.obligations.reading import PAGE_KINDS, PART_KINDS, REGION_KINDS
from docaudit.obligations.rules import RULES, VERDICTS
from docaudit.reasons import BlindSpotKind
from docaudit.render.ledger_words import SYMPTOMS, TITLES
from docaudit.render.words import OBLIGATIONS

FOLDER = Path(__file__).parent
GROUPS = (
    (
        "Ink on a page",
        Obligation.INK_READ,
        REGION_KINDS,
        "A region of a page that shows something, and no text that was read explains it.",
    ),
    (
        "Whole pages",
        Obligation.PAGES_READABLE,
        PAGE_KINDS,
        "The page, or a part of it that cannot be told, was not read. Its row in the page table is never missing.",
    ),
    (
        "Parts of the file beside its pages",
        Obligation.PARTS_OPENED,
        PART_KINDS,
        "They belong to the document though no page shows them, or only on demand.",
    ),
)


def page_text() -> str:
    """The reference page."""
    lines = [
        "# Blind spots",
        "",
        "Everything that docaudit did not read has a code. The codes stand in `blind_spot_df`, in every justification",
        "and in every report, and never change their meaning. `docaudit explain CODE` prints the same on a terminal.",
        "",
        "Each blind spot also says whether text is likely in it (`yes`, `unknown`, `no`). With `yes` or `unknown` the",
        "obligation named below is unmet, and absence is not established. With `no` it is listed and does no harm.",
        "",
        "This page is written by docs/generate.py from docaudit/reasons.py.",
    ]
    for title, obligation, kinds, what in GROUPS:
        lines += [
            "",
            f"## {title}",
            "",
            f"{what} Obligation: `{obligation.value}` ({OBLIGATIONS[obligation]}).",
            "",
        ]
        lines += ["| code | meaning | what settles it |", "|---|---|---|"]
        lines += [row(kind) for kind in BlindSpotKind if kind in kinds]
    return "\n".join(lines) + "\n"


def row(kind: BlindSpotKind) -> str:
    """One kind as a row of its table."""
    after = kind.remedy_after(ocr=True)
    remedy = kind.remedy if after == kind.remedy else f"{kind.remedy}; where OCR was run: {after}"
    return f"| `{kind.value}` | {kind.meaning} | {remedy} |"


def lint_text() -> str:
    """The reference page of lint."""
    lines = [
        "# What lint finds",
        "",
        "`docaudit lint TABLE` names what is allowed in a concept table but probably not meant. Each finding has",
        "a code that never changes its meaning, the place and the id of its row, and a remedy. A `warning` probably",
        "hides hits or makes false ones, and the exit code is 1; an `info` is good to know. With `--doc DOC` the",
        "variants are counted in a document, too. What makes a table unusable (an empty cell, a variant in two",
        "concepts, a broken expression) is no finding: such a table is refused with all its faults at once, each",
        "with its row.",
        "",
        "This page is written by docs/generate.py from docaudit/linting/codes.py.",
        "",
        "| code | meaning | remedy |",
        "|---|---|---|",
    ]
    for code in LintCode:
        document = " (With `--doc` only.)" if code.needs_document else ""
        lines.append(f"| `{code.value}` | {code.meaning}{document} | {code.remedy} |")
    return "\n".join(lines) + "\n"


LEDGER_FILES: tuple[tuple[str, str, tuple[type[BaseModel], ...]], ...] = (
    ("contract.json", "one object; frozen before the first output", (Contract, Identity, Manifest, Limits)),
    ("documents.jsonl", "one document of the corpus on each line; frozen by the contract", (Document,)),
    ("cases.jsonl", "one labelled question on each line; frozen by the contract", (Case, Gold, Planned)),
    ("runs.jsonl", "one run of a case on each line", (Run, Place, Citation, Violation, Absence)),
    ("claims.jsonl", "the review of one claim of one run on each line", (Claim,)),
)
LEDGER_HEAD = """# The ledger of runs

`docaudit evaluate LEDGER` reads a folder of five files and recomputes everything from their rows. `samples/ledger` is
one. JSON Schemas stand in `schemas/ledger_*.schema.json`.

- The contract names the SHA-256 of documents.jsonl and cases.jsonl, and every run names the SHA-256 of contract.json
  (`sha256sum FILE` prints it). So labels cannot follow outputs. A contract that is younger than an output, a version
  that was observed and is not the contract's, and every other fault is refused with file and row, all at once.
- Nothing is ever turned into 0: what was not measured is null or left out, NaN is refused, an empty denominator has no
  share, and cases to which a check does not apply are left out of both numbers and counted.
- Identifiers, permissions, versions, dates, places and citations are checked from the rows, before any judge: a claim
  that was judged `full` counts only if its passages are eligible and in the final context.
- Release needs a threshold for every metric, set in the contract, and every metric at its threshold or above. A veto
  blocks release at any average.

The method ("RAG evaluation checklist: 20 tests of grounded answers") defines context completeness over answerable runs,
and divides by all runs in its worked example RE098. Both are given, by name.
Of the fourteen parts that it wants fixed, thirteen have a version here, and top-k is a number of the contract.

An abstention may carry justifications of docaudit, one for each document. It is `justified` if every document of the
case's scope (by default all that its identity may use) is shown to lack it, `wrong` if one of them mentions it, else
`unproven`. Only `wrong` fails the run: by the method, whoever abstains rightly and names what is missing passes.

This page is written by docs/generate.py from docaudit/abstention/ledger.
"""


def ledger_text() -> str:
    """The reference page of the ledger."""
    lines = [LEDGER_HEAD]
    for name, what, models in LEDGER_FILES:
        lines += [f"## {name}", "", f"{what[0].upper()}{what[1:]}.", ""]
        for model in models:
            lines += fields_of(model)
    lines += ["## What values mean", ""]
    lines += table("answerability", "meaning", "expected behaviour")
    lines += [f"| `{one.value}` | {one.meaning} | `{one.expected.value}` |" for one in Answerability]
    for title, values in (
        ("parts of `versions`", Part),
        ("kinds of claims", ClaimKind),
        ("severities", Severity),
        ("support", Support),
        ("boundaries", Boundary),
    ):
        lines += ["", f"{title[0].upper()}{title[1:]}: {', '.join(f'`{one.value}`' for one in values)}."]
    lines += ["", f"Points for `attested`: {', '.join(f'`{code}`' for code in BY_PEOPLE)}.", ""]
    lines += ["## Metrics", "", *table("metric", "title", "counted / over")]
    lines += [f"| `{one.value}` | {TITLES[one.value]} | {one.meaning} |" for one in Metric]
    lines += ["", "## Vetoes", "", *table("veto", "meaning")]
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
    lines += [f"| `{one.value}` | {SYMPTOMS[one]} | `{one.layer.value}` | {one.repair} |" for one in Symptom]
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
    return "\n".join(lines) + "\n"


def table(*heads: str) -> list[str]:
    """The head of a table."""
    return [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]


def fields_of(model: type[BaseModel]) -> list[str]:
    """The fields of a model with the meanings that its docstring gives."""
    text = inspect.getdoc(model) or ""
    head, _, attributes = text.partition("Attributes:")
    meanings = {
        name: " ".join(what.split())
        for name, what in re.findall(
            r"^    (\w+): (.*?)(?=^    \w+:|\Z)", attributes, re.DOTALL | re.MULTILINE
        )
    }
    summary = head.strip().splitlines()[0]
    lines = [f"`{model.__name__}`: {summary}", "", *table("field", "needed", "meaning")]
    for name, field in model.model_fields.items():
        needed = "yes" if field.is_required() else "no"
        lines.append(f"| `{name}` | {needed} | {meanings.get(name, '')} |")
    return [*lines, ""]


def obligations_text() -> str:
    """The reference page of the verdict."""
    lines = [
        "# Obligations and verdicts",
        "",
        "What must be shown before docaudit says *absent within the stated coverage*. Each obligation is `met`,",
        "`unmet`, `waived` or `not_run` (there was nothing to check; never the same as met). With",
        '`--waive CODE --because "..."` a person answers for one: its code stands in the headline, code and reason in',
        "the first sentence of the explanation.",
        "",
        "This page is written by docs/generate.py from the two tables of docaudit/obligations/rules.py.",
        "",
        "| obligation | it is met if | what settles it | if it is not run |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| `{rule.obligation.value}` | {rule.meaning} | {rule.remedy} | {rule.not_run} |" for rule in RULES
    ]
    lines += [
        "",
        "The finding follows from five facts; the first row that fits decides, and an empty cell means either.",
        "*Mentioned*: the required concepts meet in the chosen scope (a single one has a hit); only they count here.",
        "",
        "| mentioned | unmet | `question_covered` unmet | no hit of one | waived | finding | reason | strength |",
        "|---|---|---|---|---|---|---|---|",
    ]
    words = {None: "", True: "yes", False: "no"}
    for case, (finding, reason, strength) in VERDICTS:
        given = " | ".join(words[fact] for fact in case)
        why = f"`{reason.value}`" if reason else ""
        lines.append(f"| {given} | `{finding.value}` | {why} | `{strength.value}` |")
    return "\n".join(lines) + "\n"


def store_text() -> str:
    """The tables of a store."""
    lines = [
        "# The tables of a store",
        "",
        "`docaudit corpus run` writes them into `STORE/tables` ([how to run it](corpus.md)). `documents`, `paths`, `audits`,",
        "`pages` and `blind_spots` are one Parquet file each; `findings`, `cells` and `hits` are a folder with one file for",
        "each audit, named by its key. Rows are sorted by hash. Texts that are not there are empty, numbers that were not",
        "measured are null. A document that could not be read has its rows in `findings` and `cells`, with the finding",
        "`error`: what was not searched must not look like what was not found.",
        "",
    ]
    for contract in STORE_TABLES.values():
        lines += [f"## {contract.name}", "", f"One row is {contract.row}.", ""]
        lines += ["| column | type | meaning |", "|---|---|---|"]
        lines += [f"| `{one.name}` | {one.dtype} | {one.meaning} |" for one in contract.fields]
        lines.append("")
    lines += ["## Codes of failures", "", "| code | what came in the way |", "|---|---|"]
    lines += [f"| `{code.value}` | {code.meaning} |" for code in FailureCode]
    return "\n".join(lines) + "\n"


PAGES = {
    "blind-spots.md": page_text,
    "lint.md": lint_text,
    "obligations.md": obligations_text,
    "ledger.md": ledger_text,
    "store-tables.md": store_text,
}


def main() -> None:
    """Write the pages."""
    for name, text in PAGES.items():
        write_text(FOLDER / name, text())
        print(name)


if __name__ == "__main__":
    main()
