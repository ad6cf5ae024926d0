"""docaudit for LlamaIndex: a tool, and a query engine around another one that says what its silence is worth.

Needs llama-index-core (extra `llama-index`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from docaudit.errors import require_extra
from docaudit.integrations.grounding import (
    AnswerOutcome,
    Declines,
    Grounded,
    audited_documents,
    brief,
    finite,
    ground,
    pages_of,
    says_nothing,
)
from docaudit.justification import AbsenceJustification, RetrievedChunk

require_extra("llama_index.core", "llama-index")

from llama_index.core.base.base_query_engine import BaseQueryEngine  # noqa: E402
from llama_index.core.base.response.schema import (  # noqa: E402
    AsyncStreamingResponse,
    PydanticResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.prompts.mixin import PromptMixinType  # noqa: E402
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle  # noqa: E402
from llama_index.core.tools import FunctionTool  # noqa: E402

__all__ = ["GroundedQueryEngine", "GroundedResponse", "absence_tool", "chunks_of"]

_DESCRIPTION = (
    "Shows that a document does not mention what a question asks for, or where it does, or why neither can be shown. "
    "Use it before you say that a document has no answer. The document may be left out if there is only one."
)


def absence_tool(
    documents: Any,
    table: Any = None,
    *,
    name: str = "prove_absence",
    description: str = _DESCRIPTION,
    **options: Any,
) -> FunctionTool:
    """A tool that audits a document: the content is a few lines for the model, `raw_output` an AbsenceJustification.

    Args:
        documents: AuditedDocuments, or documents as AuditedDocuments takes them.
        table: The concept table or its file, unless the documents have it.
        name: Name of the tool.
        description: What the model is told of it.
        **options: Fields of AuditOptions.
    """
    audited = audited_documents(documents, table, **options)

    def prove_absence(question: str, document: str | None = None) -> AbsenceJustification:
        return audited.audit(question, name=document)

    return FunctionTool.from_defaults(prove_absence, name=name, description=description, callback=brief)


@dataclass
class GroundedResponse(Response):
    """A response with what can be defended of it.

    Attributes:
        grounded: An answer with evidence, or the justification of its absence.
    """

    grounded: Grounded = field(kw_only=True)


class GroundedQueryEngine(BaseQueryEngine):
    """Asks another query engine, and turns "I don't know", nothing, and answers without a source into justifications.

    The response is that of the engine where it answered from the documents, and else says in a few lines what the audit
    found; `response.grounded` has the evidence.

    Args:
        engine: The query engine that is asked.
        documents: AuditedDocuments, or documents as AuditedDocuments takes them.
        table: The concept table or its file, unless the documents have it.
        declines: Says of a response whether it declines.
        page_key: Where the metadata of a node have its page; None finds pages by the text alone.
        first_page: Number of the first page there.
        **options: Fields of AuditOptions.
    """

    def __init__(
        self,
        engine: BaseQueryEngine,
        documents: Any,
        table: Any = None,
        *,
        declines: Declines = says_nothing,
        page_key: str | None = None,
        first_page: Literal[0, 1] = 1,
        **options: Any,
    ) -> None:
        self.documents = audited_documents(documents, table, **options)
        self._engine = engine
        self._declines = declines
        self._pages: tuple[str | None, int] = (page_key, first_page)
        super().__init__(engine.callback_manager)

    def _get_prompt_modules(self) -> PromptMixinType:
        return {"engine": self._engine}

    def _query(self, query_bundle: QueryBundle) -> GroundedResponse:
        return self._grounded(query_bundle, _whole(self._engine.query(query_bundle)))

    async def _aquery(self, query_bundle: QueryBundle) -> GroundedResponse:
        response = await self._engine.aquery(query_bundle)
        whole = (
            await response.get_response()
            if isinstance(response, AsyncStreamingResponse)
            else _whole(response)
        )
        return await asyncio.to_thread(self._grounded, query_bundle, whole)

    def _grounded(self, query: QueryBundle, response: Response) -> GroundedResponse:
        nodes = list(response.source_nodes or ())
        chunks = chunks_of(nodes, *self._pages)
        grounded = ground(self.documents, query.query_str, response.response, chunks, self._declines)
        text = response.response if grounded.outcome is AnswerOutcome.ANSWERED else str(grounded)
        return GroundedResponse(text, nodes, response.metadata, grounded=grounded)


def chunks_of(
    nodes: Sequence[NodeWithScore], page_key: str | None = None, first_page: int = 1
) -> list[RetrievedChunk]:
    """What a retriever of LlamaIndex gave; raises RetrievalError for a page that is none."""
    return [
        RetrievedChunk(
            text=scored.node.get_content(metadata_mode=MetadataMode.NONE),
            pages=pages_of(scored.node.metadata, page_key, first_page, f"node {scored.node.node_id}"),
            id=scored.node.node_id,
            score=finite(scored.score),
        )
        for scored in nodes
    ]


def _whole(response: Any) -> Response:
    """The response with its text, read to its end if it streams."""
    if isinstance(response, StreamingResponse | PydanticResponse):
        return response.get_response()
    assert isinstance(response, Response), "a query that is not asynchronous gives no asynchronous stream"
    return response
