"""Hits, ledger and coverage -> finding, reason, strength and obligations: the verdict, by written rules.

finding   mentioned if the required concepts meet in the chosen scope (a single one: if it has a hit);
          else absent_within_coverage if no obligation is unmet; else not_established.
reason    ambiguous_question if words of the question are in no concept; else concept_not_found if a required concept
          has no hit; else concept_found_but_off_topic. None if the finding is `mentioned`.
strength  weak if they meet, strong if a required concept has no hit, else moderate; an unmet obligation caps it at
          moderate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from docaudit import obligations as check
from docaudit.concept_rows import JOINER
from docaudit.concepts import ConceptTable
from docaudit.errors import ConceptTableError, MissingEvidenceError, OptionError, QuestionError
from docaudit.explain import Summary, explain
from docaudit.frames import BLIND_SPOT_DF, COOCCURRENCE_DF, HIT_DF, LEDGER_DF, NEAREST_DF, PAGE_DF
from docaudit.justification import (
    AbsenceJustification,
    AbsenceReason,
    BlindSpot,
    DocumentIdentity,
    Finding,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    ObligationState,
    ParseCoverage,
    Strength,
)
from docaudit.location import BBox, MatchKind
from docaudit.options import AuditOptions
from docaudit.question import uncovered_words


def justify_absence(
    *,
    identity: DocumentIdentity | None,
    coverage: ParseCoverage | None,
    page_df: pd.DataFrame | None,
    blind_spot_df: pd.DataFrame | None,
    table: ConceptTable | None,
    hit_df: pd.DataFrame | None,
    ledger_df: pd.DataFrame | None,
    cooccurrence_df: pd.DataFrame | None,
    nearest_df: pd.DataFrame,
    question: str | None,
    options: AuditOptions,
    controls: Sequence[tuple[str, bool]] | None = None,
) -> AbsenceJustification:
    """Draw the finding from the evidence.

    Args:
        identity: Which document was audited.
        coverage: What could be read of it, in numbers.
        page_df: PAGE_DF.
        blind_spot_df: BLIND_SPOT_DF; every row goes into the justification.
        table: The concept table.
        hit_df: HIT_DF of its sweep.
        ledger_df: LEDGER_DF of its sweep.
        cooccurrence_df: COOCCURRENCE_DF of its sweep.
        nearest_df: NEAREST_DF of its sweep.
        question: The question, or None if none was asked.
        options: Options; `required`, `scope`, `waive` and `language` are used here.
        controls: Positive controls, each with whether it was found; None if there was none.

    Raises:
        MissingEvidenceError: A layer of evidence is missing; it is named.
        QuestionError: The question is empty or has no word in it.
        OptionError: A required concept or a waived obligation does not exist.
    """
    if identity is None or coverage is None or page_df is None or blind_spot_df is None:
        raise MissingEvidenceError("parsing", "document, coverage, pages or blind spots were not passed")
    if table is None:
        raise MissingEvidenceError("keywords", "no concept table was passed")
    if hit_df is None or ledger_df is None or cooccurrence_df is None:
        raise MissingEvidenceError("sweep", "hits, ledger or meetings were not passed")
    _check_frames(page_df, blind_spot_df, hit_df, ledger_df, cooccurrence_df, nearest_df)
    required = _required(table, options)
    uncovered = _uncovered(question, table)
    counts, pages = _counts(hit_df, table)
    mentioned = _is_mentioned(required, counts, cooccurrence_df)
    checks = check.apply_waivers(
        (
            check.pages_readable(page_df, blind_spot_df),
            check.ink_read(page_df, blind_spot_df),
            check.parts_opened(blind_spot_df),
            check.references_resolved(coverage),
            check.variants_searched(ledger_df),
            check.variants_reviewed(table),
            check.question_covered(question, uncovered),
            check.control_found(controls),
            check.readers_agree(coverage),
        ),
        options.waive,
    )
    unmet = tuple(one for one in checks if one.state is ObligationState.UNMET)
    finding = Finding.MENTIONED if mentioned else Finding.NOT_ESTABLISHED if unmet else Finding.ABSENT
    reason = None if mentioned else _reason(required, counts, uncovered)
    summary = Summary(finding, reason, required, counts, pages, coverage, checks, options.scope, uncovered)
    return AbsenceJustification(
        question=question,
        finding=finding,
        reason=reason,
        strength=_strength(mentioned, required, counts, bool(unmet)),
        absence_explanation=explain(summary, options.language),
        suggested_requery=_requery(reason, table, uncovered, options),
        concept_hits=counts,
        concept_pages=pages,
        required=required,
        obligations=checks,
        unmet=unmet,
        closest_mentions=_nearest(nearest_df, {"mention", "pair"}) if any(counts.values()) else (),
        near_misses=_nearest(nearest_df, {"near_miss"}),
        hits=tuple(Hit.model_validate(_with_box(row, Hit)) for row in _rows(hit_df)),
        cooccurrences=tuple(_meeting(row) for row in _rows(cooccurrence_df)),
        ledger=tuple(LedgerRow.model_validate(_only(row, LedgerRow)) for row in _rows(ledger_df)),
        blind_spots=tuple(
            BlindSpot.model_validate(_with_box(row, BlindSpot)) for row in _rows(blind_spot_df)
        ),
        coverage=coverage,
        concept_table=table,
        concept_table_fingerprint=table.fingerprint,
        document=identity,
        options=options,
    )


def _check_frames(*tables: pd.DataFrame) -> None:
    contracts = (PAGE_DF, BLIND_SPOT_DF, HIT_DF, LEDGER_DF, COOCCURRENCE_DF, NEAREST_DF)
    for contract, table in zip(contracts, tables, strict=True):
        contract.check(table)


def _required(table: ConceptTable, options: AuditOptions) -> tuple[str, ...]:
    known = table.active_concepts
    if not known:
        raise ConceptTableError("no variant of the table is accepted", remedy="accept at least one")
    unknown = [name for name in options.required if name not in known]
    if unknown:
        raise OptionError(
            f"required: no concept '{unknown[0]}' in the table", remedy=f"concepts are {', '.join(known)}"
        )
    return tuple(name for name in known if name in options.required) if options.required else known


def _uncovered(question: str | None, table: ConceptTable) -> tuple[str, ...]:
    if question is not None and not question.strip():
        raise QuestionError("the question is empty", remedy="write the question, or leave it out")
    return () if question is None else uncovered_words(question, table)


def _counts(hit_df: pd.DataFrame, table: ConceptTable) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    counted = hit_df[hit_df["match_kind"] != MatchKind.OCR_FUZZY.value]
    sizes = counted.groupby("concept").size()
    pages = counted.groupby("concept")["page_num"].unique()
    names = table.concepts
    return (
        {name: int(sizes.get(name, 0)) for name in names},
        {name: tuple(sorted(int(page) for page in pages.get(name, ()))) for name in names},
    )


def _is_mentioned(required: tuple[str, ...], counts: dict[str, int], cooccurrence_df: pd.DataFrame) -> bool:
    if len(required) == 1:
        return counts[required[0]] > 0
    return JOINER.join(required) in set(cooccurrence_df["concepts"])


def _reason(required: tuple[str, ...], counts: dict[str, int], uncovered: tuple[str, ...]) -> AbsenceReason:
    if uncovered:
        return AbsenceReason.AMBIGUOUS_QUESTION
    if any(counts[name] == 0 for name in required):
        return AbsenceReason.CONCEPT_NOT_FOUND
    return AbsenceReason.OFF_TOPIC


def _strength(mentioned: bool, required: tuple[str, ...], counts: dict[str, int], capped: bool) -> Strength:
    if mentioned:
        return Strength.WEAK
    if any(counts[name] == 0 for name in required) and not capped:
        return Strength.STRONG
    return Strength.MODERATE


def _requery(
    reason: AbsenceReason | None, table: ConceptTable, uncovered: tuple[str, ...], options: AuditOptions
) -> str | None:
    if reason is not AbsenceReason.AMBIGUOUS_QUESTION:
        return None
    words, concepts = ", ".join(uncovered), ", ".join(table.active_concepts)
    if options.language == "ja":
        return f"「{words}」を概念表に加えるか、{concepts} だけについて質問し直してください。"
    return f"Add a concept for {words} to the table, or ask about {concepts} alone."


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _only(
    row: dict[str, Any], model: type[Hit] | type[LedgerRow] | type[BlindSpot] | type[Mention]
) -> dict[str, Any]:
    known = {key: value for key, value in row.items() if key in model.model_fields}
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value for key, value in known.items()
    }


def _with_box(row: dict[str, Any], model: type[Hit] | type[BlindSpot]) -> dict[str, Any]:
    sides = [float(row[name]) for name in ("x0", "y0", "x1", "y1")]
    box: BBox | None = (
        None if any(math.isnan(side) for side in sides) else (sides[0], sides[1], sides[2], sides[3])
    )
    return {**_only(row, model), "bbox": box}


def _meeting(row: dict[str, Any]) -> Meeting:
    concepts = tuple(row["concepts"].split(JOINER))
    return Meeting.model_validate({**row, "concepts": concepts})


def _nearest(nearest_df: pd.DataFrame, kinds: set[str]) -> tuple[Mention, ...]:
    return tuple(
        Mention.model_validate(_only(row, Mention)) for row in _rows(nearest_df) if row["kind"] in kinds
    )
