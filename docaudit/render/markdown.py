"""A justification as Markdown: the report for tickets and wikis, and the record of the search.

The search record is written as methods of review and patent offices keep one (templates/search-record.md.j2). It says
what the evidence carries and no more: a date only if the caller knows it, a review only where the table names a
reviewer, and of every item that does not apply, that it does not.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docaudit.concepts.variant import Variant
from docaudit.justification import AbsenceJustification, LedgerRow
from docaudit.render import view
from docaudit.render.language import Language, Translator, one_line, shown
from docaudit.render.terminal import split_snippet
from docaudit.text.words import with_ellipses

SHOWN_HITS = 50
"""Hits of each concept that a ticket gets (chosen, not measured); it says how many more there are, and where."""
MATCH_MODES = {
    "word": "as whole words",
    "prefix": "at the beginning of words",
    "substring": "anywhere in words",
    "regex": "as a regular expression",
}
CASES = {True: "in this case only", False: "in any case"}
"""By Variant.case_sensitive."""
INFLECTIONS = {
    "auto": "also in the plural and possessive, and with or without hyphen or space",
    "off": "in this form only",
}
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
    line = _STARTS.sub(lambda start: f"{start[1]}{start[2][:-1]}\\{start[2][-1]}", line)
    # Addresses would become links; so would names of people.
    return _MENTION.sub(f"@{_WORD_JOINER}", line.replace("://", ":\\/\\/")).replace("www.", "www\\.")


def code(text: str) -> Markup:
    """Text as code, with a fence longer than any in it.

    >>> str(code("a`b")), str(code("`a"))
    ('``a`b``', '`` `a ``')
    """
    line = one_line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return Markup(f"{fence}{pad}{line}{pad}{fence}")


def marked(snippet: str, match: str) -> Markup:
    """A snippet with its hit in bold."""
    cut = split_snippet(shown(with_ellipses(snippet, match)), shown(match))
    if not cut.hit:
        return Markup(escaped(cut.left))
    left, hit, right = (escaped(part) for part in (cut.left, cut.hit, cut.right))
    space_before = " " if cut.left[-1:].isspace() else ""
    space_after = " " if cut.right[:1].isspace() else ""
    return Markup(f"{left.rstrip()}{space_before}**{hit.strip()}**{space_after}{right.lstrip()}")


def _counted(names: Counter[str]) -> str:
    return "; ".join(f"{name} ({count})" for name, count in names.most_common())


@cache
def environment(t: Translator) -> Environment:
    """The Markdown templates: every value is escaped but what a filter of ours has made Markdown of (Markup)."""
    templates = Environment(  # autoescape is for HTML; finalize escapes here
        loader=PackageLoader("docaudit.render"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.i18n"],
        finalize=lambda value: value if isinstance(value, Markup) else escaped(str(value)),
    )
    templates.filters.update(code=code, marked=marked, counted=_counted, verbatim=Markup)
    templates.globals.update(t=t, gettext=t, ngettext=t.ngettext)
    return templates


def to_markdown(justification: AbsenceJustification, language: Language | None = None) -> str:
    """The report as Markdown, in the language of the explanation if none is named."""
    j, t = justification, Translator(language or justification.options.language)
    check = j.retrieval
    return (
        environment(t)
        .get_template("report.md.j2")
        .render(
            j=j,
            document=j.document,
            versions=_versions(j),
            headline=view.headline(j, t),
            verdict=view.verdict(j, t),
            strength=view.strength(j, t),
            worded_by=view.worded_by(j, t),
            remark_label=view.remark_label(j, t),
            concepts=view.concept_rows(j),
            obligations=view.obligations(j),
            obligation_counts=view.obligation_counts(j, t),
            marks=view.OBLIGATION_MARKS,
            retrieval=[view.retrieval_verdict(check, t), *view.retrieval_notes(check, t)] if check else [],
            missed=view.by_concept(check.missed).items() if check else (),
            groups=view.spot_groups(j),
            hits_by_concept=view.by_concept(j.hits),
            shown_hits=SHOWN_HITS,
            steps=view.steps_to_check(j, t),
        )
    )


def to_search_record(
    justification: AbsenceJustification,
    language: Language | None = None,
    *,
    searched_on: dt.date | None = None,
) -> str:
    """The record as Markdown; `searched_on` is the day of the search, which a justification does not hold."""
    j, t = justification, Translator(language or justification.options.language)
    accepted = j.concept_table.active if j.concept_table else ()
    terms: dict[str, list[str]] = {}
    for row in j.ledger:
        terms.setdefault(row.concept, []).append(row.variant)
    return (
        environment(t)
        .get_template("search-record.md.j2")
        .render(
            j=j,
            document=j.document,
            versions=_versions(j),
            searched_on=searched_on.isoformat() if searched_on else "",
            strategy=_strategy(j),
            match_modes=MATCH_MODES,
            cases=CASES,
            inflections=INFLECTIONS,
            not_searched=[row.variant for row in j.ledger if row.state.value != "searched"],
            unread=[group for group in view.spot_groups(j) if group.may_hold_text],
            accepted=len(accepted),
            origins=Counter(
                origin for v in accepted for origin in dict.fromkeys((v.source, v.reference)) if origin
            ),
            reviewers=Counter(v.reviewer for v in accepted if v.reviewer),
            days=sorted(v.date for v in accepted if v.reviewer and v.date),
            concepts=view.concept_rows(j),
            nested=sum(hit.nested for hit in j.hits),
            engine=f"docaudit {j.document.versions.get('docaudit', '') if j.document else ''}".strip(),
            terms="; ".join(f"{name}: {', '.join(texts)}" for name, texts in terms.items()),
        )
    )


def _versions(j: AbsenceJustification) -> str:
    versions: dict[str, Any] = dict(j.document.versions) if j.document else {}
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def _strategy(j: AbsenceJustification) -> list[tuple[str, list[tuple[LedgerRow, Variant | None]]]]:
    """The ledger by concept, in the order in which concepts first stand in it, each row with its variant."""
    order = {name: place for place, name in enumerate(dict.fromkeys(row.concept for row in j.ledger))}
    variants = {(v.concept, v.text): v for v in (j.concept_table.variants if j.concept_table else ())}
    return [
        (concept, [(row, variants.get((row.concept, row.variant))) for row in rows])
        for concept, rows in groupby(
            sorted(j.ledger, key=lambda row: order[row.concept]), key=lambda row: row.concept
        )
    ]
