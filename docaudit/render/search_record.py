"""The search as methods of review and patent offices record one: items of PRISMA-S that apply, and Box B of the PCT.

It says what the evidence carries and no more: a date only if the caller knows it, a review only where the table names a
reviewer, and of every item that does not apply, that it does not.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from itertools import groupby

from docaudit.concepts import Variant
from docaudit.evidence import LedgerRow
from docaudit.justification import AbsenceJustification
from docaudit.render import view, words
from docaudit.render.markdown import code, escaped, table
from docaudit.render.tongue import Language, Tongue

Item = tuple[str, str, list[str]]
"""Number in PRISMA-S, name, paragraphs."""


def to_search_record(
    justification: AbsenceJustification,
    language: Language | None = None,
    *,
    searched_on: dt.date | None = None,
) -> str:
    """The record as Markdown; `searched_on` is the day of the search, which a justification does not hold."""
    t = Tongue(language or justification.options.language)
    lines = [
        f"# {t('Search record')}",
        "",
        t("What was searched, how, and with which result, for the files of a review."),
        "",
    ]
    lines += [f"## {t('Items of PRISMA-S')}", ""]
    for number, name, said in _items(justification, t, searched_on):
        lines += [f"### {number} {name}", "", *said, ""]
    lines += [
        f"## {t('Fields searched (as in Box B of form PCT/ISA/210)')}",
        "",
        *_box_b(justification, t),
        "",
    ]
    lines += [t("This record follows the order of these forms; it is no form filled in for an office.")]
    return "\n".join(lines) + "\n"


def _items(j: AbsenceJustification, t: Tongue, searched_on: dt.date | None) -> list[Item]:
    day = (
        searched_on.isoformat()
        if searched_on
        else t("Not recorded: a justification is the same on every day.")
    )
    return [
        ("1", t("Source searched"), _source(j, t)),
        ("2–7", t("Other sources"), [t("None: this one document was searched and nothing else.")]),
        ("8", t("Full search strategy, as run"), _strategy(j, t)),
        ("9", t("Limits and restrictions"), _limits(j, t)),
        ("10", t("Search filters"), [t("None.")]),
        ("11", t("Prior work"), [_origins(j, t)]),
        ("12", t("Updates"), [t("None: another edition of the document needs a search of its own.")]),
        ("13", t("Date of the search"), [day]),
        ("14", t("Peer review of the strategy"), _reviews(j, t)),
        ("15", t("Total records"), _records(j, t)),
        ("16", t("Deduplication"), [_duplicates(j, t)]),
    ]


def _source(j: AbsenceJustification, t: Tongue) -> list[str]:
    if j.document is None or j.coverage is None:
        return []
    d, c = j.document, j.coverage
    versions = ", ".join(f"{name} {version}" for name, version in sorted(d.versions.items()))
    return [
        f"- {t('Document')}: {escaped(d.name)}, {t.count(d.pages_total, 'page')}, {d.size_bytes:,} {t('bytes')}",
        f"- SHA-256: `{d.sha256}`",
        "- "
        + t("{n} of {pages} have text that was read", n=c.pages_read, pages=t.count(c.pages_total, "page")),
        f"- {t('Read and searched by')}: {escaped(versions)}",
    ]


def _strategy(j: AbsenceJustification, t: Tongue) -> list[str]:
    required = ", ".join(escaped(name) for name in j.required)
    asked = escaped(j.question) if j.question else t("none was asked")
    lines = [
        f"{t('Question')}: {asked}",
        "",
        t(
            "Any variant of a concept is a hit of it. These concepts must stand within the same {scope}: {names}.",
            scope=t(j.options.scope),
            names=required,
        )
        if len(j.required) > 1
        else t("Any variant of a concept is a hit of it. To be found is: {names}.", names=required),
        "",
    ]
    known = {(v.concept, v.text): v for v in _variants(j)}
    for concept, rows in groupby(sorted(j.ledger, key=_first_of(j)), key=lambda row: row.concept):
        lines.append(f"- **{escaped(concept)}**")
        for row in rows:
            how = f" ({_how(known[concept, row.variant], t)})" if (concept, row.variant) in known else ""
            lines.append(f"  - {escaped(row.variant)}{how}: {code(row.pattern)}")
    return lines


def _first_of(j: AbsenceJustification) -> Callable[[LedgerRow], int]:
    """The order of concepts in the ledger: their rows need not stand together in the table."""
    places = {name: place for place, name in enumerate(dict.fromkeys(row.concept for row in j.ledger))}
    return lambda row: places[row.concept]


def _how(variant: Variant, t: Tongue) -> str:
    """How a variant was looked for, in words."""
    said = [t(words.MATCH_MODES[variant.match]), t(words.CASES[variant.case_sensitive])]
    if variant.match != "regex":
        said.append(t(words.INFLECTIONS[variant.inflect]))
    return "; ".join(said)


def _limits(j: AbsenceJustification, t: Tongue) -> list[str]:
    unread = [group for group in view.spot_groups(j) if group.may_hold_text]
    failed = [row for row in j.ledger if row.state.value != "searched"]
    lines = [t("No limit of language, date or kind of text was set.")]
    lines += [
        t(
            "OCR: {ocr}. Attachments: to depth {depth}. Earlier revisions: {revisions}.",
            ocr=j.options.ocr,
            depth=j.options.attachment_depth,
            revisions=t("yes") if j.options.revisions else t("no"),
        )
    ]
    if failed:
        lines.append(
            t("Not searched to the end: {names}.", names=", ".join(escaped(row.variant) for row in failed))
        )
    if not unread:
        return [*lines, t("Nothing that may hold text was left unread.")]
    lines += [t("Not read, and may hold text:"), ""]
    return [
        *lines,
        *(
            f"- `{group.kind.value}`: {t.count(group.count, 'blind spot')}, {t.pages(group.pages)}"
            for group in unread
        ),
    ]


def _origins(j: AbsenceJustification, t: Tongue) -> str:
    named = Counter(origin for v in _accepted(j) for origin in {v.source, v.reference} - {""})
    if not named:
        return t("The keyword table names no source.")
    listed = "; ".join(f"{escaped(name)} ({count})" for name, count in named.most_common())
    return t("Sources that the keyword table names, with the number of variants: {names}.", names=listed)


def _reviews(j: AbsenceJustification, t: Tongue) -> list[str]:
    accepted = _accepted(j)
    named = Counter(v.reviewer for v in accepted if v.reviewer)
    if not named:
        return [t("The keyword table names no reviewer.")]
    people = "; ".join(f"{escaped(name)} ({count})" for name, count in named.most_common())
    days = sorted(v.date for v in accepted if v.reviewer and v.date)
    said = t(
        "{n} of {variants} were decided on by a named reviewer: {people}.",
        n=sum(named.values()),
        variants=t.count(len(accepted), "variant"),
        people=people,
    )
    when = [t("Decided from {first} to {last}.", first=days[0], last=days[-1])] if days else []
    return [said, *when, t("Whether the strategy as a whole was reviewed by another person is not recorded.")]


def _records(j: AbsenceJustification, t: Tongue) -> list[str]:
    rows = [
        (escaped(row.name), f"{row.hits:,}", t.ranges(row.pages) or "–", f"{row.uncertain:,}")
        for row in view.concept_rows(j)
    ]
    return table((t("Concept"), t("Hits"), t("Pages"), t("Possible hits, not counted")), rows)


def _duplicates(j: AbsenceJustification, t: Tongue) -> str:
    nested = sum(hit.nested for hit in j.hits)
    return t(
        "A place that several readers saw is counted once. {hits} inside a longer hit of the same concept: listed and "
        "counted, and named as such.",
        hits=t.count(nested, "hit"),
    )


def _box_b(j: AbsenceJustification, t: Tongue) -> list[str]:
    d = j.document
    engine = f"docaudit {d.versions.get('docaudit', '')}".strip() if d else "docaudit"
    by_concept: dict[str, list[str]] = {}
    for row in j.ledger:
        by_concept.setdefault(row.concept, []).append(row.variant)
    terms = "; ".join(
        f"{escaped(name)}: {', '.join(escaped(text) for text in texts)}" for name, texts in by_concept.items()
    )
    only = (
        t("{name} (SHA-256 {sha}), all parts that could be read", name=escaped(d.name), sha=d.sha256)
        if d
        else "–"
    )
    return [
        f"- **{t('Minimum documentation searched (classification system and symbols)')}**: "
        + t("none: no classification was used."),
        f"- **{t('Documentation searched other than minimum documentation')}**: {only}",
        f"- **{t('Electronic data base consulted, and search terms used')}**: "
        + t("full text of this document by {engine}; terms: {terms}", engine=engine, terms=terms),
    ]


def _variants(j: AbsenceJustification) -> tuple[Variant, ...]:
    return j.concept_table.variants if j.concept_table else ()


def _accepted(j: AbsenceJustification) -> tuple[Variant, ...]:
    return j.concept_table.active if j.concept_table else ()
