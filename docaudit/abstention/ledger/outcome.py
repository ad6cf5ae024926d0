"""One run against its case: every check, every failure with its reason, vetoes, and where to repair.

The checks that need no judge (identifiers, permissions, versions, places) come before what people judged: a claim is
supported only by passages that are eligible and in the final context. docaudit's justifications say whether the absence
behind an abstention is shown: in every document of the scope, of which there is at least one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from docaudit.abstention.ledger.read import Ineligible, Ledger, ineligible
from docaudit.abstention.ledger.results import (
    AbstentionEvidence,
    ClaimResult,
    FailedCheck,
    RunResult,
    Symptom,
    Veto,
    route,
)
from docaudit.abstention.ledger.rows import (
    Absence,
    Behaviour,
    ClaimSeverity,
    EvidencePlace,
    Gold,
    LedgerClaim,
    LedgerRun,
    Metric,
    Support,
    VetoKind,
)
from docaudit.codes import Finding

HELD_BACK = (Behaviour.ABSTAIN, Behaviour.REFUSE, Behaviour.PARTIAL_ANSWER)
_UNSUPPORTED = (Support.NONE, Support.CONTRADICTED)


def rank_of(gold: Gold, run: LedgerRun) -> int | None:
    """Rank of the passage among the candidates, from 1; None if it is not among them."""
    for rank, place in enumerate(run.candidates, start=1):
        if (place.document, place.passage) == (gold.document, gold.passage):
            return rank
    return None


def lacking(gold: Gold, places: Sequence[EvidencePlace]) -> str:
    """What the places lack of the labelled passage, its cell and its conditions; empty if nothing."""
    passages = {place.passage: place for place in places if place.document == gold.document}
    if gold.passage not in passages:
        return f"{gold.document} {gold.passage}"
    if gold.cell is not None and gold.cell not in passages[gold.passage].cells:
        return f"{gold.document} {gold.passage}, cell {gold.cell}"
    for condition in gold.conditions:
        if condition not in passages:
            return f"{gold.document} {gold.passage}, condition {condition}"
    return ""


def _touches(gold: Gold, places: Iterable[EvidencePlace]) -> bool:
    """Whether one of the places is the labelled passage (and has the labelled cell, where cells are kept)."""
    return any(
        (place.document, place.passage) == (gold.document, gold.passage)
        and (gold.cell is None or not place.cells or gold.cell in place.cells)
        for place in places
    )


class _Contact(NamedTuple):
    """A document that a run touched and may not use, with the stage and the reasons."""

    stage: str
    document: str
    reasons: tuple[Ineligible, ...]

    def __str__(self) -> str:
        return f"{self.stage}: {self.document} is {_joined(self.reasons)}"


def _joined(reasons: Iterable[Ineligible]) -> str:
    return " and ".join(reason.value for reason in reasons)


class RunReview:
    """One run of a ledger beside its case, with everything that follows.

    Args:
        run: The run.
        ledger: The ledger that it belongs to.
    """

    def __init__(self, run: LedgerRun, ledger: Ledger) -> None:
        self.run, self.ledger = run, ledger
        self.case, self.identity = ledger.case(run), ledger.identity(run)
        cited = [EvidencePlace(document=cited.document, passage=cited.passage) for cited in run.citations]
        self._stages: dict[str, Sequence[EvidencePlace]] = {
            "candidates": run.candidates,
            "context": run.context,
            "citations": cited,
        }

    def result(self) -> RunResult:
        """Which checks the run passed, what failed, and where to repair first."""
        run, case = self.run, self.case
        problems = self._problems()
        rest = [f"veto {veto.kind.value}: {veto.evidence}" for veto in self.vetoes]
        if not case.answerability.holds_back and not self._behaved:
            rest.append(self._expectation)
        passed = not rest and not any(problems.values())
        # An invention that was seen, and that no review has, is repaired where claims are.
        symptoms = self._symptoms(problems) or ((Symptom.CLAIM,) if self.vetoes else ())
        return RunResult(
            run_id=run.run_id,
            case_id=case.case_id,
            language=case.language,
            group=case.group,
            identity=case.identity,
            answerability=case.answerability,
            behaviour=run.behaviour,
            passed=passed,
            checks={
                **{metric: None if faults is None else not faults for metric, faults in problems.items()},
                Metric.COMPLETE: passed,
            },
            failures=tuple(
                FailedCheck(metric=metric, reason=reason)
                for metric, faults in (*problems.items(), (Metric.COMPLETE, rest))
                for reason in faults or ()
            ),
            vetoes=tuple(veto.kind for veto in self.vetoes),
            symptoms=symptoms,
            repair_first=symptoms[0].layer if symptoms else None,
            ranks=tuple(rank_of(gold, run) for gold in case.required),
            forbidden=self._forbidden,
            abstention=self._abstention(),
            shown_absent=self._shown_absent(),
            unproven=self._unproven_because() if run.behaviour in HELD_BACK else (),
        )

    @cached_property
    def claims(self) -> list[ClaimResult]:
        """The claims of the run; "full" holds only with passages that are eligible and in the final context."""
        planned = {plan.claim_id: plan for plan in self.case.claims}
        results = []
        for claim in self.ledger.claims[self.run.run_id]:
            plan = planned.get(claim.claim_id)
            kind = plan.kind if plan else claim.kind
            assert kind is not None  # the ledger was checked: an added claim has its kind
            reason = self._unsupported_because(claim)
            results.append(
                ClaimResult(
                    run_id=claim.run_id,
                    claim_id=claim.claim_id,
                    kind=kind,
                    severity=plan.severity if plan else self.ledger.contract.severity_of_added[kind],
                    added=plan is None,
                    support=claim.support,
                    supported=not reason,
                    reason=reason,
                )
            )
        return results

    def _unsupported_because(self, claim: LedgerClaim) -> str:
        if claim.support is not Support.FULL:
            return f"support is {claim.support.value}"
        if not claim.evidence:
            return "judged as full, but no passage was judged"
        forbidden = {(label.document, label.passage) for label in self.case.forbidden}
        for gold in claim.evidence:
            if lost := lacking(gold, self.run.context):
                return f"judged as full, but the final context lacks {lost}"
            if (gold.document, gold.passage) in forbidden:
                return f"judged as full, but {gold.document} {gold.passage} is labelled as forbidden"
            if reasons := self._ineligible(gold.document):
                return f"judged as full, but {gold.document} is {reasons[0].value}"
        return ""

    @cached_property
    def vetoes(self) -> list[Veto]:
        """What blocks release: what reached the model or the viewer, what was seen, and severe inventions.

        A candidate is filtered before the model: a failure of eligibility, and no leak yet.
        """
        found = [
            (violation.kind, f"{violation.channel}: {violation.what}") for violation in self.run.violations
        ]
        for contact in self._contacts:
            if contact.stage != "candidates" and any(reason.crosses for reason in contact.reasons):
                other_tenant = Ineligible.OTHER_TENANT in contact.reasons
                kind = VetoKind.CROSS_TENANT_LEAK if other_tenant else VetoKind.UNAUTHORISED_SOURCE
                found.append((kind, str(contact)))
        for claim in self.claims:
            # Whatever a judge said of passages that do not count.
            unsupported_full = claim.support is Support.FULL and not claim.supported
            if claim.severity is ClaimSeverity.CRITICAL and (
                claim.support in _UNSUPPORTED or unsupported_full
            ):
                reason = claim.reason if unsupported_full else claim.support.value
                evidence = f"claim {claim.claim_id} ({claim.kind.value}): {reason}"
                found.append((VetoKind.SEVERE_INVENTION, evidence))
        return [Veto(run_id=self.run.run_id, kind=kind, evidence=evidence) for kind, evidence in found]

    def _ineligible(self, document: str) -> tuple[Ineligible, ...]:
        return ineligible(self.ledger.documents.get(document), self.identity, self.case.as_of)

    @cached_property
    def _contacts(self) -> list[_Contact]:
        """Every ineligible document that the run touched, once for each stage."""
        return [
            _Contact(stage, name, reasons)
            for stage, places in self._stages.items()
            for name in dict.fromkeys(place.document for place in places)
            if (reasons := self._ineligible(name))
        ]

    @cached_property
    def _forbidden(self) -> dict[str, int]:
        """How many forbidden labels each stage touched: counted apart from eligibility, which is per document."""
        return {
            stage: sum(_touches(gold, places) for gold in self.case.forbidden)
            for stage, places in self._stages.items()
        }

    @property
    def _behaved(self) -> bool:
        return self.run.behaviour is self.case.answerability.expected

    @property
    def _expectation(self) -> str:
        label = self.case.answerability
        return f"{label.value} expects {label.expected.value}, and the run did {self.run.behaviour.value}"

    def _problems(self) -> dict[Metric, list[str] | None]:
        """For each metric what is wrong; None where the check does not apply."""
        case = self.case
        selected = [str(contact) for contact in self._contacts if contact.stage != "citations"]
        selected = selected or [
            f"{stage}: {self._forbidden[stage]} passages labelled as forbidden"
            for stage in ("candidates", "context")
            if self._forbidden[stage]
        ]
        crossed = [veto.evidence for veto in self.vetoes if veto.kind is not VetoKind.SEVERE_INVENTION]
        unsupported = [
            f"claim {claim.claim_id}: {claim.reason}" for claim in self.claims if not claim.supported
        ]
        incomplete = [lacking(gold, self.run.context) for gold in case.required]
        return {
            Metric.ELIGIBILITY: selected,
            Metric.RETRIEVAL: self._not_retrieved() if case.required else None,
            Metric.CONTEXT: (
                [f"the final context lacks {lost}" for lost in incomplete if lost] if case.required else None
            ),
            Metric.CITATION: self._broken_citations(),
            Metric.SUPPORT: unsupported if self.claims else None,
            Metric.ABSTENTION: self._held_badly() if case.answerability.holds_back else None,
            Metric.ISOLATION: crossed if case.boundaries else None,
        }

    def _not_retrieved(self) -> list[str]:
        problems = []
        for gold in self.case.required:
            rank, top_k = rank_of(gold, self.run), self.ledger.contract.top_k
            if rank is None:
                problems.append(f"{gold.document} {gold.passage} is no candidate")
            elif rank > top_k:
                problems.append(f"{gold.document} {gold.passage} has rank {rank}, beyond top-k {top_k}")
        return problems

    def _broken_citations(self) -> list[str]:
        """Citations that do not lead their viewer to a recorded place that the viewer may see."""
        problems = []
        for citation, place in zip(self.run.citations, self._stages["citations"], strict=True):
            name = f"{citation.document} {citation.passage}"
            if reasons := self._ineligible(citation.document):
                problems.append(f"{name} is {_joined(reasons)}")
            elif citation.passage not in self.ledger.documents[citation.document].passages:
                problems.append(f"{name} is no recorded passage")
            elif any(_touches(gold, [place]) for gold in self.case.forbidden):
                problems.append(f"{name} is forbidden evidence")
            elif not citation.resolved:
                problems.append(f"{name} does not resolve")
        if not self.run.citations and self.run.behaviour.claims_evidence:
            problems.append("states facts without any citation")
        return problems

    def _held_badly(self) -> list[str]:
        problems = [] if self._behaved else [self._expectation]
        if not self.run.next_step.strip():
            problems.append("no next step was offered")
        problems += [
            f"claim {claim.claim_id} is not held back, though unsupported"
            for claim in self.claims
            if claim.support in _UNSUPPORTED
        ]
        if self._abstention() is AbstentionEvidence.WRONG:
            problems.append("held back, but docaudit finds it mentioned")
        return problems

    def _symptoms(self, problems: dict[Metric, list[str] | None]) -> tuple[Symptom, ...]:
        seen = {
            Symptom.CROSSED: any(veto.kind is not VetoKind.SEVERE_INVENTION for veto in self.vetoes),
            Symptom.INELIGIBLE: problems[Metric.ELIGIBILITY],
            Symptom.CITATION: problems[Metric.CITATION],
            # With too little context, the context is what has to be repaired.
            Symptom.CLAIM: problems[Metric.SUPPORT] and not problems[Metric.CONTEXT],
            Symptom.BEHAVIOUR: problems[Metric.ABSTENTION] or not self._behaved,
        }
        symptoms = {symptom for symptom, applies in seen.items() if applies}
        symptoms |= {lost for gold in self.case.required if (lost := self._where_lost(gold))}
        return route(symptoms)

    def _where_lost(self, gold: Gold) -> Symptom | None:
        """The first stage that lost a required passage, its cell or a condition."""
        not_indexed = set(self.ledger.documents[gold.document].not_indexed)
        rank = rank_of(gold, self.run)
        lost = lacking(gold, self.run.context)
        if (rank is None or lost) and not_indexed & {gold.passage, *gold.conditions}:
            return Symptom.NOT_INDEXED
        if rank is None or rank > self.ledger.contract.top_k:
            return Symptom.NOT_CANDIDATE
        if not lost:
            return None
        if gold.cell is not None and gold.cell not in self.run.candidates[rank - 1].cells:
            return Symptom.NOT_INDEXED  # the passage came, its table did not: lost when it was parsed
        return Symptom.NOT_IN_CONTEXT

    @cached_property
    def _scope(self) -> set[str]:
        return set(self.case.scope) or {name for name in self.ledger.documents if not self._ineligible(name)}

    @cached_property
    def _absences(self) -> dict[str, Absence]:
        """Justifications of documents of the scope: only these count."""
        return {absence.document: absence for absence in self.run.absence if absence.document in self._scope}

    def _abstention(self) -> AbstentionEvidence | None:
        """One mention in the scope outweighs everything; None if the run held nothing back."""
        if self.run.behaviour not in HELD_BACK:
            return None
        if any(absence.finding is Finding.MENTIONED for absence in self._absences.values()):
            return AbstentionEvidence.WRONG
        if not self.run.absence:
            return AbstentionEvidence.NOT_GIVEN
        return AbstentionEvidence.UNPROVEN if self._unproven_because() else AbstentionEvidence.JUSTIFIED

    def _shown_absent(self) -> tuple[int, int] | None:
        """How many documents of the scope are shown to lack it, of how many; None if the run held nothing back."""
        if self.run.behaviour not in HELD_BACK:
            return None
        shown = [absence for absence in self._absences.values() if not self._not_shown(absence)]
        return len(shown), len(self._scope)

    def _unproven_because(self) -> tuple[str, ...]:
        """Why absence is not shown in every document of the scope; empty if it is, or if there is no justification."""
        if not self.run.absence:
            return ()
        reasons = [] if self._scope else ["no document is in the scope"]
        without = sorted(self._scope - self._absences.keys())
        if without:
            named = ", ".join(without[:3]) + (" and others" if without[3:] else "")
            reasons.append(
                f"{len(without)} of {len(self._scope)} documents of the scope have no justification: {named}"
            )
        reasons += [
            f"{name}: {why}" for name, absence in self._absences.items() if (why := self._not_shown(absence))
        ]
        return tuple(reasons)

    def _not_shown(self, absence: Absence) -> str:
        """Why a justification does not show absence; empty if it does. What a person waived was not shown."""
        if absence.finding is not Finding.ABSENT:
            return absence.finding.value
        if absence.waived:
            return f"waived {', '.join(absence.waived)}"
        if not self.ledger.documents[absence.document].sha256:
            return "documents.jsonl has no SHA-256 of it"
        return ""
