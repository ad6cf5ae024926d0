"""One row of a concept table, and what a table says of a concept as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict, Field, field_validator

from docaudit.concepts.check import OWN, CaseMode, InflectMode, MatchMode, Role, Status, is_acronym


class Variant(BaseModel):
    """One way in which a concept is written.

    Attributes:
        id: Name of the row that stays the same when the row is edited; a table makes one where there is none.
        concept: Name of the concept.
        text: The word or phrase, or the regular expression if match is regex.
        match: word (whole words), prefix (a word may go on), substring (anywhere), regex.
        case: auto (short all-capital acronyms sensitive, all else insensitive), sensitive, insensitive.
        inflect: auto (plural, possessive, hyphen or space or joined), off.
        status: accepted, proposed (waits for the expert, not swept), rejected (kept as a record, not swept).
        source: Who or what brought the variant in: expert, question, spelling_rule, acronym, embedding, ...
        reference: Where the term stands: a statute, a standard, a glossary.
        reviewer: Who accepted or rejected it, a label of their own choice; empty if nobody did after it was written.
        date: Day of that decision as YYYY-MM-DD; empty if there was none.
        note: Free text.
        own: Columns of the user's own (names begin with x_), each with its text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    concept: str
    text: str
    match: MatchMode = "word"
    case: CaseMode = "auto"
    inflect: InflectMode = "auto"
    status: Status = "accepted"
    source: str = ""
    reference: str = ""
    reviewer: str = ""
    date: str = Field("", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    note: str = ""
    own: tuple[tuple[str, str], ...] = ()

    @field_validator("own")
    @classmethod
    def _own_names(cls, own: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        # Any other name would take the place of a column of the contract when the table is written.
        if wrong := [name for name, _ in own if not name.startswith(OWN)]:
            raise ValueError(f"own: the name '{wrong[0]}' does not begin with {OWN}")
        return own

    @property
    def case_sensitive(self) -> bool:
        """Whether the case counts: as the column says, and with auto for acronyms (IT, US) alone."""
        if self.case == "auto":
            return self.match != "regex" and is_acronym(self.text)
        return self.case == "sensitive"


class ConceptInfo(BaseModel):
    """What a table says of a concept as a whole.

    Attributes:
        name: Name of the concept.
        role: required (must be found, or meet with the others, for "mentioned"), context (searched and shown only).
        description: What the concept means: what belongs to it and what does not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    role: Role = "required"
    description: str = ""


class Concept(BaseModel):
    """A concept with all its variants, whatever their status.

    Attributes:
        name: Name of the concept.
        role: required or context, as in ConceptInfo.
        description: What the concept means.
        variants: Its variants in the order of the table.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    role: Role = "required"
    description: str = ""
    variants: tuple[Variant, ...]


_DIGITS = 8


def with_ids(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """The same variants, each with an id; one that is made depends on concept, text and match, not on the order.

    The letter in front keeps Excel from taking 12e45678 for a number.
    """
    listed = list(variants)
    taken = {variant.id for variant in listed if variant.id}
    for place, variant in enumerate(listed):
        if not variant.id:
            content = "\0".join((variant.concept, variant.text, variant.match))
            made = next(made for made in _possible_ids(content) if made not in taken)
            taken.add(made)
            listed[place] = variant.model_copy(update={"id": made})
    return tuple(listed)


def _possible_ids(content: str) -> Iterator[str]:
    """Ids for a content, the shortest first; the next ones if those are taken."""
    while True:
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
        for length in range(_DIGITS, len(digest)):
            yield f"v{digest[:length]}"
        content += "\0"
