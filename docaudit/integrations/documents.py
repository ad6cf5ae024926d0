"""The documents of a QA tool: each is read once, and audited for every question by one concept table."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docaudit
from docaudit.arguments import need_table
from docaudit.audit import find_hits, open_parsed
from docaudit.concepts import ConceptTable
from docaudit.errors import InputError, MissingExtraError, OptionError, RetrievalError
from docaudit.justification import AbsenceJustification
from docaudit.options import AuditOptions
from docaudit.parsed import ParsedDocument
from docaudit.records import hits
from docaudit.retrieved import RetrievedChunk

if TYPE_CHECKING:
    from docaudit.extract import Source


def need_extra(library: str, extra: str) -> None:
    """Raise MissingExtraError unless the library of an adapter can be imported."""
    try:
        import_module(library)
    except ImportError as error:
        raise MissingExtraError(
            f"{library} is not installed",
            remedy=f"install it: pip install '.[{extra}]' in the folder of docaudit",
        ) from error


class AuditedDocuments:
    """Documents with a concept table: what the adapters of all QA tools share.

    Args:
        documents: One document or several: paths of PDFs or of folders that `docaudit parse` wrote (named by their file
            names), or a mapping of names to paths, bytes or parsed documents. A PDF is read when it is first asked for,
            and again only if its file has changed.
        table: The concept table, or its file.
        options: Options of the audits; single ones can also be given as keywords (ocr="off").
        **keywords: Fields of AuditOptions.

    Raises:
        InputError: No document was given.
        OptionError: Two documents have one name, or an option is wrong.
        ConceptTableError: The table is wrong.
    """

    def __init__(
        self,
        documents: Any,
        table: ConceptTable | str | os.PathLike[str],
        *,
        options: AuditOptions | None = None,
        **keywords: Any,
    ) -> None:
        self._sources = _named(documents)
        self.table = (
            ConceptTable.load(Path(table)) if isinstance(table, (str, os.PathLike)) else need_table(table)
        )
        # None leaves a saved parse its own options, as `audit` does.
        self.options = AuditOptions.from_keywords(options, keywords) if options or keywords else None
        self._hit: dict[str, tuple[ParsedDocument, frozenset[str]]] = {}
        self._read: dict[str, tuple[tuple[int, ...] | None, ParsedDocument]] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the documents."""
        return tuple(self._sources)

    def __getstate__(self) -> dict[str, Any]:
        """Without the lock, so that an adapter can be copied and sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._lock = threading.Lock()

    def parsed(self, name: str) -> ParsedDocument:
        """A document as tables; raises what `parse` raises, and OptionError for a name that is not there."""
        if name not in self._sources:
            raise OptionError(
                f"there is no document '{name}'", remedy=f"documents are {', '.join(self._sources)}"
            )
        source = self._sources[name]
        if isinstance(source, ParsedDocument):
            return source
        with self._lock:  # two questions at once must not read it twice
            stamp = _stamp(source)
            if name not in self._read or self._read[name][0] != stamp:
                self._read[name] = (stamp, self._parse(source))
            return self._read[name][1]

    def _parse(self, source: Source) -> ParsedDocument:
        saved = open_parsed(source) if isinstance(source, (str, os.PathLike)) else None
        return saved or docaudit.parse(source, options=self.options)

    def audit(
        self, question: str, retrieved: Sequence[RetrievedChunk] | None = None, name: str | None = None
    ) -> AbsenceJustification:
        """Audit one document; its name may be left out if there is but one. Raises what docaudit.audit raises."""
        if name is None and len(self._sources) > 1:
            raise OptionError("there are several documents", remedy=f"name one of {', '.join(self._sources)}")
        if retrieved is not None and len(self._sources) > 1:
            # A chunk does not say of which document its page is: it must not stand for this page of each.
            retrieved = [chunk.model_copy(update={"pages": ()}) for chunk in retrieved]
        parsed = self.parsed(self.names[0] if name is None else name)
        return docaudit.audit(
            parsed, self.table, question=question, retrieved=retrieved, options=self.options
        )

    def concepts_without_hit(self) -> tuple[str, ...]:
        """Required concepts that have no hit in any document; each document is swept once. Raises what parsing does."""
        hit = frozenset[str]().union(*map(self._concepts_hit, self._sources))
        required = (self.options.required if self.options else ()) or self.table.required_concepts
        return tuple(name for name in required if name not in hit)

    def _concepts_hit(self, name: str) -> frozenset[str]:
        parsed = self.parsed(name)
        known = self._hit.get(name)
        if known is None or known[0] is not parsed:
            hit_df, _ = find_hits(parsed, self.table, self.options or parsed.options)
            found = (one.concept for one in hits(hit_df) if not one.match_kind.is_possible)
            known = (parsed, frozenset(found))
            self._hit[name] = known
        return known[1]

    def audit_each(
        self, question: str, retrieved: Sequence[RetrievedChunk] | None = None
    ) -> tuple[AbsenceJustification, ...]:
        """Audit every document: something is absent from a collection only if it is from each."""
        return tuple(self.audit(question, retrieved, name) for name in self._sources)


def need_documents(documents: Any, table: Any = None, **keywords: Any) -> AuditedDocuments:
    """Documents with their table, made of what an adapter was given unless it was AuditedDocuments already."""
    if isinstance(documents, AuditedDocuments):
        if table is not None or keywords:
            raise OptionError("AuditedDocuments have their table and options", remedy="give them alone")
        return documents
    return AuditedDocuments(documents, table, **keywords)


def pages_of(
    metadata: Mapping[str, Any], key: str | None, first: int, chunk: str = "the chunk"
) -> tuple[int, ...]:
    """The physical page that the metadata of a chunk name under a key, none if they name none.

    Args:
        metadata: Of the chunk.
        key: Where its page stands; None if pages are to be found by the text alone.
        first: Number that its tool gives to the first page: many loaders count from 0.
        chunk: Its name, for errors.

    Raises:
        RetrievalError: What stands there is no page.
    """
    value = metadata.get(key) if key is not None else None
    if value is None:
        return ()
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < first:
        raise RetrievalError(
            f"{chunk}: {key} is {value!r}, and no page counted from {first}",
            remedy="name the key of the page and the number of the first page, or no key",
        )
    return (value - first + 1,)


def finite(score: float | None) -> float | None:
    """The score of a chunk; None for one that is no number, which some retrievers give for "not scored"."""
    return float(score) if score is not None and math.isfinite(score) else None


def _named(documents: Any) -> dict[str, Any]:
    if isinstance(documents, Mapping):
        named = dict(documents)
    elif isinstance(documents, Sequence) and not isinstance(documents, (str, bytes)):
        names = [_name(one) for one in documents]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise OptionError(
                f"several documents are named {', '.join(twice)}",
                remedy="pass a mapping of names to documents",
            )
        named = dict(zip(names, documents, strict=True))
    else:
        named = {_name(documents): documents}
    if not named:
        raise InputError("no document was given", remedy="name at least one")
    return named


def _name(document: Any) -> str:
    if isinstance(document, ParsedDocument):
        return document.identity.name
    return Path(document).name if isinstance(document, (str, os.PathLike)) else "document"


def _stamp(source: Source) -> tuple[int, ...] | None:
    """What changes when a file is written anew; None for bytes, and for a file that is not there (reading says so)."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    head = path / "document.json"
    try:
        state = (head if head.is_file() else path).stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino, state.st_ctime_ns
