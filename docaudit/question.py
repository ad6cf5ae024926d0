"""The words of a question that carry content, and which of them no concept of the table covers.

"Absent" answers the question only if the table speaks of everything that the question is about. Words that only ask
(how much, consume, mention; 何, 記載) carry no topic of their own. Whatever is not known to be such a word is content:
a word too many asks the expert once more, a word too few would let a question pass that nobody searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import regex

from docaudit.concepts.check import compile_expression, is_acronym
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import QuestionError
from docaudit.text.english import share_stem
from docaudit.text.words import (
    CJK,
    FRAME_CJK,
    FRAME_WORDS,
    GERMAN_MARKS,
    GERMAN_WORDS,
    HAN,
    HANGUL,
    HIRAGANA,
    KATAKANA,
    STEMS_CJK,
    STOP_WORDS,
    SUFFIXES_CJK,
    TOPICS,
    Span,
    fold,
    words,
)

_NO_LETTER = re.compile(r"[\W_]*")
_RUN = re.compile(f"[{HAN}]+|[{KATAKANA}]+|[{HANGUL}]+")
_KANA = re.compile(f"[{HIRAGANA}]+")
_ONE_HAN = re.compile(f"[{HAN}]")
_OKURIGANA = re.compile(
    f"[{HIRAGANA}]+?(?=について|として|による|によ|ます|まし|ませ|です|[のをがはにとでもへやかし]|[^{HIRAGANA}]|$)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def content_words(question: str) -> tuple[str, ...]:
    """The words of a question that carry content, as written, each once.

    Raises QuestionError if the question is empty or has no word in it.

    >>> content_words("How much electricity does AI consume?")
    ('electricity', 'AI')
    >>> content_words("Wie viel Strom verbrauchen die Rechenzentren der KI?")
    ('Strom', 'Rechenzentren', 'KI')
    >>> content_words("データセンターの消費電力はどれくらいですか")
    ('データセンター', '電力')
    """
    _need_word(question)
    once: dict[str, str] = {}
    for span in _content_spans(question):
        once.setdefault(fold(span.text), span.text)
    return tuple(once.values())


def content_phrases(question: str) -> tuple[str, ...]:
    """The content words of a question, those that stand side by side as one phrase, each once, as written.

    Short acronyms stand alone: "AI data centres" is about two things. Raises QuestionError as `content_words`.

    >>> content_phrases("How much water cooling do AI data centres need for anti-corruption?")
    ('water cooling', 'AI', 'data centres', 'anti-corruption')
    >>> content_phrases("生成AIの利用に伴う電力消費量はどのように管理されるか")
    ('生成AI', '電力', '管理')
    >>> content_phrases("個人情報の漏えいについて")
    ('個人情報', '漏えい')
    """
    _need_word(question)
    phrases: list[Span] = []
    for span in _content_spans(question):
        if _ONE_HAN.fullmatch(
            span.text
        ):  # with the kana that belong to its word: 漏 alone says little of 漏えい
            after = _OKURIGANA.match(question, span.end)
            end = after.end() if after else span.end
            span = Span(question[span.start : end], span.start, end)
        last = phrases[-1] if phrases else None
        if last and _is_one_phrase(question, last, span):
            phrases[-1] = Span(question[last.start : span.end], last.start, span.end)
        else:
            phrases.append(span)
    return tuple({fold(phrase.text): phrase.text for phrase in reversed(phrases)}.values())[::-1]


def _need_word(question: str) -> None:
    if _NO_LETTER.fullmatch(question):
        raise QuestionError("the question has no word in it", remedy="write the question, or leave it out")


def _is_one_phrase(question: str, last: Span, span: Span) -> bool:
    between = question[last.end : span.start]
    if CJK.search(last.text) or CJK.search(span.text):
        return not between  # 生成 and AI are one word; the runs of two words have kana between them
    alone = is_acronym(last.text.rsplit(maxsplit=1)[-1]) or is_acronym(span.text)
    return between == "-" or (between.isspace() and not alone)


def _content_spans(question: str) -> Iterator[Span]:
    shouted = question.upper() == question and len(list(words(question))) > 2
    german = any(fold(word.text) in GERMAN_MARKS for word in words(question))
    extra = GERMAN_WORDS if german else frozenset()
    listed = list(words(question))
    # Words that ask when they stand alone, and name a topic beside each other (going concern).
    topics = {
        word
        for left, right in pairwise(listed)
        if (fold(left.text), fold(right.text)) in TOPICS
        for word in (left, right)
    }
    for word in listed:
        if word in topics:
            yield word
            continue
        if fold(word.text) in extra and not (word.text.isupper() and not shouted):
            continue
        if _KANA.fullmatch(word.text):
            continue  # hiragana is grammar; what it means stands in the runs around it
        at = word.start
        if not CJK.search(word.text):
            parts = [word.text] if _is_content(word.text, shouted) else []
        else:
            parts = [] if word.text in STEMS_CJK else _left_of(word.text, FRAME_CJK)
        for part in parts:
            at = question.index(part, at)
            yield Span(part, at, at + len(part))
            at += len(part)


def uncovered_words(question: str, table: ConceptTable) -> tuple[str, ...]:
    """The content words of a question that no concept covers: neither its name nor an accepted variant.

    A word is covered if it, or a simple form of it, is a word of a name or variant; a Japanese or Chinese run if it
    lies inside one, or if nothing but known words is left when those of the table are taken out. Raises QuestionError.
    """
    texts = [*table.active_concepts, *(v.text for v in table.active if v.match != "regex")]
    latin = {fold(word.text) for text in texts for word in words(text) if not CJK.search(word.text)}
    runs = {run for text in texts for run in _RUN.findall(fold(text))}
    by_pattern = set(_matched_by_patterns(question, table.active))
    cut = [list(words(v.text)) for v in table.active if v.match in ("prefix", "substring")]
    prefixes = tuple(fold(listed[-1].text) for listed in cut if listed)
    left: list[str] = []
    explained = (*runs, *FRAME_CJK)
    for word in content_words(question):
        folded = fold(word)
        if folded in by_pattern:
            continue
        if CJK.search(word):
            left += [] if any(folded in run for run in runs) else _left_of(folded, explained)
        elif (
            folded not in latin
            and not any(prefix and folded.startswith(prefix) for prefix in prefixes)
            and not any(share_stem(folded, word_of_table) for word_of_table in latin)
        ):
            left.append(word)
    return tuple(dict.fromkeys(left))


def rejected_words(question: str, table: ConceptTable, uncovered: Sequence[str]) -> tuple[str, ...]:
    """Those uncovered words that a person rejected as a concept of their own: decided on, not forgotten."""
    decided = [v for v in table.variants if v.status == "rejected" and v.source == "question" and v.reviewer]
    if not decided or not uncovered:
        return ()
    as_if = ConceptTable(variants=tuple(v.model_copy(update={"status": "accepted"}) for v in decided))
    left = uncovered_words(question, as_if)
    return tuple(word for word in uncovered if word not in left)


def requery(question: str, table: ConceptTable, *, japanese: bool = False) -> str:
    """A question that the table covers: about those of its concepts that the question names, or about all required.

    It is Japanese if the question is, or if that is asked for. Raises QuestionError.

    >>> table = ConceptTable.from_variants({"AI": ["AI"], "power": ["electricity"], "water": ["water"]})
    >>> requery("How much electricity and uranium does AI use?", table)
    'Does the document mention AI and power?'
    """
    content = set(content_words(question))
    named = [
        concept.name
        for concept in table.by_concept
        if concept.name in table.active_concepts
        and set(uncovered_words(question, ConceptTable(variants=concept.variants))) != content
    ]
    names = (named if content else []) or [*table.required_concepts] or [*table.active_concepts]
    if japanese or _KANA.search(question):
        return f"{'と'.join(f'「{name}」' for name in names)}についての記載はありますか。"
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Does the document mention {listed}?"


_FRAME_FORMS = frozenset(
    [frame + end for frame in FRAME_WORDS for end in ("", "s", "d", "ed", "es", "ing")]
    + [frame[:-1] + "ing" for frame in FRAME_WORDS if frame.endswith("e")]
)


def _is_content(word: str, shouted: bool) -> bool:
    """Whether a word of a script with spaces carries content."""
    # IT, US and WHO are written like this when they are names; a question all in capitals cannot tell.
    if len(word) > 1 and word.isupper() and not shouted:
        return True
    folded = fold(word)
    base = folded.removesuffix("'s")
    letter = len(base) == 1 and base.isalpha()
    return not (letter or base in STOP_WORDS or base in _FRAME_FORMS or _YEAR.fullmatch(folded))


def _left_of(run: str, explained: Iterable[str]) -> list[str]:
    """The parts of a run that no word explains; the run itself where a single character is left that has a meaning.

    量 of 消費量 only measures, but 税 of 消費税 makes another topic.
    """
    inside = sorted({word for word in explained if word and word in run}, key=len, reverse=True)
    between = re.split("|".join(map(re.escape, inside)), run) if inside else [run]
    parts = [part for part in between if part and part not in SUFFIXES_CJK]
    return [run] if any(len(part) == 1 for part in parts) else parts


def _matched_by_patterns(question: str, variants: Iterable[Variant]) -> Iterator[str]:
    """The words of the question that a regular expression of the table would find in it."""
    for variant in variants:
        if variant.match != "regex":
            continue
        flags = 0 if variant.case == "sensitive" else regex.IGNORECASE
        try:
            expression = compile_expression(variant.text, flags)
            spans = [match.span() for match in expression.finditer(question, timeout=0.2)]
        except (TimeoutError, regex.error):
            spans = []  # what it covers stays open: its words are then reported as not covered
        for word in words(question):
            if any(start < word.end and word.start < end for start, end in spans):
                yield fold(word.text)
