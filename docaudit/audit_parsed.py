"""An audit of what was parsed before, for those who run many: it gives its tables as well, and every concept alone."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from docaudit.arguments import need_question, need_table
from docaudit.audit import layers_of, options_for, sweep
from docaudit.concepts import ConceptTable
from docaudit.evidence import ControlGroup
from docaudit.justification import AbsenceJustification, ObligationCheck
from docaudit.justify import each_alone, justify_absence
from docaudit.obligations.hit_counts import required_concepts
from docaudit.obligations.rules import Verdict, apply_waivers
from docaudit.options import AuditOptions
from docaudit.parsed import ParsedDocument
from docaudit.question import content_words


class Audited(NamedTuple):
    """What `audit_parsed` gives: the justification, the hits as a table, and what each concept alone would be said of.

    Attributes:
        justification: As `audit` makes it.
        hit_df: HIT_DF of the sweep.
        ledger_df: LEDGER_DF of the sweep.
        alone: For every concept the verdict and the obligations of an audit that requires it alone.
    """

    justification: AbsenceJustification
    hit_df: pd.DataFrame
    ledger_df: pd.DataFrame
    alone: dict[str, tuple[Verdict, tuple[ObligationCheck, ...]]]


def audit_parsed(
    parsed: ParsedDocument,
    table: ConceptTable,
    question: str | None,
    options: AuditOptions,
    controls: tuple[ControlGroup, ...],
) -> Audited:
    """`audit` of a parsed document for many tables: `run_controls(parsed)` is the same for all and is run before.

    Raises what `sweep` and `justify` raise.
    """
    chosen = options_for(parsed, options, {})
    result = sweep(parsed, table, options=chosen)
    layers = layers_of(parsed, table, result, question, chosen, controls)
    justification = justify_absence(layers)
    alone = each_alone(layers, justification.obligations)
    return Audited(justification, result.hit_df, result.ledger_df, alone)


def check_request(table: ConceptTable, question: str | None, options: AuditOptions) -> None:
    """Raise what an audit would raise of this table, question and options, whatever the document."""
    need_table(table)
    if need_question(question) is not None:
        content_words(question or "")
    required_concepts(table, options)
    apply_waivers((), options.waive)
