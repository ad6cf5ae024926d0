"""The expert's concept table: which words stand for which concept, how each is matched, and who decided it.

>>> table = ConceptTable.from_variants({"AI": ["AI", "machine learning"], "power": ["electricity"]})
>>> table.concepts, len(table.active)
(('AI', 'power'), 3)
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict

from docaudit.concept_rows import (
    COLUMNS,
    CaseMode,
    InflectMode,
    MatchMode,
    RawRow,
    RawTable,
    Status,
    check_rows,
    is_acronym,
)
from docaudit.errors import ConceptTableError, OutputError

__all__ = ["CaseMode", "Concept", "ConceptTable", "InflectMode", "MatchMode", "Status", "Variant"]


class Variant(BaseModel):
    """One way in which a concept is written.

    Attributes:
        concept: Name of the concept.
        text: The word or phrase, or the regular expression if match is regex.
        match: word (whole words), prefix (a word may go on), substring (anywhere), regex.
        case: auto (short all-capital acronyms sensitive, all else insensitive), sensitive, insensitive.
        inflect: auto (plural, possessive, hyphen or space or joined), off.
        status: accepted, proposed (waits for the expert, not swept), rejected (kept as a record, not swept).
        source: Who or what brought the variant in.
        note: Free text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    concept: str
    text: str
    match: MatchMode = "word"
    case: CaseMode = "auto"
    inflect: InflectMode = "auto"
    status: Status = "accepted"
    source: str = ""
    note: str = ""

    @property
    def case_sensitive(self) -> bool:
        """Whether the case counts: as the column says, and with auto for acronyms (IT, US) alone."""
        if self.case == "auto":
            return self.match != "regex" and is_acronym(self.text)
        return self.case == "sensitive"


class Concept(BaseModel):
    """A concept with all its variants, whatever their status.

    Attributes:
        name: Name of the concept.
        variants: Its variants in the order of the table.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    variants: tuple[Variant, ...]


class ConceptTable(BaseModel):
    """An expert's concept table, in the order in which it was written.

    `load`, `from_dataframe` and `from_variants` check the table and raise ConceptTableError with all its problems.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    variants: tuple[Variant, ...]

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
        return tuple(Concept(name=name, variants=tuple(members)) for name, members in grouped.items())

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all rows in order; the same table has the same fingerprint whatever file it came from."""
        rows = [v.model_dump() for v in self.variants]
        return hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()

    @classmethod
    def load(cls, path: str | Path) -> ConceptTable:
        """A table from CSV, TSV, JSON, YAML or XLSX, told apart by the suffix of the name.

        Long form: columns concept and variant, and as wanted match, case, inflect, status, source, note. Short form:
        columns concept and variants, with bars between the variants. JSON and YAML: a mapping of concepts to lists
        of variants, or a list of rows. Raises ConceptTableError; its `problems` name row and column of each.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise ConceptTableError(f"its path is {type(path).__name__}, not text", remedy="name the file")
        # Readers for workbooks and YAML are slow to import, and a table made in a program does not need them.
        from docaudit.concept_files import read

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
        rows, problems = check_rows(raw)
        if problems:
            count = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
            raise ConceptTableError(
                f"the concept table has {count}",
                file=file,
                problems=problems,
                remedy="correct the rows named",
            )
        named = [{"text" if key == "variant" else key: cell for key, cell in row.items()} for row in rows]
        return cls.model_validate({"variants": named})

    def to_dataframe(self) -> pd.DataFrame:
        """The long form: one row for each variant, columns concept, variant, match, case, inflect, status, source,
        note, all text.
        """
        return pd.DataFrame(self._rows(), columns=list(COLUMNS), dtype="str")

    def save(self, path: str | Path) -> Path:
        """Write the long form as CSV, TSV, JSON, YAML or XLSX, by the suffix; raises OutputError."""
        from docaudit.concept_files import write

        if not isinstance(path, (str, os.PathLike)):
            raise OutputError(f"cannot save to {type(path).__name__}", remedy="name a file")
        write(Path(path), self._rows())
        return Path(path)

    def _rows(self) -> list[dict[str, str]]:
        return [
            {column: getattr(v, "text" if column == "variant" else column) for column in COLUMNS}
            for v in self.variants
        ]
