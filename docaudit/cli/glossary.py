"""What every code in the output means: blind spots, obligations, findings, reasons, kinds of match and the rest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.console import Console

from docaudit.abstention import gate
from docaudit.codes import (
    AbsenceReason,
    BlindSpotKind,
    ChunkPlace,
    Code,
    Finding,
    LedgerState,
    MatchKind,
    NearMissReason,
    Obligation,
    PageState,
    RetrievalVerdict,
    Strength,
    TextSource,
    Visibility,
)
from docaudit.concepts.lint import LintCode
from docaudit.errors import OptionError
from docaudit.render.terminal import ConsoleWriter, new_console


class Entry(NamedTuple):
    """One code: what kind of code it is, what it means, and what can be done, each as a sentence or empty."""

    code: str
    of: str
    meaning: str
    remedy: str = ""
    remedy_after_ocr: str = ""


def entries() -> list[Entry]:
    """All codes; one that stands in two vocabularies has two entries."""
    spots = [
        Entry(kind.value, "blind spot", kind.meaning, kind.remedy, kind.remedy_after(ocr=True))
        for kind in BlindSpotKind
    ]
    obligations = [
        Entry(
            obligation.value,
            "obligation",
            obligation.meaning,
            f'{obligation.remedy}; or waive it: --waive {obligation.value} --because "why"',
        )
        for obligation in Obligation
    ]
    return [
        *spots,
        *obligations,
        *_listed("finding", Finding),
        *_listed("reason", AbsenceReason),
        *_listed("strength", Strength),
        *_listed("kind of match", MatchKind),
        *_listed("reason of a near miss", NearMissReason),
        *_listed("source of text", TextSource),
        *_listed("visibility of text", Visibility),
        *_listed("state of a page", PageState),
        *_listed("state of a variant in the ledger", LedgerState),
        *(Entry(code.value, "decision of a gate", meaning) for code, meaning in gate.MEANINGS.items()),
        *_listed("verdict on a retriever", RetrievalVerdict),
        *_listed("place of a retrieved chunk", ChunkPlace),
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
    paper = ConsoleWriter(console or new_console())
    for number, entry in enumerate(shown):
        if number:
            paper.blank()
        paper.say((entry.code, "bold"), (f"  {entry.of}", "dim"))
        paper.say(entry.meaning, indent=4)
        if entry.remedy:
            paper.say("→ ", entry.remedy, indent=4, hang=2)
        if entry.remedy_after_ocr and entry.remedy_after_ocr != entry.remedy:
            paper.say("→ ", entry.remedy_after_ocr, (" (where OCR was run)", "dim"), indent=4, hang=2)


def _listed(of: str, vocabulary: type[Code]) -> Iterator[Entry]:
    for code in vocabulary:
        yield Entry(code.value, of, code.meaning[:1].upper() + code.meaning[1:].rstrip(".") + ".")
