"""A ledger from its folder: contract.json and four JSON Lines files, whose rows are then held against each other.

Every fault is named with its file and row: first those of single rows, all of them, and where there is none, those
between rows. Nothing is counted as 0 in place of a row that is wrong.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from docaudit.abstention.gate import plain, same_question
from docaudit.abstention.ledger.rows import (
    Absence,
    Answerability,
    Behaviour,
    Contract,
    Gold,
    Identity,
    LedgerCase,
    LedgerClaim,
    LedgerDocument,
    LedgerRun,
)
from docaudit.abstention.results import faults as faults_of
from docaudit.abstention.results import json_value, repeated
from docaudit.errors import LedgerError, SavedFileError
from docaudit.saved import digest_of, load_justification
from docaudit.verify import inconsistencies

FILES = CONTRACT, DOCUMENTS, CASES, RUNS, CLAIMS = (
    "contract.json",
    "documents.jsonl",
    "cases.jsonl",
    "runs.jsonl",
    "claims.jsonl",
)
_NOWHERE = f"which {DOCUMENTS} does not have"
RowT = TypeVar("RowT", bound=BaseModel)


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


def ineligible(document: LedgerDocument | None, identity: Identity, day: date) -> tuple[Ineligible, ...]:
    """Every reason why the identity may not use the document on that day; empty if it may."""
    if document is None:
        return (Ineligible.NOT_IN_MANIFEST,)
    expired = document.effective_to is not None and day > document.effective_to
    overdue = document.review_due is not None and day > document.review_due
    reasons = {
        Ineligible.OTHER_TENANT: document.tenant != identity.tenant,
        Ineligible.ROLE: not set(document.roles) & set(identity.roles),
        Ineligible.RETIRED: document.status == "retired",
        Ineligible.NOT_YET: day < document.effective_from,
        Ineligible.EXPIRED: expired,
        Ineligible.NO_OWNER: document.owner is None,
        Ineligible.REVIEW_OVERDUE: overdue,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)


@dataclass(frozen=True)
class Ledger:
    """Rows by name; every reference is known to lead somewhere.

    Attributes:
        contract: The frozen contract.
        contract_sha256: SHA-256 of its file.
        documents: Documents of the corpus by name.
        cases: Cases by name.
        runs: Runs in the order of their file.
        claims: Reviewed claims of each run.
    """

    contract: Contract
    contract_sha256: str
    documents: Mapping[str, LedgerDocument]
    cases: Mapping[str, LedgerCase]
    runs: tuple[LedgerRun, ...]
    claims: Mapping[str, tuple[LedgerClaim, ...]]

    def identity(self, run: LedgerRun) -> Identity:
        """The identity that asked."""
        name = self.case(run).identity
        return next(identity for identity in self.contract.identities if identity.identity_id == name)

    def case(self, run: LedgerRun) -> LedgerCase:
        """The case that was run."""
        return self.cases[run.case_id]


def load_ledger(folder: str | Path) -> Ledger:
    """The ledger in a folder; raises LedgerError with every fault, each with file and row.

    Justifications that runs name as evidence of an abstention are opened: digest and finding must be those of the row.
    """
    path = Path(folder)
    contents: dict[str, bytes] = {}
    missing = []
    for name in FILES:
        try:
            contents[name] = (path / name).read_bytes()
        except OSError as error:
            missing.append(f"{name}: {error.strerror or error}")
    if missing:
        raise LedgerError(
            "is not a ledger",
            file=str(folder),
            problems=tuple(missing),
            remedy=f"name a folder that holds {', '.join(FILES)}; docs/ledger.md describes them",
        )
    return ledger_of(contents, path, file=str(folder))


def ledger_of(contents: Mapping[str, bytes], folder: Path = Path(), *, file: str | None = None) -> Ledger:
    """The ledger that the bytes of the five files hold; the same checks as `load_ledger`."""
    faults: list[str] = []
    contract = _rows(CONTRACT, [contents[CONTRACT]], Contract, faults)
    documents, cases, runs, claims = (
        _rows(DOCUMENTS, contents[DOCUMENTS].split(b"\n"), LedgerDocument, faults),
        _rows(CASES, contents[CASES].split(b"\n"), LedgerCase, faults),
        _rows(RUNS, contents[RUNS].split(b"\n"), LedgerRun, faults),
        _rows(CLAIMS, contents[CLAIMS].split(b"\n"), LedgerClaim, faults),
    )
    if not faults:
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        checks = _Checks(contract[1], digests, documents, cases, runs, claims, folder)
        faults = [*checks.repetitions()] or [*checks.references()] or [*checks.contradictions()]
    if faults:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise LedgerError(
            f"nothing is computed from this ledger: {count}",
            file=file,
            problems=tuple(faults),
            remedy="put these rows right, or leave the run out and say so; nothing is counted as 0 in their place",
        )
    by_run: defaultdict[str, list[LedgerClaim]] = defaultdict(list)
    for claim in claims.values():
        by_run[claim.run_id].append(claim)
    return Ledger(
        contract=contract[1],
        contract_sha256=digests[CONTRACT],
        documents={document.document_id: document for document in documents.values()},
        cases={case.case_id: case for case in cases.values()},
        runs=tuple(runs.values()),
        claims={run.run_id: tuple(by_run[run.run_id]) for run in runs.values()},
    )


def _rows(file: str, lines: Sequence[bytes], model: type[RowT], faults: list[str]) -> dict[int, RowT]:
    """The rows of a file by their line number; lines that are none add their faults."""
    rows: dict[int, RowT] = {}
    before = len(faults)
    for number, line in enumerate(lines, 1):
        where = file if file == CONTRACT else f"{file} row {number}"
        text = line.removeprefix(b"\xef\xbb\xbf")
        if not text.strip():
            continue
        try:
            json_value(text)
            rows[number] = model.model_validate_json(text, strict=True)
        except ValidationError as error:
            faults += [f"{where}: {fault}" for fault in faults_of(error)]
        except ValueError as error:
            faults.append(f"{where}: {error}")
    if not rows and len(faults) == before:
        faults.append(f"{file}: has no row")
    return rows


@dataclass(frozen=True)
class _Checks:
    """What must hold across the rows of a ledger; each check gives its faults. Rows are known by line number."""

    contract: Contract
    digests: Mapping[str, str]
    documents: Mapping[int, LedgerDocument]
    cases: Mapping[int, LedgerCase]
    runs: Mapping[int, LedgerRun]
    claims: Mapping[int, LedgerClaim]
    folder: Path

    def repetitions(self) -> Iterator[str]:
        """Names that stand twice."""
        for file, names in (
            (DOCUMENTS, {number: row.document_id for number, row in self.documents.items()}),
            (CASES, {number: row.case_id for number, row in self.cases.items()}),
            (RUNS, {number: row.run_id for number, row in self.runs.items()}),
            (CLAIMS, {number: f"{row.run_id} {row.claim_id}" for number, row in self.claims.items()}),
            (CONTRACT, dict(enumerate((row.identity_id for row in self.contract.identities), 1))),
        ):
            first: dict[str, int] = {}
            for number, name in names.items():
                earlier = first.setdefault(plain(name), number)
                if earlier != number:
                    yield f"{file} row {number}: {name} is already row {earlier}"
        for number, case in self.cases.items():
            for name in repeated(claim.claim_id for claim in case.claims):
                yield f"{CASES} row {number}: the claim {name} is planned twice"
        for number, run in self.runs.items():
            for field, places in (("candidates", run.candidates), ("context", run.context)):
                for name in repeated(f"{place.document} {place.passage}" for place in places):
                    yield f"{RUNS} row {number}: {field} has {name} twice"
            for name in repeated(absence.document for absence in run.absence):
                yield f"{RUNS} row {number}: absence from {name} is there twice"

    def references(self) -> Iterator[str]:
        """References to rows that are not there.

        A run may retrieve or cite a document that is not there, and a citation may lead nowhere: those are failures of
        the system, which metrics count. A passage that a known document lacks is a fault of the ledger.
        """
        documents = {document.document_id: document.passages for document in self.documents.values()}
        identities = {identity.identity_id for identity in self.contract.identities}
        cases = {case.case_id for case in self.cases.values()}
        runs = {run.run_id for run in self.runs.values()}
        done = {run.case_id for run in self.runs.values()}
        # What stands where, whether it is there, and the words of the fault.
        named: list[tuple[str, bool, str]] = []
        for number, case in self.cases.items():
            where = f"{CASES} row {number}"
            for document, passage in _passages((*case.required, *case.allowed, *case.forbidden)):
                there = passage in documents.get(document, ())
                named.append((where, there, f"labels {document} {passage}, {_NOWHERE}"))
            named += [(where, name in documents, f"scope names {name}, {_NOWHERE}") for name in case.scope]
            known = case.identity in identities
            named.append((where, known, f"the identity {case.identity} is not in the contract"))
            named.append((where, case.case_id in done, f"the case {case.case_id} has no run"))
        for number, run in self.runs.items():
            where = f"{RUNS} row {number}"
            named.append((where, run.case_id in cases, f"the case {run.case_id} is not in {CASES}"))
            for absence in run.absence:
                there = absence.document in documents
                named.append((where, there, f"absence from {absence.document}, {_NOWHERE}"))
            for field, places in (("candidates", run.candidates), ("context", run.context)):
                for place in places:
                    there = place.passage in documents.get(place.document, (place.passage,))
                    words = f"{field} has {place.document} {place.passage}, {_NOWHERE}"
                    named.append((where, there, words))
        for number, claim in self.claims.items():
            where = f"{CLAIMS} row {number}"
            named.append((where, claim.run_id in runs, f"the run {claim.run_id} is not in {RUNS}"))
            for document, passage in _passages(claim.evidence):
                there = passage in documents.get(document, ())
                named.append((where, there, f"evidence {document} {passage}, {_NOWHERE}"))
        for where, there, words in named:
            if not there:
                yield f"{where}: {words}"

    def contradictions(self) -> Iterator[str]:
        """Everything that contradicts the contract, the labels or the justifications."""
        yield from self._manifest()
        yield from self._labels()
        yield from self._reviews()
        yield from self._frozen()
        documents = {document.document_id: document for document in self.documents.values()}
        questions = {case.case_id: case.question for case in self.cases.values()}
        for number, run in self.runs.items():
            for absence in run.absence:
                sha256 = documents[absence.document].sha256
                fault = _justification_fault(self.folder, absence, sha256, questions[run.case_id])
                if fault:
                    yield f"{RUNS} row {number}: {absence.path}: {fault}"

    def _manifest(self) -> Iterator[str]:
        manifest, documents = self.contract.manifest, self.documents.values()
        languages = Counter(case.language for case in self.cases.values())
        for what, expected, number_of in (
            ("identities", manifest.identities, len(self.contract.identities)),
            ("documents", manifest.documents, len(documents)),
            ("retired documents", manifest.retired, sum(row.status == "retired" for row in documents)),
            ("documents with tables", manifest.with_tables, sum(row.tables for row in documents)),
            ("restricted documents", manifest.restricted, sum(row.restricted for row in documents)),
            ("cases", manifest.cases, len(self.cases)),
            *(
                (f"cases in {name}", manifest.languages.get(name, 0), languages[name])
                for name in sorted({*manifest.languages, *languages})
            ),
        ):
            if expected != number_of:
                yield f"{CONTRACT}: the manifest says {expected} {what}, and there are {number_of}"
        runs = Counter(run.case_id for run in self.runs.values())
        for number, case in self.cases.items():
            where = f"{CASES} row {number}"
            if runs[case.case_id] != manifest.runs_per_case:
                counted = f"{runs[case.case_id]} runs of {case.case_id}"
                yield f"{where}: {counted}, and the manifest says {manifest.runs_per_case} (runs_per_case)"
            if manifest.claims_per_case not in (None, len(case.claims)):
                counted = f"{len(case.claims)} claims"
                yield f"{where}: {counted}, and the manifest says {manifest.claims_per_case}"

    def _labels(self) -> Iterator[str]:
        documents = {document.document_id: document for document in self.documents.values()}
        identities = {identity.identity_id: identity for identity in self.contract.identities}
        for number, case in self.cases.items():
            where = f"{CASES} row {number}: labels contradict"
            forbidden = {(gold.document, gold.passage, gold.cell) for gold in case.forbidden}
            for kind, labels in (("required", case.required), ("allowed", case.allowed)):
                for gold in labels:
                    if (gold.document, gold.passage, gold.cell) in forbidden:
                        yield f"{where}: {gold.document} {gold.passage} is {kind} and forbidden"
            if case.answerability is Answerability.ANSWERABLE and not case.required:
                yield f"{where}: ANSWERABLE, but no evidence is required"
            if case.answerability is Answerability.CONFLICTING and len(case.required) < 2:
                yield f"{where}: CONFLICTING, but fewer than two passages are required"
            for name in dict.fromkeys(gold.document for gold in (*case.required, *case.allowed)):
                for reason in ineligible(documents[name], identities[case.identity], case.as_of):
                    who = f"for {case.identity} on {case.as_of}"
                    yield f"{where}: {name} is required or allowed, and {reason.value} {who}"
        for number, run in self.runs.items():
            answered = run.behaviour in (Behaviour.ANSWER, Behaviour.CLARIFY, Behaviour.SHOW_CONFLICT)
            if run.absence and answered:
                yield f"{RUNS} row {number}: labels contradict: evidence of absence, but the run did not hold back"

    def _reviews(self) -> Iterator[str]:
        """Each planned claim of each run is reviewed once; added claims say their kind."""
        cases = {case.case_id: case for case in self.cases.values()}
        planned = {
            run.run_id: {claim.claim_id for claim in cases[run.case_id].claims} for run in self.runs.values()
        }
        reviewed = {(claim.run_id, claim.claim_id) for claim in self.claims.values()}
        for number, claim in self.claims.items():
            name = claim.claim_id
            if name in planned[claim.run_id] and claim.kind is not None:
                yield f"{CLAIMS} row {number}: the case plans {name}; its kind stands there"
            if name not in planned[claim.run_id] and claim.kind is None:
                yield f"{CLAIMS} row {number}: {name} is not planned by the case, so its kind is needed"
        for number, run in self.runs.items():
            for name in sorted(planned[run.run_id]):
                if (run.run_id, name) not in reviewed:
                    yield f"{RUNS} row {number}: the claim {name} of {run.run_id} has no review in {CLAIMS}"

    def _frozen(self) -> Iterator[str]:
        """Nothing that was fixed is younger than what it judges, and nothing of it has changed since."""
        contract, sha256 = self.contract, self.digests[CONTRACT]
        for file, frozen in ((DOCUMENTS, contract.documents_sha256), (CASES, contract.cases_sha256)):
            if self.digests[file] != frozen:
                yield f"{file}: is not the file that the contract froze (its SHA-256 is {self.digests[file]})"
        for number, case in self.cases.items():
            if case.labelled_at > contract.frozen_at:
                yield f"{CASES} row {number}: labelled at {case.labelled_at}, after the contract that froze it"
        others: dict[str, list[int]] = defaultdict(list)
        for number, run in self.runs.items():
            where = f"{RUNS} row {number}"
            if contract.frozen_at > run.output_at:
                yield (
                    f"{where}: the contract (frozen {contract.frozen_at}) is younger than this output ({run.output_at})"
                )
            if run.contract_sha256 != sha256:
                others[run.contract_sha256].append(number)
            for part, version in contract.versions.items():
                observed = run.observed.get(part)
                if observed is None:
                    yield f"{where}: the version of {part.value} was not observed"
                elif observed != version:
                    yield f"{where}: {part.value} was {observed}, and the contract says {version}"
        for (
            other,
            rows,
        ) in others.items():  # one fault for each: an edit of contract.json concerns all runs at once
            more = f" and {len(rows) - 1} more" if rows[1:] else ""
            yield (
                f"{RUNS} row {rows[0]}{more}: ran under another contract ({other[:12]}); the SHA-256 of {CONTRACT} is "
                f"{sha256}"
            )


def _passages(labels: Iterable[Gold]) -> Iterator[tuple[str, str]]:
    for label in labels:
        for passage in (label.passage, *label.conditions):
            yield label.document, passage


def _justification_fault(folder: Path, absence: Absence, sha256: str | None, question: str) -> str:
    """Why the saved justification is no evidence for this run; empty if it is."""
    path = folder / absence.path
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            return "lies outside the folder of the ledger"
        if path.exists() and not path.is_file():
            return "is no file"
        saved = load_justification(path)
    except SavedFileError as error:
        return error.cause
    except (ValueError, OSError, RuntimeError) as error:  # a NUL in it, a name too long, links in a circle
        return f"is no path: {error}"
    if saved.digest != absence.digest or digest_of(saved) != absence.digest:
        return "is not the justification with this digest"
    if saved.finding is not absence.finding:
        return f"finds {saved.finding.value}, and the row says {absence.finding.value}"
    if saved.waived != absence.waived:
        recorded, waived = (", ".join(codes) or "nothing" for codes in (absence.waived, saved.waived))
        return f"has waived {waived}, and the row says {recorded} (waived)"
    if broken := inconsistencies(saved):
        return "; ".join(broken)
    if sha256 is not None and (saved.document is None or saved.document.sha256 != sha256):
        return f"is about another file than {absence.document}"
    if not question.strip():
        return "the case has no question that it could be about"
    if not same_question(saved.question, question):
        return "answers another question than that of the case"
    return ""
