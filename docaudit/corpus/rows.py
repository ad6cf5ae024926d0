"""The rows of one document in one audit: made where the audit is made, kept beside it, gathered into the tables."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from docaudit import atomic
from docaudit.audit_parsed import Audited
from docaudit.concept_table.cells import JOINER
from docaudit.corpus.audits import Asked
from docaudit.corpus.failures import Failure
from docaudit.frames import HIT_DF
from docaudit.justification import ObligationCheck, ObligationState
from docaudit.location import POSSIBLE_KINDS, TextLikely

Row = dict[str, Any]
_ERROR = "error"


class Rows(msgspec.Struct):
    """The rows of one document in one audit, without what all share; hits as columns of HIT_DF."""

    findings: list[Row]
    cells: list[Row]
    hits: dict[str, list[Any]]


def rows_of(asked: Asked, audited: Audited, justification: str) -> Rows:
    """Rows of an audit that was made; `justification` is its path from the store."""
    j = audited.justification
    assert j.coverage is not None
    possible = audited.hit_df[audited.hit_df["match_kind"].isin(POSSIBLE_KINDS)]["concept"]
    finding = {
        "fingerprint": j.concept_table_fingerprint,
        "question": j.question or "",
        "finding": j.finding.value,
        "reason": j.reason.value if j.reason else "",
        "strength": j.strength.value,
        "required": JOINER.join(j.required),
        "unmet": _codes(j.obligations, ObligationState.UNMET),
        "waived": _codes(j.obligations, ObligationState.WAIVED),
        "explanation": j.absence_explanation,
        "hits": sum(j.concept_hits.values()),
        "possible_hits": len(possible),
        "pages_total": j.coverage.pages_total,
        "pages_read": j.coverage.pages_read,
        "ink_read_share": j.coverage.ink_read_share,
        "blind_spots": sum(spot.text_likely is not TextLikely.NO for spot in j.blind_spots),
        "justification": justification,
    }
    searched = audited.ledger_df.groupby("concept")["pages_searched"].min()
    unsearched = audited.ledger_df.groupby("concept")["pages_not_searchable"].max()
    cells = [
        {
            "concept": name,
            "role": asked.table.about(name).role,
            "finding": said.finding.value,
            "reason": said.reason.value if said.reason else "",
            "strength": said.strength.value,
            "unmet": _codes(checks, ObligationState.UNMET),
            "hits": j.concept_hits[name],
            "pages_with_hits": len(j.concept_pages[name]),
            "possible_hits": int((possible == name).sum()),
            "pages_searched": int(searched[name]),
            "pages_not_searchable": int(unsearched[name]),
        }
        for name, (said, checks) in audited.alone.items()
    ]
    return Rows([finding], cells, _columns(audited.hit_df))


def failed_rows(asked: Asked, failure: Failure) -> Rows:
    """Rows of a document of which there is no audit: it must not look as if it had been searched."""
    head = {"finding": _ERROR, "failure": failure.code.value, "detail": failure.detail}
    finding = {**head, "fingerprint": asked.table.fingerprint, "question": asked.question or ""}
    cells = [
        {**head, "concept": name, "role": asked.table.about(name).role}
        for name in asked.table.active_concepts
    ]
    return Rows([finding], cells, {name: [] for name in HIT_DF.columns})


def write(path: Path, rows: Rows) -> None:
    """Keep the rows; raises OutputError."""
    atomic.write_bytes(path, gzip.compress(msgspec.json.encode(rows), 1, mtime=0))


def read(path: Path) -> Rows:
    """The rows that were kept."""
    return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=Rows)


def _codes(checks: Sequence[ObligationCheck], state: ObligationState) -> str:
    return ", ".join(check.obligation.value for check in checks if check.state is state)


def _columns(hit_df: pd.DataFrame) -> dict[str, list[Any]]:
    return {name: [_plain(cell) for cell in hit_df[name].tolist()] for name in HIT_DF.columns}


def _plain(cell: Any) -> Any:
    """JSON has no NaN."""
    return None if isinstance(cell, float) and math.isnan(cell) else cell
