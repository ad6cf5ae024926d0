"""How far the zeros of a table can be trusted: what it would have missed, in documents that do have its concepts.

Each place of a concept is found by one variant or by several. A table whose hits all hang on one variant might as well
have lacked it; a table of which any half finds nearly all is hard to fault.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from docaudit.concepts.model import ConceptTable
from docaudit.document import ParsedDocument
from docaudit.errors import MissingEvidenceError
from docaudit.search import sweep_lines
from docaudit.suggest import suggest_from
from docaudit.suggest.candidates import CandidateKind, finds
from docaudit.suggest.neighbours import PreparedDocuments
from docaudit.tables import is_counted

_SEED = 7
Share = float | None
"""0 to 1; None where there is nothing to take a share of."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class VariantStrength(_Model):
    """One variant, left out.

    Attributes:
        variant: Its text.
        places: Places that it finds.
        own: Of these, places that no other variant of the concept finds: what would be missed without it.
    """

    variant: str
    places: int = Field(ge=0)
    own: int = Field(ge=0)

    @property
    def redundant(self) -> bool:
        """Whether it finds something, but nothing that others do not find."""
        return self.places > 0 and self.own == 0


class ConceptStrength(_Model):
    """One concept in documents.

    Attributes:
        concept: Its name.
        places: Different places where it stands, whichever variant finds them.
        variants: Its accepted variants in the order of the table.
        carriers: A few variants that together find every place, the one that finds most first.
        half_missed: Share of the places that a random half of the variants that have hits misses, on average.
        half_found_again: Share of what was missed that variants among the suggestions would have found.
    """

    concept: str
    places: int = Field(ge=0)
    variants: tuple[VariantStrength, ...]
    carriers: tuple[str, ...]
    half_missed: Share
    half_found_again: Share


class TableStrength(_Model):
    """A table in documents.

    Attributes:
        concepts: In the order of the table.
        draws: Random halves that were tried (seeded: the same on each run).
        method: How suggestions were looked for.
        notes: What the reader must know about that.
    """

    concepts: tuple[ConceptStrength, ...]
    draws: int
    method: CandidateKind
    notes: tuple[str, ...]


@dataclass
class _Missed:
    places: int = 0
    missed: int = 0
    found_again: int = 0


Finders = list[frozenset[str]]
"""For each place of a concept, the variants that find it."""


def table_strength(
    documents: ParsedDocument | Sequence[ParsedDocument],
    table: ConceptTable,
    prepared: PreparedDocuments,
    *,
    draws: int = 10,
    top: int = 20,
) -> TableStrength:
    """Leave out variants and look what would have been missed.

    Args:
        documents: Parsed documents that have the concepts; a concept without a hit is listed with nothing to say.
        table: The table.
        prepared: The same documents, prepared for suggestions.
        draws: Random halves.
        top: Candidates for each concept that count as suggested.

    Raises:
        ConceptTableError: Too few variants are accepted to be swept.
        MissingEvidenceError: No document was given.
    """
    parsed = [documents] if isinstance(documents, ParsedDocument) else list(documents)
    if not parsed:
        raise MissingEvidenceError("parsing", "no document was given")
    places: dict[str, Finders] = {concept: [] for concept in table.active_concepts}
    for one in parsed:
        hit_df, _ = sweep_lines(one.line_df, table, pages_total=len(one.page_df))
        for concept, finders in places_by_concept(hit_df).items():
            places[concept] += finders
    halves = _halves(table, places, prepared, draws, top)
    return TableStrength(
        concepts=tuple(_strength(table, name, places[name], halves[name]) for name in table.active_concepts),
        draws=draws,
        method=CandidateKind.NGRAMS if prepared.embedder is None else CandidateKind.EMBEDDING,
        notes=prepared.notes,
    )


def places_by_concept(hit_df: pd.DataFrame) -> dict[str, Finders]:
    """The places of each concept; counted hits that overlap are one place."""
    hit_df = hit_df[is_counted(hit_df)]
    names = ("concept", "page_num", "line_num", "char_start", "page_end", "line_end", "char_end", "variant")
    rows = sorted(zip(*(hit_df[name].tolist() for name in names), strict=True))
    found: dict[str, Finders] = {}
    end: tuple[int, int, int] = (0, 0, 0)
    for concept, page, line, start, page_end, line_end, char_end, variant in rows:
        mine = found.setdefault(concept, [])
        if mine and (page, line, start) < end:
            mine[-1] |= {variant}
            end = max(end, (page_end, line_end, char_end))
        else:
            mine.append(frozenset({variant}))
            end = (page_end, line_end, char_end)
    return found


def _strength(table: ConceptTable, concept: str, places: Finders, half: _Missed) -> ConceptStrength:
    texts = [variant.text for variant in table.active if variant.concept == concept]
    return ConceptStrength(
        concept=concept,
        places=len(places),
        variants=tuple(
            VariantStrength(
                variant=text,
                places=sum(text in finders for finders in places),
                own=sum(finders == {text} for finders in places),
            )
            for text in texts
        ),
        carriers=tuple(_carriers(texts, places)),
        half_missed=half.missed / half.places if half.places else None,
        half_found_again=half.found_again / half.missed if half.missed else None,
    )


def _carriers(texts: Sequence[str], places: Finders) -> list[str]:
    """Again and again the variant that finds most of what is left: short, though not always the shortest."""
    left, chosen = list(places), list[str]()
    while left:
        best = max(texts, key=lambda text: sum(text in finders for finders in left))
        chosen.append(best)
        left = [finders for finders in left if best not in finders]
    return chosen


def _halves(
    table: ConceptTable, places: dict[str, Finders], prepared: PreparedDocuments, draws: int, top: int
) -> dict[str, _Missed]:
    """What random halves of the variants with hits miss, and what of it suggestions find again."""
    chance = random.Random(_SEED)
    sums = {concept: _Missed() for concept in places}
    for _ in range(draws):
        removed: dict[str, set[str]] = {}
        for concept, finders in places.items():
            with_hits = sorted(frozenset[str]().union(*finders))
            removed[concept] = set(chance.sample(with_hits, len(with_hits) // 2))
        kept = tuple(v for v in table.variants if v.text not in removed.get(v.concept, ()))
        shown = suggest_from(prepared, table.model_copy(update={"variants": kept}), top=top)
        for concept, gone in removed.items():
            candidates = [text for one in shown.of_concept(concept) for text in (one.text, *one.members)]
            again = {
                v.text
                for v in table.active
                if v.text in gone and v.concept == concept and any(finds(v, text) for text in candidates)
            }
            missed = [finders for finders in places[concept] if finders <= gone]
            sums[concept].places += len(places[concept]) if gone else 0
            sums[concept].missed += len(missed)
            sums[concept].found_again += sum(not again.isdisjoint(finders) for finders in missed)
    return sums
