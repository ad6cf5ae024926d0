"""The frozen contract: which configuration is tested, on what, and what counts as passing; fixed before any output."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field, model_validator

from docaudit.abstention.ledger.vocabulary import ClaimKind, Metric, Severity
from docaudit.evidence import Model

Name = Annotated[str, Field(min_length=1, pattern=r"^\S(?:.*\S)?$")]
"""Text without blanks around it: two names that look alike are not two rows."""
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Part(StrEnum):
    """The parts of a system that need an immutable version each; top-k is a number of the contract itself."""

    CORPUS = "corpus"
    PARSING = "parsing"
    CHUNKING = "chunking"
    INDEX = "index"
    QUERY_PLAN = "query_plan"
    FILTERS = "filters"
    RETRIEVER = "retriever"
    RERANKING = "reranking"
    CONTEXT_ASSEMBLY = "context_assembly"
    PROMPT = "prompt"
    MODEL_ROUTE = "model_route"
    CITATION_MAPPING = "citation_mapping"
    SAFETY_POLICY = "safety_policy"


class Owner(StrEnum):
    """Who answers for what; each is a name in the contract."""

    PRODUCT = "product"
    CORPUS = "corpus"
    DOMAIN = "domain"
    SECURITY = "security"
    INCIDENT = "incident"


class Identity(Model):
    """A test identity that asks questions.

    Attributes:
        identity_id: Name of the identity in cases.
        tenant: The tenant it belongs to.
        roles: Its roles there.
    """

    identity_id: Name
    tenant: Name
    roles: tuple[Name, ...] = Field(min_length=1)


class Limits(Model):
    """Limits that a run should keep, for the declared load only; null where none was declared.

    Attributes:
        seconds: Longest time from question to answer.
        cost: Highest cost of a run, in the currency of the ledger.
        review_minutes: Longest review of a run by a person.
    """

    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    review_minutes: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class Manifest(Model):
    """What the other files must hold, counted: a row that is lost or added is noticed.

    Attributes:
        documents: Rows of documents.jsonl.
        retired: Documents with the status retired.
        with_tables: Documents with tables.
        restricted: Documents marked as restricted.
        identities: Identities of the contract.
        cases: Rows of cases.jsonl.
        languages: Cases for each language.
        claims_per_case: Material claims of each case, or null if cases differ.
        runs_per_case: Runs of each case: good runs that are repeated would outvote bad ones.
    """

    documents: int = Field(ge=1)
    retired: int = Field(ge=0)
    with_tables: int = Field(ge=0)
    restricted: int = Field(ge=0)
    identities: int = Field(ge=1)
    cases: int = Field(ge=1)
    languages: Mapping[Name, int]
    claims_per_case: int | None = Field(default=None, ge=0)
    runs_per_case: int = Field(default=1, ge=1)


class Contract(Model):
    """contract.json. Every run names the SHA-256 of this file; runs that are older than it are refused.

    Attributes:
        name: Name of the evaluation.
        frozen_at: When it was fixed, with time zone; before the first output.
        versions: Immutable version of every part ("none" where the system has no such part).
        also: Versions of other things that were fixed: identities, the guide for reviewers.
        top_k: How many candidates count as retrieved.
        identities: The test identities.
        documents_sha256: SHA-256 of the file documents.jsonl.
        cases_sha256: SHA-256 of the file cases.jsonl: labels cannot follow the outputs.
        manifest: What those files hold, counted.
        thresholds: Smallest share (0 to 1) for each metric, set before the results; release needs all eight.
        severity_of_added: Severity of claims that an answer makes beyond those of its case; all seven kinds are needed.
        limits: Limits of time, cost and review.
        owners: Who answers for what, by name; all five are needed.
        risk_owner: Who may accept the risk that remains.
        retest_when: Changes after which the evaluation is run again.
        attested: Points of the checklists that only a person can confirm, with the name of who did.
    """

    name: Name
    frozen_at: AwareDatetime
    versions: Mapping[Part, Name]
    also: Mapping[Name, Name] = {}
    top_k: int = Field(ge=1)
    identities: tuple[Identity, ...] = Field(min_length=1)
    documents_sha256: Sha256
    cases_sha256: Sha256
    manifest: Manifest
    thresholds: Mapping[Metric, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]]
    severity_of_added: Mapping[ClaimKind, Severity]
    limits: Limits = Limits()
    owners: Mapping[Owner, Name]
    risk_owner: Name
    retest_when: tuple[Name, ...] = ()
    attested: Mapping[Name, Name] = {}

    @model_validator(mode="after")
    def _complete(self) -> Contract:
        for name, given, wanted in (
            ("versions", self.versions, Part),
            ("severity_of_added", self.severity_of_added, ClaimKind),
            ("owners", self.owners, Owner),
        ):
            missing = [one.value for one in wanted if one not in given]
            if missing:
                raise ValueError(f"{name} lacks {', '.join(missing)}")
        return self
