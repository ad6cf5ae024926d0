"""May a wording stand? Every rule that an answer of a model is held to; a saved justification can be checked again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from docaudit.errors import QuestionError
from docaudit.explain import explain, summary_of
from docaudit.justification import AbsenceJustification, AbsenceReason, Finding, Obligation
from docaudit.question import content_words, uncovered_words
from docaudit.wording.answer import Answer
from docaudit.wording.claims import claim_problems
from docaudit.wording.grammar import Grammar, grammar_of
from docaudit.wording.marked import mark
from docaudit.wording.numbers import number_problems

_SHORTEST_LIMIT = 400
_MAX_REQUERY = 300
_REQUERY_SIGNS = re.compile(r"[^\w \-–,、。.?？'’\"“”「」()（）・]|_|\d")


def answer_problems(answer: Answer, justification: AbsenceJustification) -> tuple[str, ...]:
    """What is wrong with an answer; empty if it may be taken."""
    problems = [*wording_problems(answer.sentence, justification)]
    reasons = allowed_reasons(justification)
    if answer.reason not in reasons:
        named = " or ".join("null" if reason is None else reason.value for reason in reasons)
        problems.append(f"reason must be {named}")
    problems += _mention_problems(answer.mention_ids, len(justification.closest_mentions))
    problems += _requery_problems(answer, justification)
    return tuple(dict.fromkeys(problems))


def wording_problems(sentence: str, justification: AbsenceJustification) -> tuple[str, ...]:
    """What is wrong with one sentence on the finding of this justification; empty if it may stand.

    Its numbers must be right for what they are said of, its quotations verbatim, each required concept said to be found
    or not as it was, each unmet obligation named; and beside that it is made of plain words only.
    """
    language = justification.options.language
    grammar, summary = grammar_of(language), summary_of(justification)
    limit = max(_SHORTEST_LIMIT, 2 * len(explain(summary, language)))
    if len(sentence) > limit:
        return (f"is longer than {limit} characters",)
    if any(unicodedata.category(sign) == "Co" for sign in sentence):
        return ("holds characters of private use",)  # they would pass for marks
    marked = mark(sentence.strip(), justification, grammar)
    problems = [*marked.problems, *_form_problems(marked.text, marked.marks.keys(), grammar)]
    problems += number_problems(marked, summary, grammar)
    problems += claim_problems(marked, summary, grammar)
    return tuple(dict.fromkeys(problems))


def allowed_reasons(justification: AbsenceJustification) -> tuple[AbsenceReason | None, ...]:
    """The reasons that the evidence allows, that of the rules first.

    Where words of the question are in no concept, the question is ambiguous; what was found of the concepts that the
    table has is as true.
    """
    if justification.finding is Finding.MENTIONED:
        return (None,)
    none_found = any(not justification.concept_hits[name] for name in justification.required)
    by_hits = AbsenceReason.CONCEPT_NOT_FOUND if none_found else AbsenceReason.OFF_TOPIC
    if any(check.obligation is Obligation.QUESTION_COVERED for check in justification.unmet):
        return (AbsenceReason.AMBIGUOUS_QUESTION, by_hits)
    return (by_hits,)


def _form_problems(text: str, marks: Collection[str], grammar: Grammar) -> list[str]:
    """One sentence, of plain words and few signs."""
    problems = []
    if text.count(grammar.stop) != 1 or not text.endswith(grammar.stop):
        problems.append(f"is not one sentence that ends with '{grammar.stop}'")
    left = grammar.fixed.sub(" ", "".join(" " if sign in marks else sign for sign in text))
    words = re.sub(r"[0-9]", " ", left.replace(grammar.stop, " "))
    strange = _strange(words.casefold(), grammar)
    if strange:
        problems.append(f"{strange!r} is not among the words and signs that may be used")
    return problems


def _strange(text: str, grammar: Grammar) -> str:
    """The first piece of text that is none of the words and signs; empty if there is none."""
    for run in re.split(f"[{re.escape(grammar.signs)}]+", text):
        if grammar.stop == ".":
            if run and run not in grammar.pieces:
                return run[:40]
        elif (reached := _reach(run, grammar.pieces)) < len(run):
            return run[reached : reached + 20]
    return ""


def _reach(run: str, pieces: frozenset[str]) -> int:
    """How far a run without blanks can be put together from pieces."""
    longest = max(map(len, pieces))
    reached = {0}
    for at in range(len(run)):
        if at in reached:
            reached |= {at + size for size in range(1, longest + 1) if run[at : at + size] in pieces}
    return max(reached) if len(run) not in reached else len(run)


def _mention_problems(ids: tuple[int, ...], shown: int) -> list[str]:
    if any(not 1 <= one <= shown for one in ids) or len(set(ids)) < len(ids):
        return [
            f"mention_ids must be different numbers from 1 to {shown}"
            if shown
            else "mention_ids must be empty"
        ]
    return ["mention_ids must name at least one mention"] if shown and not ids else []


def _requery_problems(answer: Answer, justification: AbsenceJustification) -> list[str]:
    """Another question is needed only where this one is ambiguous, and must be one that the table covers."""
    requery = answer.suggested_requery
    if requery is None:
        return []
    if answer.reason is not AbsenceReason.AMBIGUOUS_QUESTION:
        return ["suggested_requery must be null unless reason is ambiguous_question"]
    if (
        len(requery) > _MAX_REQUERY
        or _REQUERY_SIGNS.search(requery)
        or requery.strip()[-1:] not in ("?", "？", "。")
    ):
        return ["suggested_requery must be one short question without numbers, links or mark-up"]
    assert justification.concept_table is not None
    try:
        uncovered = uncovered_words(requery, justification.concept_table)
        named = content_words(requery)
    except QuestionError:
        return ["suggested_requery has no word in it"]
    if uncovered or not named:
        return [
            f"suggested_requery must ask for concepts of the table alone, not {', '.join(uncovered)[:80]}"
        ]
    return []
