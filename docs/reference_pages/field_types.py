"""Types of fields, as they are written in JSON, in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime

PLAIN: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dt.date: "day: 2026-09-02",
    AwareDatetime: "time: 2026-09-02T08:01:00Z",
}


def type_of(given: Any) -> str:
    """How a value is written in JSON, in words.

    >>> type_of(tuple[int, ...]), type_of(str | None)
    ('list of whole number', 'text or null')
    """
    origin, parts = get_origin(given), get_args(given)
    if origin is Annotated:
        return type_of(parts[0])
    if origin is Literal:
        return " or ".join(f"`{one}`" for one in parts)
    if origin is tuple:
        return f"list of {type_of(parts[0])}"
    if origin is Mapping:
        return f"object: {type_of(parts[0])} to {type_of(parts[1])}"
    if origin in (Union, UnionType):
        return " or ".join("null" if one is type(None) else type_of(one) for one in parts)
    return PLAIN.get(given) or f"`{given.__name__}`"
