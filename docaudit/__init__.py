"""docaudit audits documents for absence: it proves that something is not in a document, or says why it cannot."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docaudit.abstention.ledger.evaluate import diff_ledgers, evaluate_ledger
    from docaudit.abstention.ledger.read import load_ledger
    from docaudit.abstention.ledger.results import Evaluation, LedgerDiff
    from docaudit.audit import audit, justify, parse, sweep
    from docaudit.codes import Finding, RetrievalVerdict
    from docaudit.compare import Comparison, compare
    from docaudit.concepts.change import TableDiff, diff_tables, first_table
    from docaudit.concepts.model import ConceptTable
    from docaudit.concepts.variant import Concept, ConceptInfo, Variant
    from docaudit.document import ParsedDocument, SweepResult
    from docaudit.errors import DocauditError, ExitCode
    from docaudit.justification import (
        AbsenceJustification,
        AnswerWithEvidence,
        GroundedAnswer,
        RetrievalCheck,
        RetrievedChunk,
    )
    from docaudit.options import AuditOptions
    from docaudit.redact import redact
    from docaudit.report import report
    from docaudit.retrieval import load_chunks
    from docaudit.sampling import draw_sample
    from docaudit.sampling_sheet import ElusionResult, read_sample
    from docaudit.saved import load_justification
    from docaudit.search.article import sweep_for_absence
    from docaudit.suggest import suggest
    from docaudit.verify import Verification, verify

__version__ = "0.1.0"

_HOME = {
    "LedgerDiff": "docaudit.abstention.ledger.results",
    "diff_ledgers": "docaudit.abstention.ledger.evaluate",
    "evaluate_ledger": "docaudit.abstention.ledger.evaluate",
    "load_ledger": "docaudit.abstention.ledger.read",
    "Evaluation": "docaudit.abstention.ledger.results",
    "audit": "docaudit.audit",
    "justify": "docaudit.audit",
    "parse": "docaudit.audit",
    "sweep": "docaudit.audit",
    "Comparison": "docaudit.compare",
    "compare": "docaudit.compare",
    "TableDiff": "docaudit.concepts.change",
    "diff_tables": "docaudit.concepts.change",
    "first_table": "docaudit.concepts.change",
    "Concept": "docaudit.concepts.model",
    "ConceptInfo": "docaudit.concepts.model",
    "ConceptTable": "docaudit.concepts.model",
    "Variant": "docaudit.concepts.model",
    "ElusionResult": "docaudit.sampling_sheet",
    "read_sample": "docaudit.sampling_sheet",
    "DocauditError": "docaudit.errors",
    "ExitCode": "docaudit.errors",
    "AbsenceJustification": "docaudit.justification",
    "AnswerWithEvidence": "docaudit.justification",
    "Finding": "docaudit.codes",
    "GroundedAnswer": "docaudit.justification",
    "AuditOptions": "docaudit.options",
    "ParsedDocument": "docaudit.document",
    "SweepResult": "docaudit.document",
    "redact": "docaudit.redact",
    "RetrievalCheck": "docaudit.justification",
    "RetrievalVerdict": "docaudit.codes",
    "RetrievedChunk": "docaudit.justification",
    "load_chunks": "docaudit.retrieval",
    "report": "docaudit.report",
    "draw_sample": "docaudit.sampling",
    "load_justification": "docaudit.saved",
    "suggest": "docaudit.suggest",
    "sweep_for_absence": "docaudit.search.article",
    "Verification": "docaudit.verify",
    "verify": "docaudit.verify",
}

__all__ = [
    "AbsenceJustification",
    "AnswerWithEvidence",
    "AuditOptions",
    "Comparison",
    "Concept",
    "ConceptInfo",
    "ConceptTable",
    "DocauditError",
    "ElusionResult",
    "Evaluation",
    "ExitCode",
    "Finding",
    "GroundedAnswer",
    "LedgerDiff",
    "ParsedDocument",
    "RetrievalCheck",
    "RetrievalVerdict",
    "RetrievedChunk",
    "SweepResult",
    "TableDiff",
    "Variant",
    "Verification",
    "audit",
    "compare",
    "diff_ledgers",
    "diff_tables",
    "draw_sample",
    "evaluate_ledger",
    "first_table",
    "justify",
    "load_chunks",
    "load_justification",
    "load_ledger",
    "parse",
    "read_sample",
    "redact",
    "report",
    "suggest",
    "sweep",
    "sweep_for_absence",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for and no more, so that the command line and child processes start fast."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'docaudit' has no attribute {name!r}")


class _Package(ModuleType):
    """Keeps docaudit.audit the function of that name when the import system binds the module docaudit/audit.py."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
