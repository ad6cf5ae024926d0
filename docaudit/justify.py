"""Hits, ledger and coverage -> finding, reason, strength and obligations; the rules are docaudit.obligations.rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from docaudit.concepts import ConceptTable
from docaudit.errors import MissingEvidenceError
from docaudit.evidence import ControlGroup, DocumentIdentity, ParseCoverage
from docaudit.explain import Summary, explain
from docaudit.frames import BLIND_SPOT_DF, COOCCURRENCE_DF, HIT_DF, LEDGER_DF, NEAREST_DF, PAGE_DF
from docaudit.justification import AbsenceJustification, AbsenceReason, ObligationCheck, ObligationState
from docaudit.obligations.hit_counts import are_mentioned, hits_by_concept, is_counted, required_concepts
from docaudit.obligations.rules import Evidence, Verdict, verdict, weigh
from docaudit.options import AuditOptions
from docaudit.question import content_words, rejected_words, requery, uncovered_words
from docaudit.records import blind_spots, hits, ledger_rows, meetings, mentions, page_facts
from docaudit.retrieved import RetrievalCheck
from docaudit.saved import with_digest

_LAYERS = {
    "parsing": ("identity", "coverage", "page_df", "blind_spot_df"),
    "keywords": ("table",),
    "sweep": ("hit_df", "ledger_df", "cooccurrence_df", "nearest_df"),
}
_CONTRACTS = (PAGE_DF, BLIND_SPOT_DF, HIT_DF, LEDGER_DF, COOCCURRENCE_DF, NEAREST_DF)


@dataclass(frozen=True)
class Layers:
    """The layers of evidence that a justification is drawn from.

    Raises MissingEvidenceError, with the name of the layer, for a part that is None, and TableContractError for a table
    that breaks its contract.

    Attributes:
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
        controls: Words known to be there, and whether they were found.
        retrieval: What of the hits a retriever gave, or None if no chunks were given; it has no say in the finding.
    """

    identity: DocumentIdentity
    coverage: ParseCoverage
    page_df: pd.DataFrame
    blind_spot_df: pd.DataFrame
    table: ConceptTable
    hit_df: pd.DataFrame
    ledger_df: pd.DataFrame
    cooccurrence_df: pd.DataFrame
    nearest_df: pd.DataFrame
    question: str | None
    options: AuditOptions
    controls: Sequence[ControlGroup] = ()
    retrieval: RetrievalCheck | None = None

    def __post_init__(self) -> None:
        for layer, names in _LAYERS.items():
            lacking = [name for name in names if getattr(self, name) is None]
            if lacking:
                raise MissingEvidenceError(layer, f"{', '.join(lacking)} was not passed")
        for contract in _CONTRACTS:
            contract.check(getattr(self, contract.name))


def justify_absence(layers: Layers) -> AbsenceJustification:
    """Draw the finding from the evidence.

    Raises:
        QuestionError: The question is empty or has no word in it.
        ConceptTableError: No variant of the table is accepted.
        OptionError: A required concept or a waived obligation does not exist, or the sweep had another scope.
        TableContractError: Two tables do not belong together.
    """
    table, hit_df, options = layers.table, layers.hit_df, layers.options
    required = required_concepts(table, options)
    counts, pages = hits_by_concept(hit_df, table)
    mentioned = are_mentioned(required, counts, hit_df, layers.cooccurrence_df, options)
    evidence = _evidence(layers, required)
    checks = weigh(evidence, options.waive)
    missing = any(not counts[name] for name in required)
    finding, reason, strength = verdict(checks, mentioned=mentioned, missing=missing)
    summary = Summary(finding, reason, required, counts, pages, layers.coverage, checks, options.scope)
    justification = AbsenceJustification(
        question=layers.question,
        finding=finding,
        reason=reason,
        strength=strength,
        absence_explanation=explain(summary, options.language),
        suggested_requery=_requery(reason, evidence, options),
        concept_hits=counts,
        concept_pages=pages,
        required=required,
        obligations=checks,
        unmet=tuple(one for one in checks if one.state is ObligationState.UNMET),
        closest_mentions=mentions(layers.nearest_df, {"mention", "pair"}) if any(counts.values()) else (),
        near_misses=mentions(layers.nearest_df, {"near_miss"}),
        hits=hits(hit_df),
        cooccurrences=meetings(layers.cooccurrence_df),
        ledger=ledger_rows(layers.ledger_df),
        blind_spots=blind_spots(layers.blind_spot_df),
        coverage=layers.coverage,
        concept_table=table,
        concept_table_fingerprint=table.fingerprint,
        document=layers.identity,
        pages=page_facts(layers.page_df),
        controls=tuple(layers.controls),
        retrieval=layers.retrieval,
        options=options,
    )
    return with_digest(justification)


def each_alone(
    layers: Layers, together: tuple[ObligationCheck, ...]
) -> dict[str, tuple[Verdict, tuple[ObligationCheck, ...]]]:
    """For every concept that is searched the verdict and the obligations of an audit that requires it alone.

    Args:
        layers: The evidence.
        together: The obligations of the justification that was drawn from it.

    Raises what `justify_absence` raises.
    """
    counts, _ = hits_by_concept(layers.hit_df, layers.table)
    possible_df = layers.hit_df[~is_counted(layers.hit_df)]
    if possible_df.empty:  # of all evidence only these depend on which concepts are required
        checks = dict.fromkeys(counts, together)
    else:
        evidence, waive = _evidence(layers, ()), layers.options.waive
        checks = {
            name: weigh(replace(evidence, possible_df=possible_df[possible_df["concept"] == name]), waive)
            for name in counts
        }
    return {
        name: (verdict(checks[name], mentioned=count > 0, missing=not count), checks[name])
        for name, count in counts.items()
    }


def _evidence(layers: Layers, required: Sequence[str]) -> Evidence:
    question, hit_df = layers.question, layers.hit_df
    uncovered = () if question is None else uncovered_words(question, layers.table)
    set_aside = () if question is None else rejected_words(question, layers.table, uncovered)
    return Evidence(
        pages_total=layers.identity.pages_total,
        page_df=layers.page_df,
        blind_spot_df=layers.blind_spot_df,
        coverage=layers.coverage,
        table=layers.table,
        ledger_df=layers.ledger_df,
        possible_df=hit_df[~is_counted(hit_df) & hit_df["concept"].isin(required)],
        question=question,
        content=() if question is None else content_words(question),
        uncovered=tuple(word for word in uncovered if word not in set_aside),
        set_aside=set_aside,
        controls=layers.controls,
        ocr=layers.options.ocr != "off",
    )


def _requery(reason: AbsenceReason | None, evidence: Evidence, options: AuditOptions) -> str | None:
    if reason is not AbsenceReason.AMBIGUOUS_QUESTION or evidence.question is None:
        return None
    japanese = options.language == "ja"
    instead = requery(evidence.question, evidence.table, japanese=japanese)
    if not evidence.uncovered:
        return instead
    words = ("、" if japanese else ", ").join(evidence.uncovered)
    if japanese:
        return f"{instead}（「{words}」について答えるには、概念表に加えてください）"
    return f"{instead} (For an answer on {words}, add a concept to the table.)"
