"""A store on disk: where everything lies in it, who may write, and what a run that was killed left behind.

STORE/store.json                    form, version of docaudit, options of reading; written once
STORE/lock                          held by the run that writes; holds its process number
STORE/unfinished.json               there while a run has not come to its end: documents done, and in all
STORE/documents/SHA256/             a parse, as ParsedDocument.save writes it
STORE/failures/SHA256.json          in its place, why there is none
STORE/prepared/SHA256               its search text and words, so that a new table is swept fast; can be deleted
STORE/audits/KEY/audit.json         a concept table, a question, options of searching
STORE/audits/KEY/SHA256.json        a justification, as docaudit.saved.dump writes it
STORE/audits/KEY/SHA256.rows.gz     its rows of the tables
STORE/tables/                       docaudit.corpus.store_tables

Every part appears whole or not at all, under a name that says what it is: what is there is done, and a run that was
killed goes on where it stood.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import docaudit
from docaudit.corpus.failures import Failure
from docaudit.errors import StoreError
from docaudit.parsed import ParsedDocument

FORM = 1
_ROWS = ".rows.gz"
_HALF_WRITTEN = re.compile(r"\.[\w.]+\.[a-z0-9_]{8}")
"""What docaudit.atomic writes to before it moves it; other hidden files in a store are somebody's."""


class Store:
    """The folder of a store; `open_store` makes sure that it is one."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.tables = self.root / "tables"

    @property
    def head(self) -> Path:
        """What makes a folder a store."""
        return self.root / "store.json"

    def parse_of(self, sha256: str) -> Path:
        """Folder of the parse of a document."""
        return self.root / "documents" / sha256

    def prepared_of(self, sha256: str) -> Path:
        """What every sweep of a document needs, made once."""
        return self.root / "prepared" / sha256

    def failure_of(self, sha256: str) -> Path:
        """Record of a document that could not be read."""
        return self.root / "failures" / f"{sha256}.json"

    def audit_folder(self, key: str) -> Path:
        """Folder of an audit."""
        return self.root / "audits" / key

    def justification_of(self, key: str, sha256: str) -> Path:
        """Justification of a document in an audit."""
        return self.audit_folder(key) / f"{sha256}.json"

    def rows_of(self, key: str, sha256: str) -> Path:
        """Rows of the tables of a document in an audit."""
        return self.audit_folder(key) / f"{sha256}{_ROWS}"

    def read_documents(self) -> set[str]:
        """Hashes of the documents that were read."""
        return set(_names(self.root / "documents"))

    def failed_documents(self) -> dict[str, Failure]:
        """Records of the documents that could not be read."""
        folder = self.root / "failures"
        return {
            name.removesuffix(".json"): Failure.model_validate_json((folder / name).read_bytes())
            for name in _names(folder)
        }

    def known_documents(self) -> set[str]:
        """Hashes of all documents, also of those that could not be read."""
        failed = {name.removesuffix(".json") for name in _names(self.root / "failures")}
        return self.read_documents() | failed

    @property
    def begun(self) -> bool:
        """Whether any document was worked on."""
        return any((self.root / name).exists() for name in ("documents", "failures"))

    def audited(self, key: str) -> set[str]:
        """Hashes of the documents that have their rows in an audit, also as one that failed."""
        return {name.removesuffix(_ROWS) for name in _names(self.audit_folder(key)) if name.endswith(_ROWS)}

    def justified(self, key: str) -> set[str]:
        """Hashes of the documents that have their justification in an audit."""
        names = _names(self.audit_folder(key))
        return {name.removesuffix(".json") for name in names if name.endswith(".json")} - {"audit"}

    def load(self, sha256: str) -> ParsedDocument:
        """The parse of a document; raises SavedFileError."""
        return ParsedDocument.load(self.parse_of(sha256))

    def clean(self) -> None:
        """Remove what runs that were killed left half written."""
        folders = [
            self.root,
            self.tables,
            *(self.root / name for name in ("documents", "failures", "prepared")),
        ]
        folders += _folders(self.root / "audits") + _folders(self.tables)
        for folder in folders:
            for left in (one for one in folder.glob(".*") if _HALF_WRITTEN.fullmatch(one.name)):
                shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()


def open_store(path: Path) -> Store:
    """The store in this folder; raises StoreError if there is none, or one of another form or version."""
    store = Store(path)
    try:
        head = json.loads(store.head.read_text("utf-8"))
        form, version = head["form"], head["docaudit"]
    except FileNotFoundError as error:
        raise StoreError(
            "is no store", file=str(path), remedy="name the folder that docaudit corpus run --out wrote"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"its store.json cannot be read: {error}", file=str(path), remedy="name a new folder"
        ) from error
    if (form, version) != (FORM, docaudit.__version__):
        raise StoreError(
            f"written by docaudit {version} in form {form}; this is docaudit {docaudit.__version__}, form {FORM}",
            file=str(path),
            remedy=f"use docaudit {version}, or name a new folder",
        )
    return store


def _names(folder: Path) -> list[str]:
    """Names in a folder that are not half written; none if there is no folder."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208 - names alone
    except FileNotFoundError:
        return []


def _folders(folder: Path) -> list[Path]:
    return [folder / name for name in _names(folder) if (folder / name).is_dir()]
