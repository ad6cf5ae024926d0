"""Context precision at K: how early useful passages stand. Average precision, with only the top K judged."""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.abstention.ranked_measures import average_precision
from docaudit.errors import EvaluatorError
from docaudit.evidence import Model


class ContextPrecision(Model):
    """Of one ranked list.

    Attributes:
        k: How far down it was looked at.
        judged: Passages looked at; fewer than k if the list is shorter.
        relevant: Of these, useful ones.
        value: Mean of the precision at each useful one; 0 if none is.
    """

    k: int
    judged: int
    relevant: int
    value: float


def context_precision(relevant: Sequence[bool | None], k: int) -> ContextPrecision:
    """Context precision at k of yes and no, best first.

    Raises:
        EvaluatorError: k is below 1, the list is empty, or one of the top k is not judged, true or false; all at once.
        ModelError: ir_measures is not installed.
    """
    top = list(relevant[: max(k, 0)])
    problems = [f"rank {rank} is not judged" for rank, one in enumerate(top, 1) if one is None]
    problems += [
        f"rank {rank}: {one!r} is neither true nor false"
        for rank, one in enumerate(top, 1)
        if one is not None and type(one).__name__ not in ("bool", "bool_")  # numpy's own is bool_ or bool
    ]
    problems += [f"k is {k}: at least 1 is needed"] if k < 1 else []
    problems += ["the list is empty"] if not relevant else []
    if problems:
        raise EvaluatorError("context precision is not defined", problems=tuple(problems))
    flags = [bool(one) for one in top]
    return ContextPrecision(k=k, judged=len(flags), relevant=sum(flags), value=average_precision(flags))
