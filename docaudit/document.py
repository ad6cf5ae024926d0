"""What a document was parsed into and what a sweep of it gave, the two bundles of tables that stages hand on.

Their rows as parts of a justification: none capped, unknown numbers as null.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from docaudit.codes import BBox
from docaudit.concepts.check import JOINER
from docaudit.errors import OptionError, OutputError, SavedFileError, TableContractError
from docaudit.files import writing_folder
from docaudit.justification import (
    BlindSpot,
    DocumentIdentity,
    Hit,
    LedgerRow,
    Meeting,
    Mention,
    PageFact,
    ParseCoverage,
)
from docaudit.options import AuditOptions
from docaudit.tables import TABLES

FORMAT = 2
PARSED_TABLES = (
    "page_df",
    "line_df",
    "image_df",
    "toc_df",
    "cross_ref_df",
    "object_registry",
    "blind_spot_df",
    "witness_df",
)


@dataclass(frozen=True)
class ParsedDocument:
    """A document as tables; the columns of each are in docaudit.tables.

    Attributes:
        identity: Name, SHA-256, size and number of pages of the file, and the versions that read it.
        options: The options it was parsed with.
        coverage: What could and could not be read, in numbers.
    """

    identity: DocumentIdentity
    options: AuditOptions
    page_df: pd.DataFrame
    line_df: pd.DataFrame
    image_df: pd.DataFrame
    toc_df: pd.DataFrame
    cross_ref_df: pd.DataFrame
    object_registry: pd.DataFrame
    blind_spot_df: pd.DataFrame
    witness_df: pd.DataFrame
    coverage: ParseCoverage

    @property
    def parse_coverage(self) -> dict[str, int]:
        """The six numbers of the method: pages_total, pages_with_text, images_total, toc_entries,
        cross_refs_total, objects_registered.
        """
        return self.coverage.six_keys()

    def save(self, folder: str | Path) -> Path:
        """Write all tables as Parquet, and identity, options and coverage as JSON, into a folder.

        The folder appears whole or not at all. Raises OutputError if it cannot be written, or if it holds the parse of
        another document.
        """
        if not isinstance(folder, (str, os.PathLike)):
            raise OutputError(f"cannot save into {type(folder).__name__}", remedy="name a folder")
        head: dict[str, object] = {
            "format": FORMAT,
            "identity": self.identity.model_dump(mode="json"),
            "options": self.options.model_dump(mode="json"),
            "coverage": self.coverage.model_dump(mode="json"),
        }
        self._keep_others(Path(folder))
        with writing_folder(Path(folder)) as temporary:
            for name in PARSED_TABLES:
                getattr(self, name).to_parquet(temporary / f"{name}.parquet", index=False)
            head["tables"] = {name: _sha256(temporary / f"{name}.parquet") for name in PARSED_TABLES}
            (temporary / "document.json").write_text(json.dumps(head, ensure_ascii=False, indent=1), "utf-8")
        return Path(folder)

    def _keep_others(self, folder: Path) -> None:
        """Raise OutputError if the folder holds the parse of another document, or what cannot be told from one."""
        remedy = "name another folder, or remove this one"
        try:
            there = json.loads((folder / "document.json").read_text("utf-8"))["identity"]
            name, sha256 = there["name"], there["sha256"]
        except (FileNotFoundError, NotADirectoryError):
            return  # no parse is kept here; whatever else may be, writing_folder keeps
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutputError(
                "holds a document.json of unknown make", file=str(folder), remedy=remedy
            ) from error
        if sha256 != self.identity.sha256:
            raise OutputError(f"holds the parse of another document, {name}", file=str(folder), remedy=remedy)

    @classmethod
    def load(cls, folder: str | Path) -> ParsedDocument:
        """Read back what `save` wrote; raises SavedFileError if a part is missing, damaged or of another format."""
        if not isinstance(folder, (str, os.PathLike)):
            raise SavedFileError(f"cannot load from {type(folder).__name__}", remedy="name a folder")
        root = Path(folder)
        try:
            head = json.loads((root / "document.json").read_text("utf-8"))
            if head.get("format") != FORMAT:
                raise SavedFileError(
                    f"saved in format {head.get('format')!r}, this version reads {FORMAT}",
                    file=str(root),
                    remedy="parse the document again",
                )
            changed = [
                name for name in PARSED_TABLES if _sha256(root / f"{name}.parquet") != head["tables"][name]
            ]
            if changed:
                raise ValueError(f"{', '.join(changed)} was changed since")
            tables = {
                name: TABLES[name].check(pd.read_parquet(root / f"{name}.parquet")) for name in PARSED_TABLES
            }
            return cls(
                identity=DocumentIdentity.model_validate(head["identity"]),
                options=AuditOptions.model_validate(head["options"]),
                coverage=ParseCoverage.model_validate(head["coverage"]),
                **tables,
            )
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            ValidationError,
            OptionError,
            TableContractError,
        ) as error:
            raise SavedFileError(
                f"not a saved parse: {error}", file=str(root), remedy="parse the document again"
            ) from error


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@dataclass(frozen=True)
class SweepResult:
    """What a concept table found in a document.

    Attributes:
        hit_df: One row for each occurrence.
        ledger_df: One row for each variant, also for those without a hit.
        cooccurrence_df: One row for each meeting of concepts.
        nearest_df: Closest mentions, nearest pairs and near misses.
    """

    hit_df: pd.DataFrame
    ledger_df: pd.DataFrame
    cooccurrence_df: pd.DataFrame
    nearest_df: pd.DataFrame = field(default_factory=lambda: TABLES["nearest_df"].empty())


_Part = type[PageFact] | type[Hit] | type[LedgerRow] | type[BlindSpot] | type[Mention] | type[Meeting]


def hits(hit_df: pd.DataFrame) -> tuple[Hit, ...]:
    """HIT_DF as hits, possible misreadings of OCR included."""
    return tuple(Hit.model_validate(_with_box(row, Hit)) for row in _rows(hit_df))


def blind_spots(blind_spot_df: pd.DataFrame) -> tuple[BlindSpot, ...]:
    """BLIND_SPOT_DF as blind spots."""
    return tuple(BlindSpot.model_validate(_with_box(row, BlindSpot)) for row in _rows(blind_spot_df))


def page_facts(page_df: pd.DataFrame) -> tuple[PageFact, ...]:
    """PAGE_DF as the pages of a justification."""
    return tuple(PageFact.model_validate(_only(row, PageFact)) for row in _rows(page_df))


def ledger_rows(ledger_df: pd.DataFrame) -> tuple[LedgerRow, ...]:
    """LEDGER_DF as rows of the ledger."""
    return tuple(LedgerRow.model_validate(_only(row, LedgerRow)) for row in _rows(ledger_df))


def meetings(cooccurrence_df: pd.DataFrame) -> tuple[Meeting, ...]:
    """COOCCURRENCE_DF as meetings, their concepts apart again."""
    return tuple(
        Meeting.model_validate({**_only(row, Meeting), "concepts": tuple(row["concepts"].split(JOINER))})
        for row in _rows(cooccurrence_df)
    )


def mentions(nearest_df: pd.DataFrame, kinds: Set[str]) -> tuple[Mention, ...]:
    """The rows of NEAREST_DF of these kinds as mentions."""
    return tuple(
        Mention.model_validate(_only(row, Mention)) for row in _rows(nearest_df) if row["kind"] in kinds
    )


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    # As to_dict("records") gives them, which takes its time with every cell.
    names = [str(name) for name in table.columns]
    cells = zip(*(table[name].tolist() for name in table.columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in cells]


def _only(row: dict[str, Any], part: _Part) -> dict[str, Any]:
    """The columns that the part has; NaN is null, as JSON knows no NaN."""
    known = {key: value for key, value in row.items() if key in part.model_fields}
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value for key, value in known.items()
    }


def _with_box(row: dict[str, Any], part: _Part) -> dict[str, Any]:
    sides = [float(row[name]) for name in ("x0", "y0", "x1", "y1")]
    box: BBox | None = (
        None if any(math.isnan(side) for side in sides) else (sides[0], sides[1], sides[2], sides[3])
    )
    return {**_only(row, part), "bbox": box}
