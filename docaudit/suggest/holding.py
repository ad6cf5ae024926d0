"""Which terms a variant of the table finds: one search through all terms instead of one for each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from docaudit.concepts import Variant
from docaudit.search.normalize import searchable
from docaudit.suggest.known import expression
from docaudit.suggest.terms import Term

_BETWEEN = "\n|\n"
"""No variant reaches over it: it is no gap that a pattern allows, and no letter."""


class Holding:
    """Terms, asked for the variants that they hold; each variant is looked for once."""

    def __init__(self, terms: Sequence[Term]) -> None:
        """Join the terms."""
        self._texts = [searchable(term.key) for term in terms]
        self._joined = _BETWEEN.join(self._texts)
        lengths = np.array([len(text) + len(_BETWEEN) for text in self._texts], dtype=np.int64)
        self._starts = [0, *np.cumsum(lengths).tolist()][: len(self._texts)]
        self._found: dict[Variant, npt.NDArray[np.int64]] = {}

    def of(self, variant: Variant) -> npt.NDArray[np.int64]:
        """Numbers of the terms in which the sweep would find a variant, apart from its case."""
        found = self._found.get(variant)
        if found is None:
            found = self._found[variant] = np.array(sorted(set(self._search(variant))), dtype=np.int64)
        return found

    def _search(self, variant: Variant) -> list[int]:
        search = expression(variant)
        if variant.match == "regex":  # a person's own expression may reach anywhere
            return [n for n, text in enumerate(self._texts) if search.search(text)]
        return [bisect_right(self._starts, match.start()) - 1 for match in search.finditer(self._joined)]
