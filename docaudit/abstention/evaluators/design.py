"""What working evaluators have in common, and checks that hold a schema, a prompt and an evaluator to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from docaudit.abstention.evaluators.protocol import Action, Evaluator

LENIENT = "This need not be a strict test: the aim is to sort out what is clearly about something else."
"""The sentence that keeps a judge of relevance lenient; strictness is a parameter of the rule behind it."""


class DesignRule(StrEnum):
    """Seven things that six published evaluators share, and two of structured output."""

    PER_CANDIDATE = "per_candidate"
    OR = "or"
    BINARY = "binary"
    LENIENT = "lenient"
    NEVER_REFUSES = "never_refuses"
    ONE_ACTION = "one_action"
    PARAMETERS = "parameters"
    REASONS_FIRST = "reasons_first"
    NO_EXAMPLE_JSON = "no_example_json"

    @property
    def meaning(self) -> str:
        """What is asked for."""
        return _MEANINGS[self]


_MEANINGS = {
    DesignRule.PER_CANDIDATE: "Each candidate is judged by itself, not the set as a whole.",
    DesignRule.OR: "One useful candidate is enough to go on.",
    DesignRule.BINARY: "A judge says yes or no, not a number.",
    DesignRule.LENIENT: "The prompt says that the test need not be strict.",
    DesignRule.NEVER_REFUSES: "No verdict ends without an answer: that is decided after it was written.",
    DesignRule.ONE_ACTION: "Each verdict has one action of its own.",
    DesignRule.PARAMETERS: "How strict it is stands in parameters, not in words.",
    DesignRule.REASONS_FIRST: "Reasons stand before the verdict in the schema, and criteria in descriptions of fields.",
    DesignRule.NO_EXAMPLE_JSON: "The prompt shows no example of the output: the schema sees to its form.",
}
VERDICTS = frozenset({"relevant", "sufficient", "binary_score", "verdict", "rating", "grounded", "answers"})
REASONS = frozenset({"reason", "reasons", "explanation", "considerations", "ground", "candidates", "aspects"})
_JSON = re.compile(r"""[{\[]\s*(?:[{\[]\s*)?["'][\w ]+["']\s*:""")
_SCALE = re.compile(
    r"(?<![\d.])0(?:\.0+)?\s*(?:to|-|–|and|から|〜|～)\s*(?:1(?:\.0+)?|5|10|100)(?!\d)", re.IGNORECASE
)
_REFUSES = re.compile(r"refus|abstain|unanswerable|cannot[ _]answer", re.IGNORECASE)


def schema_faults(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """What a JSON schema of a judge's answer lacks: order of its fields, descriptions, verdicts of two values."""
    return tuple(fault for where, part in _objects(schema, "") for fault in _object_faults(where, part))


def prompt_faults(prompt: str) -> tuple[str, ...]:
    """What a prompt has that it should not, or lacks."""
    found = []
    if LENIENT not in prompt:
        found.append(f"{DesignRule.LENIENT.value}: {DesignRule.LENIENT.meaning}")
    if _JSON.search(prompt):
        found.append(f"{DesignRule.NO_EXAMPLE_JSON.value}: {DesignRule.NO_EXAMPLE_JSON.meaning}")
    if _SCALE.search(prompt):
        found.append(f"{DesignRule.BINARY.value}: {DesignRule.BINARY.meaning}")
    return tuple(found)


def evaluator_faults(evaluator: Evaluator) -> tuple[str, ...]:
    """What keeps an evaluator from the shared design."""
    found = []
    actions = list(evaluator.actions.values())
    if len(set(actions)) < len(actions):
        found.append(f"{DesignRule.ONE_ACTION.value}: two verdicts have the same action")
    found += [
        f"{DesignRule.NEVER_REFUSES.value}: the verdict '{verdict}' refuses"
        for verdict, action in evaluator.actions.items()
        if _REFUSES.search(verdict) or not isinstance(action, Action)
    ]
    if not evaluator.strictness:
        found.append(f"{DesignRule.PARAMETERS.value}: there is no parameter of strictness")
    return tuple(found)


def _objects(schema: Mapping[str, Any], where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object of a schema, those under $defs and in arrays included."""
    if isinstance(schema.get("properties"), Mapping):
        yield where or "the answer", schema
    for name in ("properties", "$defs"):
        for key, part in (schema.get(name) or {}).items():
            yield from _objects(part, f"{where}.{key}".lstrip("."))
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _objects(items, f"{where}[]")


def _object_faults(where: str, part: Mapping[str, Any]) -> Iterator[str]:
    fields = list(part["properties"])
    verdicts = [name for name in fields if name in VERDICTS]
    reasons = [name for name in fields if name in REASONS]
    for verdict in verdicts:
        late = [name for name in reasons if fields.index(name) > fields.index(verdict)]
        if late:
            yield f"{DesignRule.REASONS_FIRST.value}: {where}: '{verdict}' stands before {', '.join(late)}"
        if not reasons:
            yield f"{DesignRule.REASONS_FIRST.value}: {where}: '{verdict}' has no reasons before it"
        field = part["properties"][verdict]
        if not field.get("description"):
            yield f"{DesignRule.REASONS_FIRST.value}: {where}: '{verdict}' has no description with its criterion"
        if field.get("type") in ("number", "integer"):
            yield f"{DesignRule.BINARY.value}: {where}: '{verdict}' is a number"
