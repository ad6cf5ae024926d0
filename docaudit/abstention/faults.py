"""What is wrong with a value that people gave, in docaudit's words and as its own error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from pydantic import BaseModel, ValidationError

from docaudit.errors import GateError, ListedError
from docaudit.evidence import Model


def faults(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Each fault as ``place: what``; a field that does not exist with those that do."""
    return [
        _fault(tuple(one["loc"]), one["type"], one["msg"], model)
        for one in error.errors(include_url=False, include_input=False)
    ]


class Given(Model):
    """Base of what people make in programs: a fault in it is an error of docaudit that lists all of them.

    Attributes:
        refused: The error.
    """

    refused: ClassVar[type[ListedError]] = GateError

    if not TYPE_CHECKING:  # the fields are the arguments, also to type checkers

        def __init__(self, **fields: Any) -> None:
            try:
                super().__init__(**fields)
            except ValidationError as error:
                made = type(self)
                raise made.refused(
                    f"no {made.__name__} can be made", problems=tuple(faults(error, made))
                ) from None


def _fault(place: tuple[int | str, ...], kind: str, said: str, model: type[BaseModel]) -> str:
    if kind == "extra_forbidden":
        there = _model_at(model, place[:-1])
        names = ", ".join(there.model_fields) if there else ""
        said = f"there is no field '{place[-1]}'" + (f"; there are {names}" if names else "")
        place = place[:-1]
    where = ".".join(map(str, place))
    said = said.removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def _model_at(model: type[BaseModel], steps: Sequence[int | str]) -> type[BaseModel] | None:
    """The model of a part of a value; None if it is none."""
    here: Any = model
    for step in steps:
        if isinstance(step, str) and _is_model(here):
            field = here.model_fields.get(step)
            here = None if field is None else field.annotation
        # One model at most stands in a list or an optional field; a key of an object is no model.
        here = next((one for one in _parts(here) if _is_model(one)), here)
    return here if _is_model(here) else None


def _parts(annotation: Any) -> list[Any]:
    found = [annotation]
    for part in get_args(annotation):
        found += _parts(part)
    return found


def _is_model(given: Any) -> bool:
    return isinstance(given, type) and issubclass(given, BaseModel)
