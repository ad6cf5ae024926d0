"""The result of a sample on a terminal."""

from __future__ import annotations

from rich.console import Console

from docaudit.elusion.result import Answer, ElusionResult, Found
from docaudit.render.clean import one_line
from docaudit.render.paper import Paper, new_console
from docaudit.render.sample_words import bound_words, sentences, stratum_name


def print_sample(result: ElusionResult, console: Console | None = None) -> None:
    """What was found, what the rest may hold at most, and the strata each by itself."""
    paper = Paper(console or new_console())
    for sentence in sentences(result):
        paper.say((sentence, "bold"))
    if len(result.strata) > 1:
        paper.heading("Strata", "each by itself; the bounds of all need not hold together")
        names = [stratum_name(result.draw, one.name) for one in result.strata]
        widths = [max(map(len, ("stratum", *names))), -7, -7, -7]
        paper.row(("stratum", "there", "read", "found", "at most"), widths, "dim")
        for name, one in zip(names, result.strata, strict=True):
            cells = (
                name,
                f"{one.size:,}",
                f"{one.read - one.unanswered:,}",
                f"{one.found:,}",
                bound_words(one),
            )
            paper.row(cells, widths)
    found = (*result.with_answer(Found.YES), *result.with_answer(Found.UNSURE))
    if found:
        paper.heading("Missed by the search", "add the words to the concept table, and audit again")
        for answer in sorted(found, key=lambda one: (one.page_num, one.sample_id)):
            paper.say(_line(answer), indent=2, hang=2)


def _line(answer: Answer) -> str:
    what = one_line(answer.what) or "(not said what)"
    note = f" - {one_line(answer.note)}" if answer.note else ""
    unsure = "unsure: " if answer.found is Found.UNSURE else ""
    return f"page {answer.page_num}  {answer.sample_id}  {unsure}{what}{note}"
