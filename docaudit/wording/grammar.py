"""What a sentence of a model may be made of, in English and Japanese.

A list of what may be said is short and complete; one of what may not be said ("does not exist", "nowhere", spelt-out
numbers, another script that looks the same) never is. Words of the document stand in quotation marks, or not at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from docaudit.explain import SCOPE_EN, SCOPE_JA, UNMET_EN, UNMET_JA, WITHIN_EN, WITHIN_JA

Language = Literal["en", "ja"]
NAME, NO_NAME = "[\U000f0000-\U000f7fff]", "[^\U000f0000-\U000f7fff]"
"""Marks of concepts in a marked sentence; docaudit.wording.marked puts them in."""
_RANGE = r"\d+(?: ?[–~〜-] ?\d+)?"


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
        same: The scope that is named (group 1).
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
    same: re.Pattern[str]
    all_read: re.Pattern[str]
    outside: re.Pattern[str]
    not_established: re.Pattern[str]
    must_be_read: re.Pattern[str]
    absence: re.Pattern[str]
    waived: re.Pattern[str]


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_WORDS_EN = """
a absence absent also although an and are as at be because been both but by concept concepts do document for from had
has have hit hits however in is it its line meet meets mention mentioned mentions neither no nor not occur occurred
occurrence occurrences occurs of on only or page pages paragraph passage passages report same section sentence since so
that the them there these they this though time times to together waived was were where which while whereas window with
words yet appear appeared appears found
"""
_PIECES_JA = """
が は に の で と も や へ から まで より 中 内 では には への とは 件 回 箇所 か所 言及 見つかった 見つかり
見つかりました 見つかっており 見つからない 見つからなかった 見つかりません 見つかりませんでした 見つからず あり あります
ありました ある ない ありません あった なかった 現れる 現れ 現れます 現れない 現れません 出現 して しています している
した する し おらず なく ため ので この その これら それら 文書 報告書 ともに 共に いずれも 同じ 行 文 段落 節 語の範囲
ページ ページ外 該当箇所 を 不在 次の 以下の 理由 により で 免除した確認 概念 一方 一方で また ただし について に関する
それぞれ なお です
"""

ENGLISH = Grammar(
    within=WITHIN_EN,
    unmet={one.value: text for one, text in UNMET_EN.items()},
    scopes=SCOPE_EN,
    pieces=frozenset(_WORDS_EN.split()),
    fixed=_re(
        r"\b(?:\d[\d,]* of \d[\d,]* pages (?:have text that was|were|was) read|all \d[\d,]* pages were read"
        r"|its only page was read|\d[\d,]* of them by ocr alone|outside the pages"
        r"|all of them (?:never )?meet|never meet"
        r"|absence (?:is not|cannot be|could not be) established|(?:for|because of) the following reasons?"
        r"|must be read(?:, not denied)?)\b"
    ),
    signs=" ,;:()–—-",
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
    same=_re(r"\bsame (window of words|\w+)"),
    all_read=_re(r"\ball \d[\d,]* pages|\b(its only page)\b"),
    outside=_re(r"\boutside\b"),
    not_established=_re(r"\babsence (?:is not|cannot be|could not be) established\b"),
    must_be_read=_re(r"\bmust be read(?:, not denied)?\b"),
    absence=_re(r"\babsen|\bestablished"),
    waived=_re(r"\bwaived\b"),
)
JAPANESE = Grammar(
    within=WITHIN_JA,
    unmet={one.value: text for one, text in UNMET_JA.items()},
    scopes=SCOPE_JA,
    pieces=frozenset(_PIECES_JA.split()),
    fixed=_re(
        r"全\d[\d,]* ?ページの?うち\d[\d,]* ?ページの文字を読み取(?:り|った)|全\d[\d,]* ?ページを読み取り済み"
        r"|うち\d[\d,]* ?ページはocrのみ|すべて(?=同じ)"
        rf"|同じ(?:{'|'.join(SCOPE_JA.values())})に現れることは(?:ない|ありません)"
        r"|不在は確定でき(?:ない|ません)|読む必要が(?:ある|あります)"
    ),
    signs=" ,、;:()・–~〜-",
    stop="。",
    count=_re(r"(?<![\d.,])(\d[\d,]*) ?(?:件|回|箇所|か所)"),
    listed=_re(rf"(?<![\d.,])({_RANGE}(?:(?:, ?|、 ?|・|と){_RANGE})*) ?ページ(?!の?(?:うち|中|文字)|を読)"),
    spread=_re(r"(?!)"),
    read_of=_re(r"全(?P<all>\d[\d,]*) ?ページの?うち(?P<read>\d[\d,]*) ?ページ(?=の文字)"),
    total=_re(r"全(\d[\d,]*) ?ページ(?=を読)"),
    by_ocr=_re(r"うち(\d[\d,]*) ?ページ(?=はocr)"),
    clause=_re(r"[、;:()]|一方"),
    joint=_re(rf"(?<={NAME})(?:、と?|・|と|や)(?={NAME})"),
    negation=_re(r"ない|なかった|なく|ません|ず|(?<![\d.,])0 ?(?:件|回|箇所|か所)"),
    meeting=_re(r"ともに|共に|同じ"),
    found=_re(r"見つか|現れ|出現|言及|ある|あり|あった|件|回|所"),
    same=_re(rf"同じ({'|'.join(SCOPE_JA.values())})"),
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
