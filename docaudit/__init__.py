"""docaudit audits documents for absence: it proves that something is not in a document, or says why it cannot."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docaudit.abstention.ledger.changes import diff_ledgers
    from docaudit.abstention.ledger.evaluate import evaluate_ledger
    from docaudit.abstention.ledger.ledger import load_ledger
    from docaudit.abstention.ledger.report import Evaluation, LedgerDiff
    from docaudit.audit import audit, justify, parse, sweep
    from docaudit.chunk_files import load_chunks
    from docaudit.compare import Comparison, compare
    from docaudit.concept_diff import TableDiff, diff_tables
    from docaudit.concept_init import first_table
    from docaudit.concepts import Concept, ConceptInfo, ConceptTable, Variant
    from docaudit.elusion.result import ElusionResult, read_sample
    from docaudit.elusion.sampling import draw_sample
    from docaudit.errors import DocauditError, ExitCode
    from docaudit.justification import AbsenceJustification, AnswerWithEvidence, Finding, GroundedAnswer
    from docaudit.options import AuditOptions
    from docaudit.parsed import ParsedDocument, SweepResult
    from docaudit.redact import redact
    from docaudit.reporting import report
    from docaudit.retrieved import RetrievalCheck, RetrievalVerdict, RetrievedChunk
    from docaudit.saved import load_justification
    from docaudit.suggest import suggest
    from docaudit.sweep import sweep_for_absence
    from docaudit.verify import Verification, verify

__version__ = "0.1.0"

_HOME = {
    "LedgerDiff": "docaudit.abstention.ledger.report",
    "diff_ledgers": "docaudit.abstention.ledger.changes",
    "evaluate_ledger": "docaudit.abstention.ledger.evaluate",
    "load_ledger": "docaudit.abstention.ledger.ledger",
    "Evaluation": "docaudit.abstention.ledger.report",
    "audit": "docaudit.audit",
    "justify": "docaudit.audit",
    "parse": "docaudit.audit",
    "sweep": "docaudit.audit",
    "Comparison": "docaudit.compare",
    "compare": "docaudit.compare",
    "TableDiff": "docaudit.concept_diff",
    "diff_tables": "docaudit.concept_diff",
    "first_table": "docaudit.concept_init",
    "Concept": "docaudit.concepts",
    "ConceptInfo": "docaudit.concepts",
    "ConceptTable": "docaudit.concepts",
    "Variant": "docaudit.concepts",
    "ElusionResult": "docaudit.elusion.result",
    "read_sample": "docaudit.elusion.result",
    "DocauditError": "docaudit.errors",
    "ExitCode": "docaudit.errors",
    "AbsenceJustification": "docaudit.justification",
    "AnswerWithEvidence": "docaudit.justification",
    "Finding": "docaudit.justification",
    "GroundedAnswer": "docaudit.justification",
    "AuditOptions": "docaudit.options",
    "ParsedDocument": "docaudit.parsed",
    "SweepResult": "docaudit.parsed",
    "redact": "docaudit.redact",
    "RetrievalCheck": "docaudit.retrieved",
    "RetrievalVerdict": "docaudit.retrieved",
    "RetrievedChunk": "docaudit.retrieved",
    "load_chunks": "docaudit.chunk_files",
    "report": "docaudit.reporting",
    "draw_sample": "docaudit.elusion.sampling",
    "load_justification": "docaudit.saved",
    "suggest": "docaudit.suggest",
    "sweep_for_absence": "docaudit.sweep",
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
    """Keeps docaudit.sweep the function of that name when the import system binds the module docaudit/sweep.py."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
