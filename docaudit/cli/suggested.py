"""What `docaudit suggest` does: show candidates, write a person's decisions into the table, step through a review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from docaudit.cli.actions import read_parsed
from docaudit.cli.printing import print_json
from docaudit.cli.progress import progress_bar
from docaudit.concepts.model import ConceptTable
from docaudit.concepts.variant import Variant
from docaudit.errors import OptionError
from docaudit.options import AuditOptions
from docaudit.render.language import one_line, plural
from docaudit.suggest import suggest_from
from docaudit.suggest.candidates import Candidate, Known, Suggestions, decide, find, propose
from docaudit.suggest.neighbours import Method, Prepared

_PAGES_SHOWN = 6


@dataclass(frozen=True)
class Wanted:
    """What a person asked for on the command line.

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


def suggest(
    docs: Sequence[Path],
    concepts: Path,
    options: AuditOptions,
    wanted: Wanted,
    *,
    top: int,
    method: Method,
    model: str | None,
    max_terms: int,
    cache: bool,
    as_json: bool,
) -> int:
    """Show candidates, or write decisions about them into the table."""
    wanted.check()
    table = ConceptTable.load(concepts)
    parsed = [read_parsed(doc, options) for doc in docs]
    with progress_bar("comparing", unit="terms") as progress:
        prepared = Prepared(
            parsed, method=method, model=model, max_terms=max_terms, cache=cache, progress=progress
        )
        suggestions = suggest_from(prepared, table, top=top)
    if wanted.review:
        return _review(table, suggestions, concepts, wanted)
    if wanted.accept or wanted.reject or wanted.propose:
        return _write(table, suggestions, concepts, wanted, as_json=as_json)
    if as_json:
        print_json(suggestions.model_dump(mode="json"))
    else:
        _show(table, suggestions)
    return 0


def _write(
    table: ConceptTable, suggestions: Suggestions, path: Path, wanted: Wanted, *, as_json: bool
) -> int:
    """Write all decisions or none."""
    counts = {"accepted": 0, "rejected": 0, "proposed": 0}
    decided: set[tuple[str, str]] = set()
    for decision, names in (("accepted", wanted.accept), ("rejected", wanted.reject)):
        for named in names:
            chosen = find(table, suggestions, named, concept=wanted.concept, family=wanted.family)
            chosen = [one for one in chosen if (one.concept, one.text) not in decided]
            table = decide(table, chosen, decision, reviewer=wanted.reviewer, note=wanted.note)  # type: ignore[arg-type]
            decided |= {(one.concept, one.text) for one in chosen}
            counts[decision] += len(chosen)
    if wanted.propose:
        left = [one for one in suggestions.candidates if (one.concept, one.text) not in decided]
        table = propose(table, left)
        counts["proposed"] = len(left)
    table.save(path)
    if as_json:
        print_json({"table": str(path), **counts})
    else:
        said = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        click.echo(f"{path}: {said or 'nothing to write'}")
    return 0


def _show(table: ConceptTable, suggestions: Suggestions) -> None:
    several = len({name for one in suggestions.candidates for name in one.pages}) > 1
    for concept in table.concepts:
        found = suggestions.of_concept(concept)
        click.echo(f"{one_line(concept)}: {plural(len(found), 'candidate') if found else 'no candidate'}")
        for number, candidate in enumerate(found, start=1):
            click.echo(f"{number:4}  {_described(candidate, several=several)}")
            click.echo(f"        {one_line(candidate.context)}")
    for note in suggestions.notes:
        click.echo(f"note: {note}")
    if suggestions.candidates:
        click.echo(
            "Nothing was accepted. Decide with --review, or --accept and --reject; --propose keeps all as open rows."
        )


def _described(candidate: Candidate, *, several: bool) -> str:
    kind = candidate.kind.value.replace("_", " ")
    members = ", ".join(one_line(member) for member in candidate.members)
    more = f"; also {members}" if members else ""
    pages = _pages(candidate.pages, several=several)
    return (
        f"{one_line(candidate.text)}  [{kind} {candidate.similarity:.2f}, near {one_line(candidate.near)}, "
        f"{plural(candidate.count, 'time')}, {pages}, family {candidate.family}{more}]"
    )


def _pages(pages: Mapping[str, Sequence[int]], *, several: bool) -> str:
    """The pages, and of which document where there are several; the first few."""
    said = []
    for name, numbers in pages.items():
        shown = ", ".join(str(number) for number in numbers[:_PAGES_SHOWN])
        rest = ", …" if len(numbers) > _PAGES_SHOWN else ""
        said.append(f"{one_line(name) + ' ' if several else ''}p. {shown}{rest}")
    return "; ".join(said)


_KEYS = {
    "a": "accept",
    "r": "reject",
    "A": "accept its family",
    "R": "reject its family",
    "o": "leave open (a proposed row)",
    "q": "stop",
}


def _review(table: ConceptTable, suggestions: Suggestions, path: Path, wanted: Wanted) -> int:
    """Step through proposed rows and candidates; each decision is written at once, so that none is lost."""
    click.echo("; ".join(f"{key} {meaning}" for key, meaning in _KEYS.items()))
    several = len({name for one in suggestions.candidates for name in one.pages}) > 1
    pending: list[Candidate | Variant] = [*table.proposed, *suggestions.candidates]
    done = 0
    while pending:
        one = pending[0]
        click.echo(f"\n{one_line(one.concept)}: {_shown(one, several=several)}")
        key = click.prompt(
            f"{plural(len(pending), 'candidate')} left", type=click.Choice(list(_KEYS)), show_choices=True
        )
        if key == "q":
            break
        chosen = _family(one, pending) if key in "AR" else [one]
        if key == "o":
            table = propose(table, [one]) if isinstance(one, Candidate) else table
        else:
            note = wanted.note or click.prompt("why (Enter for no note)", default="", show_default=False)
            decision = "accepted" if key in "aA" else "rejected"
            table = decide(table, chosen, decision, reviewer=wanted.reviewer, note=note or None)  # type: ignore[arg-type]
        table.save(path)
        done += len(chosen)
        known = Known(table)  # what an accepted row finds needs no decision of its own any more
        pending = [
            other
            for other in pending
            if other not in chosen and (isinstance(other, Variant) or other.text not in known)
        ]
    click.echo(f"\n{path}: {plural(done, 'candidate')} settled, {len(pending)} not looked at")
    return 0


def _shown(one: Candidate | Variant, *, several: bool) -> str:
    if isinstance(one, Variant):
        return f"{one_line(one.text)}  [proposed, source {one_line(one.source) or 'unknown'}] {one_line(one.note)}"
    return f"{_described(one, several=several)}\n    {one_line(one.context)}"


def _family(one: Candidate | Variant, pending: Sequence[Candidate | Variant]) -> list[Candidate | Variant]:
    if isinstance(one, Variant):
        return [one]
    return [
        other
        for other in pending
        if isinstance(other, Candidate) and (other.concept, other.family) == (one.concept, one.family)
    ]
