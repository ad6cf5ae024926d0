"""README.md and the pages of docs/, cut into blocks of code, with what a block says about being run.

After the language a fence may say: the name of a file (the block is written under that name before others run),
"run by tests/test_x.py" (that test runs it), or "not run: why". Blocks of Python and commands that say nothing run.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GENERATED = DOCS / "reference"
PAGES = (ROOT / "README.md", *sorted(one for one in DOCS.rglob("*.md") if GENERATED not in one.parents))
_FENCE = re.compile(r"^```(\w+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
_SHELL = frozenset({"|", "||", "&&", ";", ">", ">>", "2>", "<"})


@dataclass(frozen=True)
class Block:
    """One block of code of a page; line is that of its first line of code."""

    page: str
    line: int
    language: str
    note: str
    code: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str:
        """Name of the file that the block is, or nothing."""
        return self.note if re.fullmatch(r"[\w.-]+\.\w+", self.note) else ""

    @property
    def runs(self) -> bool:
        return self.language in ("python", "sh") and not self.note

    @property
    def commands(self) -> list[str]:
        """The lines of a shell, those that end in a backslash joined with the next, without comments alone."""
        lines = self.code.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("#")]

    @property
    def calls(self) -> list[list[str]]:
        """The words of each call of docaudit, in a file of another tool as well, up to a sign of the shell."""
        found = []
        for call in re.findall(
            r"^(?:[^#\n]*[\s;|@&])?docaudit (.*)$", self.code.replace("\\\n", " "), re.MULTILINE
        ):
            words = shlex.split(call, comments=True)
            end = next((number for number, word in enumerate(words) if word in _SHELL), len(words))
            found.append(words[:end])
        return found


def blocks_of(page: Path) -> list[Block]:
    text, name = page.read_text("utf-8"), str(page.relative_to(ROOT))
    return [
        Block(name, text.count("\n", 0, one.start()) + 2, one[1], one[2].strip(), one[3])
        for one in _FENCE.finditer(text)
    ]


BLOCKS = [block for page in PAGES for block in blocks_of(page)]
