"""The rules of the verdict, in two tables: what must be shown, and what may be said when it is or is not.

RULES     one row for each obligation: the check that weighs its evidence, what it asks for, what settles it, and why
          absence may be said (or not) if the check was not run.
VERDICTS  one row for each case: finding, reason and strength. The first row that fits decides.

A waiver turns `unmet` and `not_run` into `waived`: a person answers for it, with a reason that is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from docaudit import obligations as reading
from docaudit import obligations as searching
from docaudit.concepts.model import ConceptTable
from docaudit.errors import OptionError
from docaudit.justification import (
    AbsenceReason,
    ControlGroup,
    Finding,
    Obligation,
    ObligationCheck,
    ObligationState,
    ParseCoverage,
    Strength,
)


@dataclass(frozen=True)
class Evidence:
    """All that the checks weigh.

    Attributes:
        pages_total: Pages of the page tree.
        page_df: PAGE_DF.
        blind_spot_df: BLIND_SPOT_DF.
        coverage: What could be read, in numbers.
        table: The concept table.
        ledger_df: LEDGER_DF of its sweep.
        possible_df: Rows of HIT_DF that are possible hits of a required concept.
        question: The question, or None if none was asked.
        content: Its words that name a subject.
        uncovered: Of these, those that are in no concept of the table and that nobody decided on.
        set_aside: Words of the question that a person rejected as a concept.
        controls: Words known to be there, and whether they were found.
        ocr: OCR was run, so that nobody is told to run it.
    """

    pages_total: int
    page_df: pd.DataFrame
    blind_spot_df: pd.DataFrame
    coverage: ParseCoverage
    table: ConceptTable
    ledger_df: pd.DataFrame
    possible_df: pd.DataFrame
    question: str | None
    content: Sequence[str]
    uncovered: Sequence[str]
    set_aside: Sequence[str]
    controls: Sequence[ControlGroup]
    ocr: bool


@dataclass(frozen=True)
class Rule:
    """One obligation: how it is weighed, what it asks for, what settles it, what it means if it was not run."""

    obligation: Obligation
    check: Callable[[Evidence], ObligationCheck]
    meaning: str
    remedy: str
    not_run: str


_ALWAYS_RUN = "it is always run"
# fmt: off
RULES = (
    Rule(Obligation.PAGES_READABLE,
         lambda e: reading.pages_readable(e.page_df, e.blind_spot_df, e.pages_total),
         "Every page of the page tree was opened, rendered and read without damage.",
         "read the pages named, or repair the file", _ALWAYS_RUN),
    Rule(Obligation.INK_READ,
         lambda e: reading.ink_read(e.page_df, e.blind_spot_df, e.possible_df, ocr=e.ocr),
         "No ink that may be text is left unread, and no possible hit of a required concept stands there.",
         "run with OCR, or look at the regions named",
         "unmet: without a picture of the pages nobody knows what they show beside their text"),
    Rule(Obligation.PARTS_OPENED,
         lambda e: reading.parts_opened(e.blind_spot_df),
         "No attachment, annotation, form, layer, earlier revision or other part of the file is left unopened.",
         "open the parts named in a viewer", _ALWAYS_RUN),
    Rule(Obligation.REFERENCES_RESOLVED,
         lambda e: reading.references_resolved(e.coverage),
         "Every figure, table or annex that the text refers to is there, and the page labels have no gap.",
         "look for what is referred to: it may be in a part that was not read", _ALWAYS_RUN),
    Rule(Obligation.VARIANTS_SEARCHED,
         lambda e: searching.variants_searched(e.table, e.ledger_df, e.pages_total),
         "Every accepted variant was searched on every page that has text.",
         "correct the pattern, or raise its time limit", _ALWAYS_RUN),
    Rule(Obligation.VARIANTS_REVIEWED,
         lambda e: searching.variants_reviewed(e.table),
         "No proposed variant waits for the decision of a person.",
         "accept or reject the proposed variants", _ALWAYS_RUN),
    Rule(Obligation.QUESTION_COVERED,
         lambda e: searching.question_covered(e.question, e.content, e.uncovered, e.set_aside),
         "The question names a subject; each of its content words belongs to a concept, or a person rejected it.",
         "add the words to a concept, or ask without them",
         "absence may be said: no question was asked, and the finding speaks of the concepts alone"),
    Rule(Obligation.CONTROL_FOUND,
         lambda e: searching.control_found(e.controls),
         "Words known to be there (and phrases planted into a copy, with --canary) are found by the same sweep.",
         "look at the pages named, and report it: the search does not find what is there; or audit without --canary",
         "absence may be said: there is no word, or none that must be found as it stands; ink_read weighs the ink"),
    Rule(Obligation.READERS_AGREE,
         lambda e: reading.readers_agree(e.coverage),
         "A second, independent reader saw nothing that the first missed over a good part of a page.",
         "read the pages named",
         "absence may be said: it is a further witness; ink that the only reader passed over is unread ink"),
)
"""What must be shown before "absent within the stated coverage" may be said, in the order of the report."""


class Case(NamedTuple):
    """What a verdict depends on; None in a row of VERDICTS means: either.

    mentioned: the required concepts meet in the chosen scope (a single one: it has a hit); unmet: an obligation is;
    unclear: question_covered is among the unmet; missing: a required concept has no hit; waived: an obligation is.
    """

    mentioned: bool | None
    unmet: bool | None
    unclear: bool | None
    missing: bool | None
    waived: bool | None


class Verdict(NamedTuple):
    """Finding, reason (None: it is mentioned) and strength."""

    finding: Finding
    reason: AbsenceReason | None
    strength: Strength


_ABSENT, _OPEN = Finding.ABSENT, Finding.NOT_ESTABLISHED
_NO_HIT, _APART, _UNCLEAR = (
    AbsenceReason.CONCEPT_NOT_FOUND, AbsenceReason.OFF_TOPIC, AbsenceReason.AMBIGUOUS_QUESTION)
VERDICTS: tuple[tuple[Case, Verdict], ...] = (
    # mentioned, unmet, unclear, missing, waived
    (Case(True,  None,  None,  None,  None),  Verdict(Finding.MENTIONED, None, Strength.WEAK)),
    (Case(False, False, False, True,  False), Verdict(_ABSENT, _NO_HIT,  Strength.STRONG)),
    (Case(False, False, False, True,  True),  Verdict(_ABSENT, _NO_HIT,  Strength.MODERATE)),
    (Case(False, False, False, False, None),  Verdict(_ABSENT, _APART,   Strength.MODERATE)),
    (Case(False, True,  True,  None,  None),  Verdict(_OPEN,   _UNCLEAR, Strength.MODERATE)),
    (Case(False, True,  False, True,  None),  Verdict(_OPEN,   _NO_HIT,  Strength.MODERATE)),
    (Case(False, True,  False, False, None),  Verdict(_OPEN,   _APART,   Strength.MODERATE)),
)
"""What is said in which case; strong is only said where no obligation is unmet or waived: a waiver is no evidence."""
# fmt: on


def weigh(evidence: Evidence, waive: Mapping[str, str]) -> tuple[ObligationCheck, ...]:
    """Every obligation with its state, waivers applied; raises OptionError for a waiver that cannot be."""
    return apply_waivers([rule.check(evidence) for rule in RULES], waive)


def verdict(checks: Iterable[ObligationCheck], *, mentioned: bool, missing: bool) -> Verdict:
    """Finding, reason and strength, by VERDICTS.

    Args:
        checks: The obligations as they were weighed.
        mentioned: The required concepts meet in the chosen scope.
        missing: A required concept has no hit.
    """
    listed = tuple(checks)
    unmet = {check.obligation for check in listed if check.state is ObligationState.UNMET}
    waived = any(check.state is ObligationState.WAIVED for check in listed)
    here = Case(mentioned, bool(unmet), Obligation.QUESTION_COVERED in unmet, missing, waived)
    return next(said for case, said in VERDICTS if _fits(case, here))


def _fits(case: Case, here: Case) -> bool:
    return all(wanted is None or wanted is is_so for wanted, is_so in zip(case, here, strict=True))


def apply_waivers(checks: Sequence[ObligationCheck], waive: Mapping[str, str]) -> tuple[ObligationCheck, ...]:
    """Mark what a person waived; raises OptionError for an unknown code or an empty reason."""
    known = {obligation.value for obligation in Obligation}
    for code, reason in waive.items():
        if code not in known:
            raise OptionError(
                f"no obligation '{code}' to waive", remedy=f"obligations are {', '.join(sorted(known))}"
            )
        if not reason.strip():
            raise OptionError(f"waiving '{code}' needs a reason", remedy="write why, it is recorded")
    return tuple(
        check.model_copy(
            update={"state": ObligationState.WAIVED, "waived_because": waive[check.obligation.value]}
        )
        if check.obligation.value in waive and check.state is not ObligationState.MET
        else check
        for check in checks
    )
