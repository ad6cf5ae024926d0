"""docaudit for Haystack: a component that ends a pipeline with an answer with evidence, or a justified absence.

Needs haystack-ai (extra `haystack`). Haystack reports each run of a pipeline to its makers unless the environment has
HAYSTACK_TELEMETRY_ENABLED=false. Nothing of docaudit phones home: importing this module before Haystack sets it, unless
it is set already; a Haystack that was imported before is left as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "false")

from docaudit.errors import RetrievalError, require_extra
from docaudit.integrations.grounding import (
    AuditedDocuments,
    finite,
    ground,
    pages_of,
    says_nothing,
)
from docaudit.justification import AbsenceJustification, AnswerWithEvidence, RetrievedChunk

require_extra("haystack", "haystack")

from haystack import Document, component, default_from_dict, default_to_dict  # noqa: E402
from haystack.dataclasses import ChatMessage  # noqa: E402
from haystack.utils import deserialize_callable, serialize_callable  # noqa: E402

__all__ = ["AbsenceAuditor", "chunks_of"]


@component
class AbsenceAuditor:
    """Audits PDFs for a question, and says what an answer, or the lack of one, is worth.

    Inputs: question; documents (what a retriever gave), replies (of a generator: the first counts). Without replies it
    is a plain audit; without documents nothing is said of the retriever.

    Outputs: outcome (answered, declined, unsupported), answers (with evidence, if it answered from the files),
    justifications (one for each file otherwise), text (all of it in a few lines).

    Args:
        files: Paths of PDFs, or of folders that `docaudit parse` wrote.
        table: Path of the concept table.
        options: Fields of AuditOptions.
        declines: Function that says of a reply whether it declines; None is docaudit's rule of thumb. To be saved with
            a pipeline it must be importable, and Haystack must be told to trust its module.
        page_key: Where the meta of a document have its page; None finds pages by the text alone.
        first_page: Number of the first page there.
    """

    def __init__(
        self,
        files: list[str],
        table: str,
        options: dict[str, Any] | None = None,
        declines: Callable[[str], bool] | None = None,
        page_key: str | None = None,
        first_page: int = 1,
    ) -> None:
        self.files = [os.fspath(file) for file in files]
        self.table = os.fspath(table)
        self.options = options
        self.declines = declines
        self.page_key = page_key
        self.first_page = first_page
        self._audited: AuditedDocuments | None = None

    def warm_up(self) -> None:
        """Read the concept table and the files; raises what docaudit.parse raises."""
        if self._audited is None:
            audited = AuditedDocuments(self.files, self.table, **(self.options or {}))
            for name in audited.names:
                audited.parsed(name)
            self._audited = audited

    def to_dict(self) -> dict[str, Any]:
        """The component as plain data."""
        data: dict[str, Any] = default_to_dict(
            self,
            files=self.files,
            table=self.table,
            options=self.options,
            declines=None if self.declines is None else serialize_callable(self.declines),
            page_key=self.page_key,
            first_page=self.first_page,
        )
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AbsenceAuditor:
        """The component that `to_dict` describes."""
        given = data["init_parameters"]
        if isinstance(given.get("declines"), str):
            given = {**given, "declines": deserialize_callable(given["declines"])}
        made: AbsenceAuditor = default_from_dict(cls, {**data, "init_parameters": given})
        return made

    @component.output_types(
        outcome=str,
        answers=list[AnswerWithEvidence],
        justifications=list[AbsenceJustification],
        text=str,
    )
    def run(
        self,
        question: str,
        documents: list[Document] | None = None,
        replies: list[str] | list[ChatMessage] | None = None,
    ) -> dict[str, Any]:
        """Audit the files; raises what docaudit.audit raises."""
        self.warm_up()
        assert self._audited is not None, "it was just made"
        chunks = None if documents is None else chunks_of(documents, self.page_key, self.first_page)
        grounded = ground(self._audited, question, _first(replies), chunks, self.declines or says_nothing)
        return {
            "outcome": grounded.outcome.value,
            "answers": list(grounded.answers),
            "justifications": list(grounded.justifications),
            "text": str(grounded),
        }


def chunks_of(
    documents: list[Document], page_key: str | None = None, first_page: int = 1
) -> list[RetrievedChunk]:
    """What a retriever of Haystack gave; raises RetrievalError for a page that is none."""
    return [
        RetrievedChunk(
            text=document.content or "",
            pages=pages_of(document.meta, page_key, first_page, f"document {document.id}"),
            id=str(document.id),
            score=finite(document.score),
        )
        for document in documents
    ]


def _first(replies: Any) -> str:
    """The text of the first reply; empty if there is none."""
    if isinstance(replies, str):  # its first sign would be taken for an answer
        raise RetrievalError("the replies are one text, not a list", remedy="pass [text]")
    if not replies:
        return ""
    text = replies[0].text if isinstance(replies[0], ChatMessage) else replies[0]
    if text is not None and not isinstance(text, str):
        raise RetrievalError(
            f"a reply is {type(text).__name__}, not text", remedy="connect replies of a generator"
        )
    return text or ""
