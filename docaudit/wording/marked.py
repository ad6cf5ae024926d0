"""A sentence in which one mark stands for each name, fixed phrase and quotation: what is left are the model's words."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from docaudit.evidence import Hit, Mention
from docaudit.explain import reason_clause
from docaudit.justification import AbsenceJustification, ObligationState
from docaudit.wording.grammar import Grammar

_FIRST = {"name": 0xF0000, "phrase": 0x100000, "quote": 0x108000, "within": 0x10F000}
_PAIRS = (
    "“”",
    '""',
    "„“",
    "„”",
    "«»",
    "»«",
    "‹›",
    "‘’",
    "‚‘",
    "''",
    "``",
    "「」",
    "『』",
    "〝〟",
    "《》",
    "〈〉",
    "【】",
)
_QUOTED = re.compile(
    "|".join(f"{re.escape(pair[0])}([^{re.escape(pair)}]*){re.escape(pair[1])}" for pair in _PAIRS)
)


class Mark(NamedTuple):
    """What a mark stands for.

    Attributes:
        kind: The name of a concept, the fixed phrase (or code) of an obligation, a quotation, or the words of coverage.
        text: The words themselves; of a phrase, the code of the obligation.
        pages: Pages that may be named with it.
        hits: Hits of the concept; None for all others.
        concepts: Concepts of which a quotation shows a hit.
        spelt: A name or phrase as it stands in the sentence; a quotation that it is part of is verbatim.
    """

    kind: Literal["name", "phrase", "quote", "within"]
    text: str
    pages: frozenset[int] = frozenset()
    hits: int | None = None
    concepts: frozenset[str] = frozenset()
    spelt: str = ""


class Marked(NamedTuple):
    """A marked sentence: its text, what each mark stands for, and what is wrong with its quotations."""

    text: str
    marks: dict[str, Mark]
    problems: tuple[str, ...]

    def of_kind(self, kind: str) -> list[Mark]:
        """The marks of a kind that stand in the sentence, in order."""
        return [
            self.marks[sign] for sign in self.text if sign in self.marks and self.marks[sign].kind == kind
        ]


def plain(text: str) -> str:
    r"""Text as it is compared: one form of each character, one blank for each gap.

    >>> plain("６４  pages\nread")
    '64 pages read'
    """
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text))


def mark(sentence: str, justification: AbsenceJustification, grammar: Grammar) -> Marked:
    """Put the marks in: fixed words first, then names, then what stands in quotation marks."""
    # Not plain(): a line end must stay, to be refused.
    text = unicodedata.normalize("NFKC", sentence)
    marks: dict[str, Mark] = {}

    def put(found: str, mark: Mark, pattern: str) -> str:
        def sign_of(words: re.Match[str]) -> str:
            sign = chr(_FIRST[mark.kind] + len(marks))
            marks[sign] = mark._replace(spelt=words.group())
            return sign

        return re.sub(pattern, sign_of, found)

    text = put(text, Mark("within", grammar.within), f"(?i:{re.escape(grammar.within)})")
    for check in justification.obligations:
        code = check.obligation.value
        if (
            check.state is ObligationState.WAIVED
        ):  # words of the person who waived it, verbatim: no claim of the sentence
            why = unicodedata.normalize("NFKC", reason_clause(check, justification.options.language))
            text = text.replace(f"{code}{why}", code)
        words = sorted((re.escape(grammar.unmet[code]), rf"\b{code}\b"), key=len, reverse=True)
        text = put(text, Mark("phrase", code, frozenset(check.pages)), f"(?i:{'|'.join(words)})")
    for name in sorted(justification.concept_hits, key=len, reverse=True):
        pages = frozenset(justification.concept_pages[name])
        text = put(text, Mark("name", name, pages, justification.concept_hits[name]), _name_pattern(name))
    return _mark_quotes(text, marks, justification)


def _name_pattern(name: str) -> str:
    """The name as a whole word; short acronyms in capitals only, so that IT is not the word it."""
    folded = plain(name)
    flags = "" if folded.isupper() and len(folded) < 5 else "(?i)"
    return f"{flags}{_whole(folded)}"


def _whole(words: str) -> str:
    """A pattern for words that begin and end where words do."""
    left = r"(?<![A-Za-z0-9])" if words[:1].isascii() and words[:1].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if words[-1:].isascii() and words[-1:].isalnum() else ""
    return f"{left}{re.escape(words)}{right}"


def _mark_quotes(text: str, marks: dict[str, Mark], justification: AbsenceJustification) -> Marked:
    problems: list[str] = []

    def quoted(found: re.Match[str]) -> str:
        inner = next(group for group in found.groups() if group is not None).strip(" ")
        if inner in marks and marks[inner].kind == "name":
            return inner
        words = plain("".join(marks[sign].spelt if sign in marks else sign for sign in inner))
        shown = [one for one in _snippets(justification) if re.search(_whole(words), plain(one.snippet))]
        if not words.strip() or not shown:
            problems.append(f"the quotation {words!r} stands in no evidence")
        if re.search(r"\d", words):
            problems.append(f"the quotation {words!r} has a number in it: quote words only")
        sign = chr(_FIRST["quote"] + len(marks))
        concepts = frozenset(one.concept for one in shown if isinstance(one, Hit) or one.kind == "mention")
        marks[sign] = Mark("quote", words, frozenset(one.page_num for one in shown), concepts=concepts)
        return sign

    return Marked(_QUOTED.sub(quoted, text), marks, tuple(problems))


def _snippets(justification: AbsenceJustification) -> tuple[Hit | Mention, ...]:
    """All that is shown of the document; words of question and table need not stand in it."""
    return (*justification.hits, *justification.closest_mentions, *justification.near_misses)
