"""What a report says first: the finding as a title, what it means, and how strong it is."""

from __future__ import annotations

from docaudit.justification import AbsenceJustification, Finding, ObligationState, Strength
from docaudit.render import words
from docaudit.render.tongue import ENGLISH, Tongue

STATE_ORDER = (
    ObligationState.UNMET,
    ObligationState.WAIVED,
    ObligationState.NOT_RUN,
    ObligationState.MET,
)


def headline(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """The finding as a title; waived obligations are part of it, never a footnote."""
    title = t(words.FINDING_TITLES[justification.finding])
    waived = [
        check.obligation.value for check in justification.obligations if check.state is ObligationState.WAIVED
    ]
    if waived and justification.finding is Finding.ABSENT:
        return t("{title}, with waived {codes}", title=title, codes=", ".join(waived))
    return title


def verdict(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """What the finding means for the reader, in one sentence."""
    if justification.finding is Finding.MENTIONED:
        return t("The document mentions this: absence cannot be claimed. Read the passages below.")
    if justification.finding is Finding.NOT_ESTABLISHED:
        count = len(justification.unmet)
        if count == 1:
            return t(
                "Not found in what could be read, but an obligation is unmet: this does not show that it is absent."
            )
        return t(
            "Not found in what could be read, but {n} obligations are unmet: this does not show that it is absent.",
            n=count,
        )
    states = [check.state for check in justification.obligations]
    kept = states.count(ObligationState.MET)
    if kept == len(states):
        return t("Not found, and all {n} obligations are met.", n=kept)
    return t("Not found, and no obligation is unmet ({counts}).", counts=obligation_counts(justification, t))


def obligation_counts(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """How many obligations are in each state; for the finding `absent` those that are met come first."""
    states = [check.state for check in justification.obligations]
    order = (
        STATE_ORDER if justification.finding is not Finding.ABSENT else STATE_ORDER[-1:] + STATE_ORDER[:-1]
    )
    return ", ".join(
        t("{n} {state}", n=states.count(state), state=t(words.OBLIGATION_STATES[state]))
        for state in order
        if state in states
    )


def strength(justification: AbsenceJustification, t: Tongue = ENGLISH) -> str:
    """Why the strength is what it is; unmet obligations can hold it below what the hits alone would give."""
    required = justification.required or tuple(justification.concept_hits)
    none_found = any(not justification.concept_hits.get(concept) for concept in required)
    capped = (none_found and justification.strength is not Strength.STRONG) or (
        justification.strength is Strength.WEAK and justification.finding is not Finding.MENTIONED
    )
    if not capped:
        return t(words.STRENGTHS[justification.strength])
    why = words.STRENGTHS[Strength.STRONG if none_found else Strength.MODERATE]
    if justification.unmet:
        return t("{why}, but obligations are unmet", why=t(why))
    return t("{why}, but obligations are waived", why=t(why))
