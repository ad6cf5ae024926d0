"""Whether letters stand for words: the long form of an acronym at the end of a text.

The letters are looked up from right to left: Schwartz and Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text", Pacific Symposium on Biocomputing 8 (2003), 451-462. Other than theirs, each word that
is not small must give its first letter: words passed over, or letters from the middle of a word alone, are chance
("perfluorinated compounds (PFOS)"). Word initials go before mere letters, and a name turned round is found as well
("accounting principles generally accepted", GAAP).

>>> words_for("DFSG", "the Debian Free Software Guidelines")
'Debian Free Software Guidelines'
>>> words_for("C2M", "a Command, Control and Management"), words_for("COVID-19", "coronavirus disease")
('Command, Control and Management', 'coronavirus disease')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from docaudit.question_words import STOP_WORDS
from docaudit.wordforms import HAN, HIRAGANA, KATAKANA

_WORDS = re.compile(rf"[^\W_{HAN}{KATAKANA}{HIRAGANA}]+(?:['’][^\W_{HAN}{KATAKANA}{HIRAGANA}]+)*")
# A point ends a clause, but not the one of an initial: "U.S. Consumer Services".
_STOPS_BUT_DASHES = re.compile(r"(?:(?<![\s.(][A-Z])\.|[;:!?。；：！？、|•])\s|[。；！？、]|[()（）\[\]]")
_STOPS = re.compile(_STOPS_BUT_DASHES.pattern + r"|\s[-–—]\s")
_LETTERS = re.compile(r"\d+|[^\W\d_]")
_COUNTED = re.compile(r"([a-z])([2-9])(?=[a-z])")
_SMALL = frozenset(
    """and of the for in on to by with a an at or de la et und der des""".split()  # noqa: SIM905
)


class _Word(NamedTuple):
    """A word with the first character and the one after the last in its clause."""

    text: str
    start: int
    end: int
    small: bool
    """Whether it is a word of grammar that a short form may leave out; not so in "in-context" or "first-out"."""
    joined: bool
    """Whether a hyphen joins it to the word before: "time" in "full-time"."""

    @classmethod
    def of(cls, clause: str, match: re.Match[str]) -> _Word:
        joined = clause[max(match.start() - 1, 0) : match.start()] == "-"
        small = match[0].lower() in _SMALL and not joined and clause[match.end() : match.end() + 1] != "-"
        return cls(match[0], *match.span(), small, joined)

    def begins_with(self, letter: str) -> bool:
        """X stands for "ex" too (extensible, execution), the last digits of a year for the year (COVID-19)."""
        low = self.text.lower()
        year = (
            letter.isdigit() and len(letter) == 2 and len(low) == 4 and low.isdigit() and low.endswith(letter)
        )
        return low.startswith(letter) or (letter == "x" and low.startswith("ex")) or year


_Letters = tuple[str, ...]
"""Letters of a short form in lower case; a number is one of them."""


def words_for(short: str, before: str) -> str:
    """The words at the end of a text that the short form stands for; empty if there are none."""
    for stops in (_STOPS, _STOPS_BUT_DASHES) if re.search(r"[-\d]", short) else (_STOPS,):
        clause = before[max((match.end() for match in stops.finditer(before)), default=0) :]
        words = [_Word.of(clause, match) for match in _WORDS.finditer(clause)]
        for letters in _keys(short):
            for match in (_by_initials, _turned_round, _by_letters):
                for end in _ends(clause, words, len(letters), match is not _by_letters):
                    first = match(end, letters)
                    long = clause[end[first].start : end[-1].end] if first >= 0 else ""
                    if long and _is_name(short, letters, long):
                        return " ".join(long.split())
    return ""


def _keys(short: str) -> Iterator[_Letters]:
    """The letters of a short form that words must give, likely ones first."""
    low = short.lower()
    key = tuple(_LETTERS.findall(low))
    if len(key) > 2 and short[-1] == "s" and short[:-1].isupper():
        yield key[:-1]
    yield key
    # C2BMC: command, control, ...; COVID-19: the number need not be spelt out.
    counted = _COUNTED.sub(lambda match: match[1] * int(match[2]), low)
    if counted != low:
        yield tuple(_LETTERS.findall(counted))
    if len(key) > 3 and key[-1].isdigit() and len(key[-1]) > 1:
        yield key[:-1]


def _ends(clause: str, words: list[_Word], letters: int, drop_one: bool) -> Iterator[list[_Word]]:
    """The last words of a clause, and the same without what belongs to no letter: one word ("share repurchase
    agreement (ASR)"), words from a small one on ("of Monterey County"), an apposition after a comma.
    """
    most = min(letters + 5, letters * 2)
    yield _last(words, most)
    if letters < 3:
        return
    if drop_one:
        yield _last(words[:-1], most)
    for n in range(len(words) - 1, max(len(words) - 8, 0), -1):
        comma = "," in clause[words[n - 1].end : words[n].start]
        if words[n].small or comma:
            yield _last(words[:n], most)
        if comma:  # "American Industrial Water LLC, a wholly owned subsidiary"
            yield _last(words[: n - 1], most)


def _last(words: list[_Word], most: int) -> list[_Word]:
    """The last words, small ones not counted."""
    count = 0
    for number in range(len(words) - 1, -1, -1):
        count += not words[number].small
        if count == most:
            return words[number:]
    return words


def _by_initials(words: list[_Word], letters: _Letters) -> int:
    """Small words may be passed over, and other ones: one for three letters or more, two for six or more."""
    return _initials_but(words, letters, min(len(letters) // 3, 2))


def _initials_but(words: list[_Word], letters: _Letters, spare: int) -> int:
    at = len(letters) - 1
    if at < 1:
        return -1
    for number in range(len(words) - 1, -1, -1):
        word = words[number]
        if word.begins_with(letters[at]) and not (at == 0 and word.small and word.text.islower()):
            at -= 1
            if at < 0:
                return number
        elif not word.small:
            spare -= not word.joined
            if spare < 0 or number == len(words) - 1:
                return -1
    return -1


def _turned_round(words: list[_Word], letters: _Letters) -> int:
    """Initials in the order of "principles generally accepted", where the short form begins with the last of them."""
    if len(letters) < 3:
        return -1
    places = [number for number, word in enumerate(words) if not word.small]
    named = [words[number] for number in places]
    turned = (letters[cut:] + letters[:cut] for cut in range(1, len(letters)))
    first = max((_initials_but(named, other, int(len(letters) > 3)) for other in turned), default=-1)
    # Three letters are chance ("approach the Office of Students", OSA) unless the words are a name.
    if first < 0 or (
        len(letters) == 3 and any(word.text.islower() and not word.joined for word in named[first:])
    ):
        return -1
    return places[first]


def _by_letters(words: list[_Word], letters: _Letters) -> int:
    """Initials and letters after them, of which no more than half may be without an initial or the letter before."""

    @cache
    def first(last: int, left: int, balance: int) -> int:
        """Number of the first word if words up to a last one give the letters that are left."""
        if not left:
            return last + 1 if balance >= 0 and not _lower_small(words[last + 1]) else -1
        if last < 0:
            return -1
        for count in range(1, left + 1):
            gain = _taken(words[last], letters[left - count : left])
            if gain is not None and (found := first(last - 1, left - count, balance + gain)) >= 0:
                return found
        return first(last - 1, left, balance) if words[last].small else -1

    return first(len(words) - 1, len(letters), 0)


def _lower_small(word: _Word) -> bool:
    return word.small and word.text.islower()


def _taken(word: _Word, letters: _Letters) -> int | None:
    """Letters that a word gives surely (its beginning, capitals) less the others; None if it gives not all of them."""
    if not word.begins_with(letters[0]):
        return None
    low, at, sure, beginning = word.text.lower(), 1, 1, True
    for letter in letters[1:]:
        place = low.find(letter, at)
        if place < 0:
            return None
        beginning = beginning and place == at
        sure += 1 if beginning or word.text[place].isupper() else -1
        at = place + 1
    return sure


def _is_name(short: str, letters: _Letters, long: str) -> bool:
    """Whether matched letters are a name: longer than the short form, not it again, no words of grammar at its ends."""
    cut = _WORDS.findall(long)
    if not cut or len(long) <= len(short) or short in cut or "".join(cut).lower() == "".join(letters):
        return False
    exact = len(letters) > 2 and tuple(word[0].lower() for word in cut) == letters
    # "in-context learning", "In Progress" and "other comprehensive income" (OCI) are names all the same.
    named = long[0].isupper() or "-" in long.split()[0] or exact
    # So is a last word that begins with a capital ("Inside Out", "coenzyme A"), or whose initial counts ("first-out").
    if (cut[0].lower() in STOP_WORDS and not named) or (cut[-1] in STOP_WORDS and not exact):
        return False
    # One word for many letters is a chance match ("internationally (ITNL)").
    return len(cut) > 1 or len(short) <= 3
