"""Hits, ledger and coverage -> finding, reason, strength and obligations: the verdict, by written rules.

finding   mentioned if the required concepts meet in the chosen scope (a single one: if it has a hit);
          else absent_within_coverage if no obligation is unmet; else not_established.
reason    ambiguous_question if question_covered is unmet (words of the question are in no concept);
          else concept_not_found if a required concept has no hit; else concept_found_but_off_topic.
          None if the finding is `mentioned`.
strength  weak if they meet, strong if a required concept has no hit, else moderate; an unmet obligation caps it at
          moderate.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from docaudit import obligations as check
from docaudit.concept_cells import JOINER
from docaudit.concepts import ConceptTable
from docaudit.errors import ConceptTableError, MissingEvidenceError, OptionError, TableContractError
from docaudit.evidence import DocumentIdentity, ParseCoverage
from docaudit.explain import Summary, explain
from docaudit.frames import BLIND_SPOT_DF, COOCCURRENCE_DF, HIT_DF, LEDGER_DF, NEAREST_DF, PAGE_DF
from docaudit.justification import (
    AbsenceJustification,
    AbsenceReason,
    Finding,
    Obligation,
    ObligationCheck,
    ObligationState,
    Strength,
)
from docaudit.location import POSSIBLE_KINDS
from docaudit.options import AuditOptions
from docaudit.question import content_words, requery, uncovered_words
from docaudit.records import blind_spots, hits, ledger_rows, meetings, mentions, page_facts
from docaudit.saved import with_digest


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
    nearest_df: pd.DataFrame | None,
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
        ConceptTableError: No variant of the table is accepted.
        OptionError: A required concept or a waived obligation does not exist, or the sweep had another scope.
        TableContractError: A table breaks its contract, or two of them do not belong together.
    """
    if identity is None or coverage is None or page_df is None or blind_spot_df is None:
        raise MissingEvidenceError("parsing", "document, coverage, pages or blind spots were not passed")
    if table is None:
        raise MissingEvidenceError("keywords", "no concept table was passed")
    if hit_df is None or ledger_df is None or cooccurrence_df is None or nearest_df is None:
        raise MissingEvidenceError("sweep", "hits, ledger, meetings or nearest mentions were not passed")
    _check_frames(page_df, blind_spot_df, hit_df, ledger_df, cooccurrence_df, nearest_df)
    required = _required(table, options)
    content = () if question is None else content_words(question)
    uncovered = () if question is None else uncovered_words(question, table)
    counts, pages = _counts(hit_df, table)
    mentioned = _is_mentioned(required, counts, hit_df, cooccurrence_df, options)
    misread_df = hit_df[~_is_counted(hit_df) & hit_df["concept"].isin(required)]
    checks = check.apply_waivers(
        (
            check.pages_readable(page_df, blind_spot_df, identity.pages_total),
            check.ink_read(page_df, blind_spot_df, misread_df, ocr=options.ocr != "off"),
            check.parts_opened(blind_spot_df),
            check.references_resolved(coverage),
            check.variants_searched(table, ledger_df, identity.pages_total),
            check.variants_reviewed(table),
            check.question_covered(question, content, uncovered),
            check.control_found(controls),
            check.readers_agree(coverage),
        ),
        options.waive,
    )
    unmet = tuple(one for one in checks if one.state is ObligationState.UNMET)
    finding = Finding.MENTIONED if mentioned else Finding.NOT_ESTABLISHED if unmet else Finding.ABSENT
    reason = None if mentioned else _reason(required, counts, unmet)
    summary = Summary(finding, reason, required, counts, pages, coverage, checks, options.scope)
    justification = AbsenceJustification(
        question=question,
        finding=finding,
        reason=reason,
        strength=_strength(mentioned, required, counts, bool(unmet)),
        absence_explanation=explain(summary, options.language),
        suggested_requery=_requery(reason, question, table, uncovered, options),
        concept_hits=counts,
        concept_pages=pages,
        required=required,
        obligations=checks,
        unmet=unmet,
        closest_mentions=mentions(nearest_df, {"mention", "pair"}) if any(counts.values()) else (),
        near_misses=mentions(nearest_df, {"near_miss"}),
        hits=hits(hit_df),
        cooccurrences=meetings(cooccurrence_df),
        ledger=ledger_rows(ledger_df),
        blind_spots=blind_spots(blind_spot_df),
        coverage=coverage,
        concept_table=table,
        concept_table_fingerprint=table.fingerprint,
        document=identity,
        pages=page_facts(page_df),
        options=options,
    )
    return with_digest(justification)


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
    chosen = options.required or table.required_concepts
    if not chosen:
        raise ConceptTableError(
            "every concept that is searched has the role context, so none could be absent",
            remedy="set the role of one to required, or name it with --required",
        )
    return tuple(name for name in known if name in chosen)


def _is_counted(hit_df: pd.DataFrame) -> pd.Series[bool]:
    return ~hit_df["match_kind"].isin(POSSIBLE_KINDS)


def _counts(hit_df: pd.DataFrame, table: ConceptTable) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Hits and pages of every concept that was searched; a zero for one that was not would be no evidence."""
    names = table.active_concepts
    strange = set(hit_df["concept"]) - set(names)
    if strange:
        raise TableContractError(
            f"hit_df: '{min(strange)}' is no concept of the table", remedy="sweep with the same concept table"
        )
    counted = hit_df[_is_counted(hit_df)]
    sizes = counted.groupby("concept").size()
    pages = counted.groupby("concept")["page_num"].unique()
    return (
        {name: int(sizes.get(name, 0)) for name in names},
        {name: tuple(sorted(int(page) for page in pages.get(name, ()))) for name in names},
    )


def _is_mentioned(
    required: tuple[str, ...],
    counts: dict[str, int],
    hit_df: pd.DataFrame,
    cooccurrence_df: pd.DataFrame,
    options: AuditOptions,
) -> bool:
    """Whether the required concepts meet; raises OptionError if meetings were looked for in another scope."""
    if len(required) == 1:
        return counts[required[0]] > 0
    other = set(cooccurrence_df["scope"]) - {options.scope}
    if other:
        raise OptionError(
            f"scope is {options.scope}, but the sweep looked for meetings in the same {min(other)}",
            remedy="sweep again with the same scope",
        )
    met = JOINER.join(required) in set(cooccurrence_df["concepts"])
    if not met and _meet_by_hits(required, hit_df, options.scope):
        raise TableContractError(
            f"cooccurrence_df has no meeting of {JOINER.join(required)}, but their hits share a {options.scope}",
            remedy="sweep again with the same scope and the same required concepts",
        )
    return met


def _meet_by_hits(required: tuple[str, ...], hit_df: pd.DataFrame, scope: str) -> bool:
    """Whether hits alone show a meeting, for the scopes in which they can; a table of other options would hide it."""
    if scope not in ("page", "line"):
        return False
    on_pages = (hit_df["page_num"] > 0) & (hit_df["part"] == "")
    counted = hit_df[_is_counted(hit_df) & hit_df["concept"].isin(required) & on_pages]
    unit = ["page_num"] if scope == "page" else ["page_num", "line_num"]
    return bool((counted.groupby(unit)["concept"].nunique() == len(required)).any())


def _reason(
    required: tuple[str, ...], counts: dict[str, int], unmet: tuple[ObligationCheck, ...]
) -> AbsenceReason:
    """A person who waives question_covered has read the question as the table reads it."""
    if any(one.obligation is Obligation.QUESTION_COVERED for one in unmet):
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
    reason: AbsenceReason | None,
    question: str | None,
    table: ConceptTable,
    uncovered: tuple[str, ...],
    options: AuditOptions,
) -> str | None:
    if reason is not AbsenceReason.AMBIGUOUS_QUESTION or question is None:
        return None
    japanese = options.language == "ja"
    instead = requery(question, table, japanese=japanese)
    if not uncovered:
        return instead
    words = ("、" if japanese else ", ").join(uncovered)
    if japanese:
        return f"{instead}（「{words}」について答えるには、概念表に加えてください）"
    return f"{instead} (For an answer on {words}, add a concept to the table.)"
