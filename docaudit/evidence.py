"""The evidence of one audit in one bundle, and what its hits alone say of the required concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from docaudit.concepts.check import JOINER
from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument, SweepResult
from docaudit.errors import ConceptTableError, MissingEvidenceError, OptionError, TableContractError
from docaudit.justification import ControlGroup, RetrievalCheck, RetrievedChunk
from docaudit.options import AuditOptions
from docaudit.question import content_words, rejected_words, uncovered_words
from docaudit.retrieval import check_retrieval
from docaudit.tables import TABLES, is_counted

_LAYERS = {
    "parsing": ("parsed", ("identity", "coverage", "page_df", "blind_spot_df")),
    "keywords": ("table", ("variants",)),
    "sweep": ("result", ("hit_df", "ledger_df", "cooccurrence_df", "nearest_df")),
}


@dataclass(frozen=True)
class Evidence:
    """All that a finding is drawn from.

    Raises MissingEvidenceError, with the name of the layer, for a part that is None, and TableContractError for a table
    that breaks its contract. Properties raise what is wrong with the question, the options, or tables that do not
    belong together.

    Attributes:
        parsed: The document as it was read; every blind spot goes into the justification.
        table: The concept table.
        result: The sweep of the document with this table.
        question: The question, or None if none was asked.
        options: Options of the audit.
        controls: Words known to be there, and whether they were found.
        chunks: What a retriever gave for the question, or None if nothing was passed; it has no say in the finding.
    """

    parsed: ParsedDocument
    table: ConceptTable
    result: SweepResult
    question: str | None
    options: AuditOptions
    controls: Sequence[ControlGroup] = ()
    chunks: Sequence[RetrievedChunk] | None = None

    def __post_init__(self) -> None:
        for layer, (bundle, names) in _LAYERS.items():
            parts: dict[str, Any] = {name: getattr(getattr(self, bundle), name, None) for name in names}
            lacking = [name for name, part in parts.items() if part is None]
            if lacking:
                raise MissingEvidenceError(layer, f"{', '.join(lacking)} was not passed")
            for name, part in parts.items():
                if name in TABLES:
                    TABLES[name].check(part)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The concepts that must meet, in the order of the table."""
        return required_concepts(self.table, self.options)

    @cached_property
    def concept_hits(self) -> dict[str, int]:
        """Hits of every concept that was searched; a zero for one that was not would be no evidence."""
        names, hit_df = self.table.active_concepts, self.result.hit_df
        strange = set(hit_df["concept"]) - set(names)
        if strange:
            raise TableContractError(
                f"hit_df: '{min(strange)}' is no concept of the table",
                remedy="sweep with the same concept table",
            )
        sizes = self._counted_df.groupby("concept").size()
        return {name: int(sizes.get(name, 0)) for name in names}

    @cached_property
    def concept_pages(self) -> dict[str, tuple[int, ...]]:
        """Pages with a hit of every concept that was searched."""
        pages = self._counted_df.groupby("concept")["page_num"].unique()
        return {name: tuple(sorted(int(page) for page in pages.get(name, ()))) for name in self.concept_hits}

    @cached_property
    def _counted_df(self) -> pd.DataFrame:
        return self.result.hit_df[is_counted(self.result.hit_df)]

    @cached_property
    def possible_df(self) -> pd.DataFrame:
        """Rows of HIT_DF that only may be hits."""
        hit_df = self.result.hit_df
        return hit_df[~is_counted(hit_df)]

    def possible_of(self, concepts: Sequence[str]) -> pd.DataFrame:
        """The possible hits of some concepts."""
        return self.possible_df[self.possible_df["concept"].isin(concepts)]

    @property
    def missing(self) -> bool:
        """Whether a required concept has no hit."""
        return any(not self.concept_hits[name] for name in self.required)

    @cached_property
    def mentioned(self) -> bool:
        """Whether the required concepts meet in the scope of the options (a single one: it has a hit)."""
        required, scope, meetings = self.required, self.options.scope, self.result.cooccurrence_df
        if len(required) == 1:
            return self.concept_hits[required[0]] > 0
        other_scopes = set(meetings["scope"]) - {scope}
        if other_scopes:
            raise OptionError(
                f"scope is {scope}, but the sweep looked for meetings in the same {min(other_scopes)}",
                remedy="sweep again with the same scope",
            )
        if JOINER.join(required) in set(meetings["concepts"]):
            return True
        if scope in (
            "page",
            "line",
        ):  # here the hits alone show a meeting, which a table of other options would hide
            hit_df = self._counted_df
            on_pages = hit_df[
                (hit_df["page_num"] > 0) & (hit_df["part"] == "") & hit_df["concept"].isin(required)
            ]
            unit = ["page_num"] if scope == "page" else ["page_num", "line_num"]
            if (on_pages.groupby(unit)["concept"].nunique() == len(required)).any():
                raise TableContractError(
                    f"cooccurrence_df has no meeting of {JOINER.join(required)}, but their hits share a {scope}",
                    remedy="sweep again with the same scope and the same required concepts",
                )
        return False

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Words of the question that name a subject; none without a question."""
        return () if self.question is None else content_words(self.question)

    @cached_property
    def set_aside(self) -> tuple[str, ...]:
        """Words of the question that are in no concept of the table, and that a person rejected as one."""
        if self.question is None:
            return ()
        return rejected_words(self.question, self.table, uncovered_words(self.question, self.table))

    @cached_property
    def uncovered(self) -> tuple[str, ...]:
        """Words of the question that are in no concept of the table, and on which nobody decided."""
        if self.question is None:
            return ()
        words = uncovered_words(self.question, self.table)
        return tuple(word for word in words if word not in self.set_aside)

    @cached_property
    def retrieval(self) -> RetrievalCheck | None:
        """What of the hits is in the chunks; None if no chunks were passed."""
        if self.chunks is None:
            return None
        result = self.result
        return check_retrieval(
            self.parsed.line_df, result.hit_df, result.cooccurrence_df, self.required, self.chunks
        )


def required_concepts(table: ConceptTable, options: AuditOptions) -> tuple[str, ...]:
    """The concepts that must meet, in the order of the table; raises OptionError or ConceptTableError for none."""
    names = table.active_concepts
    if not names:
        raise ConceptTableError("no variant of the table is accepted", remedy="accept at least one")
    strange = [name for name in options.required if name not in names]
    if strange:
        raise OptionError(
            f"required: no concept '{strange[0]}' in the table", remedy=f"concepts are {', '.join(names)}"
        )
    chosen = options.required or table.required_concepts
    if not chosen:
        raise ConceptTableError(
            "every concept that is searched has the role context, so none could be absent",
            remedy="set the role of one to required, or name it with --required",
        )
    return tuple(name for name in names if name in chosen)
