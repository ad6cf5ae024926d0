"""Where the verdict is decided, in two tables: what must be shown, and what may be said when it is or is not.

RULES     one row for each obligation: the check that weighs its evidence, and why absence may be said (or not) if the
          check was not run. What an obligation means and what settles it: docaudit.codes.Obligation.
VERDICTS  one row for each case: finding, reason and strength. The first row that fits decides.

A waiver turns `unmet` and `not_run` into `waived`: a person answers for it, with a reason that is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from docaudit import obligations
from docaudit.codes import AbsenceReason, Finding, Obligation, ObligationState, Strength
from docaudit.evidence import Evidence
from docaudit.justification import ObligationCheck


class ObligationRule(NamedTuple):
    """How one obligation is weighed, and what it means for absence if the check was not run; its words: Obligation."""

    obligation: Obligation
    check: Callable[[Evidence], ObligationCheck]
    not_run: str


_ALWAYS_RUN = "it is always run"
# fmt: off
RULES = (
    ObligationRule(Obligation.PAGES_READABLE,
         lambda e: obligations.pages_readable(
             e.parsed.page_df, e.parsed.blind_spot_df, e.parsed.identity.pages_total),
         _ALWAYS_RUN),
    ObligationRule(Obligation.INK_READ,
         lambda e: obligations.ink_read(
             e.parsed.page_df, e.parsed.blind_spot_df, e.possible_of(e.required), ocr=e.options.ocr != "off"),
         "unmet: without a picture of the pages nobody knows what they show beside their text"),
    ObligationRule(Obligation.PARTS_OPENED,
         lambda e: obligations.parts_opened(e.parsed.blind_spot_df), _ALWAYS_RUN),
    ObligationRule(Obligation.REFERENCES_RESOLVED,
         lambda e: obligations.references_resolved(e.parsed.coverage), _ALWAYS_RUN),
    ObligationRule(Obligation.VARIANTS_SEARCHED,
         lambda e: obligations.variants_searched(
             e.table, e.result.ledger_df, e.parsed.identity.pages_total),
         _ALWAYS_RUN),
    ObligationRule(Obligation.VARIANTS_REVIEWED,
         lambda e: obligations.variants_reviewed(e.table), _ALWAYS_RUN),
    ObligationRule(Obligation.QUESTION_COVERED,
         lambda e: obligations.question_covered(e.question, e.content, e.uncovered, e.set_aside),
         "absence may be said: no question was asked, and the finding speaks of the concepts alone"),
    ObligationRule(Obligation.CONTROL_FOUND,
         lambda e: obligations.control_found(e.controls),
         "absence may be said: there is no word, or none that must be found as it stands; ink_read weighs the ink"),
    ObligationRule(Obligation.READERS_AGREE,
         lambda e: obligations.readers_agree(e.parsed.coverage),
         "absence may be said: it is a further witness; ink that the only reader passed over is unread ink"),
)
"""What must be shown before "absent within the stated coverage" may be said, in the order of the report."""


class VerdictCase(NamedTuple):
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
VERDICTS: tuple[tuple[VerdictCase, Verdict], ...] = (
    # mentioned, unmet, unclear, missing, waived
    (VerdictCase(True,  None,  None,  None,  None),  Verdict(Finding.MENTIONED, None, Strength.WEAK)),
    (VerdictCase(False, False, False, True,  False), Verdict(_ABSENT, _NO_HIT,  Strength.STRONG)),
    (VerdictCase(False, False, False, True,  True),  Verdict(_ABSENT, _NO_HIT,  Strength.MODERATE)),
    (VerdictCase(False, False, False, False, None),  Verdict(_ABSENT, _APART,   Strength.MODERATE)),
    (VerdictCase(False, True,  True,  None,  None),  Verdict(_OPEN,   _UNCLEAR, Strength.MODERATE)),
    (VerdictCase(False, True,  False, True,  None),  Verdict(_OPEN,   _NO_HIT,  Strength.MODERATE)),
    (VerdictCase(False, True,  False, False, None),  Verdict(_OPEN,   _APART,   Strength.MODERATE)),
)
"""What is said in which case; strong is only said where no obligation is unmet or waived: a waiver is no evidence."""
# fmt: on


def weigh(evidence: Evidence, waive: Mapping[str, str]) -> tuple[ObligationCheck, ...]:
    """Every obligation with its state; what is not met and was waived, is waived with the reason of the person."""
    return tuple(waived(rule.check(evidence), waive) for rule in RULES)


def waived(check: ObligationCheck, waive: Mapping[str, str]) -> ObligationCheck:
    """The check as it counts where a person waived obligations, by code with the reason."""
    reason = waive.get(check.obligation.value)
    if reason is None or check.state is ObligationState.MET:
        return check
    return check.model_copy(update={"state": ObligationState.WAIVED, "waived_because": reason})


def verdict(checks: Iterable[ObligationCheck], *, mentioned: bool, missing: bool) -> Verdict:
    """Finding, reason and strength, by VERDICTS.

    Args:
        checks: The obligations as they were weighed.
        mentioned: The required concepts meet in the chosen scope.
        missing: A required concept has no hit.
    """
    listed = tuple(checks)
    unmet = {check.obligation for check in listed if check.state is ObligationState.UNMET}
    is_waived = any(check.state is ObligationState.WAIVED for check in listed)
    facts = VerdictCase(mentioned, bool(unmet), Obligation.QUESTION_COVERED in unmet, missing, is_waived)
    return next(
        row
        for case, row in VERDICTS
        if all(cell is None or cell is fact for cell, fact in zip(case, facts, strict=True))
    )
