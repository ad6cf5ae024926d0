"""A variant of the concept table in, its `Pattern` out (`compile_variant`): forms, boundaries, case and gaps.

A variant is searched in two ways that give the same hits: fast, by the letters of its forms without separators and a
check of boundaries and gaps; or slowly, by the one regular expression that the forms make (`Pattern.text`). Two rules
go beyond a regular expression and apply to both: capitals of case-sensitive variants are compared on the page's own
characters, and a stray blank inside a word must not part two words that the document knows (docaudit.search.matching).

Search text is normalised, so that a gap between two characters is a short run of separators. The same strings make up
the whole pattern and check the gaps of a candidate one by one: both ways agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
import regex

from docaudit.concepts.variant import Variant
from docaudit.search.lines import (
    CLOSING,
    DASH,
    HYPHEN,
    MAYBE,
    MIDDLE_DOT,
    OPENING,
    PASSED_OVER,
    SIGNS,
    TAIL,
    TRADEMARKS,
    WORD,
    CharClass,
    char_class,
    searchable,
)
from docaudit.text.english import forms

_BREAK = r"[\n\f]"
_BLANK = r"[ \n\f\x1c]"
_DASH = rf"[{HYPHEN}{DASH}]"
_MARK = f"[{TRADEMARKS}]"
_OPEN, _CLOSE = f"[{regex.escape(OPENING)}]", f"[{regex.escape(CLOSING)}{TRADEMARKS}]"
_OPTIONAL = TRADEMARKS + MIDDLE_DOT
"""Signs of a variant that the page may lack."""


class Gap(StrEnum):
    """Kinds of gap between consecutive characters; the value is what may stand there, as a regular expression.

    Quotes and brackets around a word of a phrase, and trade mark signs, part no phrase: a closing sign may stand
    before the blank or an opening one after it, not both (they enclose two things then).
    """

    NONE = ""
    """Nothing: before a combining mark."""
    CHAR = r"\x1c?"
    """Nothing, or the invisible seam between two pieces of a line."""
    WORD = rf"(?:-{_BREAK}?|{_BLANK})?"
    """Inside a word: a hyphen, at a line end or not (e-mail, a soft hyphen that is drawn); a stray blank or break,
    which must not part two words (docaudit.search.matching)."""
    WORD_STRICT = rf"(?:-{_BREAK}|{_BLANK})?"
    """The same where compounds are off: a hyphen only at a line end."""
    MIXED = rf"{_BLANK}?"
    """Between a letter and a digit of one word: H2O drawn with a lowered 2 of its own."""
    PUNCTUATION = rf"{_BLANK}{{0,2}}"
    """Beside a punctuation mark: blanks and breaks mean nothing."""
    FREE = rf"(?:{_CLOSE}{{1,2}}{_BLANK}{{0,2}}|{MIDDLE_DOT}|{_BLANK}{{0,2}}{_OPEN}{{0,2}})"
    """Beside an ideograph, kana or Thai letter: the same, and signs; a middle dot joins the parts of a word."""
    NUMBERS = rf"{_BLANK}{{1,2}}"
    """A blank of the variant between two digits."""
    BLANK = rf"(?:{_CLOSE}{{1,3}}{_BLANK}{{1,2}}|{_MARK}?{_BLANK}{{1,2}}{_OPEN}{{0,2}})"
    """A blank of the variant, strictly."""
    COMPOUND = (
        rf"(?:{_CLOSE}{{1,3}}{_BLANK}{{0,2}}|{_MARK}?{_BLANK}{{0,2}}{_OPEN}{{0,2}}"
        rf"|{_CLOSE}{{0,2}}-{_BREAK}?{_OPEN}{{0,2}})"
    )
    """A blank of the variant, as compounds vary: blank, hyphen or joined."""
    HYPHEN = rf"(?:{_CLOSE}{{0,2}}{_BLANK}?{_DASH}{{1,2}}{_BLANK}?{_OPEN}{{0,2}})"
    """A hyphen of the variant, strictly; a line may end after it."""
    HYPHEN_COMPOUND = rf"(?:{_CLOSE}{{0,2}}{_BLANK}?{_DASH}{{1,2}}{_BLANK}?{_OPEN}{{0,2}}|{_BLANK}{{1,2}})?"
    """A hyphen of the variant, as compounds vary."""
    DASH = rf"{_BLANK}{{0,2}}{_DASH}{{1,3}}{_BLANK}{{0,2}}"
    """A dash between blanks, or a long dash."""


_PASSED = re.compile(f"([{re.escape(PASSED_OVER)}]+)")


@lru_cache(maxsize=100_000)
def fits(gap: str, between: str) -> bool:
    """Whether the separators that stand on the page fit this kind of gap."""
    return regex.fullmatch(gap, between) is not None


_WITHOUT_OPTIONAL = {ord(sign): "" for sign in _OPTIONAL}


def needed(between: str) -> str:
    """What of a variant's separators and signs must stand on the page as well: all but trade marks and middle dots."""
    return between.translate(_WITHOUT_OPTIONAL)


@lru_cache(maxsize=100_000)
def gap_between(left: str, between: str, right: str, inflect: bool) -> str:
    """The kind of gap of a variant between two of its characters that are not separators.

    Args:
        left: Character before.
        between: Separators and signs that the variant has there; mostly none.
        right: Character after.
        inflect: Whether compounds may be written apart, hyphenated or joined.
    """
    must = needed(between)
    if must == between:
        return _gap(left, must, right, inflect)
    gap = _gap(left, must, right, inflect) if must or _is_free(left, right) else Gap.COMPOUND
    return rf"(?:{regex.escape(between)}|{gap})"


def _is_free(left: str, right: str) -> bool:
    """Beside a character of a script without spaces; marks stay with theirs."""
    free = (CharClass.FREE_LETTER, CharClass.FREE_MARK)
    return char_class(right) == CharClass.FREE_LETTER or (
        char_class(left) in free and char_class(right) != CharClass.FREE_MARK
    )


def _gap(left: str, must: str, right: str, inflect: bool) -> str:
    kinds = {char_class(left), char_class(right)}
    digits = kinds == {CharClass.DIGIT}
    if any(
        char in SIGNS for char in must
    ):  # each sign and hyphen must stand there; blanks around them mean nothing
        signs = [_DASH if char in (HYPHEN, DASH) else regex.escape(char) for char in must if char != " "]
        return Gap.PUNCTUATION + "".join(sign + Gap.PUNCTUATION for sign in signs)
    if DASH in must or (HYPHEN in must and " " in must):
        return Gap.DASH
    if HYPHEN in must:
        return Gap.HYPHEN if digits or not inflect else Gap.HYPHEN_COMPOUND
    if _is_free(left, right):
        return Gap.FREE
    if must:
        return Gap.NUMBERS if digits else Gap.COMPOUND if inflect else Gap.BLANK
    if char_class(right) in (CharClass.MARK, CharClass.FREE_MARK):
        return Gap.NONE
    if CharClass.OTHER in kinds:
        near_number = CharClass.DIGIT in kinds and (left in ".,:" or right in ".,:")
        return Gap.CHAR if near_number else Gap.PUNCTUATION
    if digits:
        return Gap.CHAR
    if CharClass.DIGIT in kinds:
        return Gap.MIXED if inflect else Gap.CHAR
    return Gap.WORD if inflect else Gap.WORD_STRICT


def without_separators(text: str) -> tuple[str, list[str]]:
    """Searchable text without separators and signs, and what stood before each of its characters and at the end."""
    pieces = _PASSED.split(text)  # letters, separators, letters, ...
    between = [""]
    for place, piece in enumerate(pieces):
        if place % 2:
            between[-1] = piece
        else:
            between += [""] * len(piece)
    return "".join(pieces[::2]), between


GLUED_LETTERS = 4
"""A number may be glued before a variant of at least so many characters (1Introduction)."""
SEAM_LETTERS = 5
"""A boundary that is only a seam (text without visible blanks) counts for variants of at least so many characters."""
LONG_LETTERS = 15
"""Phrases of three words and so many characters may be glued to a word of the document: "denuded offbut"."""
RUN_ON = "+#*&=@"
"""Signs that must not run on: C++ does not stand in C+++."""
MAX_PATTERN = 2000
"""Variants longer than this are searched by their key; their pattern is written without gap rules."""
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


@dataclass(frozen=True)
class VariantForm:
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
        kept = without_separators(self.cased)[
            0
        ]  # the variant's own capitals, where folding keeps the characters
        key = kept if len(kept) == len(self.key) and kept.isascii() else self.key
        parts = [regex.escape(self.lead + key[0])]
        parts += [_shown_step(gap, char) for gap, char in zip(self.gaps, key[1:], strict=False)]
        return "".join([*parts, regex.escape(self.trail)])

    @property
    def pattern(self) -> str:
        """Regular expression of the form without boundaries."""
        steps = zip(self.gaps, self.key[1:], strict=False)
        body = "".join(gap + regex.escape(char) for gap, char in steps)
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
    forms: tuple[VariantForm, ...]
    sensitive: bool

    @cached_property
    def first(self) -> CharClass:
        """Class of the first character."""
        return char_class(self.forms[0].key[0])

    @property
    def bounded_left(self) -> bool:
        """Whether a word must begin here: the variant starts with a letter or digit of a spacing script."""
        return self.variant.match != "substring" and self.first in (CharClass.LETTER, CharClass.DIGIT)

    def bounded_right(self, form: VariantForm) -> bool:
        """Whether a word must end where this form ends."""
        if self.variant.match != "word":
            return False
        last = next((char for char in reversed(form.key) if char_class(char) != CharClass.MARK), form.key[-1])
        return char_class(last) in (CharClass.LETTER, CharClass.DIGIT)

    def left(self, form: VariantForm) -> str:
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

    def right(self, form: VariantForm) -> str:
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
        quotes, brackets and marks, and a word may be cut by a hyphen at a line end (docaudit.search.patterns).
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
        """The whole pattern: a regular expression of the module regex, version 1, over search text."""
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
    by_literal: dict[str, VariantForm] = {}
    for cased in written:
        form = _form(cased, inflect)
        if form is not None:
            by_literal.setdefault(form.literal, form)
    return Pattern(variant, tuple(by_literal.values()), variant.case_sensitive)


def _form(cased: str, inflect: bool) -> VariantForm | None:
    """One form; None if it has no letter, digit or sign to search for."""
    literal = searchable(cased)
    key, between = without_separators(literal)
    if not key:
        return None
    gaps = [
        gap_between(left, middle, right, inflect)
        for left, middle, right in zip(key, between[1:-1], key[1:], strict=False)
    ]
    for match in _DOTTED.finditer(literal):
        # An abbreviation without its last dot: "U.S" allows no blank, or "plan A. I think" held A.I.
        first = len(without_separators(literal[: match.start()])[0])
        last = min(first + len(match[0]) - 1, len(gaps))
        gaps[first:last] = [Gap.CHAR] * (last - first)
    if "," in key or ":" in key:
        # One after a number that no digit follows belongs to no number: "1874 , from" may have a blank before it.
        for place, gap in enumerate(gaps, 1):
            loose = " " in between[place + 1] or not key[place + 1 : place + 2].isdigit()
            if gap == Gap.CHAR and key[place] in ",:" and loose:
                gaps[place - 1] = Gap.PUNCTUATION
    return VariantForm(
        literal, cased, key, tuple(gaps), needed(between[0]).strip(), needed(between[-1]).strip()
    )
