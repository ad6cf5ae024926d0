"""A question that the gate held, with docaudit's justification for each document that was searched for it.

A low score shows no absence; a justification does. So a hold is justified only if docaudit found absence in every
document of the collection, with no obligation waived; one document that nobody audited leaves it unproven.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import Field, model_validator

from docaudit.abstention.faults import Given
from docaudit.abstention.gate import Decision, Reason
from docaudit.abstention.ledger.contract import Name, Sha256
from docaudit.abstention.ledger.records import Absence
from docaudit.abstention.ledger.results import AbstentionEvidence
from docaudit.abstention.ratio import Ratio
from docaudit.abstention.same import same_question
from docaudit.atomic import write_text
from docaudit.consistent import inconsistencies
from docaudit.errors import GateError
from docaudit.evidence import Model
from docaudit.justification import AbsenceJustification, Finding, Obligation
from docaudit.saved import dump


class Hold(Given):
    """A question that was held back, and what docaudit says about it.

    Raises GateError with everything that is wrong: the question passed, or a justification is about another question
    or document, was changed, was searched with another concept table, or stands twice for one document.

    Attributes:
        decision: Of the gate.
        question: What was asked.
        documents: Name and SHA-256 of each document that was searched; a hold is about all of them.
        justifications: Of these documents, for this question.
    """

    decision: Decision
    question: str = Field(min_length=1)
    documents: Mapping[Name, Sha256] = Field(min_length=1)
    justifications: tuple[AbsenceJustification, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Hold:
        problems = ["the question passed the gate"] if self.decision.passed else []
        if len(set(self.documents.values())) < len(self.documents):
            problems.append("a document is listed under two names")
        for number, one in enumerate(self.justifications, 1):
            problems += [f"justification {number}: {fault}" for fault in self._faults(one)]
        audited = [_document(one) for one in self.justifications]
        problems += [
            f"document {sha256[:12]} has {audited.count(sha256)} justifications"
            for sha256 in dict.fromkeys(audited)
            if audited.count(sha256) > 1
        ]
        if len({one.concept_table_fingerprint for one in self.justifications if not one.redacted}) > 1:
            problems.append("the justifications are of different concept tables")
        if problems:
            raise GateError(f"no hold can be made of {self.decision.query_id}", problems=tuple(problems))
        return self

    def _faults(self, one: AbsenceJustification) -> list[str]:
        found = [] if same_question(one.question, self.question) else ["is about another question"]
        if _document(one) not in self.documents.values():
            found.append(f"is about another document ({_document(one)[:12]})")
        return found + list(inconsistencies(one))

    @property
    def unaudited(self) -> tuple[str, ...]:
        """Names of the documents without a justification."""
        audited = {_document(one) for one in self.justifications}
        return tuple(name for name, sha256 in self.documents.items() if sha256 not in audited)

    @property
    def waived(self) -> Mapping[str, tuple[Obligation, ...]]:
        """For each document found without it, the obligations that a person waived: that is no proof."""
        names = {sha256: name for name, sha256 in self.documents.items()}
        return {
            names[_document(one)]: one.waived
            for one in self.justifications
            if one.finding is Finding.ABSENT and one.waived
        }

    @property
    def evidence(self) -> AbstentionEvidence:
        """Justified (absent in every document, nothing waived), unproven, wrong (mentioned after all), or not given."""
        findings = {one.finding for one in self.justifications}
        if Finding.MENTIONED in findings:
            return AbstentionEvidence.WRONG
        if not findings:
            return AbstentionEvidence.NOT_GIVEN
        proven = findings == {Finding.ABSENT} and not self.unaudited and not self.waived
        return AbstentionEvidence.JUSTIFIED if proven else AbstentionEvidence.UNPROVEN

    def keep(self, ledger: str | Path, folder: str = "justifications") -> tuple[Absence, ...]:
        """Save the justifications beside a ledger, and give what its row of the run says of them.

        Args:
            ledger: Folder of the ledger, which knows the documents by the same names.
            folder: Folder in it, made if it is not there.

        Raises:
            OutputError: A file cannot be written.
        """
        names = {sha256: name for name, sha256 in self.documents.items()}
        rows = []
        for one in self.justifications:
            path = f"{folder}/{one.digest}.json"
            write_text(Path(ledger) / path, dump(one))
            kept = {"path": path, "digest": one.digest, "finding": one.finding, "waived": one.waived}
            rows.append(Absence(document=names[_document(one)], **kept))
        return tuple(rows)


class AbstentionQuality(Model):
    """How well holds are founded; the four add up to all holds.

    Attributes:
        shares: Holds of each kind, of all holds.
        ids: Which.
        reasons: How many holds the gate gave each reason; none of these shows absence.
    """

    shares: Mapping[AbstentionEvidence, Ratio]
    ids: Mapping[AbstentionEvidence, tuple[str, ...]]
    reasons: Mapping[Reason, int]


def abstention_quality(holds: Sequence[Hold]) -> AbstentionQuality:
    """Score holds; raises GateError if a question was held twice."""
    names = [one.decision.query_id for one in holds]
    twice = [
        f"rows {', '.join(str(at) for at, other in enumerate(names, 1) if other == name)}: '{name}' is held twice"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if twice:
        raise GateError("these holds cannot be scored", problems=tuple(twice))
    ids = {
        kind: tuple(one.decision.query_id for one in holds if one.evidence is kind)
        for kind in AbstentionEvidence
    }
    return AbstentionQuality(
        shares={kind: Ratio(numerator=len(found), denominator=len(holds)) for kind, found in ids.items()},
        ids=ids,
        reasons={
            reason: sum(one.decision.reason is reason for one in holds)
            for reason in Reason
            if reason is not Reason.PASS
        },
    )


def _document(justification: AbsenceJustification) -> str:
    return justification.document.sha256 if justification.document else ""
