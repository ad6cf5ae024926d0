"""What reports say of a retriever: the verdict as a sentence, what weakens it, and the places that it missed."""

from __future__ import annotations

from collections.abc import Sequence

from docaudit.render.tongue import ENGLISH, Tongue
from docaudit.render.words import RETRIEVAL_VERDICTS
from docaudit.retrieved import MissedHit, RetrievalCheck


def retrieval_verdict(check: RetrievalCheck, t: Tongue = ENGLISH) -> str:
    """Whether the retriever missed what the sweep found, in one sentence."""
    return t(
        RETRIEVAL_VERDICTS[check.verdict],
        n=f"{len(check.missed):,}",
        in_text=f"{check.hits_in_text:,}",
        hits=t.count(check.hits, "hit"),
        chunks=t.count(len(check.chunks), "chunk"),
    )


def retrieval_notes(check: RetrievalCheck, t: Tongue = ENGLISH) -> list[str]:
    """What else is to be known of it, a sentence each."""
    notes = []
    if check.meeting_pages:
        got = t.pages(check.meeting_pages_retrieved) or t("no page")
        where = t.pages(check.meeting_pages)
        notes.append(
            t("The required concepts meet on {where}; retrieved of these: {got}.", where=where, got=got)
        )
    if check.hits_on_page:
        hits = t.count(check.hits_on_page, "hit")
        notes.append(t("{hits}: the page was retrieved, but its text cannot be compared.", hits=hits))
    if check.chunks_not_in_document:
        strange = t.count(check.chunks_not_in_document, "chunk")
        notes.append(
            t(
                "{chunks} without text of this document as far as it was read: of another one, or read in another way.",
                chunks=strange,
            )
        )
    return notes


def missed_by_concept(check: RetrievalCheck) -> list[tuple[str, Sequence[MissedHit]]]:
    """The hits that were missed, under the name of their concept."""
    found: dict[str, list[MissedHit]] = {}
    for hit in check.missed:
        found.setdefault(hit.concept, []).append(hit)
    return list(found.items())
