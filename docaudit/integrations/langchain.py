"""docaudit for LangChain: a tool that an agent can call, and a Runnable that ends a retrieval chain.

Needs langchain-core (extra `langchain`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from docaudit.errors import DocauditError, QuestionError, RetrievalError, require_extra
from docaudit.integrations.grounding import (
    AuditedDocuments,
    Declines,
    Grounded,
    audited_documents,
    brief,
    ground,
    pages_of,
    says_nothing,
)
from docaudit.justification import AbsenceJustification, RetrievedChunk

require_extra("langchain_core", "langchain")

from langchain_core.documents import Document  # noqa: E402
from langchain_core.runnables import Runnable, RunnableConfig, run_in_executor  # noqa: E402
from langchain_core.tools import BaseTool, ToolException  # noqa: E402

__all__ = ["AbsenceTool", "AbsenceToolError", "GroundedAnswers", "chunks_of"]


class AbsenceToolError(ToolException, DocauditError):
    """An audit that a tool was called for could not run; `__cause__` is the error of docaudit.

    As a ToolException it goes back to the model if the tool has `handle_tool_error=True`.
    """


class _Arguments(BaseModel):
    question: str = Field(description="The question that the document does not seem to answer.")
    document: str | None = Field(
        default=None, description="Name of the document; it may be left out if there is only one."
    )


class AbsenceTool(BaseTool):
    """Audits a document for absence: the content is a few lines for the model, the artifact an AbsenceJustification.

    Called with a tool call, it gives a ToolMessage with both; called with a mapping of its arguments, the content.

    Attributes:
        documents: The documents with their concept table.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "prove_absence"
    description: str = (
        "Shows that a document does not mention what a question asks for, or where it does, or why neither can be "
        "shown. Use it before you say that a document has no answer."
    )
    args_schema: Any = _Arguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    documents: AuditedDocuments = Field(exclude=True)

    def _run(self, question: str, document: str | None = None) -> tuple[str, AbsenceJustification]:
        try:
            justification = self.documents.audit(question, name=document)
        except DocauditError as error:
            raise AbsenceToolError(
                error.cause, file=error.file, page=error.page, remedy=error.remedy
            ) from error
        return brief(justification), justification


class GroundedAnswers(Runnable[Mapping[str, Any], Grounded]):
    """Ends a retrieval chain: its question, context and answer in, what can be defended of it out.

    The default names are those of LangChain's retrieval chains: input, context (a list of Document), answer (a text or
    a message). All three must be there, so that an answer under another name is not taken for none. An answer of None
    or "" says that nothing was answered; a context of None that nothing is known of the retriever. A chain that has no
    answer, or no context, says so with a key of None: then it is a plain audit.

    Args:
        documents: AuditedDocuments, or documents as AuditedDocuments takes them.
        table: The concept table or its file, unless the documents have it.
        declines: Says of an answer whether it declines.
        question_key: Where the question stands in the input.
        context_key: Where the retrieved documents stand; None if the input has none.
        answer_key: Where the answer stands; None if the input has none.
        page_key: Where the metadata of a document have its page; None finds pages by the text alone.
        first_page: Number of the first page there; PyPDFLoader and PyMuPDFLoader count from 0.
        **options: Fields of AuditOptions.
    """

    def __init__(
        self,
        documents: Any,
        table: Any = None,
        *,
        declines: Declines = says_nothing,
        question_key: str = "input",
        context_key: str | None = "context",
        answer_key: str | None = "answer",
        page_key: str | None = None,
        first_page: Literal[0, 1] = 0,
        **options: Any,
    ) -> None:
        self.documents = audited_documents(documents, table, **options)
        self._declines = declines
        self._keys = (question_key, context_key, answer_key)
        self._pages: tuple[str | None, int] = (page_key, first_page)

    def invoke(
        self,
        input: Mapping[str, Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Grounded:
        """What can be defended.

        Raises:
            QuestionError: The input has no question under its key.
            RetrievalError: It has no context or answer under theirs, or what stands there is none.
            DocauditError: Whatever docaudit.audit raises.
        """
        return self._call_with_config(self._ground, input, config, **kwargs)

    async def ainvoke(
        self,
        input: Mapping[str, Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Grounded:
        """As `invoke`; the audit runs in a thread."""

        async def work(chain_output: Mapping[str, Any]) -> Grounded:
            return await run_in_executor(config, self._ground, chain_output)

        return await self._acall_with_config(work, input, config, **kwargs)

    def _ground(self, chain_output: Mapping[str, Any]) -> Grounded:
        is_mapping = isinstance(chain_output, Mapping)
        keys = f"; its keys are {', '.join(map(str, chain_output))}" if is_mapping else ""
        question_key, context_key, answer_key = self._keys
        if not is_mapping or not isinstance(chain_output.get(question_key), str):
            raise QuestionError(
                f"the input has no question under '{question_key}'{keys}",
                remedy="name its key with question_key=",
            )

        def value_of(part: str, key: str | None) -> Any:
            if key is not None and key not in chain_output:
                raise RetrievalError(
                    f"the input has no {part} under '{key}'{keys}",
                    remedy=f"name its key with {part}_key=, or say with {part}_key=None that there is none",
                )
            return None if key is None else chain_output[key]

        context, answer = value_of("context", context_key), value_of("answer", answer_key)
        text = answer if answer is None or isinstance(answer, str) else getattr(answer, "text", None)
        if answer is not None and not isinstance(text, str):
            raise RetrievalError(
                f"the answer is {type(answer).__name__}, and neither text nor a message",
                remedy="pass its text",
            )
        chunks = None if context is None else chunks_of(context, *self._pages)
        said = None if text is None else str(text)
        return ground(self.documents, chain_output[question_key], said, chunks, self._declines)


def chunks_of(
    documents: Iterable[Document], page_key: str | None = None, first_page: int = 0
) -> list[RetrievedChunk]:
    """What a retriever of LangChain gave; raises RetrievalError for anything but a list of Document."""
    # An iterator can be read once.
    retrieved = list(documents) if isinstance(documents, Iterable) else [documents]
    if isinstance(documents, str) or not all(isinstance(chunk, Document) for chunk in retrieved):
        raise RetrievalError("the context is no list of Document", remedy="pass what the retriever gave")
    return [
        RetrievedChunk(
            text=chunk.page_content,
            pages=pages_of(chunk.metadata, page_key, first_page, f"document {number}"),
            id=str(chunk.id or ""),
        )
        for number, chunk in enumerate(retrieved, 1)
    ]
