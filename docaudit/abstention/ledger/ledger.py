"""A ledger whose rows agree with each other: the input of everything that is computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docaudit.abstention.ledger.cases import Case, Document
from docaudit.abstention.ledger.consistency import all_faults
from docaudit.abstention.ledger.contract import Contract, Identity
from docaudit.abstention.ledger.reading import CONTRACT, RUNS, Files, read_files, read_folder
from docaudit.abstention.ledger.records import Absence, Claim, Run
from docaudit.abstention.same import same_question
from docaudit.consistent import inconsistencies
from docaudit.errors import LedgerError, SavedFileError
from docaudit.saved import digest_of, load_justification


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
