"""A justification on a terminal: the finding first, then what carries it, then what could not be read.

Also what every text on a terminal is written with: a writer that wraps, indents and styles (without colour, in a pipe
or in an old encoding, too), and concordance lines with the hits of all lines one below the other. Widths are counted in
terminal cells, of which a Japanese character takes two.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docaudit.codes import Finding, ObligationState
from docaudit.justification import (
    AbsenceJustification,
    Mention,
    ObligationCheck,
)
from docaudit.render import view
from docaudit.render.language import ENGLISH, Language, Translator, one_line
from docaudit.text.words import ELLIPSIS, with_ellipses

MAX_WIDTH = 120
"""Longer lines are hard to read on a wide terminal (chosen, not measured)."""
_PLAIN = str.maketrans(dict(zip("✓✗–—…→·×“”○●", '+x--~>-x""o*', strict=True)))

FINDING_STYLES = {
    Finding.MENTIONED: "bold yellow",
    Finding.ABSENT: "bold green",
    Finding.NOT_ESTABLISHED: "bold red",
}
CHECK_STYLES = {
    ObligationState.UNMET: "red",
    ObligationState.WAIVED: "yellow",
    ObligationState.NOT_RUN: "yellow",
    ObligationState.MET: "green",
}
# What a screen shows before it names the place of the rest; chosen, not measured.
SHOWN_PASSAGES = 20
SHOWN_NEAR_MISSES = 8
SHOWN_DETAILS = 3
NAME_WIDTH = 30
Part = tuple[str, str] | str
"""A piece of a line: text with a style, or plain text."""
Passage = tuple[str, str, str, str]
"""Section, page (with what is special about the hit), snippet, match."""


def new_console(**settings: object) -> Console:
    """A console on stdout that takes no text of a document for markup, emoji codes or things to highlight."""
    return _Console(highlight=False, markup=False, emoji=False, **settings)  # type: ignore[arg-type]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Pass a closed pipe on: rich itself exits with 1 here, and 1 is the finding "mentioned"."""
        raise BrokenPipeError


class ConsoleWriter:
    """Writes lines no wider than the console; no colour and plain signs where the console has no others."""

    def __init__(self, console: Console, t: Translator = ENGLISH) -> None:
        self.console = console
        self.t = t
        self.width = min(console.width, MAX_WIDTH)
        self._plain = "utf" not in (console.encoding or "").lower()

    def blank(self) -> None:
        """An empty line."""
        self._put(Text(""))

    def heading(self, text: str, note: str = "") -> None:
        """A heading with an empty line before it, and a quiet note behind it."""
        self.blank()
        self.say((text, "bold"), (f"  {note}" if note else "", "dim"))

    def say(self, *parts: Part, indent: int = 0, hang: int = 0) -> None:
        """A paragraph: wrapped, its first line indented by `indent`, the others by `hang` more."""
        room = max(self.width - indent - hang, 20)
        for number, line in enumerate(Text.assemble(*parts).wrap(self.console, room)):
            line.rstrip()
            line.pad_left(indent + (hang if number else 0))
            self._put(line)

    def line(self, *parts: Part) -> None:
        """One line that was already measured."""
        text = Text.assemble(*parts)
        text.rstrip()
        self._put(text)

    def row(self, cells: Sequence[str], widths: Sequence[int], style: str = "", indent: int = 2) -> None:
        """A row of a table: numbers to the right, the last cell wraps under itself."""
        head = ""
        for cell, width in zip(cells[:-1], widths, strict=True):
            gap = " " * max(abs(width) - cell_len(cell), 0)
            # A negative width means: to the right.
            head += f"{gap}{cell}  " if width < 0 else f"{cell}{gap}  "
        room = max(self.width - indent - cell_len(head), 20)
        for number, last in enumerate(Text(cells[-1], style).wrap(self.console, room)):
            last.rstrip()
            self.line(
                " " * indent, (head if number == 0 else " " * cell_len(head), style), (last.plain, style)
            )

    def table(self, table: Table, indent: int = 2) -> None:
        """A table, wrapped to the width of the console."""
        options = self.console.options.update(width=max(self.width - indent, 20))
        for segments in self.console.render_lines(table, options, pad=False):
            line = Text(" " * indent)
            for segment in segments:
                line.append(segment.text, segment.style)
            line.rstrip()
            self._put(line)

    def _put(self, text: Text) -> None:
        if self._plain:
            text.plain = text.plain.translate(_PLAIN)
        self.console.print(text, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)


class Split(NamedTuple):
    """A snippet cut at its hit; `hit` is empty if the hit does not stand in the snippet."""

    left: str
    hit: str
    right: str


class KwicLine(NamedTuple):
    """One concordance line; label and left part are padded, so that the hits of all lines stand in one column."""

    label: str
    left: str
    hit: str
    right: str

    def __str__(self) -> str:
        return f"{self.label}  {self.left}{self.hit}{self.right}".rstrip()


def split_snippet(snippet: str, match: str) -> Split:
    """Cut a snippet at the occurrence of the match that is nearest to its middle, where the hit stands.

    >>> split_snippet("more electricity is used", "electricity")
    Split(left='more ', hit='electricity', right=' is used')
    """
    places = [place.span() for place in re.finditer(re.escape(match), snippet)] if match else []
    if not places:
        # A match over several lines may have other white space in the snippet than in match_text.
        loose = r"\s*".join(re.escape(part) for part in match.split())
        places = [place.span() for place in re.finditer(loose, snippet)] if loose else []
    if not places:
        return Split(snippet, "", "")
    start, end = min(places, key=lambda place: abs(sum(place) - len(snippet)))
    return Split(snippet[:start], snippet[start:end], snippet[end:])


def kwic_lines(items: Sequence[tuple[str, str, str]], width: int) -> list[KwicLine]:
    """Concordance lines of (label, snippet, match), none wider than `width` cells.

    >>> for line in kwic_lines([("p. 3", "the use of electricity by data", "electricity")], 40):
    ...     print(line)
    p. 3  the use of electricity by data
    """
    splits = [
        Split(*map(one_line, split_snippet(with_ellipses(text, match), match))) for _, text, match in items
    ]
    label_width = max((cell_len(label) for label, _, _ in items), default=0)
    room = max(width - label_width - 2, 20)
    hit_width = min(max((cell_len(split.hit) for split in splits), default=0), room // 2)
    # No more room on the left than the longest left context needs: the rest serves the right.
    longest_left = max((cell_len(split.left) for split in splits if split.hit), default=0)
    left_width = min((room - hit_width) // 2, longest_left + 1)
    lines = []
    for (label, _, _), split in zip(items, splits, strict=True):
        padded = set_cell_size(label, label_width)
        if split.hit:
            hit = cut_end(split.hit, room // 2)
            right = cut_end(split.right, room - left_width - cell_len(hit))
            lines.append(KwicLine(padded, _cut_start(split.left, left_width), hit, right))
        else:
            lines.append(KwicLine(padded, "", "", cut_end(split.left, room)))
    return lines


def cut_end(text: str, width: int) -> str:
    """The start of the text in at most `width` cells, with an ellipsis if anything was cut."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1) + ELLIPSIS if width > 0 else ""


def _cut_start(text: str, width: int) -> str:
    """The end of the text in exactly `width` cells, padded or cut on the left."""
    if cell_len(text) <= width:
        return " " * (width - cell_len(text)) + text
    kept: list[str] = []
    used = 1  # the ellipsis
    for character in reversed(text):
        used += cell_len(character)
        if used > width:
            break
        kept.append(character)
    cut = ELLIPSIS + "".join(reversed(kept))
    return " " * (width - cell_len(cut)) + cut


def print_report(
    justification: AbsenceJustification,
    console: Console | None = None,
    *,
    listed_in: str = "the JSON output",
    language: Language | None = None,
) -> None:
    """Print a justification; `listed_in` names where the reader finds what is not shown here.

    The language is that of the explanation if none is named.
    """
    j = justification
    out = ConsoleWriter(console or new_console(), Translator(language or j.options.language))
    _finding(out, j)
    _concepts(out, j)
    hits = view.passages_to_read(j)
    if hits:
        out.heading(out.t("Passages to read"), out.t.ngettext("{n} hit", "{n} hits", len(hits)))
        print_kwic(
            out,
            [
                (view.heading(hit, out.t), view.place(hit), hit.snippet, hit.match_text)
                for hit in hits[:SHOWN_PASSAGES]
            ],
        )
        if (rest := len(hits) - SHOWN_PASSAGES) > 0:
            more = out.t.ngettext("{n} more hit", "{n} more hits", rest)
            _not_shown(out, more, f"hits in {listed_in}")
    _mentions(out, j, listed_in)
    _retrieval(out, j)
    out.heading(out.t("Obligations"), view.obligation_counts(j, out.t))
    for check in view.obligations(j):
        _obligation(out, check)
    _blind_spots(out, j, listed_in)


def to_text(justification: AbsenceJustification, *, width: int = 80, colour: bool = False) -> str:
    """The same as a string, for files and messages."""
    text = io.StringIO()
    console = new_console(
        file=text, width=width, force_terminal=colour, color_system="standard" if colour else None
    )
    print_report(justification, console)
    return text.getvalue()


def print_kwic(out: ConsoleWriter, passages: Sequence[Passage]) -> None:
    """Concordance lines, all hits in one column, under a heading for each run of one section or part."""
    lines = kwic_lines([passage[1:] for passage in passages], out.width - 4)
    last = ""
    for (heading, *_), line in zip(passages, lines, strict=True):
        if heading and heading != last:
            out.say((one_line(heading), "dim"), indent=2, hang=2)
        last = heading
        out.line("    ", (line.label, "cyan"), "  ", line.left, (line.hit, "bold underline"), line.right)


def _finding(out: ConsoleWriter, j: AbsenceJustification) -> None:
    t = out.t
    out.say((view.headline(j, t).upper(), FINDING_STYLES[j.finding]))
    out.say(view.verdict(j, t))
    out.blank()
    facts = []
    if j.document:
        pages = t.ngettext("{n} page", "{n} pages", j.document.pages_total)
        facts.append((t("Document").lower(), f"{j.document.name}, {pages}"))
    if j.question:
        facts.append((t("Question").lower(), j.question))
    if j.reason:
        facts.append((t("Reason").lower(), f"{j.reason.value}: {t(j.reason.label)}"))
    facts.append((t("Strength").lower(), f"{j.strength.value}: {view.strength(j, t)}"))
    width = max(cell_len(name) for name, _ in facts) + 1
    for name, value in facts:
        out.say((set_cell_size(name, width) + " ", "dim"), one_line(value), hang=width + 1)
    out.blank()
    out.say(one_line(j.absence_explanation))
    if j.model_remark:
        out.say((f"{one_line(view.remark_label(j, t))}: ", "dim"), one_line(j.model_remark))
    if j.suggested_requery:
        out.say(f"{t('Ask instead')}: ", (one_line(j.suggested_requery), "bold"))


def _concepts(out: ConsoleWriter, j: AbsenceJustification) -> None:
    t = out.t
    rows = view.concept_rows(j)
    required = sum(row.required for row in rows)
    note = t("{n} of {total} required", n=required, total=len(rows))
    out.heading(t("Concepts"), t("all of them required") if required == len(rows) else note)
    names = [cut_end(one_line(row.name), NAME_WIDTH) for row in rows]
    head = (t("concept"), t("required"), t("hits"), t("on"))
    widths = (max(map(cell_len, [*names, head[0]])), 8, -6)
    out.row(head, widths, "dim")
    for row, name in zip(rows, names, strict=True):
        where = t.pages(row.pages) or t("no page")
        if row.uncertain:
            possible = t.ngettext("{n} possible hit", "{n} possible hits", row.uncertain)
            where += f"; {possible}{t(', not counted')}"
        cells = (name, t("yes") if row.required else t("no"), f"{row.hits:,}", where)
        out.row(cells, widths, "bold" if row.hits else "")


def _mentions(out: ConsoleWriter, j: AbsenceJustification, listed_in: str) -> None:
    """What comes near: mentions near the question, and text near a variant."""
    t = out.t
    if j.closest_mentions:
        out.heading(t("Closest mentions"), t("near the question, but not an answer to it"))
        headings = view.headings(j, t)
        for why, mentions in _by_why(j.closest_mentions):
            print_kwic(
                out,
                [
                    (headings.get((m.page_num, m.line_num), ""), view.page(m.page_num), m.snippet, m.text)
                    for m in mentions
                ],
            )
            out.say((f"→ {t.data(one_line(why))}", "dim"), indent=4, hang=2)
    if j.near_misses:
        out.heading(t("Near misses"), t("similar to a variant, not counted as hits"))
        for why, mentions in _by_why(j.near_misses[:SHOWN_NEAR_MISSES]):
            print_kwic(out, [("", view.page(m.page_num), m.snippet, m.text) for m in mentions])
            variants = ", ".join(f"“{one_line(name)}”" for name in dict.fromkeys(m.variant for m in mentions))
            sentence = t("not {variants}: {why}", variants=variants, why=t.data(one_line(why)))
            out.say((f"→ {sentence}", "dim"), indent=4, hang=2)
        if (rest := len(j.near_misses) - SHOWN_NEAR_MISSES) > 0:
            more = t.ngettext("{n} more near miss", "{n} more near misses", rest)
            _not_shown(out, more, f"near_misses in {listed_in}")


def _by_why(mentions: Sequence[Mention]) -> Iterable[tuple[str, list[Mention]]]:
    """Mentions under the reason why they are no hits, in the order in which reasons first occur."""
    reasons = list(dict.fromkeys(mention.why_not for mention in mentions))
    ordered = sorted(mentions, key=lambda mention: reasons.index(mention.why_not))
    return ((why, list(group)) for why, group in groupby(ordered, lambda mention: mention.why_not))


def _retrieval(out: ConsoleWriter, j: AbsenceJustification) -> None:
    check, t = j.retrieval, out.t
    if check is None:
        return
    out.heading(t("What the retriever gave"), check.verdict.value)
    for sentence in (view.retrieval_verdict(check, t), *view.retrieval_notes(check, t)):
        out.say(sentence, indent=2, hang=2)
    for concept, missed in view.by_concept(check.missed).items():
        where = t.pages(hit.page_num for hit in missed)
        count = t.ngettext("{n} hit", "{n} hits", len(missed))
        out.say((one_line(concept), "bold"), f": {count}, {where}", indent=4, hang=2)


def _obligation(out: ConsoleWriter, check: ObligationCheck) -> None:
    t, style = out.t, CHECK_STYLES[check.state]
    met = check.state is ObligationState.MET
    state = "" if met else f" ({t(check.state.label)})"
    out.say(
        (f"{view.OBLIGATION_MARKS[check.state]} ", style),
        (t(check.obligation.label), "" if met else "bold"),
        (state, style),
        indent=2,
        hang=2,
    )
    out.say((t.data(one_line(check.evidence)), "dim" if met else ""), indent=4)
    if check.waived_because is not None:
        out.say(f"{t('Waived because:')} {one_line(check.waived_because)}", indent=4, hang=2)
    if check.pages and not met:
        out.say(t.pages(check.pages), indent=4, hang=6)
    if check.remedy and not met:
        code = f" ({t('obligation')} {check.obligation.value})"
        out.say("→ ", t.data(one_line(check.remedy)), (code, "dim"), indent=4, hang=2)


def _blind_spots(out: ConsoleWriter, j: AbsenceJustification, listed_in: str) -> None:
    t, groups = out.t, view.spot_groups(j)
    if not groups:
        out.heading(t("Not read"), t("nothing: no blind spot on any page"))
        return
    count = t.ngettext("{n} blind spot", "{n} blind spots", len(j.blind_spots))
    may = t("{n} may hold text", n=f"{sum(group.count for group in groups if group.may_hold_text):,}")
    out.heading(t("Not read"), f"{count} ({may}), {t.pages({spot.page_num for spot in j.blind_spots})}")
    for group in groups:
        times = f"{group.count:,} × " if group.count > 1 else ""
        out.say((f"{times}{group.kind.value}", "bold"), f"  {t.pages(group.pages)}", indent=2, hang=4)
        likely = f" {t('Text in it:')} {t.likely(group.likely)}."
        out.say(t(group.kind.meaning), (likely, "dim"), indent=4)
        for detail, number in group.details[:SHOWN_DETAILS]:
            often = f" ({number} ×)" if number > 1 else ""
            out.say((f"· {one_line(detail)}{often}", "dim"), indent=4, hang=2)
        if (rest := len(group.details) - SHOWN_DETAILS) > 0:
            more = t.ngettext("{n} more detail", "{n} more details", rest)
            _not_shown(out, more, f"blind_spots in {listed_in}")
        if group.may_hold_text:
            out.say("→ ", t(group.remedy), indent=4, hang=2)


def _not_shown(out: ConsoleWriter, what: str, where: str) -> None:
    sentence = out.t("{what} not shown here: {where}", what=what, where=where)
    out.say((f"… {sentence}", "dim"), indent=4, hang=2)
