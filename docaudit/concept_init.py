"""A first concept table from the words of a question, for the expert to complete: nothing in it is accepted yet.

>>> table = first_table("How much electricity do AI data centres use?")
>>> table.concepts, {variant.status for variant in table.variants}
(('electricity', 'AI', 'data centres'), {'proposed'})
"""

from __future__ import annotations

from typing import Any

from docaudit.concept_table.rows import Status
from docaudit.concepts import ConceptTable, Variant
from docaudit.errors import QuestionError
from docaudit.question import content_phrases
from docaudit.wordforms import CJK

_PROPOSED: Status = "proposed"
SOURCE = "question"
"""Source of the rows that a question gave."""
_NOTE = "word of the question: accept or reject it, and add what else means the same"
_NOTE_JA = "質問の語: 採否を決め、同じ意味の語を追加してください"


def first_table(question: Any) -> ConceptTable:
    """One concept for each word or phrase of the question that carries content, with that phrase as its only variant.

    Raises QuestionError if the question is no text, or none of its words names a subject.
    """
    if not isinstance(question, str):
        raise QuestionError(f"the question is {type(question).__name__}, not text", remedy="pass it as a str")
    phrases = content_phrases(question)
    if not phrases:
        raise QuestionError(
            "the question has no word that names a subject", remedy="name the subject in the question"
        )
    note = _NOTE_JA if CJK.search(question) else _NOTE
    return ConceptTable(
        variants=tuple(
            Variant(concept=phrase, text=phrase, status=_PROPOSED, source=SOURCE, note=note)
            for phrase in phrases
        )
    )
