"""A ledger from its folder: contract.json and four JSON Lines files. Every fault is named, with file and row.

What must hold across the rows of a ledger; whatever does not is a fault with its row, never a zero.

A ledger whose rows agree with each other: the input of everything that is computed.

Which documents an identity may use on a day: decided from the manifest, before any similarity.
"""

from __future__ import annotations

import hashlib
import json
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from docaudit.abstention.gate import plain, same_question
from docaudit.abstention.ledger.rows import (
    Absence,
    Answerability,
    Behaviour,
    Case,
    Claim,
    Contract,
    Document,
    Gold,
    Identity,
    Run,
)
from docaudit.abstention.results import faults as all_faults_faults
from docaudit.errors import LedgerError, SavedFileError
from docaudit.saved import digest_of, load_justification
from docaudit.text.numbers import page_ranges
from docaudit.verify import inconsistencies

CONTRACT, DOCUMENTS, CASES, RUNS, CLAIMS = (
    "contract.json",
    "documents.jsonl",
    "cases.jsonl",
    "runs.jsonl",
    "claims.jsonl",
)
FILES = (CONTRACT, DOCUMENTS, CASES, RUNS, CLAIMS)
Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True)
class Rows(Generic[Row]):
    """The rows of one file that could be read, each with its line number, and the faults of the others."""

    file: str
    rows: tuple[tuple[int, Row], ...]
    faults: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether no row is missing here, so that others may refer to what is in it."""
        return not self.faults


@dataclass(frozen=True)
class Files:
    """What was read of a ledger, before anything is checked across files."""

    folder: Path
    digests: Mapping[str, str]
    contract: Contract | None
    documents: Rows[Document]
    cases: Rows[Case]
    runs: Rows[Run]
    claims: Rows[Claim]
    faults: tuple[str, ...]


def read_folder(folder: str | Path) -> Files:
    """Read the five files; raises LedgerError if one cannot be opened."""
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
    return read_files(contents, path)


def read_files(contents: Mapping[str, bytes], folder: Path) -> Files:
    """Read the bytes of the five files; a byte order mark before them says nothing."""
    texts = {name: contents[name].removeprefix(BOM_UTF8) for name in FILES}
    contract, faults = _contract(texts[CONTRACT])
    documents = _rows(DOCUMENTS, texts[DOCUMENTS], Document)
    cases = _rows(CASES, texts[CASES], Case)
    runs = _rows(RUNS, texts[RUNS], Run)
    claims = _rows(CLAIMS, texts[CLAIMS], Claim)
    return Files(
        folder=folder,
        digests={name: hashlib.sha256(contents[name]).hexdigest() for name in FILES},
        contract=contract,
        documents=documents,
        cases=cases,
        runs=runs,
        claims=claims,
        faults=(*faults, *documents.faults, *cases.faults, *runs.faults, *claims.faults),
    )


def _contract(content: bytes) -> tuple[Contract | None, tuple[str, ...]]:
    try:
        return Contract.model_validate_json(checked(content), strict=True), ()
    except ValidationError as error:
        return None, tuple(f"{CONTRACT}: {one}" for one in all_faults_faults(error, Contract))
    except ValueError as error:
        return None, (f"{CONTRACT}: {error}",)


def _rows(file: str, content: bytes, model: type[Row]) -> Rows[Row]:
    rows: list[tuple[int, Row]] = []
    faults: list[str] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, model.model_validate_json(checked(line), strict=True)))
        except ValidationError as error:
            faults += [f"{file} row {number}: {one}" for one in all_faults_faults(error, model)]
        except ValueError as error:
            faults.append(f"{file} row {number}: {error}")
    if not rows and not faults:
        faults.append(f"{file}: has no row")
    return Rows(file, tuple(rows), tuple(faults))


def checked(text: bytes) -> bytes:
    """The same text, if it is JSON without NaN, without infinity and without a field that is there twice."""
    try:
        json.loads(text, parse_constant=_no_number, object_pairs_hook=_no_repeat)
    except RecursionError as error:
        raise ValueError("not JSON: nested too deeply") from error
    except UnicodeDecodeError as error:
        raise ValueError("not UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    return text


def _no_number(name: str) -> NoReturn:
    raise ValueError(
        f"{name} is not a number; leave the field out, or write null, where nothing was measured"
    )


def _no_repeat(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = min(name for name, many in Counter(name for name, _ in pairs).items() if many > 1)
        raise ValueError(f"the field {twice} is there twice")
    return found


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


def all_faults(files: Files) -> list[str]:
    """Every fault across files, after those that are in single rows."""
    found = [*files.faults, *_repeated(files), *_unknown(files), *_labels(files), *_reviews(files)]
    if files.contract is not None:
        found += [*_frozen(files, files.contract), *_observed(files, files.contract)]
        found += [*_counts(files, files.contract)]
    return found


def _repeated(files: Files) -> Iterator[str]:
    yield from _twice(DOCUMENTS, [(n, d.document_id) for n, d in files.documents.rows])
    yield from _twice(CASES, [(n, c.case_id) for n, c in files.cases.rows])
    yield from _twice(RUNS, [(n, r.run_id) for n, r in files.runs.rows])
    yield from _twice(CLAIMS, [(n, f"{c.run_id} {c.claim_id}") for n, c in files.claims.rows])
    if files.contract is not None:
        yield from _twice(CONTRACT, list(enumerate((i.identity_id for i in files.contract.identities), 1)))
    for number, case in files.cases.rows:
        for name in _more_than_once([claim.claim_id for claim in case.claims]):
            yield f"{CASES} row {number}: the claim {name} is planned twice"
    for number, run in files.runs.rows:
        for field, places in (("candidates", run.candidates), ("context", run.context)):
            for place in _more_than_once([f"{p.document} {p.passage}" for p in places]):
                yield f"{RUNS} row {number}: {field} has {place} twice"
        for name in _more_than_once([absence.document for absence in run.absence]):
            yield f"{RUNS} row {number}: absence from {name} is there twice"
        for digest in _more_than_once([absence.digest for absence in run.absence]):
            yield f"{RUNS} row {number}: the justification {digest[:12]} stands for two documents"
    for number, document in files.documents.rows:
        for passage in _more_than_once(document.passages):
            yield f"{DOCUMENTS} row {number}: the passage {passage} is there twice"
        for passage in set(document.not_indexed) - set(document.passages):
            yield f"{DOCUMENTS} row {number}: not_indexed names {passage}, which is no passage of it"


def _twice(file: str, rows: Sequence[tuple[int, str]]) -> Iterator[str]:
    first: dict[str, int] = {}
    for number, name in rows:
        key = plain(name)
        if key in first:
            yield f"{file} row {number}: {name} is already row {first[key]}"
        first.setdefault(key, number)


def _more_than_once(names: Sequence[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _unknown(files: Files) -> Iterator[str]:
    """References to rows that are not there; silent where those rows could not be read."""
    if files.documents.whole:
        yield from _unknown_documents(files)
    if files.contract is not None:
        identities = {one.identity_id for one in files.contract.identities}
        for number, case in files.cases.rows:
            if case.identity not in identities:
                yield f"{CASES} row {number}: the identity {case.identity} is not in the contract"
    if files.cases.whole:
        cases = {case.case_id for _, case in files.cases.rows}
        for number, run in files.runs.rows:
            if run.case_id not in cases:
                yield f"{RUNS} row {number}: the case {run.case_id} is not in cases.jsonl"
    if files.runs.whole:
        done = {run.case_id for _, run in files.runs.rows}
        for number, case in files.cases.rows:
            if case.case_id not in done:
                yield f"{CASES} row {number}: the case {case.case_id} has no run"


def _unknown_documents(files: Files) -> Iterator[str]:
    passages = {(d.document_id, p) for _, d in files.documents.rows for p in d.passages}
    names = {name for name, _ in passages}
    for number, case in files.cases.rows:
        for place in _passages(chain(case.required, case.allowed, case.forbidden)):
            if place not in passages:
                yield f"{CASES} row {number}: labels {' '.join(place)}, which documents.jsonl does not have"
        for name in case.scope:
            if name not in names:
                yield f"{CASES} row {number}: scope names {name}, which documents.jsonl does not have"
    yield from _ghosts(files, passages)
    for number, run in files.runs.rows:
        for absence in run.absence:
            if absence.document not in names:
                yield f"{RUNS} row {number}: absence from {absence.document}, which documents.jsonl does not have"


def _ghosts(files: Files, passages: set[tuple[str, str]]) -> Iterator[str]:
    """Passages that no document has, where something rests on them.

    A document that is not there may be retrieved or cited, and a citation may lead nowhere: those are failures of the
    system, which metrics count.
    """
    names = {name for name, _ in passages}
    unindexed = {(d.document_id, one) for _, d in files.documents.rows for one in d.not_indexed}
    for number, run in files.runs.rows:
        for field, places in (("candidates", run.candidates), ("context", run.context)):
            for place in places:
                if place.document in names and (place.document, place.passage) not in passages:
                    yield (
                        f"{RUNS} row {number}: {field} has {place.document} {place.passage}, "
                        "which documents.jsonl does not have"
                    )
        for place in run.candidates:
            if (place.document, place.passage) in unindexed:
                yield (
                    f"{RUNS} row {number}: labels contradict: {place.document} {place.passage} is a candidate, and "
                    "not_indexed"
                )
    for number, claim in files.claims.rows:
        for judged in _passages(iter(claim.evidence)):
            if judged not in passages:
                yield f"{CLAIMS} row {number}: evidence {' '.join(judged)}, which documents.jsonl does not have"


def _passages(labels: Iterator[Gold]) -> Iterator[tuple[str, str]]:
    for label in labels:
        for passage in (label.passage, *label.conditions):
            yield label.document, passage


def _labels(files: Files) -> Iterator[str]:
    yield from _ineligible_labels(files)
    for number, case in files.cases.rows:
        required, allowed, forbidden = (
            {(g.document, g.passage, g.cell) for g in labels}
            for labels in (case.required, case.allowed, case.forbidden)
        )
        for kind, both in (("required", required & forbidden), ("allowed", allowed & forbidden)):
            for document, passage, _ in sorted(both, key=str):
                yield f"{CASES} row {number}: labels contradict: {document} {passage} is {kind} and forbidden"
        if case.answerability is Answerability.ANSWERABLE and not case.required:
            yield f"{CASES} row {number}: labels contradict: ANSWERABLE, but no evidence is required"
        if case.answerability is Answerability.CONFLICTING and len(case.required) < 2:
            yield f"{CASES} row {number}: labels contradict: CONFLICTING, but fewer than two passages are required"
    for number, run in files.runs.rows:
        if run.absence and run.behaviour in (Behaviour.ANSWER, Behaviour.CLARIFY, Behaviour.SHOW_CONFLICT):
            yield f"{RUNS} row {number}: labels contradict: evidence of absence, but the run did not hold back"


def _ineligible_labels(files: Files) -> Iterator[str]:
    """Evidence that the asking identity may not use cannot be required or allowed."""
    documents = {document.document_id: document for _, document in files.documents.rows}
    identities = {i.identity_id: i for i in files.contract.identities} if files.contract else {}
    for number, case in files.cases.rows:
        identity = identities.get(case.identity)
        for name in dict.fromkeys(gold.document for gold in (*case.required, *case.allowed)):
            if identity is None or name not in documents:
                continue  # named as unknown elsewhere
            for reason in ineligible(documents[name], identity, case.as_of):
                yield (
                    f"{CASES} row {number}: labels contradict: {name} is required or allowed, and {reason.value} "
                    f"for {case.identity} on {case.as_of}"
                )


def _reviews(files: Files) -> Iterator[str]:
    """Each planned claim of each run is reviewed once; added claims say their kind."""
    runs = {run.run_id: run for _, run in files.runs.rows}
    cases = {case.case_id: case for _, case in files.cases.rows}
    reviewed: dict[str, set[str]] = {name: set() for name in runs}
    for number, claim in files.claims.rows:
        run = runs.get(claim.run_id)
        if run is None:
            if files.runs.whole:
                yield f"{CLAIMS} row {number}: the run {claim.run_id} is not in runs.jsonl"
            continue
        reviewed[claim.run_id].add(claim.claim_id)
        case = cases.get(run.case_id)
        if case is not None:
            yield from _review(number, claim, case)
    if not files.claims.whole:
        return
    for number, run in files.runs.rows:
        case = cases.get(run.case_id)
        planned = [claim.claim_id for claim in case.claims] if case else []
        for name in planned:
            if name not in reviewed[run.run_id]:
                yield f"{RUNS} row {number}: the claim {name} of {run.run_id} has no review in claims.jsonl"


def _review(number: int, claim: Claim, case: Case) -> Iterator[str]:
    planned = claim.claim_id in {one.claim_id for one in case.claims}
    if planned and claim.kind is not None:
        yield f"{CLAIMS} row {number}: the case plans {claim.claim_id}; its kind stands there"
    if not planned and claim.kind is None:
        yield f"{CLAIMS} row {number}: {claim.claim_id} is not planned by the case, so its kind is needed"


def _frozen(files: Files, contract: Contract) -> Iterator[str]:
    """Nothing that was fixed is younger than what it judges, and nothing of it has changed since."""
    for name, told in ((DOCUMENTS, contract.documents_sha256), (CASES, contract.cases_sha256)):
        if files.digests[name] != told:
            yield f"{name}: is not the file that the contract froze (its SHA-256 is {files.digests[name]})"
    for number, case in files.cases.rows:
        if case.labelled_at > contract.frozen_at:
            yield f"{CASES} row {number}: labelled at {case.labelled_at}, after the contract that froze it"
    for number, run in files.runs.rows:
        if contract.frozen_at > run.output_at:
            yield (
                f"{RUNS} row {number}: the contract (frozen {contract.frozen_at}) is younger than this output "
                f"({run.output_at})"
            )
    yield from _other_contracts(files)


def _other_contracts(files: Files) -> Iterator[str]:
    """One fault for each other contract: an edit of contract.json concerns all runs at once."""
    others: dict[str, list[int]] = defaultdict(list)
    for number, run in files.runs.rows:
        if run.contract_sha256 != files.digests[CONTRACT]:
            others[run.contract_sha256].append(number)
    for sha256, rows in others.items():
        where = f"row {rows[0]}" if len(rows) == 1 else f"rows {page_ranges(rows, shortest=2, joiner=' to ')}"
        yield (
            f"{RUNS} {where}: ran under another contract ({sha256[:12]}); the SHA-256 of {CONTRACT} is "
            f"{files.digests[CONTRACT]}"
        )


def _observed(files: Files, contract: Contract) -> Iterator[str]:
    for number, run in files.runs.rows:
        yield from _versions(number, run, contract)


def _versions(number: int, run: Run, contract: Contract) -> Iterator[str]:
    for part, version in contract.versions.items():
        seen = run.observed.get(part)
        if seen is None:
            yield f"{RUNS} row {number}: the version of {part.value} was not observed"
        elif seen != version:
            yield f"{RUNS} row {number}: {part.value} was {seen}, and the contract says {version}"


def _counts(files: Files, contract: Contract) -> Iterator[str]:
    told = contract.manifest
    documents = [document for _, document in files.documents.rows]
    cases = [case for _, case in files.cases.rows]
    counted = [("identities", told.identities, len(contract.identities))]
    if files.documents.whole:
        counted += [
            ("documents", told.documents, len(documents)),
            ("retired documents", told.retired, sum(d.status == "retired" for d in documents)),
            ("documents with tables", told.with_tables, sum(d.tables for d in documents)),
            ("restricted documents", told.restricted, sum(d.restricted for d in documents)),
        ]
    if files.cases.whole:
        languages = Counter(case.language for case in cases)
        counted.append(("cases", told.cases, len(cases)))
        counted += [
            (f"cases in {name}", told.languages.get(name, 0), languages[name])
            for name in sorted({*told.languages, *languages})
        ]
    for what, expected, found in counted:
        if expected != found:
            yield f"{CONTRACT}: the manifest says {expected} {what}, and there are {found}"
    if files.runs.whole and files.cases.whole:
        runs = Counter(run.case_id for _, run in files.runs.rows)
        for number, case in files.cases.rows:
            if case.case_id in runs and runs[case.case_id] != told.runs_per_case:
                yield (
                    f"{CASES} row {number}: {runs[case.case_id]} runs of {case.case_id}, and the manifest says "
                    f"{told.runs_per_case} (runs_per_case)"
                )
    if told.claims_per_case is not None:
        for number, case in files.cases.rows:
            if len(case.claims) != told.claims_per_case:
                yield f"{CASES} row {number}: {len(case.claims)} claims, and the manifest says {told.claims_per_case}"


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
    documents: Mapping[str, Document]
    cases: Mapping[str, Case]
    runs: tuple[Run, ...]
    claims: Mapping[str, tuple[Claim, ...]]

    def identity(self, run: Run) -> Identity:
        """The identity that asked."""
        wanted = self.case(run).identity
        return next(one for one in self.contract.identities if one.identity_id == wanted)

    def case(self, run: Run) -> Case:
        """The case that was run."""
        return self.cases[run.case_id]


def load_ledger(folder: str | Path) -> Ledger:
    """The ledger in a folder; raises LedgerError with every fault, each with file and row.

    Justifications that runs name as evidence of an abstention are opened: digest and finding must be those of the row.
    """
    return _ledger(read_folder(folder), str(folder))


def ledger_of(contents: Mapping[str, bytes], folder: Path = Path()) -> Ledger:
    """The ledger that the bytes of the five files hold; the same checks as `load_ledger`."""
    return _ledger(read_files(contents, folder), None)


def _ledger(files: Files, file: str | None) -> Ledger:
    faults = [*all_faults(files), *_justifications(files)]
    if faults or files.contract is None:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise LedgerError(
            f"nothing is computed from this ledger: {count}",
            file=file,
            problems=tuple(faults),
            remedy="put these rows right, or leave the run out and say so; nothing is counted as 0 in their place",
        )
    claims: defaultdict[str, list[Claim]] = defaultdict(list)
    for _, claim in files.claims.rows:
        claims[claim.run_id].append(claim)
    return Ledger(
        contract=files.contract,
        contract_sha256=files.digests[CONTRACT],
        documents={d.document_id: d for _, d in files.documents.rows},
        cases={c.case_id: c for _, c in files.cases.rows},
        runs=tuple(run for _, run in files.runs.rows),
        claims={run.run_id: tuple(claims[run.run_id]) for _, run in files.runs.rows},
    )


def _justifications(files: Files) -> Iterator[str]:
    documents = {document.document_id: document for _, document in files.documents.rows}
    questions = {case.case_id: case.question for _, case in files.cases.rows}
    for number, run in files.runs.rows:
        for absence in run.absence:
            document = documents.get(absence.document)
            fault = _justification(
                files.folder, absence, document.sha256 if document else None, questions.get(run.case_id, "")
            )
            if fault:
                yield f"{RUNS} row {number}: {absence.path}: {fault}"


def _justification(folder: Path, absence: Absence, sha256: str | None, question: str) -> str:
    """Why the saved justification is no evidence for this run; empty if it is."""
    path = folder / absence.path
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            return "lies outside the folder of the ledger"
        if path.exists() and not path.is_file():
            return "is no file"
    except (ValueError, OSError, RuntimeError) as error:  # a NUL in it, a name too long, links in a circle
        return f"is no path: {error}"
    try:
        saved = load_justification(path)
    except SavedFileError as error:
        return error.cause
    if saved.digest != absence.digest or digest_of(saved) != absence.digest:
        return "is not the justification with this digest"
    if saved.finding is not absence.finding:
        return f"finds {saved.finding.value}, and the row says {absence.finding.value}"
    if saved.waived != absence.waived:
        told, there = (", ".join(one) or "nothing" for one in (absence.waived, saved.waived))
        return f"has waived {there}, and the row says {told} (waived)"
    broken = inconsistencies(saved)
    if broken:
        return "; ".join(broken)
    if sha256 is not None and (saved.document is None or saved.document.sha256 != sha256):
        return f"is about another file than {absence.document}"
    if not question.strip():
        return "the case has no question that it could be about"
    if not same_question(saved.question, question):
        return "answers another question than that of the case"
    return ""
