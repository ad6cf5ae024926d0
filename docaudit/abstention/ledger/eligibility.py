"""Which documents an identity may use on a day: decided from the manifest, before any similarity."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from enum import StrEnum

from docaudit.abstention.ledger.cases import Document
from docaudit.abstention.ledger.contract import Identity


class Ineligible(StrEnum):
    """Why a document may not be used; relevance does not matter."""

    NOT_IN_MANIFEST = "not in the manifest"
    OTHER_TENANT = "of another tenant"
    ROLE = "not for this role"
    RETIRED = "retired"
    NOT_YET = "not yet in effect"
    EXPIRED = "no longer in effect"
    NO_OWNER = "without an owner"
    REVIEW_OVERDUE = "overdue for review"

    @property
    def crosses(self) -> bool:
        """Whether it crosses a boundary of access; the others are faults of version and care."""
        return self in (Ineligible.OTHER_TENANT, Ineligible.ROLE)


def ineligible(document: Document | None, identity: Identity, day: date) -> tuple[Ineligible, ...]:
    """Every reason why the identity may not use the document on that day; empty if it may."""
    if document is None:
        return (Ineligible.NOT_IN_MANIFEST,)
    return tuple(_reasons(document, identity, day))


def _reasons(document: Document, identity: Identity, day: date) -> Iterator[Ineligible]:
    if document.tenant != identity.tenant:
        yield Ineligible.OTHER_TENANT
    if not set(document.roles) & set(identity.roles):
        yield Ineligible.ROLE
    if document.status == "retired":
        yield Ineligible.RETIRED
    if day < document.effective_from:
        yield Ineligible.NOT_YET
    if document.effective_to is not None and day > document.effective_to:
        yield Ineligible.EXPIRED
    if document.owner is None:
        yield Ineligible.NO_OWNER
    if document.review_due is not None and day > document.review_due:
        yield Ineligible.REVIEW_OVERDUE
