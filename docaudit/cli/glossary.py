"""What every code in the output means: blind spots, obligations, findings, reasons, kinds of match and the rest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from rich.console import Console

from docaudit.abstention import gate
from docaudit.codes import BlindSpotKind, LedgerState, NearMissReason, PageState, TextSource
from docaudit.concepts.lint import LintCode
from docaudit.errors import OptionError
from docaudit.justification import ChunkPlace, Finding, RetrievalVerdict
from docaudit.render import language as words
from docaudit.render.terminal import Paper, new_console
from docaudit.rules import RULES

Code = TypeVar("Code", bound=StrEnum)


class Entry(NamedTuple):
    """One code: what kind of code it is, what it means, and what can be done, each as a sentence or empty."""

    code: str
    of: str
    meaning: str
    remedy: str = ""
    remedy_after_ocr: str = ""


_FINDINGS = {
    Finding.MENTIONED: "What is required is there (several concepts: they meet within the scope); it must be read.",
    Finding.ABSENT: "It was not found, and no obligation is unmet.",
    Finding.NOT_ESTABLISHED: "It was not found, but an obligation is unmet, so this does not show that it is absent.",
}
_PAGES = {
    PageState.TEXT: "The page has text, and nothing beside it that may hold more.",
    PageState.MIXED: "The page has text, and regions that OCR read or that remain unread.",
    PageState.IMAGE_ONLY: "The page has ink and no visible text layer; OCR may have read it all the same.",
    PageState.BLANK: "The page has no ink and no text.",
    PageState.FAILED: "The page could not be read.",
    PageState.NOT_RENDERED: "The page was not rendered (--no-ink), so what it shows was not compared with its text.",
}
_LEDGER = {
    LedgerState.SEARCHED: "The variant was searched on every page that has text.",
    LedgerState.FAILED: "The variant could not be searched; the ledger says why.",
    LedgerState.TIMED_OUT: "The search for the variant took longer than --regex-seconds or --sweep-seconds.",
}
_SOURCES = {
    TextSource.TEXT_LAYER: "The text of the page, as the first engine reads it.",
    TextSource.SECOND_READER: "Text of the page that only the second engine read.",
    TextSource.OCR: "Read from the picture of the page.",
    TextSource.ANNOTATION: "A comment or other annotation.",
    TextSource.FORM_FIELD: "The value or the name of a form field.",
    TextSource.XFA: "An XFA form.",
    TextSource.BOOKMARK: "The outline of the document.",
    TextSource.METADATA: "The properties of the document.",
    TextSource.ALT_TEXT: "The alternative text of a picture.",
    TextSource.ACTUAL_TEXT: "The replacement text of a tag.",
    TextSource.LINK: "The target of a link.",
    TextSource.SIGNATURE: "Reason, name or place of a signature.",
    TextSource.ATTACHMENT: "A file that is embedded in the document.",
    TextSource.EARLIER_REVISION: "An earlier revision of the file.",
}
_RETRIEVAL = {
    RetrievalVerdict.NOTHING_TO_MISS: "No required concept has a hit in what was read of the document.",
    RetrievalVerdict.ALL_RETRIEVED: "Each hit that is to be read stands in the text of a chunk.",
    RetrievalVerdict.PAGES_RETRIEVED: "No hit is surely missed, but of some only the page is known to be retrieved.",
    RetrievalVerdict.PARTLY_MISSED: "Some of the hits are in no chunk.",
    RetrievalVerdict.MISSED: "Not one of the hits is in any chunk.",
}
_CHUNKS = {
    ChunkPlace.WHOLE: "The letters of the chunk stand in the document in one run.",
    ChunkPlace.IN_PARTS: "A quarter of its letters or more stand in the document, in runs.",
    ChunkPlace.NOT_IN_DOCUMENT: "Its text is not in what was read: another document, or another reading of this one.",
    ChunkPlace.WITHOUT_TEXT: "It has no text: a page that was retrieved as a picture.",
}


def entries() -> list[Entry]:
    """All codes; one that stands in two vocabularies has two entries."""
    spots = [
        Entry(kind.value, "blind spot", kind.meaning, kind.remedy, kind.remedy_after(ocr=True))
        for kind in BlindSpotKind
    ]
    obligations = [
        Entry(
            rule.obligation.value,
            "obligation",
            rule.meaning,
            f'{rule.remedy}; or waive it: --waive {rule.obligation.value} --because "why"',
        )
        for rule in RULES
    ]
    misses = {reason: reason.sentence for reason in NearMissReason}
    return [
        *spots,
        *obligations,
        *_listed("finding", _FINDINGS),
        *_listed("reason", words.REASONS),
        *_listed("strength", words.STRENGTHS),
        *_listed("kind of match", words.MATCH_KINDS),
        *_listed("reason of a near miss", misses),
        *_listed("source of text", _SOURCES),
        *_listed("visibility of text", words.VISIBILITIES),
        *_listed("state of a page", _PAGES),
        *_listed("state of a variant in the ledger", _LEDGER),
        *_listed("decision of a gate", gate.MEANINGS),
        *_listed("verdict on a retriever", _RETRIEVAL),
        *_listed("place of a retrieved chunk", _CHUNKS),
        *(Entry(code.value, "finding of lint", code.meaning, code.remedy) for code in LintCode),
    ]


def explained(codes: Iterable[str]) -> list[Entry]:
    """The entries of these codes, all if none is named; raises OptionError for a code that does not exist."""
    known = entries()
    names = [entry.code for entry in known]
    wanted = list(codes)
    for code in wanted:
        need_known(code, names, "code", "docaudit explain lists all codes")
    return [entry for code in wanted for entry in known if entry.code == code] if wanted else known


def need_known(name: str, known: Sequence[str], what: str, otherwise: str) -> None:
    """Raise OptionError for a name that is not known: it names those that look alike, or says where all are listed."""
    if name not in known:
        codes, plain = list(dict.fromkeys(known)), name.lower().replace("-", "_")
        begin_alike = [code for code in codes if len(plain) > 3 and code.startswith(plain[:4])]
        near = list(dict.fromkeys([*difflib.get_close_matches(plain, codes, n=3), *begin_alike]))[:3]
        remedy = f"did you mean {' or '.join(near)}? {otherwise}" if near else otherwise
        raise OptionError(f"no {what} '{name}'", remedy=remedy)


def print_entries(shown: Sequence[Entry], console: Console | None = None) -> None:
    """Print codes with what they mean and what can be done."""
    paper = Paper(console or new_console())
    for number, entry in enumerate(shown):
        if number:
            paper.blank()
        paper.say((entry.code, "bold"), (f"  {entry.of}", "dim"))
        paper.say(entry.meaning, indent=4)
        if entry.remedy:
            paper.say("→ ", entry.remedy, indent=4, hang=2)
        if entry.remedy_after_ocr and entry.remedy_after_ocr != entry.remedy:
            paper.say("→ ", entry.remedy_after_ocr, (" (where OCR was run)", "dim"), indent=4, hang=2)


def _listed(of: str, meanings: Mapping[Code, str]) -> list[Entry]:
    return [Entry(code.value, of, _sentence(meaning)) for code, meaning in meanings.items()]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
