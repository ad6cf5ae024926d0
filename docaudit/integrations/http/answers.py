"""Answers of the server that are no model of docaudit yet: hits without a finding, and how the server is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

import pandas as pd

from docaudit import records
from docaudit.evidence import BlindSpot, Hit, LedgerRow, Model
from docaudit.location import TextLikely
from docaudit.parsed import ParsedDocument


class SweepAnswer(Model):
    """Every occurrence of every variant in one document, as `docaudit sweep --json` gives it for each.

    Attributes:
        document: Name of the document.
        hits: Every occurrence.
        ledger: Every variant, found or not.
        pages_with_unread_parts: Pages (0: the document as a whole) with a blind spot that may hold text.
        blind_spots: What was not read.
    """

    document: str
    hits: tuple[Hit, ...]
    ledger: tuple[LedgerRow, ...]
    pages_with_unread_parts: tuple[int, ...]
    blind_spots: tuple[BlindSpot, ...]

    @classmethod
    def of(
        cls, name: str, parsed: ParsedDocument, hit_df: pd.DataFrame, ledger_df: pd.DataFrame
    ) -> SweepAnswer:
        """Hits and ledger of a sweep, and what the parse could not read."""
        spots = records.blind_spots(parsed.blind_spot_df)
        return cls(
            document=name,
            hits=records.hits(hit_df),
            ledger=records.ledger_rows(ledger_df),
            pages_with_unread_parts=tuple(
                sorted({spot.page_num for spot in spots if spot.text_likely is not TextLikely.NO})
            ),
            blind_spots=spots,
        )

    def as_json(self) -> str:
        """JSON with the same bytes for the same answer."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"


class Live(Model):
    """The server answers."""

    status: Literal["ok"] = "ok"


class Ready(Model):
    """Whether the server takes work now, and what it has to do.

    Attributes:
        status: ready; full (new requests are turned away); or closing.
        versions: docaudit and the libraries that read documents.
        running: Requests that are worked on.
        waiting: Requests that are being received, or wait for their turn.
        jobs: How many are worked on at the same time.
        queue: How many may wait beside them.
    """

    status: Literal["ready", "full", "closing"]
    versions: Mapping[str, str]
    running: int
    waiting: int
    jobs: int
    queue: int


class Offer(Model):
    """What a client may name and set here.

    Attributes:
        version: Version of docaudit.
        keeps: Whether uploaded documents and their results are kept.
        tables: Concept tables of the server, by name.
        roots: Names of the folders whose documents may be named by path.
        options: Options that may be set.
        max_upload_mb: MiB of the largest document.
        max_table_mb: MiB of the largest concept table.
        max_pages: Pages of the longest document.
        audit_seconds: Time limit of one audit.
    """

    version: str
    keeps: bool
    tables: tuple[str, ...]
    roots: tuple[str, ...]
    options: tuple[str, ...]
    max_upload_mb: int
    max_table_mb: int
    max_pages: int
    audit_seconds: float
