"""A justification as Markdown, for tickets and wikis: short, and with everything escaped that Markdown would read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docaudit.evidence import Hit, Mention
from docaudit.justification import AbsenceJustification, ObligationState
from docaudit.render import facts, view, words
from docaudit.render.clean import one_line, shown
from docaudit.render.headlines import STATE_ORDER, headline, obligation_counts, strength, verdict
from docaudit.render.kwic import split_snippet
from docaudit.render.retrieval_words import missed_by_concept, retrieval_notes, retrieval_verdict
from docaudit.render.tongue import Language, Tongue
from docaudit.snippets import with_ellipses

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
        lines.append(f"- **{t('Reason')}**: `{j.reason.value}`: {t(words.REASONS[j.reason])}")
    lines.append(f"- **{t('Strength')}**: `{j.strength.value}`: {strength(j, t)}")
    if j.suggested_requery:
        lines.append(f"- **{t('Ask instead')}**: {escaped(j.suggested_requery)}")
    if j.redacted:
        lines.append(f"- **{t('Note')}**: {t('text of the document left out')}")
    return [*lines, "", escaped(j.absence_explanation), "", f"({escaped(facts.worded_by(j, t))})"]


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
        state, title = t(words.OBLIGATION_STATES[check.state]), t(words.OBLIGATIONS[check.obligation])
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
