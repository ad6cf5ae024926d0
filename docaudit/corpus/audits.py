"""The audits of a store, the rows that one document has in each, and the tables into which these rows are gathered.

An audit is a concept table, a question and options of searching, known by a key. The rows of a document in it are made
where the audit is made and kept beside the justification. Tables lie in STORE/tables: those of documents are one file
each (documents.parquet), those of audits a folder with one file for each audit (findings/KEY.parquet), so that a new
concept table adds files and rewrites none. Rows are sorted by sha256, then as the document and the concept table have
them; nothing in them depends on the time or the order of work.

Where docaudit.tables says NaN, a column of Parquet has null; a text that is not there is empty, never null.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from docaudit import files as atomic
from docaudit.audit import Audited, check_request
from docaudit.codes import POSSIBLE_KINDS, ObligationState, TextLikely
from docaudit.concepts.check import JOINER
from docaudit.concepts.model import ConceptTable
from docaudit.corpus.store import DocumentFailure, Store
from docaudit.errors import OptionError, StoreError
from docaudit.justification import ObligationCheck
from docaudit.options import SEARCH_OPTIONS, AuditOptions
from docaudit.tables import BLIND_SPOT_DF, BOOL, FLOAT, HIT_DF, INT, PAGE_DF, TEXT, Column, TableContract

_FILE = "audit.json"
_FOR_ONE_DOCUMENT = {
    "canary": (True, "a canary is planted into one document at a time: use docaudit audit --canary"),
    "explain_with": ("model", "reports of a corpus are worded by the template: use docaudit audit"),
}
"""Options that are for single documents."""

Row = dict[str, Any]


class StoredAudit(BaseModel):
    """An audit of every document of a store.

    Attributes:
        name: Name of the concept table.
        number: Order in which audits were last begun, from 1.
        question: The question, or None.
        options: Options of searching that are not the default.
        table: The concept table.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    number: int
    question: str | None
    options: dict[str, Any]
    table: ConceptTable

    @property
    def key(self) -> str:
        """Hash of all that a justification holds of the audit, so that a key always means the same audit.

        Its name as well: a table that is edited to be what another one is takes the place of its own older version.
        """
        content = self.model_dump_json(exclude={"number"})
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def search_options(self) -> AuditOptions:
        """The options of searching; those of reading are the document's."""
        return AuditOptions.from_keywords(None, self.options)


def check(tables: Mapping[str, ConceptTable], question: str | None, options: AuditOptions) -> None:
    """Raise what the audits would raise whatever the document, before any work is done."""
    if not tables:
        raise OptionError("no concept table is given", remedy="name at least one")
    for name, (value, remedy) in _FOR_ONE_DOCUMENT.items():
        if getattr(options, name) == value:
            raise OptionError(f"option {name}: not for a corpus", remedy=remedy)
    for table in tables.values():
        check_request(table, question, options)


def register(
    store: Store, tables: Mapping[str, ConceptTable], question: str | None, options: AuditOptions
) -> list[str]:
    """Keys of the audits with these tables, in their order; an audit that is new, or not current, is written."""
    stored = audits_in(store)
    last = max((audit.number for audit in stored.values()), default=0)
    changed = options.model_dump(mode="json", include=set(SEARCH_OPTIONS), exclude_defaults=True)
    keys: list[str] = []
    for name, table in tables.items():
        audit = StoredAudit(name=name, number=last + 1, question=question, options=changed, table=table)
        key = audit.key
        if key not in stored or not is_current(stored[key], stored.values()):
            last += 1
            stored[key] = audit
            atomic.write_text(store.audit_folder(key) / _FILE, audit.model_dump_json(indent=1) + "\n")
        keys.append(key)
    return keys


def audits_in(store: Store) -> dict[str, StoredAudit]:
    """All audits of the store by key, in the order of their numbers; raises StoreError."""
    files = sorted(store.root.glob(f"audits/*/{_FILE}"))
    loaded = {file.parent.name: _load(file) for file in files}
    return dict(sorted(loaded.items(), key=lambda item: item[1].number))


def is_current(audit: StoredAudit, audits: Iterable[StoredAudit]) -> bool:
    """Whether no later audit has the same name of its table and the same question."""
    same = [later for later in audits if (later.name, later.question) == (audit.name, audit.question)]
    return all(later.number <= audit.number for later in same)


@lru_cache(maxsize=64)
def audit_of(root: str, key: str) -> StoredAudit:
    """The audit of a store; kept, as a worker needs it for many documents. Raises StoreError."""
    return _load(Store(Path(root)).audit_folder(key) / _FILE)


def _load(path: Path) -> StoredAudit:
    try:
        return StoredAudit.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot be read: {error}", file=str(path), remedy="name a new folder") from error


class AuditRows(msgspec.Struct):
    """The rows of one document in one audit, without what all share; hits as columns of HIT_DF."""

    findings: list[Row]
    cells: list[Row]
    hits: dict[str, list[Any]]


def rows_of(audit: StoredAudit, audited: Audited, justification: str) -> AuditRows:
    """Rows of an audit that was made; `justification` is its path from the store."""
    j = audited.justification
    assert j.coverage is not None
    possible = audited.hit_df[audited.hit_df["match_kind"].isin(POSSIBLE_KINDS)]["concept"]
    finding = {
        "fingerprint": j.concept_table_fingerprint,
        "question": j.question or "",
        "finding": j.finding.value,
        "reason": j.reason.value if j.reason else "",
        "strength": j.strength.value,
        "required": JOINER.join(j.required),
        "unmet": _codes(j.obligations, ObligationState.UNMET),
        "waived": _codes(j.obligations, ObligationState.WAIVED),
        "explanation": j.absence_explanation,
        "hits": sum(j.concept_hits.values()),
        "possible_hits": len(possible),
        "pages_total": j.coverage.pages_total,
        "pages_read": j.coverage.pages_read,
        "ink_read_share": j.coverage.ink_read_share,
        "blind_spots": sum(spot.text_likely is not TextLikely.NO for spot in j.blind_spots),
        "justification": justification,
    }
    searched = audited.ledger_df.groupby("concept")["pages_searched"].min()
    unsearched = audited.ledger_df.groupby("concept")["pages_not_searchable"].max()
    cells = [
        {
            "concept": name,
            "role": audit.table.about(name).role,
            "finding": verdict.finding.value,
            "reason": verdict.reason.value if verdict.reason else "",
            "strength": verdict.strength.value,
            "unmet": _codes(checks, ObligationState.UNMET),
            "hits": j.concept_hits[name],
            "pages_with_hits": len(j.concept_pages[name]),
            "possible_hits": int((possible == name).sum()),
            "pages_searched": int(searched[name]),
            "pages_not_searchable": int(unsearched[name]),
        }
        for name, (verdict, checks) in audited.alone.items()
    ]
    # JSON has no NaN.
    hits = audited.hit_df[list(HIT_DF.columns)].astype(object).where(audited.hit_df.notna(), None)
    return AuditRows([finding], cells, {name: hits[name].tolist() for name in HIT_DF.columns})


def failed_rows(audit: StoredAudit, failure: DocumentFailure) -> AuditRows:
    """Rows of a document of which there is no audit: it must not look as if it had been searched."""
    head = {"finding": "error", "failure": failure.code.value, "detail": failure.detail}
    finding = {**head, "fingerprint": audit.table.fingerprint, "question": audit.question or ""}
    cells = [
        {**head, "concept": name, "role": audit.table.about(name).role}
        for name in audit.table.active_concepts
    ]
    return AuditRows([finding], cells, {name: [] for name in HIT_DF.columns})


def write_rows(path: Path, rows: AuditRows) -> None:
    """Keep the rows; raises OutputError."""
    atomic.write_bytes(path, gzip.compress(msgspec.json.encode(rows), 1, mtime=0))


def read_rows(path: Path) -> AuditRows:
    """The rows that were kept; raises OSError, EOFError, zlib.error or msgspec.MsgspecError if they are damaged."""
    return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=AuditRows)


def _codes(checks: Sequence[ObligationCheck], state: ObligationState) -> str:
    return ", ".join(check.obligation.value for check in checks if check.state is state)


_SHA256 = Column("sha256", TEXT, "SHA-256 of the file: the document, whatever it is called")
_AUDIT = (
    Column("audit", TEXT, "key of the audit: a concept table, a question and options of searching"),
    Column("concept_table", TEXT, "name of the concept table"),
)
_FAILURE = (
    Column("failure", TEXT, "why it could not be done, a FailureCode; empty if it was"),
    Column("detail", TEXT, "what happened, as a sentence; empty if nothing failed"),
)

DOCUMENTS = TableContract(
    "documents",
    "one document, by the hash of its bytes; also one that could not be read",
    (
        _SHA256,
        Column("name", TEXT, "file name: of copies the first, sorted by path"),
        Column("state", TEXT, "read or failed"),
        Column("n_paths", INT, "paths under which it lies, in the sources of the runs"),
        Column("size_bytes", INT, "length of the file"),
        Column("pages_total", INT, "pages of the page tree; 0 if it could not be read"),
        Column("pages_text", INT, "of these, in the state text"),
        Column("pages_mixed", INT, "of these, in the state mixed"),
        Column("pages_image_only", INT, "of these, in the state image_only"),
        Column("pages_blank", INT, "of these, in the state blank"),
        Column("pages_failed", INT, "of these, in the state failed"),
        Column("pages_not_rendered", INT, "of these, in the state not_rendered"),
        Column("pages_with_text", INT, "pages with a line in their text layer"),
        Column("pages_by_ocr_alone", INT, "pages without text layer of which OCR read a line"),
        Column("ink_read_share", FLOAT, "ink under text that was read, of all ink; null if not measured"),
        Column("blind_spots", INT, "regions and parts that were not read and may hold text"),
        *_FAILURE,
        Column("remedy", TEXT, "what a person can do about it"),
        Column("versions", TEXT, "versions of docaudit and the engines that read it, as JSON"),
    ),
)
PATHS = TableContract(
    "paths",
    "one file or folder that the sources name or hold",
    (
        Column("path", TEXT, r"absolute path; bytes that are no UTF-8 as \xff"),
        Column("state", TEXT, "document, not_a_pdf, not_readable or left_out"),
        Column("sha256", TEXT, "of a document: its hash; else empty"),
        Column("reason", TEXT, "why it is no document, as a sentence; empty if it is one"),
    ),
)
AUDITS = TableContract(
    "audits",
    "one audit: a concept table, a question and options of searching",
    (
        *_AUDIT,
        Column("number", INT, "order in which audits were last begun, from 1"),
        Column("current", BOOL, "the latest with this name of the table and this question"),
        Column("fingerprint", TEXT, "fingerprint of the concept table"),
        Column("question", TEXT, "the question; empty if none was asked"),
        Column("concepts", INT, "concepts that are searched"),
        Column("variants", INT, "variants that are searched"),
        Column("options", TEXT, "options of searching that are not the default, as JSON"),
    ),
)
FINDINGS = TableContract(
    "findings",
    "one document in one audit",
    (
        _SHA256,
        *_AUDIT,
        Column("fingerprint", TEXT, "fingerprint of the concept table"),
        Column("question", TEXT, "the question; empty if none was asked"),
        Column(
            "finding",
            TEXT,
            "mentioned, absent_within_coverage or not_established; error if the audit could not run",
        ),
        Column("reason", TEXT, "an AbsenceReason; empty if it is mentioned or could not run"),
        Column("strength", TEXT, "strong, moderate or weak; empty if it could not run"),
        Column("required", TEXT, "concepts that must meet, joined by ' + '"),
        Column("unmet", TEXT, "obligations that are unmet, by code, joined by ', '"),
        Column("waived", TEXT, "obligations that were waived, by code, joined by ', '"),
        Column("explanation", TEXT, "the finding as a sentence"),
        Column("hits", INT, "occurrences of all concepts, possible ones left out"),
        Column("possible_hits", INT, "possible occurrences (accents_differ, ocr_fuzzy)"),
        Column("pages_total", INT, "pages of the document"),
        Column("pages_read", INT, "pages of which a line was read, by whatever means"),
        Column("ink_read_share", FLOAT, "ink under text that was read, of all ink; null if not measured"),
        Column("blind_spots", INT, "regions and parts that were not read and may hold text"),
        *_FAILURE,
        Column("justification", TEXT, "path of the justification, from the store; empty if there is none"),
    ),
)
CELLS = TableContract(
    "cells",
    "one concept in one document in one audit",
    (
        _SHA256,
        *_AUDIT,
        Column("concept", TEXT, "concept of the table"),
        Column("role", TEXT, "required or context"),
        Column("finding", TEXT, "what an audit of this concept alone finds; error if it could not run"),
        Column("reason", TEXT, "its AbsenceReason; empty if it is mentioned or could not run"),
        Column("strength", TEXT, "its strength; empty if it could not run"),
        Column("unmet", TEXT, "its unmet obligations, by code, joined by ', '"),
        Column("hits", INT, "occurrences, possible ones left out"),
        Column("pages_with_hits", INT, "pages on which they begin"),
        Column("possible_hits", INT, "possible occurrences (accents_differ, ocr_fuzzy)"),
        Column("pages_searched", INT, "pages whose text every variant of it was matched against"),
        Column("pages_not_searchable", INT, "pages with no text to match against, blank ones included"),
        *_FAILURE,
    ),
)
HITS = TableContract("hits", HIT_DF.row, (_SHA256, *_AUDIT, *HIT_DF.fields))
PAGES = TableContract("pages", PAGE_DF.row, (_SHA256, *PAGE_DF.fields))
BLIND_SPOTS = TableContract("blind_spots", BLIND_SPOT_DF.row, (_SHA256, *BLIND_SPOT_DF.fields))

DOCUMENT_TABLES = (DOCUMENTS, PATHS, AUDITS, PAGES, BLIND_SPOTS)
"""One file each."""
AUDIT_TABLES = (FINDINGS, CELLS, HITS)
"""One file for each audit, in a folder of the table's name."""
STORE_TABLES = {contract.name: contract for contract in (*DOCUMENT_TABLES, *AUDIT_TABLES)}
"""All tables of a store by name."""
ALL = "all_"
QUERY_TABLES = STORE_TABLES | {
    f"{ALL}{table.name}": TableContract(f"{ALL}{table.name}", table.row, table.fields)
    for table in AUDIT_TABLES
}
"""What a query sees, by name: findings, cells and hits of the current audits, all_findings and the like of all."""

_ARROW = {INT: pa.int64(), FLOAT: pa.float64(), TEXT: pa.string(), BOOL: pa.bool_()}


def arrow_schema(contract: TableContract) -> pa.Schema:
    """The columns as Parquet keeps them."""
    return pa.schema([(field.name, _ARROW[field.dtype]) for field in contract.fields])
