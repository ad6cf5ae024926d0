"""A ledger from its folder: contract.json and four JSON Lines files. Every fault is named, with file and row."""

from __future__ import annotations

import hashlib
import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from docaudit.abstention.faults import faults as all_faults
from docaudit.abstention.ledger.cases import Case, Document
from docaudit.abstention.ledger.contract import Contract
from docaudit.abstention.ledger.records import Claim, Run
from docaudit.errors import LedgerError

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
        return None, tuple(f"{CONTRACT}: {one}" for one in all_faults(error, Contract))
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
            faults += [f"{file} row {number}: {one}" for one in all_faults(error, model)]
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
