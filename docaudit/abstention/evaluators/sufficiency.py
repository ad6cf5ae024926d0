"""Is the material enough? One useful candidate (OR), or every aspect supported (AND): strictness is a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field, model_validator

from docaudit.abstention.evaluators.graded import Aspect, Graded
from docaudit.abstention.evaluators.protocol import Action, Assessment, grades
from docaudit.abstention.faults import Given
from docaudit.errors import EvaluatorError


class Rule(StrEnum):
    """How judgements on candidates are joined."""

    OR = "or"
    AND = "and"


class Sufficiency(Given):
    """The evaluator; "insufficient" seeks more material, it does not refuse.

    Attributes:
        rule: OR over candidates that are relevant, or AND over aspects that are supported.
        at_least: Relevant candidates that OR needs.
        aspects: Aspects that AND needs.
        in_one: Whether one candidate must support all of them; this refuses answers that stand in two documents.
    """

    refused = EvaluatorError

    rule: Rule = Rule.OR
    at_least: int = Field(default=1, ge=1)
    aspects: tuple[Aspect, ...] = tuple(Aspect)
    in_one: bool = True

    @model_validator(mode="after")
    def _something_is_needed(self) -> Sufficiency:
        if self.rule is Rule.AND and not self.aspects:
            raise ValueError("AND over no aspects is always true")
        return self

    @property
    def name(self) -> str:
        """What it is called."""
        return f"sufficiency ({self.rule.value})"

    @property
    def actions(self) -> Mapping[str, Action]:
        """The action of each verdict."""
        return {"sufficient": Action.GENERATE, "insufficient": Action.REWRITE_AND_SEARCH}

    @property
    def strictness(self) -> Mapping[str, float | int | str]:
        """The rule and what it needs."""
        if self.rule is Rule.OR:
            return {"rule": self.rule.value, "at_least": self.at_least}
        wanted = ", ".join(self.aspects)
        return {"rule": self.rule.value, "aspects": wanted, "in_one": str(self.in_one).lower()}

    def assess(self, graded: Graded) -> Assessment:
        """Whether the candidates are enough; raises EvaluatorError if what the rule needs was not graded."""
        enough, because = self._any(graded) if self.rule is Rule.OR else self._all(graded)
        verdict = "sufficient" if enough else "insufficient"
        return Assessment(
            question_id=graded.id,
            evaluator=self.name,
            because=because,
            kept=tuple(one.doc_id for one in graded.candidates if one.relevant is not False),
            verdict=verdict,
            action=self.actions[verdict],
        )

    def _any(self, graded: Graded) -> tuple[bool, str]:
        useful = sum(grades(graded))
        because = f"{useful} of {len(graded.candidates)} candidates are relevant, {self.at_least} needed"
        if useful >= self.at_least:
            return True, because
        without = [one.doc_id for one in graded.candidates if not one.relevant and one.ground is None]
        if without:
            raise EvaluatorError(
                "'insufficient' needs a ground",
                problems=tuple(f"{name} is not relevant, and no ground is given" for name in without),
            )
        grounds = dict.fromkeys(one.ground.value for one in graded.candidates if one.ground is not None)
        if not grounds:  # too few useful ones is none of the three grounds
            raise EvaluatorError(f"'insufficient' needs a ground, and no candidate has one: {because}")
        return False, f"{because}: {', '.join(grounds)}"

    def _all(self, graded: Graded) -> tuple[bool, str]:
        missing = [
            f"the aspects of {one.doc_id} are not graded" for one in graded.candidates if one.supports is None
        ]
        if missing:
            raise EvaluatorError("grades are missing", problems=tuple(missing))
        wanted = set(self.aspects)
        # What is not relevant is not kept, so it cannot be what the answer rests on.
        supported = [
            wanted & set(one.supports or ()) if one.relevant is not False else set()
            for one in graded.candidates
        ]
        best = max(supported, key=len) if self.in_one else set().union(*supported)
        lacking = [one.value for one in Aspect if one in wanted - best]
        where = "in one candidate" if self.in_one else "in all candidates together"
        because = f"{len(best)} of {len(wanted)} aspects are supported {where}"
        return not lacking, f"{because}, not {', '.join(lacking)}" if lacking else because
