"""The template's justification with the words of a model, if they hold: one try, one more, then the template stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from docaudit.errors import EndpointError
from docaudit.justification import AbsenceJustification, AbsenceReason, ExplanationRecord
from docaudit.saved import with_digest
from docaudit.wording.answer import Answer, parse_answer
from docaudit.wording.checks import answer_problems
from docaudit.wording.endpoint import Message
from docaudit.wording.request import again, messages_for, schema_for

Ask = Callable[[Sequence[Message], Mapping[str, Any]], str]
TRIES = 2
_MAX_REFUSED = 600


def reworded(justification: AbsenceJustification, ask: Ask, *, model: str) -> AbsenceJustification:
    """The same justification, worded by a model where its words hold.

    Only sentence, reason, choice of closest mentions and suggested question can differ, and only as far as the evidence
    allows. Finding, hits, counts, obligations and all else are those of the given justification.

    Args:
        justification: Worded by the template.
        ask: Asks the model; may raise EndpointError, which leaves the template's words.
        model: Name of the model, for the record.
    """
    messages, schema = messages_for(justification), schema_for(justification)
    refused: list[str] = []
    for _ in range(TRIES):
        try:
            answer = parse_answer(ask(messages, schema))
        except EndpointError as error:
            refused.append(_shown([error.cause]))
            break
        problems = (answer,) if isinstance(answer, str) else answer_problems(answer, justification)
        if not isinstance(answer, str) and not problems:
            return _taken(
                answer, justification, ExplanationRecord(method="model", model=model, refused=tuple(refused))
            )
        refused.append(_shown(problems))
        messages = again(messages_for(justification), problems)
    return _with(justification, explained_by=ExplanationRecord(model=model, refused=tuple(refused)))


def worded_again(by_template: AbsenceJustification, saved: AbsenceJustification) -> AbsenceJustification:
    """The template's justification with the wording of a saved one, for a replay: no model is asked twice.

    A wording that does not hold is not taken, so that it shows as a difference. Which model it was, and what was
    refused, nobody can repeat; the digest of the saved one covers them.
    """
    options = by_template.options.model_copy(update={"explain_with": saved.options.explain_with})
    asked = _with(by_template, options=options, explained_by=saved.explained_by)
    if saved.explained_by.method == "template":
        return asked
    places = {mention: number for number, mention in reversed([*enumerate(by_template.closest_mentions, 1)])}
    own = saved.suggested_requery == by_template.suggested_requery
    answer = Answer(
        considerations=(),
        mention_ids=tuple(places.get(mention, 0) for mention in saved.closest_mentions),
        reason=saved.reason,
        sentence=saved.absence_explanation,
        suggested_requery=None if own else saved.suggested_requery,
    )
    return asked if answer_problems(answer, by_template) else _taken(answer, asked, saved.explained_by)


def _taken(
    answer: Answer, justification: AbsenceJustification, record: ExplanationRecord
) -> AbsenceJustification:
    requery = answer.suggested_requery
    if answer.reason is AbsenceReason.AMBIGUOUS_QUESTION:
        requery = requery or justification.suggested_requery
    return _with(
        justification,
        absence_explanation=answer.sentence.strip(),
        reason=answer.reason,
        suggested_requery=requery,
        closest_mentions=tuple(justification.closest_mentions[number - 1] for number in answer.mention_ids),
        explained_by=record,
    )


def _with(justification: AbsenceJustification, **changed: Any) -> AbsenceJustification:
    """A copy that is validated again, with its digest."""
    return with_digest(AbsenceJustification(**{**dict(justification), **changed}))


def _shown(problems: Sequence[str]) -> str:
    """Problems as one printable line; they hold words of the model, which may be anything."""
    line = "; ".join(problems)[:_MAX_REFUSED]
    return "".join(sign if sign.isprintable() else "?" for sign in line)
