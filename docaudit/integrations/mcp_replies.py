"""Answers of the tools for an assistant: short enough for a language model, with the whole where it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from docaudit.codes import AbsenceReason, Finding, LedgerState, ObligationState, PageState, Strength
from docaudit.coverage import KindSummary, Readability
from docaudit.document import ParsedDocument, SweepResult, blind_spots, hits, ledger_rows
from docaudit.justification import (
    AbsenceJustification,
    DocumentIdentity,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    Model,
    ObligationCheck,
    RetrievalCheck,
)
from docaudit.render.view import headline, verdict
from docaudit.verify import Check, Verification

MAX_LISTED = 10
"""Entries of the lists that have no limit of their own in the call: chosen, not measured."""
_HOW_TO_SAY = {
    Finding.MENTIONED: "The required concepts are found where they must meet. Read the hits and their pages before you "
    "answer; do not deny that the document mentions it.",
    Finding.ABSENT: "You may say that the document does not mention it within the stated coverage: name the document, "
    "the pages, and that these words were searched. Do not say that it does not exist, or that nothing could be found.",
    Finding.NOT_ESTABLISHED: "Absence is NOT established. Do not say that the document does not mention it. Say that "
    "it was not found in what could be read, name what is unmet with its pages, and what would settle it.",
}


class AuditReply(Model):
    """The finding of an audit, in short.

    Attributes:
        headline: The finding as a title.
        verdict: What the finding means, in one sentence.
        how_to_say: How to word it for a person, and what not to say.
        document: Which document was audited, by what.
        finding: mentioned; absent_within_coverage (all obligations are met or waived); not_established (something was
            not read or not searched: nothing may be denied).
        unmet: What was not shown, on which pages, and what would settle it.
        waived: What a person waived, with the reason.
        hits: The first hits; hits_total counts all.
        cooccurrences: The first places where concepts meet; cooccurrences_total counts all.
        near_misses: Text close to a variant, each with why it is no hit.
        pages_with_text: Pages with text in their text layer, of pages_total.
        ink_read_share: Ink under text that was read, of all ink; null if it was not measured.
        retrieval: What of the hits was among the retrieved chunks; null if none were given.
        justification: The whole, with every hit, variant and blind spot; null unless detail is full.
    """

    headline: str
    verdict: str
    how_to_say: str
    document: DocumentIdentity
    question: str | None
    finding: Finding
    reason: AbsenceReason | None
    strength: Strength
    absence_explanation: str
    suggested_requery: str | None
    unmet: tuple[ObligationCheck, ...]
    waived: tuple[ObligationCheck, ...]
    required: tuple[str, ...]
    concept_hits: Mapping[str, int]
    concept_pages: Mapping[str, tuple[int, ...]]
    hits_total: int
    hits: tuple[Hit, ...]
    cooccurrences_total: int
    cooccurrences: tuple[Meeting, ...]
    closest_mentions: tuple[Mention, ...]
    near_misses: tuple[Mention, ...]
    pages_total: int
    pages_with_text: int
    pages_by_state: Mapping[PageState, int]
    ink_read_share: float | None
    digest: str
    retrieval: RetrievalCheck | None = None
    justification: AbsenceJustification | None = None

    @classmethod
    def of(cls, justification: AbsenceJustification, *, max_hits: int, full: bool) -> AuditReply:
        """The short form of a justification, with the whole if `full`."""
        coverage, obligations = justification.coverage, justification.obligations
        assert coverage is not None  # no justification is made without
        copied = {
            name: getattr(justification, name)
            for name in cls.model_fields
            if name in type(justification).model_fields
        }
        copied |= {name: getattr(coverage, name) for name in cls.model_fields if hasattr(coverage, name)}
        short = {
            "headline": headline(justification),
            "verdict": verdict(justification),
            "how_to_say": _HOW_TO_SAY[justification.finding],
            "waived": tuple(check for check in obligations if check.state is ObligationState.WAIVED),
            "hits_total": len(justification.hits),
            "hits": justification.hits[:max_hits],
            "cooccurrences_total": len(justification.cooccurrences),
            "cooccurrences": justification.cooccurrences[:MAX_LISTED],
            "near_misses": justification.near_misses[:MAX_LISTED],
            "justification": justification if full else None,
        }
        return cls(**{**copied, **short})


class SweepReply(Model):
    """What the words of a table hit in a document. It is no finding: only an audit may say that something is absent.

    Attributes:
        document: Which document was searched.
        hits_total: Rows in all; `hits` has those from `offset` on.
        concept_hits: Hits by concept; possible ones (accents_differ, ocr_fuzzy) are left out, as in an audit.
        searched_in_full: Every variant was searched and nothing that may hold text was left unread. If false, no hit
            means nothing.
        not_searched: Variants that were not searched in full, and why.
        pages_with_unread_parts: Pages (0: the document as a whole) with a part that may hold text and was not read.
        ledger: Every variant, found or not; null unless detail is full.
    """

    document: DocumentIdentity
    hits_total: int
    offset: int
    hits: tuple[Hit, ...]
    concept_hits: Mapping[str, int]
    searched_in_full: bool
    not_searched: tuple[LedgerRow, ...]
    pages_with_unread_parts: tuple[int, ...]
    ledger: tuple[LedgerRow, ...] | None = None

    @classmethod
    def of(
        cls, parsed: ParsedDocument, result: SweepResult, *, offset: int, max_hits: int, full: bool
    ) -> SweepReply:
        """A part of the hits, and what was not searched."""
        all_hits, ledger = hits(result.hit_df), ledger_rows(result.ledger_df)
        unread = {
            spot.page_num for spot in blind_spots(parsed.blind_spot_df) if spot.text_likely.value != "no"
        }
        failed = tuple(row for row in ledger if row.state is not LedgerState.SEARCHED)
        counts = dict.fromkeys((row.concept for row in ledger), 0)
        for hit in all_hits:
            counts[hit.concept] += not hit.match_kind.is_possible
        return cls(
            document=parsed.identity,
            hits_total=len(all_hits),
            offset=offset,
            hits=all_hits[offset : offset + max_hits],
            concept_hits=counts,
            searched_in_full=not failed and not unread,
            not_searched=failed,
            pages_with_unread_parts=tuple(sorted(unread)),
            ledger=ledger if full else None,
        )


class CoverageReply(Model):
    """How much of a document a program can read.

    Attributes:
        document: Which document was read.
        complete: Nothing that may hold text is left unread.
        readable_share: pages_read_in_full of pages_total, 0 to 1.
        kinds: What was not read, by kind, with pages, meaning and remedy; those that may hold text first.
        readability: The whole, with every page and blind spot; null unless detail is full.
    """

    document: DocumentIdentity
    complete: bool
    readable_share: float
    pages_total: int
    pages_read_in_full: int
    pages_not_read_in_full: tuple[int, ...]
    parts_not_read_outside_pages: int
    kinds: tuple[KindSummary, ...]
    readability: Readability | None = None

    @classmethod
    def of(cls, read: Readability, *, full: bool) -> CoverageReply:
        """The short form of a readability, with the whole if `full`."""
        copied = {name: getattr(read, name) for name in cls.model_fields if name in type(read).model_fields}
        short = {
            "complete": read.complete,
            "pages_total": read.coverage.pages_total,
            "kinds": tuple(
                kind.model_copy(update={"details": dict(list(kind.details.items())[:MAX_LISTED])})
                for kind in read.kinds
            ),
            "readability": read if full else None,
        }
        return cls(**{**copied, **short})


class VerifyReply(Model):
    """Whether a saved justification is what docaudit finds in this document, and unchanged.

    Attributes:
        verified: Nothing differs, and the audit was repeated.
        document: Name of the document as the justification gives it.
        checks: All checks in order.
    """

    verified: bool
    document: str
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, verification: Verification) -> VerifyReply:
        """The checks with their result."""
        return cls(verified=verification.verified, document=verification.document, checks=verification.checks)


class FileEntry(Model):
    """A file that can be named in other calls. JSON is a concept table or a saved justification."""

    path: str
    kind: Literal["pdf", "saved_parse", "table", "json"]
    size_bytes: int | None


class FilesReply(Model):
    """Files below the folders that the server was started with.

    Attributes:
        folders: Names of the folders; with several, paths begin with one of them.
        files: In the order of folders and names.
        more: There are more: ask with a part of the name.
    """

    folders: tuple[str, ...]
    files: tuple[FileEntry, ...]
    more: bool
