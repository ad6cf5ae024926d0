"""An expert's decisions about candidates, written into the table; the program makes none of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from docaudit.concepts import ConceptTable, Variant
from docaudit.errors import ConceptTableError
from docaudit.suggest.candidates import Candidate, Suggestions
from docaudit.wordforms import CJK, fold

Decision = Literal["accepted", "rejected"]


def propose(table: ConceptTable, candidates: Iterable[Candidate]) -> ConceptTable:
    """The table with candidates as proposed rows: until each is decided, no absence can be established with it."""
    return table.add(_row(candidate) for candidate in candidates)


def decide(
    table: ConceptTable,
    chosen: Sequence[Candidate | Variant],
    decision: Decision,
    *,
    reviewer: str,
    note: str | None = None,
) -> ConceptTable:
    """The table with a decision about candidates, or about rows that it has as proposed already.

    Raises:
        ConceptTableError: There is no reviewer, or a candidate cannot be a row of this table.
    """
    for one in chosen:
        row = one
        if isinstance(one, Candidate):
            table = propose(table, [one])
            row = table.variants[-1]
        assert isinstance(row, Variant), "a candidate has become a row"
        table = table.decide(row.id, decision, reviewer=reviewer, note=note)
    return table


def find(
    table: ConceptTable,
    suggestions: Suggestions,
    named: str,
    *,
    concept: str | None = None,
    family: bool = False,
) -> list[Candidate | Variant]:
    """What a person means by a text: a proposed row by id or text, or a candidate, and its family if wanted.

    Raises:
        ConceptTableError: Nothing, or more than one thing, has this text.
    """
    wanted = fold(named)
    rows = [v for v in table.proposed if v.id == named or fold(v.text) == wanted]
    others = [c for c in suggestions.candidates if fold(c.text) == wanted or wanted in map(fold, c.members)]
    # A term under another may be named itself: then it is decided, not the one that it stands under.
    candidates = [
        c if fold(c.text) == wanted else c.model_copy(update={"text": named, "members": ()}) for c in others
    ]
    both: list[Candidate | Variant] = [*rows, *candidates]
    found = [one for one in both if concept is None or one.concept == concept]
    if not found:
        where = "" if concept is None else f" of '{concept}'"
        raise ConceptTableError(
            f"'{named}' is no candidate and no proposed row{where}",
            remedy="accept a term of your own with docaudit accept TABLE CONCEPT VARIANT",
        )
    if len({one.concept for one in found}) > 1:
        names = ", ".join(sorted({one.concept for one in found}))
        raise ConceptTableError(
            f"'{named}' is near several concepts: {names}", remedy="say which with --concept"
        )
    first = found[0]
    if family and isinstance(first, Candidate):
        return [other for other in suggestions.of_concept(first.concept) if other.family == first.family]
    return [first]


def _row(candidate: Candidate) -> Variant:
    # Japanese and Chinese put no blanks between words; whole words are for other scripts.
    japanese = CJK.search(candidate.text) is not None
    return Variant(
        concept=candidate.concept,
        text=candidate.text,
        match="substring" if japanese else "word",
        status="proposed",
        source=candidate.kind.value,
    )
