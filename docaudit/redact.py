"""A justification without the text of its document: numbers, places, the expert's own words and the finding stay.

Pure: a justification in, a justification out. What is left out is "[redacted]", never nothing, so that a reader sees
that something stood there. The name and the hash of the document stay: they say which document was audited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docaudit.codes import Obligation, ObligationState
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.justification import (
    AbsenceJustification,
    BlindSpot,
    ControlGroup,
    Hit,
    Mention,
    ObligationCheck,
    PageFact,
    ParseCoverage,
    RetrievalCheck,
)
from docaudit.obligations import variants_reviewed
from docaudit.saved import with_digest

REDACTED = "[redacted]"
_QUOTING = frozenset(
    {
        Obligation.PARTS_OPENED,
        Obligation.REFERENCES_RESOLVED,
        Obligation.READERS_AGREE,
        Obligation.PAGES_READABLE,
    }
)
"""Obligations whose evidence may end with names out of the document; others quote only table and question."""
_PLAIN_LABEL = re.compile(r"[ivxlcdm]{1,9}|\d{1,6}", re.IGNORECASE)
_EXPERTS = frozenset({"", "expert", "question"})
"""Sources of variants that do not stand for text of the document."""
_LISTS = (
    *("unresolved_cross_refs", "external_refs", "page_label_gaps", "page_label_mismatches", "number_gaps"),
    "contents_not_found",
)


def redact(justification: AbsenceJustification) -> AbsenceJustification:
    """The justification without any text of the document, with a new digest.

    A remark of a model is left out: it may quote the document. The explanation has only counts and names of concepts.
    """
    j = justification
    table = _table(j.concept_table)
    obligations = tuple(_check(check, j.concept_table, table) for check in j.obligations)
    changed = {
        # Refusals quote the model, which may have quoted the document.
        "explained_by": j.explained_by.model_copy(update={"refused": _each(j.explained_by.refused)}),
        "model_remark": None,
        "suggested_requery": REDACTED
        if j.suggested_requery and j.explained_by.model
        else j.suggested_requery,
        "obligations": obligations,
        "unmet": tuple(check for check in obligations if check.state is ObligationState.UNMET),
        "closest_mentions": tuple(_mention(mention) for mention in j.closest_mentions),
        "near_misses": tuple(_mention(mention) for mention in j.near_misses),
        "hits": tuple(_hit(hit) for hit in j.hits),
        "blind_spots": tuple(_spot(spot) for spot in j.blind_spots),
        "coverage": _coverage(j.coverage),
        "concept_table": table,
        "pages": tuple(_page(page) for page in j.pages),
        "controls": tuple(_controls(group) for group in j.controls),
        "retrieval": _retrieval(j.retrieval),
        "redacted": True,
    }
    return with_digest(j.model_copy(update=changed))


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(REDACTED for _ in texts)


def _left(text: str) -> str:
    """What stays of a text: nothing of it, and no sign of a text where there was none."""
    return REDACTED if text else ""


def _check(check: ObligationCheck, table: ConceptTable, shut: ConceptTable) -> ObligationCheck:
    if check.obligation is Obligation.VARIANTS_REVIEWED:
        return check.model_copy(update={"evidence": _proposed(check.evidence, table, shut)})
    if check.obligation is Obligation.CONTROL_FOUND:
        return check.model_copy(update={"evidence": _without_quotes(check.evidence)})
    if check.obligation not in _QUOTING:
        return check
    return check.model_copy(update={"evidence": _counts_of(check.evidence)})


def _proposed(evidence: str, table: ConceptTable, shut: ConceptTable) -> str:
    """The evidence that names the variants that wait, without those that were left out."""
    before, after = (variants_reviewed(one).evidence for one in (table, shut))
    if before == after:
        return evidence
    return evidence.replace(before, after) if before in evidence else _counts_of(evidence)


def _counts_of(evidence: str) -> str:
    """The beginning of the evidence, up to where it begins to name or quote."""
    start = re.split(r": |['\"“‘「]", evidence, maxsplit=1)[0]
    return evidence if start == evidence else f"{start.rstrip(' (')}: {REDACTED}"


def _without_quotes(sentence: str) -> str:
    """The sentence without what stands between its first quote and its last."""
    return re.sub(r"(?s)'.*'", f"'{REDACTED}'", sentence)


def _mention(mention: Mention) -> Mention:
    # That of a pair quotes the other mention; others name concepts only.
    quotes = mention.kind == "pair"
    why_not = _without_quotes(mention.why_not) if quotes else mention.why_not
    return mention.model_copy(update={"text": REDACTED, "snippet": REDACTED, "why_not": why_not})


def _hit(hit: Hit) -> Hit:
    return hit.model_copy(
        update={
            "match_text": REDACTED,
            "snippet": REDACTED,
            "section": _left(hit.section),
            "part": _left(hit.part),
        }
    )


def _spot(spot: BlindSpot) -> BlindSpot:
    return spot.model_copy(update={"detail": _left(spot.detail)})


def _coverage(coverage: ParseCoverage) -> ParseCoverage:
    return coverage.model_copy(update={name: _each(getattr(coverage, name)) for name in _LISTS})


def hides_rows(justification: AbsenceJustification) -> bool:
    """Whether rows of its concept table were left out, so that the fingerprint is of a table that it does not hold."""
    table = justification.concept_table
    return justification.redacted and any(row.text == REDACTED for row in table.variants)


def _table(table: ConceptTable) -> ConceptTable:
    """The expert's words stay, and those that were searched. A row that a program took from a document may quote it."""
    rows = tuple(
        row if row.source in _EXPERTS else _row(row, number) for number, row in enumerate(table.variants, 1)
    )
    return table.model_copy(update={"variants": rows})


def _row(row: Variant, number: int) -> Variant:
    hidden = {"note": _left(row.note), "own": tuple((name, _left(text)) for name, text in row.own)}
    if row.status == "accepted":
        return row.model_copy(update=hidden)
    # An id is made of the text, and few words would have to be tried to find it.
    hidden |= {"id": f"redacted-{number}", "text": REDACTED, "reference": _left(row.reference)}
    return row.model_copy(update=hidden)


def _page(page: PageFact) -> PageFact:
    plain = not page.page_label or _PLAIN_LABEL.fullmatch(page.page_label)
    return page if plain else page.model_copy(update={"page_label": REDACTED})


def _retrieval(check: RetrievalCheck | None) -> RetrievalCheck | None:
    """Places and counts stay; names of chunks are whatever a tool made of their text or of the path of its file."""
    if check is None:
        return None
    chunks = tuple(chunk.model_copy(update={"id": _left(chunk.id)}) for chunk in check.chunks)
    return check.model_copy(update={"chunks": chunks})


def _controls(group: ControlGroup) -> ControlGroup:
    missed = tuple(word.model_copy(update={"word": REDACTED}) for word in group.missed)
    return group.model_copy(update={"missed": missed})
