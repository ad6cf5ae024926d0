"""The audits of a store: each a concept table, a question and options of searching, known by a key."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from docaudit import atomic
from docaudit.audit_parsed import check_request
from docaudit.concepts import ConceptTable
from docaudit.corpus.store import Store
from docaudit.errors import OptionError, StoreError
from docaudit.options import SEARCH_OPTIONS, AuditOptions

_FILE = "audit.json"
_ALONE = {
    "canary": (True, "a canary is planted into one document at a time: use docaudit audit --canary"),
    "explain_with": ("model", "reports of a corpus are worded by the template: use docaudit audit"),
}
"""Options that are for single documents."""


class Asked(BaseModel):
    """What the documents are asked.

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
        """Known by all that a justification holds of it, so that it always is the one that was asked for.

        Its name as well: a table that is edited to be what another one is takes the place of its own older version.
        """
        told = self.model_dump_json(exclude={"number"})
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def chosen(self) -> AuditOptions:
        """The options of searching; those of reading are the document's."""
        return AuditOptions.from_keywords(None, self.options)


def register(
    store: Store, tables: Mapping[str, ConceptTable], question: str | None, options: AuditOptions
) -> list[str]:
    """Keep what is asked; the keys in the order of the tables."""
    kept = audits(store)
    last = max((asked.number for asked in kept.values()), default=0)
    keys: list[str] = []
    for asked in _asked(tables, question, options):
        key = asked.key
        if key not in kept or not is_current(kept[key], kept.values()):
            last += 1
            kept[key] = asked.model_copy(update={"number": last})
            text = kept[key].model_dump_json(indent=1)
            atomic.write_text(store.audit_folder(key) / _FILE, text + "\n")
        if key not in keys:
            keys.append(key)
    return keys


def check(tables: Mapping[str, ConceptTable], question: str | None, options: AuditOptions) -> None:
    """Raise what the audits would raise whatever the document, before any work is done."""
    if not tables:
        raise OptionError("no concept table is given", remedy="name at least one")
    for name, (value, remedy) in _ALONE.items():
        if getattr(options, name) == value:
            raise OptionError(f"option {name}: not for a corpus", remedy=remedy)
    for table in tables.values():
        check_request(table, question, options)


def _asked(
    tables: Mapping[str, ConceptTable], question: str | None, options: AuditOptions
) -> Iterable[Asked]:
    set_by_hand = options.model_dump(mode="json", include=set(SEARCH_OPTIONS), exclude_defaults=True)
    for name, table in tables.items():
        yield Asked(name=name, number=0, question=question, options=set_by_hand, table=table)


def audits(store: Store) -> dict[str, Asked]:
    """All audits of the store by key, in the order of their numbers; raises StoreError."""
    folder = store.root / "audits"
    found = {
        one.name: load(one / _FILE)
        for one in (folder.iterdir() if folder.is_dir() else ())
        if (one / _FILE).is_file()
    }
    return dict(sorted(found.items(), key=lambda item: item[1].number))


def is_current(asked: Asked, others: Iterable[Asked]) -> bool:
    """No later audit has the same name of its table and the same question."""
    same = (asked.name, asked.question)
    return all(one.number <= asked.number for one in others if (one.name, one.question) == same)


def load(path: Path) -> Asked:
    """What was kept in a file; raises StoreError."""
    try:
        return Asked.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot be read: {error}", file=str(path), remedy="name a new folder") from error


@lru_cache(maxsize=64)
def asked_of(root: str, key: str) -> Asked:
    """The audit of a store; kept, as a worker asks it of many documents."""
    return load(Store(Path(root)).audit_folder(key) / _FILE)
