"""Write the JSON Schemas of what docaudit saves, from its models: `make schemas` after a change of a model.

tests/test_schemas.py fails while a schema differs from its model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from docaudit.abstention.ledger.results import Evaluation, LedgerDiff
from docaudit.abstention.ledger.rows import Contract, LedgerCase, LedgerClaim, LedgerDocument, LedgerRun
from docaudit.concepts.model import ConceptTable
from docaudit.coverage import CorpusReadability
from docaudit.files import write_text
from docaudit.justification import AbsenceJustification, ParseCoverage
from docaudit.sampling import Draw

FOLDER = Path(__file__).parent
MODELS: dict[str, type[BaseModel]] = {
    "absence_justification": AbsenceJustification,
    "parse_coverage": ParseCoverage,
    "concept_table": ConceptTable,
    "coverage": CorpusReadability,
    "elusion_draw": Draw,
    # What a ledger of runs consists of: contract.json, and one schema for a row of each other file.
    "ledger_contract": Contract,
    "ledger_document": LedgerDocument,
    "ledger_case": LedgerCase,
    "ledger_run": LedgerRun,
    "ledger_claim": LedgerClaim,
    "ledger_evaluation": Evaluation,
    "ledger_diff": LedgerDiff,
}
# Files that users write: a field with a default may be left out.
WRITTEN_BY_USERS = (Contract, LedgerDocument, LedgerCase, LedgerRun, LedgerClaim)
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text(model: type[BaseModel]) -> str:
    """The schema of what the model is saved as, with the same bytes on every machine."""
    mode: Literal["validation", "serialization"] = (
        "validation" if model in WRITTEN_BY_USERS else "serialization"
    )
    schema = {"$schema": DIALECT, **model.model_json_schema(mode=mode)}
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write all schemas."""
    for name, model in MODELS.items():
        path = FOLDER / f"{name}.schema.json"
        write_text(path, schema_text(model))
        print(path.name)


if __name__ == "__main__":
    main()
