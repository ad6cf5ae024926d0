"""A justification in a few words, taken from the same places as the report takes them."""

from __future__ import annotations

from docaudit.integrations.http.job import ConceptSummary, Summary, UnmetSummary
from docaudit.justification import AbsenceJustification, ObligationState
from docaudit.render import headlines, view, words
from docaudit.render.clean import one_line
from docaudit.render.tongue import Tongue


def summary_of(justification: AbsenceJustification) -> Summary:
    """What the small page shows of a justification."""
    t = Tongue(justification.options.language)
    rows = view.concept_rows(justification)
    hits = sum(row.hits for row in rows)
    return Summary(
        finding=justification.finding.value,
        headline=headlines.headline(justification, t),
        verdict=headlines.verdict(justification, t),
        explanation=one_line(justification.absence_explanation),
        strength=f"{justification.strength.value}: {headlines.strength(justification, t)}",
        hits=hits,
        hits_in_words=t.count(hits, "hit"),
        concepts=tuple(
            ConceptSummary(
                name=one_line(row.name),
                required=row.required,
                hits=row.hits,
                on=t.pages(row.pages) if row.pages else "",
            )
            for row in rows
        ),
        unmet=tuple(
            UnmetSummary(
                obligation=check.obligation.value,
                title=t(words.OBLIGATIONS[check.obligation]),
                evidence=one_line(check.evidence),
                where=t.pages(check.pages) if check.pages else "",
                remedy=one_line(check.remedy),
            )
            for check in justification.obligations
            if check.state is ObligationState.UNMET
        ),
        obligations=headlines.obligation_counts(justification, t),
    )
