"""Yes or no for each document: the yes are kept, and a no brings in more material; it never stops an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from docaudit.abstention.evaluators.graded import Graded
from docaudit.abstention.evaluators.protocol import Action, Assessment, grades
from docaudit.abstention.faults import Given
from docaudit.errors import EvaluatorError

AfterNo = Literal["any_no", "no_yes"]


class KeepTheYes(Given):
    """Keep what was graded yes.

    Attributes:
        more: When more material is sought: after any no (corrective RAG of LangGraph and LlamaIndex), or only if
            there is no yes at all (self-reflective RAG of LangGraph).
        action: How it is sought.
    """

    refused = EvaluatorError

    more: AfterNo = "any_no"
    action: Literal[Action.REWRITE_AND_SEARCH, Action.REWRITE] = Action.REWRITE_AND_SEARCH

    @property
    def name(self) -> str:
        """What it is called."""
        return f"keep_the_yes ({self.more})"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        return {"enough": Action.GENERATE, "more": self.action}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """When more material is sought."""
        return {"more": self.more}

    def assess(self, graded: Graded) -> Assessment:
        """What is kept, and whether more is sought."""
        said = grades(graded)
        more = not all(said) if self.more == "any_no" else not any(said)
        verdict = "more" if more else "enough"
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=f"{sum(said)} of {len(said)} candidates are relevant",
            kept=tuple(one.doc_id for one in graded.candidates if one.relevant),
            verdict=verdict,
            action=self.actions[verdict],
        )


def corrected_text(graded: Graded, searched: Sequence[str] | None = None) -> str:
    """The text that goes to the model in LlamaIndex's corrective flow: relevant text, a line end, text of the search.

    Args:
        graded: With the texts of its candidates.
        searched: What the search for the rewritten question found; None if none was made, because all were relevant.

    Raises:
        EvaluatorError: A grade or text is missing, or a search was made without need, or not made though needed.
    """
    said = grades(graded)
    problems = [f"{one.doc_id} has no text" for one in graded.candidates if one.relevant and not one.text]
    if all(said) and searched is not None:
        problems.append("all candidates are relevant, so that nothing is searched")
    if not all(said) and searched is None:
        problems.append("a candidate is not relevant, so that a search comes first")
    if problems:
        raise EvaluatorError("the text cannot be put together", problems=tuple(problems))
    relevant = "\n".join(one.text for one in graded.candidates if one.relevant)
    return relevant if searched is None else relevant + "\n" + "\n".join(searched)
