"""A second look at a justification with the text that another engine reads, by plain string search.

It shares no code with the sweep: text is compatibility-decomposed and case-folded here by the standard library alone,
words are found by `str.find`, and nothing is joined but the ends of lines. So it finds less than the sweep; whatever it
finds must be in the justification.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

from docaudit.concepts import Variant
from docaudit.evidence import Hit, Model
from docaudit.justification import AbsenceJustification
from docaudit.location import PAGE_SOURCES, TextSource, Visibility

_HYPHEN_AT_END = re.compile("[\ufffe\u00ad]\\s*|(?<=[^\\W\\d_])[-\u2010]\\s*\n\\s*(?=[^\\W\\d_])")
_UNKNOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_BLANKS = re.compile(r"\s+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


class Witnessed(Model):
    """What another engine confirms and what it contradicts.

    Attributes:
        pages_read: Pages whose text it could read.
        passages: Verbatim passages of the justification on these pages, from the text layer and in sight.
        unconfirmed: Of these, the ones whose letters it does not see on their page, each with its page.
        variants: Variants that were looked for by plain search.
        missed: Variants that it sees on a page for which the justification has no hit of them, each with its page.
    """

    pages_read: int
    passages: int
    unconfirmed: tuple[str, ...]
    variants: int
    missed: tuple[str, ...]


def witness(justification: AbsenceJustification, texts: Mapping[int, str | None]) -> Witnessed:
    """Compare a justification with the text of its pages as another engine reads it (None: it cannot)."""
    read = {page: text for page, text in texts.items() if text is not None}
    letters = {page: _letters(text) for page, text in read.items() if not _is_garbled(text)}
    passages = list(dict.fromkeys(_passages(justification)))
    seen = [(pages, text) for pages, text in passages if letters.keys() >= set(pages)]
    unconfirmed = [
        (pages, text) for pages, text in seen if not any(_letters(text) in letters[page] for page in pages)
    ]
    variants = [] if justification.concept_table is None else list(justification.concept_table.active)
    plain = [variant for variant in variants if variant.match != "regex" and _letters(variant.text)]
    return Witnessed(
        pages_read=len(read),
        passages=len(seen),
        unconfirmed=tuple(f"page {pages[0]}: '{text}'" for pages, text in unconfirmed),
        variants=len(plain),
        missed=tuple(_missed(justification, plain, read)),
    )


def _passages(justification: AbsenceJustification) -> Iterator[tuple[tuple[int, ...], str]]:
    """Pages and text of everything quoted from the text layer where a person can see it, line by line."""
    if justification.redacted:
        return
    for hit in justification.hits:
        if _in_sight(hit):
            pages = tuple(range(hit.page_num, max(hit.page_num, hit.page_end) + 1))
            for line in hit.match_text.split("\n"):
                if _letters(line):
                    yield pages, line


def _in_sight(hit: Hit) -> bool:
    return hit.source is TextSource.TEXT_LAYER and hit.visibility is Visibility.VISIBLE and not hit.part


def _missed(
    justification: AbsenceJustification, variants: list[Variant], read: Mapping[int, str]
) -> Iterator[str]:
    """Variants on pages without a hit of them."""
    found = {(hit.concept, hit.variant, page) for hit in justification.hits for page in _pages(hit)}
    as_written = {page: _readable(text) for page, text in read.items()}
    folded = {page: text.casefold() for page, text in as_written.items()}
    unspaced = {page: text.replace(" ", "") for page, text in folded.items()}
    for variant in variants:
        needle = _readable(variant.text)
        pages = as_written
        if not variant.case_sensitive:
            needle, pages = needle.casefold(), folded
        if _CJK.search(needle):
            needle, pages = needle.replace(" ", "").casefold(), unspaced
        for page, text in pages.items():
            if (variant.concept, variant.text, page) not in found and _stands_in(needle, text):
                yield f"page {page}: '{variant.text}'"


def _pages(hit: Hit) -> Iterator[int]:
    if hit.source in PAGE_SOURCES or hit.page_num:
        yield from range(hit.page_num, hit.page_end + 1)


def _stands_in(needle: str, text: str) -> bool:
    """Whether a word or phrase stands in a text, not as a part of a longer word."""
    start = text.find(needle)
    whole = not _CJK.search(needle)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(needle) : start + len(needle) + 1]
        if not whole or not (_joins(before) or _joins(after)):
            return True
        start = text.find(needle, start + 1)
    return False


def _joins(char: str) -> bool:
    return char.isalnum() or char in "_-'’.&@/+#"


def _readable(text: str) -> str:
    """Text with blanks for all white space, compatibility forms decomposed, and words that a line end parts joined."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", _HYPHEN_AT_END.sub("", text))).strip()


def _is_garbled(text: str) -> bool:
    """Where the engine does not know its signs, that it lacks a word says nothing."""
    return 100 * len(_UNKNOWN.findall(text)) > len(text)


def _letters(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalnum())
