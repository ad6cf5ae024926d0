"""The expert's concept table: which words stand for which concept, how each is matched, and who decided it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

MatchMode = Literal["word", "prefix", "substring", "regex"]
CaseMode = Literal["auto", "sensitive", "insensitive"]
InflectMode = Literal["auto", "off"]
Status = Literal["accepted", "proposed", "rejected"]


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


class ConceptTable(BaseModel):
    """An expert's concept table, in the order in which it was written."""

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
    def fingerprint(self) -> str:
        """SHA-256 over all rows in order; the same table has the same fingerprint whatever file it came from."""
        rows = [v.model_dump() for v in self.variants]
        return hashlib.sha256(json.dumps(rows, ensure_ascii=False, sort_keys=True).encode()).hexdigest()

    @classmethod
    def from_variants(
        cls,
        mapping: Mapping[str, Iterable[str]],
        match: MatchMode = "word",
        case: CaseMode = "auto",
    ) -> ConceptTable:
        """A table from concept -> variants."""
        return cls(
            variants=tuple(
                Variant(concept=concept, text=text, match=match, case=case)
                for concept, texts in mapping.items()
                for text in texts
            )
        )
