"""The order of work: read, sweep, justify. The only module that knows it.

read     extract.read.read_document                                       -> ParsedDocument
sweep    search.sweep_lines -> cooccurrence -> nearest                    -> SweepResult
justify  controls -> evidence.Evidence -> justify.justify_absence         -> AbsenceJustification
         (a model may then choose among reasons and mentions: wording.choice.with_choice)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from docaudit import cooccurrence, nearest
from docaudit.concepts.model import ConceptTable
from docaudit.controls import run_canaries, run_controls
from docaudit.document import ParsedDocument, SweepResult
from docaudit.errors import (
    ConceptTableError,
    MissingEvidenceError,
    OptionError,
    Progress,
    QuestionError,
    RetrievalError,
    quiet,
)
from docaudit.evidence import Evidence, required_concepts
from docaudit.justification import AbsenceJustification, ControlGroup, ObligationCheck, RetrievedChunk
from docaudit.justify import each_alone, justify_absence
from docaudit.options import AuditOptions
from docaudit.question import content_words
from docaudit.rules import Verdict
from docaudit.search import sweep_lines
from docaudit.wording.choice import with_choice
from docaudit.wording.model import Endpoint

if TYPE_CHECKING:
    from docaudit.extract.source import Source


def audit(
    source: Source | ParsedDocument,
    table: ConceptTable,
    *,
    question: str | None = None,
    retrieved: Sequence[RetrievedChunk] | None = None,
    options: AuditOptions | None = None,
    progress: Progress | None = None,
    **keywords: Any,
) -> AbsenceJustification:
    """Parse, sweep and justify in one call; the source may also be a ParsedDocument, or the folder of a saved one.

    With the chunks that a retriever gave for the question, the justification also says which of the hits it missed.

    What was parsed is not read again: options of reading (ocr and the like) stay those it was parsed with.

    Raises what `parse`, `sweep` and `justify` raise, and SavedFileError for a folder that cannot be read back;
    OptionError also if a parsed document was read with other options than those given, or if a canary is to be planted
    into what was parsed before.
    """
    # What is wrong with the arguments is said before a document is read, which may take minutes.
    table, question, retrieved = require_table(table), require_question(question), require_chunks(retrieved)
    if question is not None:
        content_words(question)
    parsed = source if isinstance(source, ParsedDocument) else None
    if isinstance(source, (str, os.PathLike)):
        parsed = open_parsed(source)
    if parsed is None:
        assert not isinstance(source, ParsedDocument)
        chosen = AuditOptions.from_keywords(options, keywords)
        endpoint = _endpoint(chosen)
        parsed = parse(source, options=chosen, progress=progress)
    else:
        chosen = options_for(parsed, options, keywords)
        endpoint = _endpoint(chosen)
        if chosen.canary:
            raise _only_parsed()
    result = sweep(parsed, table, options=chosen)
    controls = run_controls(parsed)
    if chosen.canary:
        assert not isinstance(source, ParsedDocument)
        again = chosen.model_copy(update={"canary": False, "password": None})
        controls += run_canaries(
            source, parsed, chosen, lambda copy: parse(copy, options=again, progress=quiet(progress))
        )
    evidence = Evidence(parsed, table, result, question, chosen, controls, retrieved)
    return _chosen(justify_absence(evidence), endpoint)


def parse(
    source: Source, *, options: AuditOptions | None = None, progress: Progress | None = None, **keywords: Any
) -> ParsedDocument:
    """Read a PDF into tables.

    Args:
        source: A path, the bytes of a PDF, or an open binary file.
        options: Options; single ones can also be given as keywords of the same name (ocr="off").
        progress: Called with pages done and pages in all; a docaudit.errors.Stop can also end the work.
        **keywords: Fields of AuditOptions.

    Returns:
        The tables of docaudit.tables, with one row of page_df for each page of the page tree, and the coverage.

    Raises:
        InputError: The document cannot be opened: missing, not a PDF, encrypted, without pages, too damaged.
        OptionError: An option does not exist or has a wrong value.
    """
    chosen = AuditOptions.from_keywords(options, keywords)
    from docaudit.extract.read import read_document  # engines load only where a document is read

    return read_document(source, chosen, require_progress(progress))


def sweep(
    parsed: ParsedDocument, table: ConceptTable, *, options: AuditOptions | None = None, **keywords: Any
) -> SweepResult:
    """Look for every accepted variant of a concept table in every line of a parsed document.

    Returns:
        hit_df, ledger_df (also for variants without a hit), cooccurrence_df and nearest_df.

    Raises:
        ConceptTableError: It is no concept table, or the table has no accepted variant.
        MissingEvidenceError: It is no parsed document.
        OptionError: An option does not exist or has a wrong value.
    """
    parsed, table = require_parsed(parsed), require_table(table)
    chosen = options_for(parsed, options, keywords)
    hit_df, ledger_df = find_hits(parsed, table, chosen)
    meetings = _meetings(hit_df, parsed, table, chosen)
    closest = nearest.closest(hit_df, parsed.line_df, table, meetings, limit=chosen.closest)
    return SweepResult(hit_df=hit_df, ledger_df=ledger_df, cooccurrence_df=meetings, nearest_df=closest)


def find_hits(
    parsed: ParsedDocument, table: ConceptTable, chosen: AuditOptions
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """hit_df and ledger_df alone, without meetings and near misses."""
    return sweep_lines(
        parsed.line_df,
        table,
        pages_total=len(parsed.page_df),
        regex_seconds=chosen.regex_seconds,
        sweep_seconds=chosen.sweep_seconds,
        toc_df=parsed.toc_df,
    )


def justify(
    parsed: ParsedDocument,
    table: ConceptTable,
    result: SweepResult,
    question: str | None = None,
    *,
    retrieved: Sequence[RetrievedChunk] | None = None,
    options: AuditOptions | None = None,
    **keywords: Any,
) -> AbsenceJustification:
    """Draw the finding from a parsed document and a sweep of it.

    With the chunks that a retriever gave for the question, the justification also says which of the hits it missed;
    the finding is the same with and without them. An empty sequence is a retriever that found nothing.

    Raises:
        MissingEvidenceError: One of the four layers of evidence is missing; it is named.
        QuestionError: The question is no text, is empty or has no word in it.
        OptionError: An option does not exist or has a wrong value; a model was asked for that is not configured.
        RetrievalError: What was retrieved is no sequence of RetrievedChunk.
    """
    parsed, table, result = require_parsed(parsed), require_table(table), require_result(result)
    question, retrieved = require_question(question), require_chunks(retrieved)
    chosen = options_for(parsed, options, keywords)
    if chosen.canary:
        raise _only_parsed()
    endpoint = _endpoint(chosen)
    # The sweep may have had another scope or other required concepts; what it did not look at would seem not to meet.
    result = replace(result, cooccurrence_df=_meetings(result.hit_df, parsed, table, chosen))
    evidence = Evidence(parsed, table, result, question, chosen, run_controls(parsed), retrieved)
    return _chosen(justify_absence(evidence), endpoint)


def _endpoint(chosen: AuditOptions) -> Endpoint | None:
    """The model that chooses reason and mentions, None for the template; raises OptionError if none is configured."""
    return Endpoint.from_environment(chosen.explain_seconds) if chosen.explain_with == "model" else None


def _chosen(by_template: AbsenceJustification, endpoint: Endpoint | None) -> AbsenceJustification:
    return with_choice(by_template, endpoint.ask, model=endpoint.model) if endpoint else by_template


def _meetings(
    hit_df: pd.DataFrame, parsed: ParsedDocument, table: ConceptTable, chosen: AuditOptions
) -> pd.DataFrame:
    return cooccurrence.find_meetings(
        hit_df,
        parsed.line_df,
        table,
        scope=chosen.scope,
        window_words=chosen.window_words,
        required=chosen.required or table.required_concepts,
        toc_df=parsed.toc_df,
    )


def _only_parsed() -> OptionError:
    return OptionError(
        "a canary is planted into a copy of the document itself, and only its saved parse is here",
        remedy="name the PDF, or leave out --canary",
    )


def options_for(
    parsed: ParsedDocument, options: AuditOptions | None, keywords: Mapping[str, Any]
) -> AuditOptions:
    """The options, with those of reading as the document was really read: a justification records what was done."""
    # A model is asked only by who calls, never because it was when the document was read.
    before = parsed.options.model_copy(update={"explain_with": "template"})
    return AuditOptions.from_keywords(options or before, keywords).read_with(parsed.options)


def open_parsed(source: str | os.PathLike[str]) -> ParsedDocument | None:
    """The saved parse in this folder, or None if the path is no such folder."""
    folder = Path(source)
    return ParsedDocument.load(folder) if (folder / "document.json").is_file() else None


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
    evidence = Evidence(parsed, table, result, question, chosen, controls)
    justification = justify_absence(evidence)
    alone = each_alone(evidence, justification.obligations)
    return Audited(justification, result.hit_df, result.ledger_df, alone)


def check_request(table: ConceptTable, question: str | None, options: AuditOptions) -> None:
    """Raise what an audit would raise of this table, question and options, whatever the document."""
    require_table(table)
    if require_question(question) is not None:
        content_words(question or "")
    required_concepts(table, options)


def require_table(table: Any) -> ConceptTable:
    """The concept table; raises ConceptTableError for anything else, and for one in which nothing is accepted."""
    if isinstance(table, ConceptTable):
        if not table.active:
            raise ConceptTableError(
                "no variant of the concept table is accepted, so nothing would be searched",
                remedy="accept at least one",
            )
        return table
    raise ConceptTableError(
        f"a ConceptTable is needed, not {_kind(table)}",
        remedy="make one with ConceptTable.load, from_dataframe or from_variants",
    )


def require_question(question: Any) -> str | None:
    """The question, or None; raises QuestionError for anything but text."""
    if question is None:
        return None
    if not isinstance(question, str):
        raise QuestionError(
            f"the question is {_kind(question)}, not text", remedy="pass it as a str, or None"
        )
    try:
        question.encode("utf-8")
    except UnicodeEncodeError as error:
        raise QuestionError(
            f"the question has a broken character at position {error.start + 1}",
            remedy="write it again; on a terminal, use UTF-8",
        ) from error
    return question


def require_parsed(parsed: Any) -> ParsedDocument:
    """The parsed document; raises MissingEvidenceError for anything else."""
    if isinstance(parsed, ParsedDocument):
        return parsed
    raise MissingEvidenceError("parsing", f"a ParsedDocument is needed, not {_kind(parsed)}")


def require_result(result: Any) -> SweepResult:
    """The result of a sweep; raises MissingEvidenceError for anything else."""
    if isinstance(result, SweepResult):
        return result
    raise MissingEvidenceError("sweep", f"a SweepResult is needed, not {_kind(result)}")


def require_justification(justification: Any) -> AbsenceJustification:
    """The justification; raises MissingEvidenceError for anything else."""
    if isinstance(justification, AbsenceJustification):
        return justification
    raise MissingEvidenceError(
        "explanation", f"an AbsenceJustification is needed, not {_kind(justification)}"
    )


def require_chunks(retrieved: Any) -> tuple[RetrievedChunk, ...] | None:
    """What a retriever gave, or None; raises RetrievalError for anything but a sequence of RetrievedChunk."""
    if retrieved is None:
        return None
    if not isinstance(retrieved, Sequence) or isinstance(retrieved, (str, bytes)):
        raise RetrievalError(
            f"a sequence of RetrievedChunk is needed, not {_kind(retrieved)}", remedy="pass a list, or None"
        )
    wrong = [
        f"chunk {number} is {_kind(chunk)}"
        for number, chunk in enumerate(retrieved, 1)
        if not isinstance(chunk, RetrievedChunk)
    ]
    if wrong:
        raise RetrievalError(
            "not every chunk is a RetrievedChunk",
            problems=tuple(wrong),
            remedy="make each by RetrievedChunk(text=..., pages=..., id=...)",
        )
    return tuple(retrieved)


def require_progress(progress: Any) -> Any:
    """A function, or None; raises OptionError for anything else."""
    if progress is None or callable(progress):
        return progress
    raise OptionError(
        f"progress is {_kind(progress)}, not a function", remedy="pass a function of two numbers"
    )


def _kind(thing: Any) -> str:
    if thing is None:
        return "None"
    return f"the class {thing.__name__}" if isinstance(thing, type) else type(thing).__name__
