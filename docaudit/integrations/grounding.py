"""From what a QA tool said and retrieved to what can be defended: an answer with evidence, or a justified absence.

Nothing is invented: evidence is what the tool retrieved and what stands in the document word for word. Whether the
answer follows from it is not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from docaudit.evidence import Mention, Model
from docaudit.integrations.brief import brief
from docaudit.integrations.declining import Declines, says_nothing
from docaudit.integrations.documents import AuditedDocuments
from docaudit.justification import AbsenceJustification, AnswerWithEvidence, Finding, GroundedAnswer
from docaudit.retrieval import Passage, passages
from docaudit.retrieved import RetrievedChunk


class Outcome(StrEnum):
    """What became of the answer of a QA tool."""

    ANSWERED = "answered"
    DECLINED = "declined"
    UNSUPPORTED = "unsupported"


class Grounded(Model):
    """What a QA tool said, with what its documents have to say about it.

    Attributes:
        question: What was asked.
        said: What the tool answered, whatever became of it; empty if it answered nothing.
        outcome: answered (and something that it retrieved stands in a document), declined (it said that it does not
            know, or nothing), unsupported (it answered, but nothing that it retrieved stands in any document).
        results: If it answered, AnswerWithEvidence for each document that holds something it retrieved. Else
            AbsenceJustification for every document, with `retrieval`: one with the finding `mentioned` says that the
            tool failed, and whether its retriever missed the passages.
        concepts_without_hit: If it answered, the required concepts that no document mentions: what is said of these has
            no ground in the documents, whatever passages were retrieved.
    """

    question: str
    said: str
    outcome: Outcome
    results: tuple[GroundedAnswer, ...]
    concepts_without_hit: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[AnswerWithEvidence, ...]:
        """The answers with evidence."""
        return tuple(one for one in self.results if isinstance(one, AnswerWithEvidence))

    @property
    def justifications(self) -> tuple[AbsenceJustification, ...]:
        """The justifications, one for each document, or none if it was answered."""
        return tuple(one for one in self.results if isinstance(one, AbsenceJustification))

    @property
    def mentioned_in(self) -> tuple[AbsenceJustification, ...]:
        """Justifications of the documents that mention it although the tool gave no supported answer."""
        return tuple(one for one in self.justifications if one.finding is Finding.MENTIONED)

    def __str__(self) -> str:
        """A few lines for people and models."""
        if self.outcome is Outcome.ANSWERED:
            doubt = f"No document mentions {', '.join(self.concepts_without_hit)}."
            return "\n\n".join([*map(brief, self.results), *([doubt] if self.concepts_without_hit else [])])
        said = f'No answer was given ("{self.said}").' if self.said.strip() else "No answer was given."
        if self.outcome is Outcome.UNSUPPORTED:
            said = "An answer was given, but nothing that was retrieved for it stands in the documents."
        return "\n\n".join([said, *map(brief, self.results)])


def ground(
    documents: AuditedDocuments,
    question: str,
    said: str | None,
    chunks: Sequence[RetrievedChunk] | None,
    declines: Declines = says_nothing,
) -> Grounded:
    """What can be defended of an answer.

    Args:
        documents: What was searched, with the concept table.
        question: What was asked.
        said: What the tool answered; None or empty if nothing.
        chunks: What its retriever gave; None if that is not known.
        declines: Says of an answer that is not empty whether it declines; the default knows usual phrases.

    Raises what docaudit.audit raises: an audit that cannot run is an error, never "nothing found".
    """
    text = said or ""
    declined = not text.strip() or declines(text)
    if not declined:
        answers = _answers(documents, question, text, chunks or ())
        if answers:
            return Grounded(
                question=question,
                said=text,
                outcome=Outcome.ANSWERED,
                results=answers,
                concepts_without_hit=documents.concepts_without_hit(),
            )
    return Grounded(
        question=question,
        said=text,
        outcome=Outcome.DECLINED if declined else Outcome.UNSUPPORTED,
        results=documents.audit_each(question, chunks),
    )


def _answers(
    documents: AuditedDocuments, question: str, said: str, chunks: Sequence[RetrievedChunk]
) -> tuple[AnswerWithEvidence, ...]:
    found = []
    for name in documents.names:
        parsed = documents.parsed(name)
        evidence = tuple(_mention(one) for one in passages(parsed.line_df, chunks))
        if evidence:
            found.append(
                AnswerWithEvidence(
                    question=question, answer=said, evidence=evidence, document=parsed.identity
                )
            )
    return tuple(found)


def _mention(passage: Passage) -> Mention:
    """A passage that was retrieved, not searched: it belongs to no concept."""
    return Mention(
        kind="mention",
        concept="",
        variant="",
        text=passage.text,
        page_num=passage.page_num,
        line_num=passage.line_num,
        snippet=passage.text,
        why_not="",
    )
