"""What the hits alone say: how often each concept occurs, where, and whether the required ones meet."""

from __future__ import annotations

import pandas as pd

from docaudit.concept_table.cells import JOINER
from docaudit.concepts import ConceptTable
from docaudit.errors import ConceptTableError, OptionError, TableContractError
from docaudit.location import POSSIBLE_KINDS
from docaudit.options import AuditOptions


def required_concepts(table: ConceptTable, options: AuditOptions) -> tuple[str, ...]:
    """The concepts that must meet, in the order of the table; raises OptionError or ConceptTableError for none."""
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


def is_counted(hit_df: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row of HIT_DF counts: possible hits do not."""
    return ~hit_df["match_kind"].isin(POSSIBLE_KINDS)


def hits_by_concept(
    hit_df: pd.DataFrame, table: ConceptTable
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Hits and pages of every concept that was searched; a zero for one that was not would be no evidence."""
    names = table.active_concepts
    strange = set(hit_df["concept"]) - set(names)
    if strange:
        raise TableContractError(
            f"hit_df: '{min(strange)}' is no concept of the table", remedy="sweep with the same concept table"
        )
    counted = hit_df[is_counted(hit_df)]
    sizes = counted.groupby("concept").size()
    pages = counted.groupby("concept")["page_num"].unique()
    return (
        {name: int(sizes.get(name, 0)) for name in names},
        {name: tuple(sorted(int(page) for page in pages.get(name, ()))) for name in names},
    )


def are_mentioned(
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
    counted = hit_df[is_counted(hit_df) & hit_df["concept"].isin(required) & on_pages]
    unit = ["page_num"] if scope == "page" else ["page_num", "line_num"]
    return bool((counted.groupby(unit)["concept"].nunique() == len(required)).any())
