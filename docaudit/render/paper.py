"""Lines on a terminal: wrapping, indents and styles, also without colour, in a pipe, or in an old encoding."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docaudit.render.tongue import ENGLISH, Tongue

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
