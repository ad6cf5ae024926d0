"""A justification on a terminal: the finding first, then what carries it, then what could not be read.

Lines on a terminal: wrapping, indents and styles, also without colour, in a pipe, or in an old encoding.

Concordance lines: left context, hit, right context, with the hits of all lines one below the other.

Widths are counted in terminal cells, where a Japanese character takes two.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docaudit.codes import Finding, ObligationState
from docaudit.justification import AbsenceJustification, Mention, ObligationCheck
from docaudit.render import language as words
from docaudit.render import view
from docaudit.render.language import ENGLISH, Language, Tongue, one_line
from docaudit.render.view import (
    STATE_ORDER,
    headline,
    missed_by_concept,
    obligation_counts,
    remark_label,
    retrieval_notes,
    retrieval_verdict,
    strength,
    verdict,
)
from docaudit.text.words import ELLIPSIS, with_ellipses

MAX_WIDTH = 120
_PLAIN = str.maketrans(dict(zip("✓✗–—…→·×“”○●", '+x--~>-x""o*', strict=True)))


def new_console(**settings: object) -> Console:
    """A console on stdout that takes no text of a document for markup, emoji codes or things to highlight."""
    return _Console(highlight=False, markup=False, emoji=False, **settings)  # type: ignore[arg-type]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Pass a closed pipe on: rich itself exits with 1 here, and 1 is the finding "mentioned"."""
        raise BrokenPipeError


class Paper:
    """Prints lines no wider than the console; keeps to no colour and plain signs where the console has no others."""

    def __init__(self, console: Console, t: Tongue = ENGLISH) -> None:
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

    def say(self, *parts: tuple[str, str] | str, indent: int = 0, hang: int = 0) -> None:
        """A paragraph: wrapped, its first line indented by `indent`, the others by `hang` more."""
        text = Text()
        for part in parts:
            text.append(*((part, "") if isinstance(part, str) else part))
        room = max(self.width - indent - hang, 20)
        for number, line in enumerate(text.wrap(self.console, room)):
            line.rstrip()
            line.pad_left(indent + (hang if number else 0))
            self._put(line)

    def line(self, *parts: tuple[str, str] | str) -> None:
        """One line that was already measured."""
        text = Text()
        for part in parts:
            text.append(*((part, "") if isinstance(part, str) else part))
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
        """A table, wrapped to the width of the paper."""
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


@dataclass(frozen=True)
class Split:
    """A snippet cut at its hit; `hit` is empty if the hit does not stand in the snippet."""

    left: str
    hit: str
    right: str


@dataclass(frozen=True)
class KwicLine:
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
    places = [found.span() for found in re.finditer(re.escape(match), snippet)] if match else []
    if not places:
        # A match over several lines may have other white space in the snippet than in match_text.
        loose = r"\s*".join(re.escape(part) for part in match.split())
        places = [found.span() for found in re.finditer(loose, snippet)] if loose else []
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
    splits = [_on_one_line(split_snippet(with_ellipses(text, match), match)) for _, text, match in items]
    label_width = max((cell_len(label) for label, _, _ in items), default=0)
    room = max(width - label_width - 2, 20)
    hit_width = min(max((cell_len(split.hit) for split in splits), default=0), room // 2)
    # No more room on the left than the longest left context needs: the rest serves the right.
    longest_left = max((cell_len(split.left) for split in splits if split.hit), default=0)
    left_width = min((room - hit_width) // 2, longest_left + 1)
    return [
        _line(label, split, label_width, left_width, room)
        for (label, _, _), split in zip(items, splits, strict=True)
    ]


def _line(label: str, split: Split, label_width: int, left_width: int, room: int) -> KwicLine:
    padded = set_cell_size(label, label_width)
    if not split.hit:
        return KwicLine(padded, "", "", _cut_end(split.left, room))
    hit = _cut_end(split.hit, room // 2)
    right = _cut_end(split.right, room - left_width - cell_len(hit))
    return KwicLine(padded, _cut_start(split.left, left_width), hit, right)


def _on_one_line(split: Split) -> Split:
    return Split(one_line(split.left), one_line(split.hit), one_line(split.right))


def _cut_end(text: str, width: int) -> str:
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
SHOWN_PASSAGES = 20
SHOWN_NEAR_MISSES = 8
SHOWN_DETAILS = 3
NAME_WIDTH = 30
Passage = tuple[str, str, str, str]
"""Section, page (with what is special about the hit), snippet, match."""


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
    paper = Paper(console or new_console(), Tongue(language or justification.options.language))
    _finding(paper, justification)
    _concepts(paper, justification)
    _passages_to_read(paper, justification, listed_in)
    _closest(paper, justification)
    _near_misses(paper, justification, listed_in)
    _retrieval(paper, justification)
    _obligations(paper, justification)
    _blind_spots(paper, justification, listed_in)


def to_text(justification: AbsenceJustification, *, width: int = 80, colour: bool = False) -> str:
    """The same as a string, for files and messages."""
    out = io.StringIO()
    console = new_console(
        file=out, width=width, force_terminal=colour, color_system="standard" if colour else None
    )
    print_report(justification, console)
    return out.getvalue()


def print_kwic(paper: Paper, passages: Sequence[Passage]) -> None:
    """Concordance lines, all hits in one column, under a heading for each run of one section or part."""
    items = [(label, text, match) for _, label, text, match in passages]
    lines = kwic_lines(items, paper.width - 4)
    last = ""
    for (heading, *_), line in zip(passages, lines, strict=True):
        if heading and heading != last:
            paper.say((one_line(heading), "dim"), indent=2, hang=2)
        last = heading
        _kwic(paper, line)


def _kwic(paper: Paper, line: KwicLine) -> None:
    paper.line("    ", (line.label, "cyan"), "  ", line.left, (line.hit, "bold underline"), line.right)


def _finding(paper: Paper, justification: AbsenceJustification) -> None:
    style = FINDING_STYLES[justification.finding]
    paper.say((headline(justification, paper.t).upper(), style))
    paper.say(verdict(justification, paper.t))
    paper.blank()
    facts = _facts(justification, paper.t)
    width = max(cell_len(name) for name, _ in facts) + 1
    for name, value in facts:
        paper.say((set_cell_size(name, width) + " ", "dim"), one_line(value), hang=width + 1)
    paper.blank()
    paper.say(one_line(justification.absence_explanation))
    if justification.model_remark:
        label = remark_label(justification, paper.t)
        paper.say((f"{one_line(label)}: ", "dim"), one_line(justification.model_remark))
    if justification.suggested_requery:
        paper.say(f"{paper.t('Ask instead')}: ", (one_line(justification.suggested_requery), "bold"))


def _facts(justification: AbsenceJustification, t: Tongue) -> list[tuple[str, str]]:
    facts = []
    if justification.document:
        pages = t.count(justification.document.pages_total, "page")
        facts.append((t("Document").lower(), f"{justification.document.name}, {pages}"))
    if justification.question:
        facts.append((t("Question").lower(), justification.question))
    if justification.reason:
        facts.append((t("Reason").lower(), f"{justification.reason.value}: {t(justification.reason.label)}"))
    facts.append((t("Strength").lower(), f"{justification.strength.value}: {strength(justification, t)}"))
    return facts


def _concepts(paper: Paper, justification: AbsenceJustification) -> None:
    t = paper.t
    rows = view.concept_rows(justification)
    required = [row for row in rows if row.required]
    note = (
        t("all of them required")
        if len(required) == len(rows)
        else t("{n} of {total} required", n=len(required), total=len(rows))
    )
    paper.heading(t("Concepts"), note)
    names = [_fit(one_line(row.name), NAME_WIDTH) for row in rows]
    head = (t("concept"), t("required"), t("hits"), t("on"))
    widths = (max(map(cell_len, [*names, head[0]])), 8, -6)
    paper.row(head, widths, "dim")
    for row, name in zip(rows, names, strict=True):
        where = t.pages(row.pages) or t("no page")
        if row.uncertain:
            where += f"; {t.count(row.uncertain, 'possible hit')}{t(', not counted')}"
        cells = (name, t("yes") if row.required else t("no"), f"{row.hits:,}", where)
        paper.row(cells, widths, "bold" if row.hits else "")


def _passages_to_read(paper: Paper, justification: AbsenceJustification, listed_in: str) -> None:
    hits = view.passages_to_read(justification)
    if not hits:
        return
    paper.heading(paper.t("Passages to read"), paper.t.count(len(hits), "hit"))
    shown = hits[:SHOWN_PASSAGES]
    print_kwic(
        paper, [(view.heading(hit, paper.t), view.place(hit), hit.snippet, hit.match_text) for hit in shown]
    )
    _not_shown(paper, len(hits) - len(shown), "hit", f"hits in {listed_in}")


def _closest(paper: Paper, justification: AbsenceJustification) -> None:
    if not justification.closest_mentions:
        return
    paper.heading(paper.t("Closest mentions"), paper.t("near the question, but not an answer to it"))
    known = view.headings(justification, paper.t)
    for why, mentions in _by_why(justification.closest_mentions).items():
        passages = [
            (view.mention_heading(m, known), view.page(m.page_num), m.snippet, m.text) for m in mentions
        ]
        print_kwic(paper, passages)
        paper.say((f"→ {paper.t.data(one_line(why))}", "dim"), indent=4, hang=2)


def _near_misses(paper: Paper, justification: AbsenceJustification, listed_in: str) -> None:
    misses = justification.near_misses
    if not misses:
        return
    paper.heading(paper.t("Near misses"), paper.t("similar to a variant, not counted as hits"))
    shown = misses[:SHOWN_NEAR_MISSES]
    for why, mentions in _by_why(shown).items():
        print_kwic(paper, [("", view.page(m.page_num), m.snippet, m.text) for m in mentions])
        variants = ", ".join(f"“{one_line(name)}”" for name in dict.fromkeys(m.variant for m in mentions))
        said = paper.t("not {variants}: {why}", variants=variants, why=paper.t.data(one_line(why)))
        paper.say((f"→ {said}", "dim"), indent=4, hang=2)
    _not_shown(paper, len(misses) - len(shown), "near miss", f"near_misses in {listed_in}")


def _retrieval(paper: Paper, justification: AbsenceJustification) -> None:
    check = justification.retrieval
    if check is None:
        return
    paper.heading(paper.t("What the retriever gave"), check.verdict.value)
    for said in (retrieval_verdict(check, paper.t), *retrieval_notes(check, paper.t)):
        paper.say(said, indent=2, hang=2)
    for concept, missed in missed_by_concept(check):
        where = paper.t.pages(hit.page_num for hit in missed)
        count = paper.t.count(len(missed), "hit")
        paper.say((one_line(concept), "bold"), f": {count}, {where}", indent=4, hang=2)


def _by_why(mentions: Sequence[Mention]) -> dict[str, list[Mention]]:
    grouped: dict[str, list[Mention]] = {}
    for mention in mentions:
        grouped.setdefault(mention.why_not, []).append(mention)
    return grouped


def _obligations(paper: Paper, justification: AbsenceJustification) -> None:
    paper.heading(paper.t("Obligations"), obligation_counts(justification, paper.t))
    for check in sorted(justification.obligations, key=lambda check: STATE_ORDER.index(check.state)):
        _obligation(paper, check)


def _obligation(paper: Paper, check: ObligationCheck) -> None:
    mark = words.OBLIGATION_MARKS[check.state]
    style = CHECK_STYLES[check.state]
    title = paper.t(check.obligation.label)
    state = "" if check.state is ObligationState.MET else f" ({paper.t(check.state.label)})"
    paper.say((f"{mark} ", style), (title, "bold" if state else ""), (state, style), indent=2, hang=2)
    paper.say((paper.t.data(one_line(check.evidence)), "" if state else "dim"), indent=4)
    if check.waived_because is not None:
        paper.say(f"{paper.t('Waived because:')} {one_line(check.waived_because)}", indent=4, hang=2)
    if check.pages and check.state is not ObligationState.MET:
        paper.say(paper.t.pages(check.pages), indent=4, hang=6)
    if check.remedy and check.state is not ObligationState.MET:
        code = f" ({paper.t('obligation')} {check.obligation.value})"
        paper.say("→ ", paper.t.data(one_line(check.remedy)), (code, "dim"), indent=4, hang=2)


def _blind_spots(paper: Paper, justification: AbsenceJustification, listed_in: str) -> None:
    t = paper.t
    groups = view.spot_groups(justification)
    if not groups:
        paper.heading(t("Not read"), t("nothing: no blind spot on any page"))
        return
    pages = {spot.page_num for spot in justification.blind_spots}
    count = t.count(len(justification.blind_spots), "blind spot")
    open_ones = sum(group.count for group in groups if group.may_hold_text)
    may = t("{n} may hold text", n=f"{open_ones:,}")
    paper.heading(t("Not read"), f"{count} ({may}), {t.pages(pages)}")
    for group in groups:
        _spot_group(paper, group, listed_in)


def _spot_group(paper: Paper, group: view.SpotGroup, listed_in: str) -> None:
    count = f"{group.count:,} × " if group.count > 1 else ""
    paper.say((f"{count}{group.kind.value}", "bold"), f"  {paper.t.pages(group.pages)}", indent=2, hang=4)
    likely = f" {paper.t('Text in it:')} {paper.t.likely(group.likely)}."
    paper.say(paper.t(group.kind.meaning), (likely, "dim"), indent=4)
    for detail, times in group.details[:SHOWN_DETAILS]:
        paper.say((f"· {one_line(detail)}" + (f" ({times} ×)" if times > 1 else ""), "dim"), indent=4, hang=2)
    rest = len(group.details) - SHOWN_DETAILS
    _not_shown(paper, rest, "detail", f"blind_spots in {listed_in}")
    if group.may_hold_text:
        paper.say("→ ", paper.t(group.remedy), indent=4, hang=2)


def _not_shown(paper: Paper, count: int, noun: str, where: str) -> None:
    if count > 0:
        said = paper.t(
            "{what} not shown here: {where}", what=paper.t.count(count, f"more {noun}"), where=where
        )
        paper.say((f"… {said}", "dim"), indent=4, hang=2)


def _fit(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"
