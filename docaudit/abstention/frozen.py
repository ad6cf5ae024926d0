"""Results of a retriever with their labels, frozen in one file: thresholds change over them, nothing else does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from docaudit.abstention.labels import Evidence, Label
from docaudit.abstention.records import OperatingRecord, Retrieval
from docaudit.errors import GateError
from docaudit.evidence import Model


class QuestionSet(Model):
    """Where the questions come from: counts over them say nothing of other questions.

    Attributes:
        name: What the set is called.
        period: From when to when the questions, or the documents behind them, are.
        origin: `designed` by its authors, `sampled` from use, or all of `production` in the period.
        note: What else a reader must know.
    """

    name: str = Field(min_length=1)
    period: str = Field(min_length=1)
    origin: Literal["designed", "sampled", "production"]
    note: str = ""


class Row(Model):
    """One question with what was found for it and what is known of it.

    Attributes:
        number: 1-based place in the file.
        retrieval: What the retriever gave.
        label: What people said.
    """

    number: int = Field(ge=1)
    retrieval: Retrieval
    label: Label

    @property
    def id(self) -> str:
        """Name of the question."""
        return self.retrieval.id


class Frozen(Model):
    """Frozen results; whoever holds one knows that its rows do not contradict each other.

    Attributes:
        operating: How the scores came about.
        questions: Where the questions come from.
        rows: One for each question.
        sha256: Hash of the file that they were read from.
        part: Which part of a split the rows are, or `all`.
        held_out_uses: How often the held-out part of the split has been looked at, this time included.
    """

    operating: OperatingRecord
    questions: QuestionSet
    rows: tuple[Row, ...]
    sha256: str
    part: Literal["all", "tuning", "held_out"] = "all"
    held_out_uses: int = Field(default=0, ge=0)

    def only(self, ids: Iterable[str]) -> Frozen:
        """The same with these questions only; raises GateError for names that are not there."""
        wanted = set(ids)
        unknown = sorted(wanted - set(self.by_id))
        if unknown:
            raise GateError("there are no such questions", problems=tuple(unknown))
        return self.model_copy(update={"rows": tuple(row for row in self.rows if row.id in wanted)})

    @property
    def by_id(self) -> dict[str, Row]:
        """Rows by the name of their question."""
        return {row.id: row for row in self.rows}

    def labelled(self, evidence: Evidence) -> tuple[Row, ...]:
        """Rows with this label."""
        return tuple(row for row in self.rows if row.label.evidence is evidence)
