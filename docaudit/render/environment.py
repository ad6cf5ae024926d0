"""The templates of docaudit: everything escaped, no name undefined, in the language of a report."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from docaudit.render import view, words
from docaudit.render.clean import one_line, shown
from docaudit.render.kwic import Split, split_snippet
from docaudit.render.tongue import Tongue
from docaudit.snippets import with_ellipses


@cache
def environment(t: Tongue) -> Environment:
    """The templates with the filters of this language."""
    made = Environment(
        loader=PackageLoader("docaudit.render"),
        # Unconditional: the choice by file ending would not escape in a template named .j2.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "shown": shown,
        "share": _area,
        "heading": lambda hit: view.heading(hit, t),
        "one_line": one_line,
        "page_ranges": t.ranges,
        "page_words": t.pages,
        "snippet": _snippet,
        "likely": t.likely,
        "plural": t.count,
        "percent": words.percent,
        "page": t.page,
        "data": t.data,
        "pictured": view.pictured,
        "other_words": view.says_otherwise,
    }
    made.filters.update(filters)
    made.globals.update(_=t, w=words)
    # `safe` would switch escaping off; no template of ours may.
    del made.filters["safe"]
    return made


def _snippet(text: str, match: str) -> Split:
    """The shown text of a snippet, cut at its match."""
    return split_snippet(shown(with_ellipses(text, match)), shown(match))


def _area(value: float) -> str:
    return f"{value * 100:.1f} %" if value >= 0.001 else "under 0.1 %"
