"""The expert's concept table: which words stand for which concept, how each is matched, and who decided it.

>>> table = ConceptTable.from_variants({"AI": ["AI", "machine learning"], "power": ["electricity"]})
>>> table.concepts, len(table.active)
(('AI', 'power'), 3)
>>> waiting = table.add([Variant(concept="AI", text="neural network", status="proposed", source="embedding")])
>>> decided = waiting.decide(waiting.proposed[0].id, "accepted", reviewer="A. Expert")
>>> decided.fingerprint == waiting.fingerprint, decided.active[-1].text
(False, 'neural network')
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from docaudit.concepts.check import (
    COLUMNS,
    CaseMode,
    InflectMode,
    MatchMode,
    RawRow,
    RawTable,
    Role,
    Status,
    check_rows,
)
from docaudit.concepts.variant import Concept, ConceptInfo, Variant, with_ids
from docaudit.errors import ConceptTableError, OutputError

_MATTERS = ("concept", "text", "match", "case", "inflect", "status")
"""What decides on what is searched, and what waits: the fingerprint is over these and the roles."""


__all__ = [
    "CaseMode",
    "Concept",
    "ConceptInfo",
    "ConceptTable",
    "InflectMode",
    "MatchMode",
    "Role",
    "Status",
    "Variant",
]


class ConceptTable(BaseModel):
    """An expert's concept table, in the order in which it was written.

    `load`, `from_dataframe` and `from_variants` check the table and raise ConceptTableError with all its problems.

    Attributes:
        variants: The rows; each has an id.
        info: Role and description of concepts, in the order of the concepts; one that is not there is required.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    variants: tuple[Variant, ...]
    info: tuple[ConceptInfo, ...] = ()

    @field_validator("variants", mode="after")
    @classmethod
    def _each_has_an_id(cls, variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
        return with_ids(variants)

    @model_validator(mode="after")
    def _info_belongs_to_concepts(self) -> ConceptTable:
        names = [about.name for about in self.info]
        strange = sorted({name for name in names if name not in self.concepts or names.count(name) > 1})
        if strange:
            raise ValueError(f"info: '{strange[0]}' stands there twice, or is no concept of the table")
        return self

    @property
    def active(self) -> tuple[Variant, ...]:
        """The accepted variants: those that are swept."""
        return tuple(v for v in self.variants if v.status == "accepted")

    @property
    def proposed(self) -> tuple[Variant, ...]:
        """Variants that wait for the expert's decision."""
        return tuple(v for v in self.variants if v.status == "proposed")

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts in order."""
        return tuple(dict.fromkeys(v.concept for v in self.variants))

    @property
    def active_concepts(self) -> tuple[str, ...]:
        """Names of the concepts that have an accepted variant, in order: those that can have hits."""
        return tuple(dict.fromkeys(v.concept for v in self.active))

    @property
    def by_concept(self) -> tuple[Concept, ...]:
        """The concepts in order, each with its variants."""
        grouped: dict[str, list[Variant]] = {}
        for variant in self.variants:
            grouped.setdefault(variant.concept, []).append(variant)
        info = {about.name: about for about in self.info}
        return tuple(
            Concept(**info.get(name, ConceptInfo(name=name)).model_dump(), variants=tuple(variants))
            for name, variants in grouped.items()
        )

    @property
    def required_concepts(self) -> tuple[str, ...]:
        """The active concepts whose role is required: those that must be found, or meet, for "mentioned"."""
        context = {about.name for about in self.info if about.role == "context"}
        return tuple(name for name in self.active_concepts if name not in context)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over what decides on the result: concept, text, match, case, inflect, status and role of each row.

        Not over ids, notes, dates, reviewers, sources, descriptions and the order of rows.
        """
        context = sorted(about.name for about in self.info if about.role == "context")
        rows = sorted([getattr(variant, field) for field in _MATTERS] for variant in self.variants)
        return hashlib.sha256(json.dumps([rows, context], ensure_ascii=False).encode()).hexdigest()

    def about(self, concept: str) -> ConceptInfo:
        """Role and description of a concept."""
        return next((about for about in self.info if about.name == concept), ConceptInfo(name=concept))

    def row(self, row_id: str) -> Variant:
        """The row with this id; raises ConceptTableError if there is none."""
        for variant in self.variants:
            if variant.id == row_id:
                return variant
        raise ConceptTableError(f"there is no row '{row_id}'", remedy="ids stand in the column id")

    def add(self, variants: Iterable[Variant]) -> ConceptTable:
        """A table with these rows at its end, each with an id; raises ConceptTableError as `load` does."""
        longer = self.model_copy(update={"variants": with_ids([*self.variants, *variants])})
        # A table that a program made may share variants between concepts; one of an expert may not.
        _, _, problems = check_rows(self._raw(may_share=False))
        return self._from_raw(longer._raw(may_share=bool(problems)), None)

    def decide(
        self,
        row_id: str,
        status: Literal["accepted", "rejected"],
        *,
        reviewer: str,
        date: dt.date | None = None,
        note: str | None = None,
        reference: str | None = None,
    ) -> ConceptTable:
        """A table in which a person accepted or rejected one row.

        Args:
            row_id: Id of the row.
            status: accepted or rejected.
            reviewer: Label of the person; no program may decide, so it cannot be empty.
            date: Day of the decision; today if None.
            note: New note; the old one stays if None.
            reference: New reference; the old one stays if None.

        Raises:
            ConceptTableError: There is no such row, or the decision lacks a reviewer or is none.
        """
        old = self.row(row_id)
        if status not in ("accepted", "rejected"):
            raise ConceptTableError(f"'{status}' is no decision", remedy="accept or reject the row")
        if not reviewer.strip():
            raise ConceptTableError("a decision needs a reviewer", remedy="name who decides")
        new = old.model_copy(
            update={
                "status": status,
                "reviewer": reviewer.strip(),
                "date": (date or dt.date.today()).isoformat(),
                "note": old.note if note is None else note,
                "reference": old.reference if reference is None else reference,
            }
        )
        rows = tuple(new if variant is old else variant for variant in self.variants)
        return self.model_copy(update={"variants": rows})

    @classmethod
    def load(cls, path: str | Path) -> ConceptTable:
        """A table from CSV, TSV, JSON, YAML or XLSX, told apart by the suffix of the name.

        Long form: columns concept and variant, and as wanted the others of `to_dataframe`. Short form: columns
        concept and variants, with bars between the variants. JSON and YAML: a mapping of concepts to lists of
        variants, or to a mapping with role, description and variants, or a list of rows. Columns of your own have
        names that begin with x_. Raises ConceptTableError; its `problems` name row and column of each.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise ConceptTableError(f"its path is {type(path).__name__}, not text", remedy="name the file")
        # Readers for workbooks and YAML are slow to import, and a table made in a program does not need them.
        from docaudit.concepts.files import read

        return cls._from_raw(read(Path(path)), str(path))

    @classmethod
    def from_dataframe(cls, df: pd.DataFrame) -> ConceptTable:
        """A table from a DataFrame with the columns of `load`; column variants may hold lists of strings.

        Raises ConceptTableError; rows are counted from 1.
        """
        if not isinstance(df, pd.DataFrame):
            raise ConceptTableError(
                f"a DataFrame is needed, not {type(df).__name__}",
                remedy="for a mapping of concepts to variants use from_variants",
            )
        names = tuple(str(column) for column in df.columns)
        rows = [
            RawRow(f"row {number}", dict(zip(names, cells, strict=True)))
            for number, cells in enumerate(df.itertuples(index=False, name=None), start=1)
        ]
        return cls._from_raw(RawTable(names, rows), None)

    @classmethod
    def from_tree(cls, tree: Any) -> ConceptTable:
        """A table from what a JSON file of it holds: concepts with their variants, or a list of rows, all text.

        Raises ConceptTableError as `load` does.
        """
        from docaudit.concepts.grid import nested_rows

        return cls._from_raw(nested_rows(tree, "concepts"), None)

    @classmethod
    def from_variants(
        cls,
        mapping: Mapping[str, Iterable[str]],
        match: MatchMode = "word",
        case: CaseMode = "auto",
    ) -> ConceptTable:
        """A table from concept -> variants; a single string is one variant. Raises ConceptTableError.

        Other than in a file that an expert keeps, one variant may stand in two concepts.
        """
        if not isinstance(mapping, Mapping):
            raise ConceptTableError(
                f"a mapping of concepts to variants is needed, not {type(mapping).__name__}",
                remedy='write {"concept": ["variant", "variant"]}',
            )
        table = RawTable(("concept", "variant", "match", "case"), [], may_share=True)
        for concept, texts in mapping.items():
            if not isinstance(texts, Iterable) or isinstance(texts, (bytes, bytearray)):
                kind = type(texts).__name__
                table.problems.append(f"concept '{concept}': its variants are {kind}: write a list of texts")
                continue
            listed = [texts] if isinstance(texts, str) else list(texts)
            if not listed:
                table.problems.append(f"concept '{concept}': has no variant: write at least one")
            for number, text in enumerate(listed, start=1):
                cells = {"concept": concept, "variant": text, "match": match, "case": case}
                table.rows.append(RawRow(f"concept '{concept}', variant {number}", cells))
        return cls._from_raw(table, None)

    @classmethod
    def _from_raw(cls, raw: RawTable, file: str | None) -> ConceptTable:
        variants, info, problems = check_rows(raw)
        if problems:
            count = "a problem" if len(problems) == 1 else f"{len(problems):,} problems"
            raise ConceptTableError(
                f"the concept table has {count}",
                file=file,
                problems=problems,
                remedy="correct the rows named",
            )
        return cls.model_validate({"variants": variants, "info": info})

    def to_dataframe(self) -> pd.DataFrame:
        """The long form: one row for each variant, all text; columns concept, variant, match, case, inflect, status,
        source, reference, reviewer, date, note, role, description, id, and then those of the user's own.
        """
        columns = [*COLUMNS, *self.own_columns]
        return pd.DataFrame(self.rows(), columns=columns, dtype="str")

    def save(self, path: str | Path) -> Path:
        """Write as CSV, TSV, JSON, YAML or XLSX, by the suffix; raises OutputError.

        Where a table stands under this name already, its form is kept: columns and their order, the separator, the
        mapping of concepts, other sheets of a workbook. Columns are added where there is something to say. Not kept
        are comments in YAML, and charts of a workbook.
        """
        from docaudit.concepts.files import write

        if not isinstance(path, (str, os.PathLike)):
            raise OutputError(f"cannot save to {type(path).__name__}", remedy="name a file")
        write(Path(path), self.rows())
        return Path(path)

    @property
    def own_columns(self) -> tuple[str, ...]:
        """Names of the user's own columns (x_...), in the order of the table."""
        return tuple(dict.fromkeys(name for variant in self.variants for name, _ in variant.own))

    def _raw(self, *, may_share: bool) -> RawTable:
        rows = [RawRow(f"row {number}", cells) for number, cells in enumerate(self.rows(), start=1)]
        return RawTable((*COLUMNS, *self.own_columns), rows, may_share=may_share)

    def rows(self) -> list[dict[str, str]]:
        """The rows of `to_dataframe`; the description stands in the first row of its concept."""
        columns = (*COLUMNS, *self.own_columns)
        info = {about.name: about for about in self.info}
        described: set[str] = set()
        rows: list[dict[str, str]] = []
        for variant in self.variants:
            about = info.get(variant.concept, ConceptInfo(name=variant.concept))
            cells = {**variant.model_dump(mode="json", exclude={"own"}), **dict(variant.own)}
            cells["variant"] = cells.pop("text")
            cells["role"] = about.role
            cells["description"] = "" if variant.concept in described else about.description
            described.add(variant.concept)
            rows.append({name: cells.get(name, "") for name in columns})
        return rows
