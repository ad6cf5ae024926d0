"""What must hold within a justification, seen without its document: whoever edits a finding leaves the rest behind.

A digest shows that a file was changed by accident; whoever edits on purpose computes a new one. So the finding is drawn
once more from the obligations, hits and meetings that the file itself gives, by the rules that every audit uses. It is
no replay: whether the document says so is shown by docaudit.verify alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from docaudit.concept_table.cells import JOINER
from docaudit.errors import DocauditError
from docaudit.explain import explain, summary_of
from docaudit.justification import AbsenceJustification, Obligation, ObligationState
from docaudit.location import POSSIBLE_KINDS
from docaudit.obligations.hit_counts import required_concepts
from docaudit.obligations.rules import verdict
from docaudit.redact import hides_rows
from docaudit.saved import digest_of
from docaudit.wording import allowed_reasons, wording_problems

MAY_BE_NOT_RUN = frozenset({Obligation.QUESTION_COVERED, Obligation.CONTROL_FOUND, Obligation.READERS_AGREE})
"""Obligations for which there may be nothing to check; all others are run in every audit."""


def inconsistencies(justification: AbsenceJustification) -> tuple[str, ...]:
    """What does not follow from the rest of the justification, as phrases; empty if all of it does."""
    return tuple(dict.fromkeys(_all(justification)))


def _all(j: AbsenceJustification) -> Iterator[str]:
    if j.digest != digest_of(j):
        yield "does not fit its digest"
    assert j.concept_table is not None  # no justification is made without
    if not hides_rows(j) and j.concept_table.fingerprint != j.concept_table_fingerprint:
        yield "its concept table does not fit its fingerprint"
    broken = [*_obligations(j), *_counts(j)]
    yield from broken
    if not broken:  # else the verdict and its sentence have nothing to follow from
        yield from _verdict(j)
        yield from _sentence(j)


def _obligations(j: AbsenceJustification) -> Iterator[str]:
    counted = Counter(check.obligation for check in j.obligations)
    for one in Obligation:
        if counted[one] != 1:
            yield f"has the obligation {one.value} {counted[one]} times"
    for check in j.obligations:
        code = check.obligation
        idle = code in MAY_BE_NOT_RUN and not (code is Obligation.QUESTION_COVERED and j.question is not None)
        if check.state is ObligationState.NOT_RUN and not idle:
            yield f"the obligation {code.value} was not run"
        if check.state is ObligationState.WAIVED and code.value not in j.options.waive:
            yield f"the obligation {code.value} is waived, and the options waive it not"
        if check.state is ObligationState.MET and code is Obligation.VARIANTS_REVIEWED and _proposed(j):
            yield "variants wait for a decision, and variants_reviewed is met"


def _proposed(j: AbsenceJustification) -> bool:
    return bool(j.concept_table and j.concept_table.proposed)


def _counts(j: AbsenceJustification) -> Iterator[str]:
    """Counts and pages of each concept are those of its hits; possible hits do not count."""
    assert j.concept_table is not None
    hits = [hit for hit in j.hits if hit.match_kind not in POSSIBLE_KINDS]
    counted = Counter(hit.concept for hit in hits)
    if set(j.concept_hits) != set(j.concept_table.active_concepts) or counted.keys() - set(j.concept_hits):
        yield "concept_hits are not those of the concepts that were searched"
    for name, many in j.concept_hits.items():
        if counted[name] != many:
            yield f"concept_hits says {many} of {name}, and there are {counted[name]}"
    pages = {name: sorted({hit.page_num for hit in hits if hit.concept == name}) for name in j.concept_hits}
    if {name: list(found) for name, found in j.concept_pages.items()} != pages:
        yield "concept_pages are not those of the hits"
    try:
        required = required_concepts(j.concept_table, j.options)
    except DocauditError as error:
        yield error.cause
    else:
        if j.required != required:
            yield "the required concepts are not those of table and options"


def _verdict(j: AbsenceJustification) -> Iterator[str]:
    mentioned = j.concept_hits[j.required[0]] > 0 if len(j.required) == 1 else _meet(j)
    missing = any(not j.concept_hits[name] for name in j.required)
    finding, reason, strength = verdict(j.obligations, mentioned=mentioned, missing=missing)
    if j.finding is not finding:
        yield f"says {j.finding.value}, and its evidence comes to {finding.value}"
        return
    if j.strength is not strength:
        yield f"says {j.strength.value}, and its evidence is {strength.value}"
    by_model = j.explained_by.model != ""
    if j.reason not in (allowed_reasons(j) if by_model else (reason,)):
        yield f"gives the reason {j.reason}, and its evidence gives {reason}"


def _meet(j: AbsenceJustification) -> bool:
    return JOINER.join(j.required) in {JOINER.join(meeting.concepts) for meeting in j.cooccurrences}


def _sentence(j: AbsenceJustification) -> Iterator[str]:
    """The template's own words, or those of a model that hold."""
    if j.explained_by.method == "model":
        if wording_problems(j.absence_explanation, j):
            yield "its explanation does not hold by its evidence"
    elif j.absence_explanation != explain(summary_of(j), j.options.language):
        yield "its explanation is not that of its evidence"
