"""What the table decides already: such terms are no candidates."""

from __future__ import annotations

from functools import lru_cache

import regex

from docaudit.concepts import ConceptTable, Variant
from docaudit.search.normalize import searchable
from docaudit.search.patterns import compile_variant
from docaudit.wordforms import squeeze


def seeds(table: ConceptTable) -> tuple[Variant, ...]:
    """Rows whose neighbours are looked for: accepted ones, and words of the question that `init` wrote for a start."""
    return tuple(
        variant
        for variant in table.variants
        if variant.status == "accepted" or (variant.status == "proposed" and variant.source == "question")
    )


class Known:
    """Tells terms that the table finds, or has decided about, from new ones."""

    def __init__(self, table: ConceptTable) -> None:
        """Compile the rows of the table."""
        self._rows = {squeeze(variant.text) for variant in table.variants}
        found = seeds(table)
        self._found = [expression(variant) for variant in found]
        self._decided = [expression(variant) for variant in table.variants if variant not in found]

    def __contains__(self, term: str) -> bool:
        """Whether a term has its own row in some form, or holds an accepted variant, so that the sweep finds it."""
        text = searchable(term)
        return (
            squeeze(term) in self._rows
            or any(one.search(text) for one in self._found)
            or any(one.fullmatch(text) for one in self._decided)
        )


@lru_cache(maxsize=10_000)
def expression(variant: Variant) -> regex.Pattern[str]:
    """The pattern of a variant for searchable text, as the sweep has it."""
    flags = regex.IGNORECASE if variant.match == "regex" and not variant.case_sensitive else 0
    return regex.compile(compile_variant(variant).text, flags)


def finds(variant: Variant, text: str) -> bool:
    """Whether the sweep would find a variant in a text, apart from its case."""
    return expression(variant).search(searchable(text)) is not None


def is_all_of(variant: Variant, text: str) -> bool:
    """Whether the sweep would find a variant in a text, and nothing is left of it."""
    return expression(variant).fullmatch(searchable(text)) is not None
