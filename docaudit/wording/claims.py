"""What a sentence claims, clause by clause: of each concept whether it is found, of the finding what the rules gave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docaudit.explain import Summary, all_pages_read
from docaudit.justification import Finding, ObligationState
from docaudit.wording.grammar import Grammar
from docaudit.wording.marked import Mark, Marked


def claim_problems(marked: Marked, summary: Summary, grammar: Grammar) -> list[str]:
    """What a marked sentence claims beyond the evidence, or leaves out of it."""
    return [
        *_coverage(marked, summary, grammar),
        *_obligations(marked, summary, grammar),
        *_finding(marked, summary, grammar),
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
    waived = ObligationState.WAIVED in states.values()
    if bool(grammar.waived.search(marked.text)) > waived:
        yield "says that something was waived"
    if summary.finding is Finding.ABSENT and waived and not grammar.waived.search(marked.text):
        yield "does not say that obligations were waived"


def _finding(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    not_established = bool(grammar.not_established.search(marked.text))
    if not_established != (summary.finding is Finding.NOT_ESTABLISHED):
        yield "must say that absence is not established, if and only if the finding is not_established"
    if bool(grammar.must_be_read.search(marked.text)) != (summary.finding is Finding.MENTIONED):
        yield "must say that the passages must be read, if and only if the finding is mentioned"
    rest = grammar.not_established.sub(" ", marked.text)
    if grammar.absence.search(rest) and summary.finding is not Finding.ABSENT:
        yield "speaks of absence, which the finding is not"


def _concepts(marked: Marked, summary: Summary, grammar: Grammar) -> Iterator[str]:
    denied: set[str] = set()
    text = grammar.must_be_read.sub(" ", grammar.not_established.sub(" ", marked.text))
    for clause in _clauses(text, grammar):
        marks = [marked.marks[sign] for sign in clause if sign in marked.marks]
        names = [mark for mark in marks if mark.kind == "name"]
        denials = len(grammar.negation.findall(clause))
        if denials > 1:
            yield "denies twice in one clause"
        if grammar.meeting.search(clause):
            yield from _meeting(clause, bool(denials), names, summary, grammar)
            continue
        quotes = any(mark.kind == "quote" for mark in marks)
        found = bool(grammar.found.search(clause))
        if denials and quotes:
            yield "denies a quotation"
        if (found or denials) and not names and not quotes:
            yield "says of nothing by its name that it was found or not"
        if names and denials and not found:
            yield f"denies something else of {names[0].text!r} than that it was found"
        if grammar.absence.search(clause) and any(name.hits for name in names):
            yield "speaks of the absence of a concept that has hits"
        if denials:
            denied |= {name.text for name in names}
        for name in names:
            yield from _found(name, bool(denials), found)
    for required in summary.required:
        if not summary.counts[required] and required not in denied:
            yield f"does not say that no mention of {required!r} was found"


def _found(name: Mark, denied: bool, found: bool) -> Iterator[str]:
    if name.hits and denied:
        yield f"denies {name.text!r}, which has hits"
    if not name.hits and found and not denied:
        yield f"says that {name.text!r} was found, which has no hit"


def _meeting(
    clause: str, denied: bool, names: list[Mark], summary: Summary, grammar: Grammar
) -> Iterator[str]:
    met = summary.finding is Finding.MENTIONED and len(summary.required) > 1
    if denied == met:
        yield f"says that they {'never meet' if denied else 'meet'}"
    if any(not name.hits for name in names) or any(not summary.counts[name] for name in summary.required):
        yield "speaks of a meeting of concepts of which one has no hit"
    scopes = {found[1].lower() for found in grammar.same.finditer(clause)}
    if scopes != {grammar.scopes[summary.scope]}:
        yield f"does not say that they are looked for in the same {grammar.scopes[summary.scope]}"


def _clauses(text: str, grammar: Grammar) -> list[str]:
    """The clauses; a list of names is none, and page lists in brackets are none."""
    joined = grammar.joint.sub(" / ", re.sub(r"\([^()]*\)", " ", text))
    return [clause for clause in grammar.clause.split(joined) if clause.strip()]
