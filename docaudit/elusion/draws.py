"""The record of a sample's draw: the frame, what was drawn from it, and what anyone needs to draw the same again."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from pydantic import Field

from docaudit.evidence import DocumentIdentity, Model
from docaudit.location import BBox

UnitKind = Literal["page", "region"]
Allocation = Literal["proportional", "per_stratum"]


class Sought(Model):
    """A concept to look for, with the variants that the search knew."""

    concept: str
    variants: tuple[str, ...]


class Drawn(Model):
    """One page or region to be read by a person.

    Attributes:
        sample_id: Its name in the sheet; begins with the id of the draw, so that sheets cannot be mixed up.
        unit: Its key in the frame: the page, or page.region.
        page_num: 1-based physical page.
        page_label: Label of that page; empty if none.
        width_pt: Width of the page as displayed, points; null if unknown.
        height_pt: Height of it.
        stratum: Where it was drawn from.
        bbox: The region, points; null for the whole page.
        look_for: Concepts that the search did not find on the page.
        found_already: Required concepts that it did find there.
    """

    sample_id: str
    unit: str
    page_num: int = Field(ge=1)
    page_label: str
    width_pt: float | None
    height_pt: float | None
    stratum: str
    bbox: BBox | None = None
    look_for: tuple[str, ...]
    found_already: tuple[str, ...]


class Stratum(Model):
    """One part of the frame: all its units, and how many were drawn."""

    name: str
    units: tuple[str, ...] = Field(min_length=1)
    drawn: int = Field(ge=1)

    @property
    def size(self) -> int:
        """Units of the stratum."""
        return len(self.units)


class Draw(Model):
    """The record of a draw: what the sheet is checked against, and what anyone needs to draw the same again.

    Attributes:
        document: Which document.
        question: The question, or null.
        concept_table_fingerprint: Fingerprint of the table that was swept.
        sought: The required concepts with their accepted variants.
        unit: Whether pages or regions were drawn.
        pages_left_out: Pages on which every required concept has a hit; 0 if regions were drawn.
        seed: Seed of PCG64.
        confidence: Level of the bounds, 0 to 1.
        allocation: proportional (bounds are pooled) or per_stratum (bounds are summed); see docaudit.elusion.bounds.
        strata: The frame.
        drawn: What is to be read, in order of the pages.
        language: Language of the sheet.
        digest: SHA-256 over all other fields.
    """

    kind: Literal["elusion_draw"] = "elusion_draw"
    schema_version: Literal["1"] = "1"
    document: DocumentIdentity
    question: str | None
    concept_table_fingerprint: str
    sought: tuple[Sought, ...]
    unit: UnitKind
    pages_left_out: int
    seed: int
    confidence: float
    allocation: Allocation
    strata: tuple[Stratum, ...]
    drawn: tuple[Drawn, ...]
    language: Literal["en", "ja"]
    digest: str = ""

    @property
    def size(self) -> int:
        """Units of the frame."""
        return sum(stratum.size for stratum in self.strata)


def digest_of(draw: Draw) -> str:
    """SHA-256 over all fields of the record but the digest itself."""
    data = draw.model_dump(mode="json", exclude={"digest"})
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
