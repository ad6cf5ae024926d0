"""Rows of a concept table as they are written, decided on and told apart: long form, decisions, fingerprint."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Sequence

from docaudit.concept_table.rows import COLUMNS, Status
from docaudit.concept_table.variant import ConceptInfo, Variant
from docaudit.errors import ConceptTableError

_MATTERS = ("concept", "text", "match", "case", "inflect", "status")
"""What decides on what is searched, and what waits: the fingerprint is over these and the roles."""


def fingerprint(variants: Iterable[Variant], info: Iterable[ConceptInfo]) -> str:
    """SHA-256 over what decides on the result, whatever the order of rows."""
    context = sorted(about.name for about in info if about.role == "context")
    rows = sorted([getattr(variant, field) for field in _MATTERS] for variant in variants)
    return hashlib.sha256(json.dumps([rows, context], ensure_ascii=False).encode()).hexdigest()


def decided(
    variant: Variant, status: Status, reviewer: str, date: dt.date, note: str | None, reference: str | None
) -> Variant:
    """The row with the decision of a person; raises ConceptTableError if it is none or nobody made it."""
    if status not in ("accepted", "rejected"):
        raise ConceptTableError(f"'{status}' is no decision", remedy="accept or reject the row")
    if not reviewer.strip():
        raise ConceptTableError("a decision needs a reviewer", remedy="name who decides")
    return variant.model_copy(
        update={
            "status": status,
            "reviewer": reviewer.strip(),
            "date": date.isoformat(),
            "note": variant.note if note is None else note,
            "reference": variant.reference if reference is None else reference,
        }
    )


def own_columns(variants: Iterable[Variant]) -> tuple[str, ...]:
    """Names of the user's own columns, in the order of the table."""
    return tuple(dict.fromkeys(name for variant in variants for name, _ in variant.own))


def long_rows(variants: Sequence[Variant], info: Iterable[ConceptInfo]) -> list[dict[str, str]]:
    """Rows with all columns as text; the description stands in the first row of its concept."""
    columns = (*COLUMNS, *own_columns(variants))
    known = {about.name: about for about in info}
    described: set[str] = set()
    listed = []
    for variant in variants:
        about = known.get(variant.concept, ConceptInfo(name=variant.concept))
        cells = {**variant.model_dump(mode="json", exclude={"own"}), **dict(variant.own)}
        cells["variant"] = cells.pop("text")
        cells["role"] = about.role
        cells["description"] = "" if variant.concept in described else about.description
        described.add(variant.concept)
        listed.append({name: cells.get(name, "") for name in columns})
    return listed
