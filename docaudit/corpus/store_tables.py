"""The tables of a store: what one row of each is, and what each column means. They lie in STORE/tables.

Tables of documents are one file each (documents.parquet); tables of audits are a folder with one file for each audit
(findings/KEY.parquet), so that a new concept table adds files and rewrites none. Rows are sorted by sha256, then as the
document and the concept table have them; nothing in them depends on the time or the order of work.

Where docaudit.frames says NaN, a column of Parquet has null; a text that is not there is empty, never null.
"""

from __future__ import annotations

import pyarrow as pa

from docaudit.frames import (
    BLIND_SPOT_DF,
    BOOL,
    FLOAT,
    HIT_DF,
    INT,
    PAGE_DF,
    TEXT,
    Column,
    TableContract,
)

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
    f"{ALL}{one.name}": TableContract(f"{ALL}{one.name}", one.row, one.fields) for one in AUDIT_TABLES
}
"""What a query sees, by name: findings, cells and hits of the current audits, all_findings and the like of all."""

_ARROW = {INT: pa.int64(), FLOAT: pa.float64(), TEXT: pa.string(), BOOL: pa.bool_()}


def arrow_schema(contract: TableContract) -> pa.Schema:
    """The columns as Parquet keeps them."""
    return pa.schema([(field.name, _ARROW[field.dtype]) for field in contract.fields])
