"""Pages about codes: blind spots, what lint finds, obligations and verdicts."""

from __future__ import annotations

from docaudit.codes import BlindSpotKind, Obligation
from docaudit.concepts.lint import LintCode
from docaudit.obligations import PAGE_KINDS, PART_KINDS, REGION_KINDS
from docaudit.rules import RULES, VERDICTS

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


def blind_spots_text() -> str:
    """The reference page of blind spots."""
    lines = [
        "# Blind spots",
        "",
        "Everything that docaudit did not read has a code. The codes stand in `blind_spot_df`, in every justification",
        "and in every report, and never change their meaning. `docaudit explain CODE` prints the same on a terminal.",
        "",
        "Each blind spot also says whether text is likely in it (`yes`, `unknown`, `no`). With `yes` or `unknown` the",
        "obligation named below is unmet, and absence is not established. With `no` it is listed and does no harm.",
        "",
        "This page is written by docs/generate.py from docaudit/codes.py.",
    ]
    for title, obligation, kinds, what in GROUPS:
        lines += [
            "",
            f"## {title}",
            "",
            f"{what} Obligation: `{obligation.value}` ({obligation.label}).",
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
        "This page is written by docs/generate.py from docaudit/concepts/lint.py.",
        "",
        "| code | meaning | remedy |",
        "|---|---|---|",
    ]
    for code in LintCode:
        document = " (With `--doc` only.)" if code.needs_document else ""
        lines.append(f"| `{code.value}` | {code.meaning}{document} | {code.remedy} |")
    return "\n".join(lines) + "\n"


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
        "This page is written by docs/generate.py from the two tables of docaudit/rules.py.",
        "",
        "| obligation | it is met if | what settles it | if it is not run |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| `{rule.obligation.value}` | {rule.obligation.meaning} | {rule.obligation.remedy} | {rule.not_run} |"
        for rule in RULES
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
