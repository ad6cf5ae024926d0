"""One variant of the concept table -> its forms, its rules for boundaries, case and gaps, and its whole
pattern.

A variant is searched in two ways that give the same hits: fast, by its squeezed keys (letters without
separators) and a check of boundaries and gaps; or slowly, by the one regular expression that stands in the
ledger. Two rules go beyond a regular expression and apply to both: capitals of case-sensitive variants are
compared on the page's own characters, and a stray blank inside a word must not part two words that the
document knows (docaudit.search.matching).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
import regex

from docaudit.concepts import Variant
from docaudit.search.gaps import Gap, fits, gap_between, needed, squeezed
from docaudit.search.inflect import forms
from docaudit.search.normalize import searchable
from docaudit.search.scripts import MAYBE, TAIL, WORD, CharClass, char_class

GLUED_LETTERS = 4
"""A number may be glued before a variant of at least so many characters (1Introduction)."""
SEAM_LETTERS = 5
"""A boundary that is only a seam (text without visible blanks) counts for variants of at least so many
characters."""
LONG_LETTERS = 15
"""Phrases of three words and so many characters may be glued to a word of the document: "denuded offbut"."""
RUN_ON = "+#*&=@"
"""Signs that must not run on: C++ does not stand in C+++."""
MAX_PATTERN = 2000
"""Variants longer than this are searched by their squeezed key; their pattern is written without gap
rules."""

SHOWN_CHARS = 300
"""Longer patterns are cut in the ledger: they are for people."""
_SHOWN_GAPS: dict[str, str] = {
    Gap.COMPOUND: "[ -]?",
    Gap.BLANK: " ",
    Gap.NUMBERS: " ",
    Gap.HYPHEN: "-",
    Gap.HYPHEN_COMPOUND: "[- ]?",
    Gap.DASH: " ?[\u2013\u2014-] ?",
}
_DOTTED = regex.compile(r"(?<![\p{L}.])(?:\p{L}\.)+\p{L}(?![\p{L}\p{M}.])")
_SUPERSCRIPT = r"[0-9]{1,3}(?:,[0-9]{1,3})*"
NOTE_AFTER = rf"(?:{_SUPERSCRIPT}(?!{WORD}|[.,][0-9]))"
NOTE_BEFORE = rf"(?<=(?<!{WORD}|[0-9][.,])[0-9]{{1,3}})"


@lru_cache(maxsize=50_000)
def _step(gap: str, char: str) -> str:
    return gap + regex.escape(char)


@dataclass(frozen=True)
class Form:
    """One way of writing a variant.

    Attributes:
        literal: Searchable text.
        cased: The same with the variant's own capitals.
        key: literal without separators and signs.
        gaps: The kind of gap before each character of key but the first.
        lead, trail: Hyphens and signs at the ends of the variant that must stand on the page as well.
    """

    literal: str
    cased: str
    key: str
    gaps: tuple[str, ...]
    lead: str
    trail: str

    @cached_property
    def is_long(self) -> bool:
        """Three words or more: so much agrees that a blank that the page lost at one end cannot mislead."""
        return len(self.key) >= LONG_LETTERS and sum(gap == Gap.COMPOUND for gap in self.gaps) >= 2

    @cached_property
    def needs_something(self) -> npt.NDArray[np.bool_]:
        """For each gap whether the page must have something there, or its lack tells something."""
        varied = (Gap.COMPOUND, Gap.HYPHEN_COMPOUND)
        return np.fromiter((gap in varied or not fits(gap, "") for gap in self.gaps), dtype=bool)

    @cached_property
    def takes_seam(self) -> npt.NDArray[np.bool_]:
        """For each gap whether a seam alone may stand there."""
        return np.fromiter((fits(gap, MAYBE) for gap in self.gaps), dtype=bool)

    @property
    def shown(self) -> str:
        """The form as a person reads it, with the gaps between its words."""
        key = self.cased_key
        parts = [regex.escape(self.lead + key[0])]
        parts += [_shown_step(gap, char) for gap, char in zip(self.gaps, key[1:], strict=False)]
        return "".join([*parts, regex.escape(self.trail)])

    @property
    def cased_key(self) -> str:
        """Key with the variant's own capitals, where folding keeps the number of characters."""
        kept = squeezed(self.cased)[0]
        return kept if len(kept) == len(self.key) and kept.isascii() else self.key

    @property
    def pattern(self) -> str:
        """Regular expression of the form without boundaries."""
        body = "".join(map(_step, self.gaps, self.key[1:]))
        return regex.escape(self.lead + self.key[0]) + body + regex.escape(self.trail)


@dataclass(frozen=True)
class Pattern:
    """A compiled variant.

    Attributes:
        variant: The variant of the table.
        forms: Its forms, the written one first; empty if nothing of it can be searched.
        sensitive: Whether capitals must agree.
    """

    variant: Variant
    forms: tuple[Form, ...]
    sensitive: bool

    @cached_property
    def first(self) -> CharClass:
        """Class of the first character."""
        return char_class(self.forms[0].key[0])

    @property
    def bounded_left(self) -> bool:
        """Whether a word must begin here: the variant starts with a letter or digit of a spacing script."""
        return self.variant.match != "substring" and self.first in (CharClass.LETTER, CharClass.DIGIT)

    def bounded_right(self, form: Form) -> bool:
        """Whether a word must end where this form ends."""
        if self.variant.match != "word":
            return False
        last = next((char for char in reversed(form.key) if char_class(char) != CharClass.MARK), form.key[-1])
        return char_class(last) in (CharClass.LETTER, CharClass.DIGIT)

    def left(self, form: Form) -> str:
        """Look-behind for what may stand before this form."""
        if self.variant.match == "substring" or form.lead:
            return ""
        if not self.bounded_left:
            return rf"(?<!{regex.escape(form.key[0])})" if form.key[0] in RUN_ON else ""
        seam = "" if len(form.key) >= SEAM_LETTERS else r"|\x1c"
        if self.first == CharClass.DIGIT:
            return rf"(?<!{WORD}|[0-9][.,]{seam})"
        plain = rf"(?<!{WORD}{seam})"
        if form.is_long:
            return rf"(?:{plain}|(?<=\p{{L}})|{NOTE_BEFORE})"
        return rf"(?:{plain}|{NOTE_BEFORE})" if len(form.key) >= GLUED_LETTERS else plain

    def right(self, form: Form) -> str:
        """Look-ahead for what may stand after this form."""
        if form.trail:
            return ""
        last = form.key[-1]
        if self.variant.match == "word" and last in RUN_ON:
            return rf"(?!{regex.escape(last)})"
        if not self.bounded_right(form):
            return rf"(?!{TAIL})"
        seam = "" if len(form.key) >= SEAM_LETTERS else r"|\x1c"
        if char_class(last) == CharClass.DIGIT:
            return rf"(?!{WORD}|{TAIL}|[.,][0-9]{seam})"
        glued = r"|(?=\p{L})" if form.is_long else ""
        return rf"(?:(?!{WORD}|{TAIL}{seam})|(?={NOTE_AFTER}){glued})"

    @property
    def shown(self) -> str:
        """The pattern for the ledger, as short as a person reads it: forms, boundaries and case, a regular expression.

        What it leaves out holds for every variant alike: a blank or hyphen between words also stands for line ends,
        quotes, brackets and marks, and a word may be cut by a hyphen at a line end (docaudit.search.gaps).
        """
        if self.variant.match == "regex":
            return self.variant.text
        if not self.forms:
            return "(?!)"
        kept: list[str] = []
        left_out = 0
        for form in self.forms:
            body = "" if left_out else form.shown
            if left_out or (kept and sum(map(len, kept)) + len(body) > SHOWN_CHARS):
                left_out += 1
            elif body not in kept:
                kept.append(body)
        more = f"|\u2026 {left_out} more forms" if left_out else ""
        first = kept[0] if len(kept[0]) <= SHOWN_CHARS else kept[0][:SHOWN_CHARS] + "\u2026"
        left = r"(?<!\w)" if self.bounded_left and not self.forms[0].lead else ""
        right = r"(?!\w)" if self.bounded_right(self.forms[0]) and not self.forms[0].trail else ""
        case = "" if self.sensitive else "(?i)"
        return f"{case}{left}(?:{'|'.join([first, *kept[1:]])}{more}){right}"

    @cached_property
    def text(self) -> str:
        """The whole pattern: a regular expression of the module regex, version 1, over flow text."""
        if self.variant.match == "regex":
            return self.variant.text
        if len(self.variant.text) > MAX_PATTERN:
            return regex.escape(self.forms[0].literal) if self.forms else ""
        alternatives = [f"{self.left(form)}{form.pattern}{self.right(form)}" for form in self.forms]
        return "(?V1)(?:" + "|".join(alternatives) + ")" if alternatives else "(?!)"


@lru_cache(maxsize=50_000)
def _shown_step(gap: str, char: str) -> str:
    with_signs = gap != Gap.PUNCTUATION and gap.endswith(Gap.PUNCTUATION)
    shown = gap.replace(Gap.PUNCTUATION, " ?") if with_signs else _SHOWN_GAPS.get(gap, "")
    return shown + regex.escape(char)


def compile_variant(variant: Variant) -> Pattern:
    """Forms and rules of a variant; an expert's regular expression has no forms."""
    if variant.match == "regex":
        return Pattern(variant, (), variant.case_sensitive)
    inflect = variant.inflect == "auto"
    written = (
        forms(variant.text, number=variant.match == "word")
        if inflect and variant.match != "substring"
        else (variant.text,)
    )
    made: dict[str, Form] = {}
    for cased in written:
        form = _form(cased, inflect)
        if form is not None:
            made.setdefault(form.literal, form)
    return Pattern(variant, tuple(made.values()), variant.case_sensitive)


def _form(cased: str, inflect: bool) -> Form | None:
    literal = searchable(cased)
    key, between = squeezed(literal)
    if not key:
        return None
    gaps = tuple(
        gap_between(left, middle, right, inflect)
        for left, middle, right in zip(key, between[1:-1], key[1:], strict=False)
    )
    gaps = _loose_commas(key, between, _tight_dots(literal, gaps))
    return Form(literal, cased, key, gaps, needed(between[0]).strip(), needed(between[-1]).strip())


def _loose_commas(key: str, between: list[str], gaps: tuple[str, ...]) -> tuple[str, ...]:
    """A comma after a number that no digit follows belongs to no number: "1874 , from" may have a blank before it."""
    if "," not in key and ":" not in key:
        return gaps

    def is_loose(place: int) -> bool:
        return key[place] in ",:" and (" " in between[place + 1] or not key[place + 1 : place + 2].isdigit())

    return tuple(
        Gap.PUNCTUATION if gap == Gap.CHAR and is_loose(place) else gap for place, gap in enumerate(gaps, 1)
    )


def _tight_dots(literal: str, gaps: tuple[str, ...]) -> tuple[str, ...]:
    """Gaps of a dotted abbreviation without its last dot: "U.S" allows no blank, or "plan A. I think" held A.I."""
    tight: set[int] = set()
    for match in _DOTTED.finditer(literal):
        first = len(squeezed(literal[: match.start()])[0])
        tight.update(range(first, first + len(match[0]) - 1))
    return tuple(Gap.CHAR if place in tight else gap for place, gap in enumerate(gaps)) if tight else gaps
