"""What changed between two versions of a concept table, row by row, and whether it changes what is searched.

>>> old = ConceptTable.from_variants({"AI": ["AI", "machine learning"]})
>>> new = old.add([Variant(concept="AI", text="LLM")])
>>> [(change.kind.value, change.variant) for change in diff_tables(old, new).changes]
[('added', 'LLM')]

Also a first concept table from the words of a question, for the expert to complete: nothing in it is accepted yet.

>>> table = first_table("How much electricity do AI data centres use?")
>>> table.concepts, {variant.status for variant in table.variants}
(('electricity', 'AI', 'data centres'), {'proposed'})
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from docaudit.concepts.check import Status
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import ConceptTableError, QuestionError
from docaudit.question import content_phrases
from docaudit.text.words import CJK

_IN_ORDER = tuple("variant" if name == "text" else name for name in Variant.model_fields)


class ChangeKind(StrEnum):
    """What happened to a row or to a concept as a whole."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class FieldChange(BaseModel):
    """One field of a row or concept, before and after.

    Attributes:
        field: Name of the column (variant, status, role, x_owner, ...).
        old: Its text in the old table.
        new: Its text in the new one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: str
    old: str
    new: str


class RowChange(BaseModel):
    """One row, or one concept as a whole, that differs.

    Attributes:
        kind: added, removed or changed.
        row: Id of the row; empty where the concept as a whole is meant (role, description).
        concept: Concept, as in the new table; as in the old one if the row was removed.
        variant: Variant, likewise; empty where the concept as a whole is meant.
        status: Status of the row, likewise; empty where the concept as a whole is meant.
        fields: What differs; empty for rows that were added or removed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: ChangeKind
    row: str
    concept: str
    variant: str
    status: str
    fields: tuple[FieldChange, ...] = ()


class TableDiff(BaseModel):
    """All differences of two tables, in the order of the new table, removed rows last; the order of rows is none.

    Attributes:
        old_fingerprint: Fingerprint of the old table.
        new_fingerprint: Fingerprint of the new one; equal if nothing that is searched or waits has changed.
        changes: The differences.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    old_fingerprint: str
    new_fingerprint: str
    changes: tuple[RowChange, ...]

    @property
    def same_search(self) -> bool:
        """Whether both tables search the same: an audit with one of them is one with the other."""
        return self.old_fingerprint == self.new_fingerprint


def diff_tables(old: ConceptTable, new: ConceptTable) -> TableDiff:
    """Compare two tables; rows belong together by their ids, so that an edited row is one change.

    Without ids in the files an edited text is a removed row and an added one. Raises ConceptTableError for what is no
    table.
    """
    for table in (old, new):
        if not isinstance(table, ConceptTable):
            raise ConceptTableError(
                f"a ConceptTable is needed, not {type(table).__name__}",
                remedy="load both with ConceptTable.load",
            )
    changes = list(_concept_changes(old, new))
    before = {variant.id: variant for variant in old.variants}
    new_ids = {variant.id for variant in new.variants}
    # Rows of one concept and text belong together too, as an id may have been lost on the way.
    without_id = {(v.concept, v.text, v.match): v.id for v in old.variants if v.id not in new_ids}
    kept: set[str] = set()
    for variant in new.variants:
        same = without_id.get((variant.concept, variant.text, variant.match), variant.id)
        row_id = variant.id if variant.id in before else same
        kept.add(row_id)
        if row_id not in before:
            changes.append(_row_change(ChangeKind.ADDED, variant))
        elif fields := tuple(_field_changes(before[row_id], variant)):
            changes.append(_row_change(ChangeKind.CHANGED, variant, fields))
    changes += [
        _row_change(ChangeKind.REMOVED, variant) for row_id, variant in before.items() if row_id not in kept
    ]
    return TableDiff(old_fingerprint=old.fingerprint, new_fingerprint=new.fingerprint, changes=tuple(changes))


def _row_change(kind: ChangeKind, variant: Variant, fields: tuple[FieldChange, ...] = ()) -> RowChange:
    return RowChange(
        kind=kind,
        row=variant.id,
        concept=variant.concept,
        variant=variant.text,
        status=variant.status,
        fields=fields,
    )


def _field_changes(old: Variant, new: Variant) -> Iterator[FieldChange]:
    before, after = ({**dict(row), "variant": row.text, **dict(row.own)} for row in (old, new))
    for name in dict.fromkeys([*_IN_ORDER, *before, *after]):
        if name not in ("id", "own", "text") and before.get(name, "") != after.get(name, ""):
            yield FieldChange(field=name, old=before.get(name, ""), new=after.get(name, ""))


def _concept_changes(old: ConceptTable, new: ConceptTable) -> Iterator[RowChange]:
    for name in new.concepts:
        if name not in old.concepts:
            continue  # its rows are listed as added
        before, after = old.about(name), new.about(name)
        fields = tuple(
            FieldChange(field=field, old=getattr(before, field), new=getattr(after, field))
            for field in ("role", "description")
            if getattr(before, field) != getattr(after, field)
        )
        if fields:
            yield RowChange(
                kind=ChangeKind.CHANGED, row="", concept=name, variant="", status="", fields=fields
            )


_PROPOSED: Status = "proposed"
SOURCE = "question"
"""Source of the rows that a question gave."""
_NOTE = "word of the question: accept or reject it, and add what else means the same"
_NOTE_JA = "質問の語: 採否を決め、同じ意味の語を追加してください"


def first_table(question: Any) -> ConceptTable:
    """One concept for each word or phrase of the question that carries content, with that phrase as its only variant.

    Raises QuestionError if the question is no text, or none of its words names a subject.
    """
    if not isinstance(question, str):
        raise QuestionError(f"the question is {type(question).__name__}, not text", remedy="pass it as a str")
    phrases = content_phrases(question)
    if not phrases:
        raise QuestionError(
            "the question has no word that names a subject", remedy="name the subject in the question"
        )
    note = _NOTE_JA if CJK.search(question) else _NOTE
    return ConceptTable(
        variants=tuple(
            Variant(concept=phrase, text=phrase, status=_PROPOSED, source=SOURCE, note=note)
            for phrase in phrases
        )
    )
