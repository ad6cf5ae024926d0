"""A result in the few lines that a model or a person reads; the whole evidence stays in the result itself."""

from __future__ import annotations

from docaudit.justification import AbsenceJustification, AnswerWithEvidence
from docaudit.render import view
from docaudit.render.clean import one_line
from docaudit.render.headlines import headline, verdict
from docaudit.render.retrieval_words import retrieval_notes, retrieval_verdict
from docaudit.render.tongue import Tongue

SHOWN = 5
"""Passages that are quoted; it is said how many more there are."""


def brief(result: AbsenceJustification | AnswerWithEvidence) -> str:
    """Finding, explanation, what is unmet and what settles it, passages to read, and what the retriever missed."""
    if isinstance(result, AnswerWithEvidence):
        quoted = [f"- {view.page(one.page_num)}: {one_line(one.text)}" for one in result.evidence[:SHOWN]]
        return "\n".join([result.answer, *quoted, *_more(len(result.evidence))])
    t = Tongue(result.options.language)
    name = result.document.name if result.document else ""
    lines = [
        f"{one_line(name)}: {headline(result, t)} ({result.finding.value}). {verdict(result, t)}",
        one_line(result.absence_explanation),
    ]
    for check in result.unmet:
        remedy = f" → {t.data(check.remedy)}" if check.remedy else ""
        lines.append(f"- {check.obligation.value}: {one_line(t.data(check.evidence) + remedy)}")
    to_read = view.passages_to_read(result)
    lines += [f"- {view.page(hit.page_num)}: {one_line(hit.snippet)}" for hit in to_read[:SHOWN]]
    lines += _more(len(to_read))
    if result.retrieval is not None:
        lines.append(
            " ".join([retrieval_verdict(result.retrieval, t), *retrieval_notes(result.retrieval, t)])
        )
    return "\n".join(lines)


def _more(passages: int) -> list[str]:
    return [f"- … {passages - SHOWN} more"] if passages > SHOWN else []
