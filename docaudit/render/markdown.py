"""A justification as Markdown, for tickets and wikis: short, and with everything escaped that Markdown would read.

The search as methods of review and patent offices record one: items of PRISMA-S that apply, and Box B of the PCT.

It says what the evidence carries and no more: a date only if the caller knows it, a review only where the table names a
reviewer, and of every item that does not apply, that it does not.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from docaudit.codes import ObligationState
from docaudit.concepts.variant import Variant
from docaudit.justification import AbsenceJustification, Hit, LedgerRow, Mention
from docaudit.render import language as words
from docaudit.render import view
from docaudit.render import view as facts
from docaudit.render.language import Language, Tongue, one_line, shown
from docaudit.render.terminal import split_snippet
from docaudit.render.view import (
    STATE_ORDER,
    headline,
    missed_by_concept,
    obligation_counts,
    retrieval_notes,
    retrieval_verdict,
    strength,
    verdict,
)
from docaudit.text.words import with_ellipses

SHOWN_HITS = 50
"""Hits of each concept that a ticket gets; it says how many more there are, and where."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~$^#&])")
_STARTS = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")
_MENTION = re.compile("@(?=[A-Za-z0-9])")
_WORD_JOINER = "\u2060"


def escaped(text: str) -> str:
    r"""Text on one line that Markdown shows as it stands: no emphasis, link, HTML, cell or list begins in it.

    A word joiner after @ keeps a document from calling people by name.

    >>> escaped("a|b *c* <script>"), escaped("1. - item")
    ('a\\|b \\*c\\* \\<script\\>', '1\\. - item')
    """
    line = _SPECIAL.sub(r"\\\1", one_line(text))
    line = _STARTS.sub(lambda start: start[1] + _marked(start[2]), line)
    # Addresses would become links; so would names of people.
    return _MENTION.sub(f"@{_WORD_JOINER}", line.replace("://", ":\\/\\/")).replace("www.", "www\\.")


def _marked(start: str) -> str:
    return f"{start[:-1]}\\{start[-1]}"


def code(text: str) -> str:
    """Text as code, with a fence longer than any in it.

    >>> code("a`b"), code("`a")
    ('``a`b``', '`` `a ``')
    """
    line = one_line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of cells that are escaped already."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def to_markdown(justification: AbsenceJustification, language: Language | None = None) -> str:
    """The report as Markdown, in the language of the explanation if none is named."""
    j, t = justification, Tongue(language or justification.options.language)
    parts = [
        _finding(j, t),
        _concepts(j, t),
        _obligations(j, t),
        _retrieval(j, t),
        _unread(j, t),
        _mentions(t("Closest mentions"), j.closest_mentions, t),
        _hits(j, t),
        _mentions(t("Near misses"), j.near_misses, t),
        _check(j, t),
    ]
    return "\n".join(line for part in parts if part for line in (*part, ""))


def _finding(j: AbsenceJustification, t: Tongue) -> list[str]:
    document = j.document
    lines = [f"# {escaped(headline(j, t))}", "", verdict(j, t), ""]
    if document is not None:
        lines.append(
            f"- **{t('Document')}**: {escaped(document.name)}, {t.count(document.pages_total, 'page')}"
        )
    if j.question:
        lines.append(f"- **{t('Question')}**: {escaped(j.question)}")
    if j.reason:
        lines.append(f"- **{t('Reason')}**: `{j.reason.value}`: {t(j.reason.label)}")
    lines.append(f"- **{t('Strength')}**: `{j.strength.value}`: {strength(j, t)}")
    if j.suggested_requery:
        lines.append(f"- **{t('Ask instead')}**: {escaped(j.suggested_requery)}")
    if j.redacted:
        lines.append(f"- **{t('Note')}**: {t('text of the document left out')}")
    lines += ["", escaped(j.absence_explanation), "", f"({escaped(facts.worded_by(j, t))})"]
    if j.model_remark:
        lines += ["", f"{escaped(facts.remark_label(j, t))}: {escaped(j.model_remark)}"]
    return lines


def _concepts(j: AbsenceJustification, t: Tongue) -> list[str]:
    rows = []
    for row in view.concept_rows(j):
        possible = f"; {t.count(row.uncertain, 'possible hit')}{t(', not counted')}" if row.uncertain else ""
        required = t("yes") if row.required else t("no")
        rows.append((escaped(row.name), f"{row.hits:,}", (t.ranges(row.pages) or "–") + possible, required))
    head = (t("Concept"), t("Hits"), t("Pages"), t("Required"))
    return [f"## {t('Concepts')}", "", *table(head, rows)]


def _obligations(j: AbsenceJustification, t: Tongue) -> list[str]:
    lines = [f"## {t('Obligations')}", "", f"{obligation_counts(j, t)}", ""]
    for check in sorted(j.obligations, key=lambda check: STATE_ORDER.index(check.state)):
        state, title = t(check.state.label), t(check.obligation.label)
        mark = words.OBLIGATION_MARKS[check.state]
        lines.append(f"- {mark} **{title}** ({state}): {escaped(t.data(check.evidence))}")
        if check.waived_because is not None:
            lines.append(f"  - {t('Waived because:')} {escaped(check.waived_because)}")
        if check.state is not ObligationState.MET:
            lines += [f"  - {t('Where:')} {t.pages(check.pages)}"] if check.pages else []
            lines += [f"  - {t('To settle it:')} {escaped(t.data(check.remedy))}"] if check.remedy else []
    return lines


def _retrieval(j: AbsenceJustification, t: Tongue) -> list[str]:
    check = j.retrieval
    if check is None:
        return []
    said = (f"`{check.verdict.value}`: {retrieval_verdict(check, t)}", *retrieval_notes(check, t))
    lines = [f"## {t('What the retriever gave')}", "", " ".join(said)]
    rows = [
        (escaped(concept), f"{len(missed):,}", t.pages(hit.page_num for hit in missed))
        for concept, missed in missed_by_concept(check)
    ]
    return [*lines, *(["", *table((t("Concept"), t("Missed"), t("Where")), rows)] if rows else [])]


def _unread(j: AbsenceJustification, t: Tongue) -> list[str]:
    groups = view.spot_groups(j)
    lines = [f"## {t('What was not read')}", ""]
    if not groups:
        return [*lines, t("Nothing: there is no blind spot on any page.")]
    rows = [
        (
            f"`{group.kind.value}`",
            t.count(group.count, "blind spot"),
            t.pages(group.pages),
            t.likely(group.likely),
            t(group.remedy) if group.may_hold_text else "–",
        )
        for group in groups
    ]
    head = (t("Kind"), t("Number"), t("Where"), t("Text in it"), t("To settle it"))
    return [*lines, *table(head, rows)]


def _hits(j: AbsenceJustification, t: Tongue) -> list[str]:
    lines = [f"## {t('All hits')}", ""]
    if not j.hits:
        return [*lines, t("No variant of any concept was found.")]
    if j.redacted:
        return [*lines, t("{hits}; the text of the document is left out.", hits=t.count(len(j.hits), "hit"))]
    by_concept: dict[str, list[Hit]] = {}
    for hit in j.hits:
        by_concept.setdefault(hit.concept, []).append(hit)
    for concept, hits in by_concept.items():
        lines += [f"### {escaped(concept)}: {t.count(len(hits), 'hit')}", ""]
        lines += [
            f"- {t.page(hit.page_num)}: {_marked_hit(hit.snippet, hit.match_text)}"
            for hit in hits[:SHOWN_HITS]
        ]
        if len(hits) > SHOWN_HITS:
            more = t.count(len(hits) - SHOWN_HITS, "more hit")
            lines.append(f"- … {t('{hits}: all of them are in hits.csv and report.html', hits=more)}")
        lines.append("")
    return lines[:-1]


def _mentions(title: str, mentions: Sequence[Mention], t: Tongue) -> list[str]:
    if not mentions:
        return []
    return [
        f"## {title}",
        "",
        *(
            f"- {t.page(m.page_num)}, {escaped(m.concept)}: {_marked_hit(m.snippet, m.text)} "
            f"({escaped(t.data(m.why_not))})"
            for m in mentions
        ),
    ]


def _marked_hit(snippet: str, match: str) -> str:
    cut = split_snippet(shown(with_ellipses(snippet, match)), shown(match))
    if not cut.hit:
        return escaped(cut.left)
    left, hit, right = (escaped(part) for part in (cut.left, cut.hit, cut.right))
    space_before = " " if cut.left[-1:].isspace() else ""
    space_after = " " if cut.right[:1].isspace() else ""
    return f"{left.rstrip()}{space_before}**{hit.strip()}**{space_after}{right.lstrip()}"


def _check(j: AbsenceJustification, t: Tongue) -> list[str]:
    lines = [f"## {t('How to check this')}", ""]
    for number, (said, command) in enumerate(facts.steps_to_check(j, t), 1):
        lines.append(f"{number}. {said}" + (f" {code(command)}" if command else ""))
    document = j.document
    lines += ["", f"- SHA-256: `{document.sha256 if document else ''}`"]
    lines.append(f"- {t('Keyword table')}: {t('Fingerprint (SHA-256)')} `{j.concept_table_fingerprint}`")
    if j.digest:
        lines.append(f"- {t('Digest of this justification')}: `{j.digest}`")
    versions = ", ".join(
        f"{name} {version}" for name, version in sorted((document.versions if document else {}).items())
    )
    return [*lines, f"- {t('Versions')}: {escaped(versions)}"]


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
