"""What a sentence of a model may be made of, in English and Japanese.

A list of what may be said is short and complete; one of what may not be said ("does not exist", "nowhere", spelt-out
numbers, another script that looks the same) never is. Words of the document stand in quotation marks, or not at all.

A sentence in which one mark stands for each name, fixed phrase and quotation: what is left are the model's words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, NamedTuple

from docaudit.codes import Obligation, ObligationState
from docaudit.justification import AbsenceJustification, Hit, Mention
from docaudit.justify import SCOPE_EN, SCOPE_JA, UNMET_JA, WITHIN_EN, WITHIN_JA, reason_clause

Language = Literal["en", "ja"]
NAME, PHRASE, COVERAGE = "[\U000f0000-\U000fffff]", "[\U00100000-\U00107fff]", "[\U0010f000-\U0010fffd]"
"""Marks of concepts, of obligations and of the words of coverage; docaudit.wording.grammar puts them in."""
_RANGE = r"\d+(?: ?[–~〜-] ?\d+)?"
_VERBS = r"\b(?:found|occur(?:s|red)?|mentioned|appear(?:s|ed)?|there (?:is|are|was|were))\b"
_READ_EN = (
    r"\d[\d,]* of \d[\d,]* pages (?:have text that was|were|was) read(?:, \d[\d,]* of them by ocr alone)?"
    r"|all \d[\d,]* pages were read|its only page was read"
)
_READ_JA = (
    r"全\d[\d,]* ?ページの?うち\d[\d,]* ?ページの文字を読み取(?:り|った)(?:、うち\d[\d,]* ?ページはocrのみ)?"
    r"|全\d[\d,]* ?ページを読み取り済み"
)


@dataclass(frozen=True)
class Grammar:
    """The rules of one language; patterns are searched in a marked sentence.

    Attributes:
        within: Words that must stand in the sentence.
        unmet: Fixed words for each obligation that is unmet.
        scopes: Words for the scope in which concepts meet.
        pieces: What the sentence may be made of beside marks, fixed phrases, digits and signs.
        fixed: Phrases that may stand as a whole, though their words may not.
        signs: Characters that may stand between words.
        read: The words that say what was read.
        bracket: What may stand in round brackets: the words of coverage behind their mark, a list of pages.
        bare: All that a clause may hold in which nothing is named: it claims nothing.
        whole: Words for the document as a whole, of which nothing is denied.
        bound: The coverage of the document, of which something may be denied.
        each: Words for all concepts, where there are more than two.
        stop: The full stop.
        count: A number of hits (group 1).
        listed: A list of pages (group 1).
        spread: A number of pages on which something stands (group 1).
        read_of: Pages read (group read) of all pages (group all).
        total: A number of all pages (group 1).
        by_ocr: A number of pages read by OCR alone (group 1).
        clause: Where clauses part.
        joint: What joins names to a list, and no clauses.
        negation: Words that deny.
        meeting: Words that say that concepts meet.
        found: Words that say that something is found.
        contrary: A clause that denies and holds this says the contrary as well.
        same: The scope that is named (group 1).
        scope: Words for a scope or place.
        all_read: A claim that all was read; group 1 if there is but one page.
        outside: Words for hits outside the pages.
        not_established: Words of the finding not_established.
        must_be_read: Words of the finding mentioned.
        absence: Words for absence.
        waived: Words for a waived obligation.
    """

    within: str
    unmet: dict[str, str]
    scopes: dict[str, str]
    pieces: frozenset[str]
    fixed: re.Pattern[str]
    signs: str
    read: re.Pattern[str]
    bracket: re.Pattern[str]
    bare: re.Pattern[str]
    whole: re.Pattern[str]
    bound: re.Pattern[str]
    each: re.Pattern[str]
    stop: str
    count: re.Pattern[str]
    listed: re.Pattern[str]
    spread: re.Pattern[str]
    read_of: re.Pattern[str]
    total: re.Pattern[str]
    by_ocr: re.Pattern[str]
    clause: re.Pattern[str]
    joint: re.Pattern[str]
    negation: re.Pattern[str]
    meeting: re.Pattern[str]
    found: re.Pattern[str]
    contrary: re.Pattern[str]
    same: re.Pattern[str]
    scope: re.Pattern[str]
    all_read: re.Pattern[str]
    outside: re.Pattern[str]
    not_established: re.Pattern[str]
    must_be_read: re.Pattern[str]
    absence: re.Pattern[str]
    waived: re.Pattern[str]


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# No pronouns, and no "as", "with", "where", "which", "because": they join true pieces to a claim that nobody checked.
_WORDS_EN = """
a although an and are be been both but concept concepts do document for had has have hit hits however in is line meet
meets mention mentioned mentions neither no nor not occur occurred occurrence occurrences occurs of on or page pages
paragraph passage passages report same section sentence the though time times together waived was were while whereas
window words yet also appear appeared appears found
"""
_PIECES_JA = """
が は に の で と も や へ から まで より 中 内 では には への とは 件 回 箇所 か所 言及 見つかった 見つかり
見つかりました 見つかっており 見つからない 見つからなかった 見つかりません 見つかりませんでした 見つからず あり あります
ありました ある ない ありません あった なかった 現れる 現れ 現れます 現れない 現れません 出現 して しています している
した する し おらず なく ため ので この 文書 報告書 ともに 共に いずれも 同じ 行 文 段落 節 語の範囲
ページ ページ外 該当箇所 を 次の 以下の 理由 により 免除した確認 概念 一方 一方で また ただし について に関する
なお です
"""

ENGLISH = Grammar(
    within=WITHIN_EN,
    unmet={obligation.value: obligation.unmet for obligation in Obligation},
    scopes=SCOPE_EN,
    pieces=frozenset(_WORDS_EN.split()),
    fixed=_re(
        rf"\b(?:{_READ_EN}|outside the pages"
        r"|(?:they|all of them) (?:(?:never|do not) )?meet|never meets?|there (?:is|are|was|were)"
        r"|absence (?:is not|cannot be|could not be) established(?:,? because\b)?"
        r"(?: (?:for|of) the following reasons?)?"
        r"|this is absence with waived|(?:(?:this|these passages|the passages) )?must be read(?:, not denied)?)\b"
    ),
    signs=" ,;:()–—-",
    read=_re(_READ_EN),
    bracket=_re(
        rf"(?<={COVERAGE}) ?\((?:{_READ_EN})\)"
        rf"|\((?:on )?pages? {_RANGE}(?:(?:, and |, | and ){_RANGE})*(?:(?: and|,) outside the pages)?\)"
    ),
    bare=_re(
        r"(?:\b(?:a|also|for|however|in|of|on|or|page|pages|the|waived|following reasons?|because|outside the pages"
        r"|this is absence with waived)\b|\W|\d)*"
    ),
    whole=_re(r"\b(?:document|report)\b"),
    bound=_re(rf"{COVERAGE} of the (?:document|report)\b"),
    each=_re(r"\ball of them\b"),
    stop=".",
    count=_re(r"(?<![\d.,])(\d[\d,]*) (?:times?|hits?|occurrences?|mentions?|match(?:es)?)\b"),
    listed=_re(
        rf"\bpages? ({_RANGE}(?:(?:, and |, | and ){_RANGE}(?! (?:times?|hits?|occ|ment|match|of)))*)"
    ),
    spread=_re(r"\b(?:on|in|across) (\d[\d,]*) pages?\b(?! [\d])"),
    read_of=_re(r"(?<![\d.,])(?P<read>\d[\d,]*) of (?P<all>\d[\d,]*) pages?\b"),
    total=_re(r"\ball (\d[\d,]*) pages\b"),
    by_ocr=_re(r"(?<![\d.,])(\d[\d,]*) of them\b(?= by ocr)"),
    clause=_re(r"[;:,()—]| – |\b(?:and|but|while|whereas|although|though|however|yet|so|because|since)\b"),
    joint=_re(rf"(?<={NAME})(?:, or |, and |, nor |, | or | and | nor )(?={NAME})"),
    negation=_re(r"\b(?:no|not|never|neither|nor)\b|(?<![\d.,])0 "),
    meeting=_re(r"\b(?:meets?|together|same)\b"),
    found=_re(r"\b(?:found|occur\w*|mention\w*|hits?|times?|match\w*|appear\w*|there (?:is|are|was|were))\b"),
    contrary=_re(rf"{_VERBS}.*{_VERBS}"),
    same=_re(r"\bsame (window of words|\w+)"),
    scope=_re(r"\b(?:lines?|sentences?|paragraphs?|sections?|pages?|passages?|window|document|report)\b"),
    all_read=_re(r"\ball \d[\d,]* pages|\b(its only page)\b"),
    outside=_re(r"\boutside\b"),
    not_established=_re(r"\babsence (?:is not|cannot be|could not be) established\b"),
    must_be_read=_re(r"\b(?:(?:this|these passages|the passages) )?must be read(?:, not denied)?\b"),
    absence=_re(r"\babsen|\bestablished"),
    waived=_re(r"\bwaived\b"),
)
JAPANESE = Grammar(
    within=WITHIN_JA,
    unmet={one.value: text for one, text in UNMET_JA.items()},
    scopes=SCOPE_JA,
    pieces=frozenset(_PIECES_JA.split()),
    fixed=_re(
        rf"{_READ_JA}|すべて(?=同じ)"
        rf"|同じ(?:{'|'.join(SCOPE_JA.values())})に現れることは(?:ない|ありません)"
        r"|不在は確定でき(?:ない|ません)|読む必要が(?:ある|あります)"
    ),
    signs=" ,、;:()・–~〜-",
    read=_re(_READ_JA),
    bracket=_re(
        rf"(?<={COVERAGE}) ?\((?:{_READ_JA})\)"
        rf"|\({_RANGE}(?:(?:, ?|、 ?|・|と){_RANGE})* ?ページ(?:(?:、|と)ページ外)?\)|\(ページ外\)"
        rf"|\(免除した確認: ?{PHRASE}(?:、{PHRASE})*\)"
    ),
    bare=_re(
        r"(?:が|の|に|で|は|も|と|や|を|中|内|ページ|ページ外|免除した確認|次の|以下の|理由|により|ため|ので|なお"
        r"|また|ただし|この|\W|\d)*"
    ),
    whole=_re(r"文書|報告書"),
    bound=_re(rf"(?:この)?(?:文書|報告書)の{COVERAGE}"),
    each=_re(r"すべて|いずれも"),
    stop="。",
    count=_re(r"(?<![\d.,])(\d[\d,]*) ?(?:件|回|箇所|か所)"),
    listed=_re(rf"(?<![\d.,])({_RANGE}(?:(?:, ?|、 ?|・|と){_RANGE})*) ?ページ(?!の?(?:うち|中|文字)|を読)"),
    spread=_re(r"(?!)"),
    read_of=_re(r"全(?P<all>\d[\d,]*) ?ページの?うち(?P<read>\d[\d,]*) ?ページ(?=の文字)"),
    total=_re(r"全(\d[\d,]*) ?ページ(?=を読)"),
    by_ocr=_re(r"うち(\d[\d,]*) ?ページ(?=はocr)"),
    clause=_re(r"[、;:()]|一方"),
    joint=_re(rf"(?<={NAME})(?:、と?|・|と|や|)(?={NAME})"),
    negation=_re(r"ない|なかった|なく|ません|ず|(?<![\d.,])0 ?(?:件|回|箇所|か所)"),
    meeting=_re(r"ともに|共に|同じ"),
    found=_re(r"見つか|現れ|出現|言及|ある|あり|あった|件|回|所"),
    contrary=_re(
        r"あり(?!ません)|ある|あった|見つかった|見つかりまし|見つかって|現れ(?!ない|ません)|出現(?!しない)"
    ),
    same=_re(rf"同じ({'|'.join(SCOPE_JA.values())})"),
    scope=_re(r"[行文節]|段落|範囲|ページ|箇所|報告書"),
    all_read=_re(r"全\d[\d,]* ?ページを読み取り済み()?"),
    outside=_re(r"ページ外"),
    not_established=_re(r"不在は確定でき(?:ない|ません)"),
    must_be_read=_re(r"(?:該当箇所を)?読む必要が(?:ある|あります)"),
    absence=_re(r"不在|確定"),
    waived=_re(r"免除"),
)


def grammar_of(language: Language) -> Grammar:
    """The rules of a language."""
    return ENGLISH if language == "en" else JAPANESE


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
