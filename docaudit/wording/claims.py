"""What a sentence claims, clause by clause: of each concept whether it is found, of the finding what the rules gave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docaudit.explain import Summary, all_pages_read
from docaudit.justification import Finding, ObligationState
from docaudit.wording.grammar import NAME, Grammar
from docaudit.wording.marked import Mark, Marked


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
