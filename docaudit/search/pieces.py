"""Flows one behind the other, as flat lists: what the search text of a document is joined from, and what is kept of it.

A document has many thousand flows of a few lines each; an object for each of them takes longer to make than a sweep.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from docaudit.search.flows import Flow, FlowKind
from docaudit.search.readings import Reading


@dataclass(frozen=True)
class Pieces:
    """The lines of flows, or their readings; a piece is known by its position.

    Attributes:
        rows: For each piece its line, as position in line_df.
        before: For each piece the separator between it and the piece before.
        kinds: Kinds of the flows, each with the number of pieces that follow each other in it.
        altered: Readings that stand in place of lines, by piece.
    """

    rows: list[int]
    before: list[str]
    kinds: list[tuple[FlowKind, int]]
    altered: dict[int, Reading]

    @classmethod
    def of(cls, flows: Iterable[Flow]) -> Pieces:
        """The flows in their order."""
        pieces = cls([], [], [], {})
        for flow in flows:
            pieces._add(flow)
        return pieces

    def _add(self, flow: Flow) -> None:
        self.altered.update((len(self.rows) + place, reading) for place, reading in flow.altered.items())
        self.rows.extend(flow.rows)
        self.before.extend(flow.before)
        count = len(flow.rows)
        if self.kinds and self.kinds[-1][0] is flow.kind:
            count += self.kinds.pop()[1]
        self.kinds.append((flow.kind, count))
