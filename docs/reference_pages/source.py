"""The package as its source says it: signatures, docstrings, annotations, as griffe reads them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import griffe

import docaudit
from docaudit import _HOME

ROOT = Path(docaudit.__file__).parent.parent


@cache
def package() -> griffe.Module:
    """The whole package."""
    loaded = griffe.load("docaudit", search_paths=[ROOT], docstring_parser="google")
    assert isinstance(loaded, griffe.Module)
    return loaded


def public(name: str) -> griffe.Object:
    """What docaudit.__all__ calls so, where it is defined (docaudit.search is a function and a module)."""
    found = package()[f"{_HOME[name].removeprefix('docaudit.')}.{name}"]
    return found.final_target if isinstance(found, griffe.Alias) else found


def annotations(model: type) -> dict[str, str]:
    """The annotations of a class as they are written, those of its bases as well."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        if one.__module__.startswith("docaudit"):
            members = package()[f"{one.__module__.removeprefix('docaudit.')}.{one.__name__}"].attributes
            found |= {name: str(member.annotation) for name, member in members.items() if member.annotation}
    return found
