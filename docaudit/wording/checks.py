"""May a wording stand? Every rule that an answer of a model is held to; a saved justification can be checked again.

What a sentence claims, clause by clause: of each concept whether it is found, of the finding what the rules gave.

Numbers of a sentence against the evidence: each must be of a known kind, and right for what it is said of.

That a number stands somewhere in the evidence is not enough: 63 pages are no 63 hits.

What a model answers: the reasons come before the verdict, so that the verdict can follow from them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from docaudit.codes import AbsenceReason, Finding, Obligation, ObligationState
from docaudit.errors import QuestionError
from docaudit.justification import AbsenceJustification
from docaudit.justify import Summary, all_pages_read, explain, summary_of
from docaudit.question import content_words, uncovered_words
from docaudit.wording.grammar import NAME, Grammar, Mark, Marked, grammar_of, mark


def claim_problems(marked: Marked, summary: Summary, grammar: Grammar) -> list[str]:
    """What a marked sentence claims beyond the evidence, or leaves out of it."""
    return [
        *_coverage(marked, summary, grammar),
        *_obligations(marked, summary, grammar),
        *_finding(marked, summary, grammar),
        *_brackets(marked, grammar),
        *_concepts(marked, summary, grammar),
    ]


def _coverage(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    if not marked.of_kind("within"):
        yield f"does not say '{grammar.within}'"
    everything = grammar.all_read.search(marked.text)
    if everything and not (
        all_pages_read(summary) and (not everything[1] or summary.coverage.pages_total == 1)
    ):
        yield "says that all was read, which it was not"
    if grammar.outside.search(marked.text) and not any(0 in pages for pages in summary.pages.values()):
        yield "speaks of hits outside the pages, which there are not"


def _obligations(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    """Every unmet and every waived obligation is named; none is named that is met."""
    named = {mark.text for mark in marked.of_kind("phrase")}
    states = {check.obligation.value: check.state for check in summary.checks}
    for code in sorted(named):
        if states.get(code) not in (ObligationState.UNMET, ObligationState.WAIVED):
            yield f"says that {code} is open, which it is not"
    for code, state in states.items():
        if (
            state is ObligationState.UNMET
            and summary.finding is Finding.NOT_ESTABLISHED
            and code not in named
        ):
            yield f"does not name {code} ('{grammar.unmet[code]}')"
        if state is ObligationState.WAIVED and summary.finding is Finding.ABSENT and code not in named:
            yield f"does not name the waived {code}"
    yield from _waived(marked, summary, grammar)


def _waived(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    """What was waived stands behind the word for it, and what is unmet before."""
    waived = {check.obligation.value for check in summary.checks if check.state is ObligationState.WAIVED}
    word = grammar.waived.search(marked.text)
    if word and not waived:
        yield "says that something was waived"
    if summary.finding is Finding.ABSENT and waived and not word:
        yield "does not say that obligations were waived"
    for place, sign in enumerate(marked.text):
        mark = marked.marks.get(sign)
        if word and mark and mark.kind == "phrase" and (mark.text in waived) != (place > word.start()):
            yield f"does not tell what is unmet from what was waived, which stands behind the word: {mark.text}"


def _finding(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    not_established = bool(grammar.not_established.search(marked.text))
    if not_established != (summary.finding is Finding.NOT_ESTABLISHED):
        yield "must say that absence is not established, if and only if the finding is not_established"
    if bool(grammar.must_be_read.search(marked.text)) != (summary.finding is Finding.MENTIONED):
        yield "must say that the passages must be read, if and only if the finding is mentioned"
    rest = grammar.not_established.sub(" ", marked.text)
    if grammar.absence.search(rest) and summary.finding is not Finding.ABSENT:
        yield "speaks of absence, which the finding is not"


def _brackets(marked: Marked, grammar: Grammar) -> Iterator[str]:
    """A remark in brackets would be a claim beside the sentence."""
    if re.search(r"[()]", grammar.bracket.sub(" ", marked.text)):
        yield "has brackets: only the words of what was read, behind those of coverage, or pages may stand in some"


def _concepts(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    denied: set[str] = set()
    last: Mark | None = None
    for clause in _clauses(marked.text, grammar):
        marks = [marked.marks[sign] for sign in clause if sign in marked.marks]
        names = [mark for mark in marks if mark.kind == "name"]
        quotes = [mark for mark in marks if mark.kind == "quote"]
        denies = bool(grammar.negation.search(clause))
        yield from _document(clause, names + quotes, denies, grammar)
        if grammar.meeting.search(clause):
            yield from _meeting(clause, denies, marks, summary, grammar)
            continue
        if denies and quotes:
            yield "denies a quotation"
        if names:
            yield from _named(clause, names, grammar)
            denied |= {name.text for name in names if denies}
        elif not quotes and (denies or grammar.found.search(clause)):
            yield "says of nothing by its name that it was found or not"
        elif not quotes and not grammar.bare.fullmatch(clause):
            yield "claims something of nothing by its name"
        if names or not grammar.found.search(clause):
            yield from _quoted(quotes, names[-1] if names else last)
        last = names[-1] if names else last
    for required in summary.required:
        if not summary.counts[required] and required not in denied:
            yield f"does not say that no mention of {required!r} was found"


def _document(clause: str, marks: list[Mark], denies: bool, grammar: Grammar) -> Iterator[str]:
    """Of the document as a whole only what is there may be said: what was not read may hold the rest."""
    there = any(mark.hits != 0 for mark in marks) and not denies and not grammar.absence.search(clause)
    if grammar.whole.search(clause) and not there:
        yield "says more of the whole document than that something is mentioned there"


def _named(clause: str, names: list[Mark], grammar: Grammar) -> Iterator[str]:
    """Of each concept it is said that it was found, or that it was not, and nothing of two at once but the latter."""
    denials = len(grammar.negation.findall(clause))
    if denials > 1:
        yield "denies twice in one clause"
    if denials and grammar.contrary.search(clause):
        yield f"denies {names[0].text!r} and says the contrary in one clause"
    if denials and not grammar.found.search(clause):
        yield f"denies something else of {names[0].text!r} than that it was found"
    if grammar.absence.search(clause):
        yield f"speaks of the absence of {names[0].text!r} alone"
    if len(names) > 1 and not (denials and re.search(rf"{NAME}(?: / {NAME}){{{len(names) - 1}}}", clause)):
        yield "joins concepts in one clause: how they meet is said in the words for it"
    for name in names:
        if name.hits and denials:
            yield f"denies {name.text!r}, which has hits"
        if not name.hits and not denials:
            yield f"says something else of {name.text!r} than that no mention was found"


def _quoted(quotes: list[Mark], name: Mark | None) -> Iterator[str]:
    """Words that are quoted of a concept stand around a hit of it."""
    for quote in quotes:
        if name is None or name.text not in quote.concepts:
            yield f"quotes {quote.text!r} of {name.text if name else 'nothing'!r}, which is not there"


def _meeting(
    clause: str, denies: bool, marks: list[Mark], summary: Summary, grammar: Grammar
) -> Iterator[str]:
    """That all required concepts meet, or never do, in the scope of the audit, and nothing else."""
    met = summary.finding is Finding.MENTIONED and len(summary.required) > 1
    if denies == met or len(grammar.negation.findall(clause)) > 1:
        yield f"says that they {'never meet' if denies else 'meet'}"
    if any(not summary.counts[name] for name in summary.required):
        yield "speaks of a meeting of concepts of which one has no hit"
    named = [mark.text for mark in marks if mark.kind != "within"]
    if sorted(named) != sorted(summary.required) and (
        named or (len(summary.required) > 2 and not grammar.each.search(clause))
    ):
        yield "speaks of a meeting of other concepts than all that are required"
    scopes = {found[1].lower() for found in grammar.same.finditer(clause)}
    beside = grammar.same.sub(" ", clause)
    if scopes != {grammar.scopes[summary.scope]} or grammar.scope.search(beside):
        yield f"does not say that they are looked for in the same {grammar.scopes[summary.scope]}"
    if re.search(r"\d", clause):
        yield "counts a meeting, which nothing counted"


def _clauses(text: str, grammar: Grammar) -> list[str]:
    """The clauses without the fixed words of finding and coverage; a list of names is none."""
    fixed = (grammar.bracket, grammar.read, grammar.must_be_read, grammar.not_established)
    for pattern in fixed:
        text = pattern.sub(" ", text)
    joined = grammar.joint.sub(" / ", grammar.bound.sub(" ", text))
    return [clause for clause in grammar.clause.split(joined) if clause.strip()]


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MAX_PAGE = 10_000_000


def number_problems(marked: Marked, summary: Summary, grammar: Grammar) -> list[str]:
    """What is wrong with the numbers of a marked sentence; and which counts it leaves out."""
    problems: list[str] = []
    counted: set[str] = set()
    text = marked.text

    def take(pattern: re.Pattern[str], judge: Callable[[re.Match[str]], str]) -> None:
        nonlocal text
        for found in pattern.finditer(text):
            problem = judge(found)
            problems.extend([problem] if problem else [])
        text = pattern.sub(lambda found: re.sub(r"\d", " ", found.group()), text)

    def count(found: re.Match[str]) -> str:
        of = _nearest(marked, found.start(), grammar)
        if of is None or of.kind != "name" or of.hits != _int(found[1]):
            return f"'{found.group()}' is not the number of hits of {_said(of)}"
        counted.add(of.text)
        return ""

    def spread(found: re.Match[str]) -> str:
        of = _nearest(marked, found.start(), grammar)
        right = of is not None and _int(found[1]) == len(of.pages - {0})
        return "" if right else f"'{found.group()}' is not the number of pages of {_said(of)}"

    def listed(found: re.Match[str]) -> str:
        of = _before(marked, found.start(), grammar)
        pages = _pages(found[1])
        right = of is not None and pages and pages <= of.pages
        return "" if right else f"'{found.group()}' are not pages of {_said(of)}"

    coverage = summary.coverage

    def read_of(found: re.Match[str]) -> str:
        read, total = _int(found["read"]), _int(found["all"])
        right = total == coverage.pages_total and read in {coverage.pages_read, coverage.pages_by_ocr_alone}
        return "" if right else f"'{found.group()}' is not what was read"

    def equals(expected: int | None) -> Callable[[re.Match[str]], str]:
        return lambda found: "" if _int(found[1]) == expected else f"'{found.group()}' stands in no evidence"

    take(grammar.count, count)
    take(grammar.read_of, read_of)
    take(grammar.by_ocr, equals(coverage.pages_by_ocr_alone))
    take(grammar.total, equals(coverage.pages_total))
    take(grammar.spread, spread)
    take(grammar.listed, listed)
    problems += [
        f"the number {number} is said of nothing that was counted" for number in _NUMBER.findall(text)
    ]
    left_out = [name for name in summary.required if summary.counts[name] and name not in counted]
    return problems + [f"the number of hits of {name!r} is left out" for name in left_out]


def _int(number: str) -> int:
    # Python refuses to read numbers of thousands of digits.
    digits = number.replace(",", "")
    return int(digits) if len(digits) < 19 else -1


def _pages(listed: str) -> frozenset[int]:
    """Every page of a list such as 3, 58–60; empty for a range of another order or of impossible length."""
    pages: set[int] = set()
    for part in re.findall(r"(\d+)(?: ?[–~〜-] ?(\d+))?", listed):
        first, last = _int(part[0]), _int(part[1] or part[0])
        if not 0 <= first <= last <= _MAX_PAGE:
            return frozenset()
        pages.update(range(first, last + 1))
    return frozenset(pages)


def _before(marked: Marked, at: int, grammar: Grammar) -> Mark | None:
    """The last name, phrase or quotation before this place; none behind a meeting, of which nothing was counted."""
    places = [
        place
        for place, sign in enumerate(marked.text[:at])
        if sign in marked.marks and marked.marks[sign].kind != "within"
    ]
    if not places or grammar.meeting.search(marked.text[places[-1] : at]):
        return None
    return marked.marks[marked.text[places[-1]]]


def _nearest(marked: Marked, at: int, grammar: Grammar) -> Mark | None:
    """The nearest name or quotation in the same clause; if there is none, the last one before."""
    breaks = [found.span() for found in grammar.clause.finditer(marked.text)]
    start = max((end for _, end in breaks if end <= at), default=0)
    stop = min((begin for begin, _ in breaks if begin >= at), default=len(marked.text))
    places = [
        place
        for place in range(start, stop)
        if (sign := marked.text[place]) in marked.marks and marked.marks[sign].kind in ("name", "quote")
    ]
    if not places:
        return _before(marked, at, grammar)
    return marked.marks[marked.text[min(places, key=lambda place: abs(place - at))]]


def _said(of: Mark | None) -> str:
    return "anything named before it" if of is None else repr(of.text)


_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)


class Answer(BaseModel):
    """An answer of the right form; whether it may be taken is judged by docaudit.wording.checks.

    Attributes:
        considerations: What in the evidence led there; for the model to think, never kept.
        mention_ids: Closest mentions worth showing, best first, by their id.
        reason: Why there is no answer; null if the finding is mentioned.
        sentence: The explanation.
        suggested_requery: A clearer question, or null.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    considerations: tuple[str, ...] = Field(max_length=20)
    mention_ids: tuple[int, ...] = Field(max_length=1000)
    reason: AbsenceReason | None
    sentence: str = Field(min_length=1, max_length=20_000)
    suggested_requery: str | None = Field(max_length=2000)


def parse_answer(text: str) -> Answer | str:
    """The answer, or what is wrong with its form, without any of its words."""
    body = unfenced(text)
    try:
        json.loads(body)
        return Answer.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        known = [str(part) for part in first["loc"] if part in Answer.model_fields or isinstance(part, int)]
        return f"the answer does not fit the schema: {'.'.join(known) or 'its fields'} ({first['type']})"
    except (ValueError, RecursionError):
        return "the answer is not JSON"


def unfenced(text: str) -> str:
    """The text without the fence (```json) that some models put around JSON."""
    fenced = _FENCED.match(text)
    return fenced[1] if fenced else text


def answer_schema(reasons: Sequence[AbsenceReason | None], mentions: int) -> dict[str, Any]:
    """The JSON schema that the endpoint is asked to keep; in the part that all servers know."""
    ids = {"type": "integer", "enum": list(range(1, mentions + 1))} if mentions else {"type": "integer"}
    fields: dict[str, Any] = {
        "considerations": {"type": "array", "items": {"type": "string"}},
        "mention_ids": {"type": "array", "items": ids},
        "reason": {
            "type": ["string", "null"] if None in reasons else "string",
            "enum": [None if reason is None else reason.value for reason in reasons],
        },
        "sentence": {"type": "string"},
        "suggested_requery": {"type": ["string", "null"]},
    }
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


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
