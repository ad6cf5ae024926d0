"""The list of figures of the commodity report, read from its data file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Panel:
    """One sub-panel: its letter, title, axis label, chart kind and raw data fields."""

    letter: str
    title: str
    ylabel: str
    kind: str
    data: list[str]


@dataclass
class Figure:
    """A numbered figure with its panels; ``raster`` says whether text is pixels."""

    number: int
    title: str
    raster: bool
    note: str
    panels: list[Panel] = field(default_factory=list)


def read_figures(path: Path) -> list[Figure]:
    """Parse the figure list; the format is described at the head of the file."""
    figures: list[Figure] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        if line.startswith("["):
            number, title = parts[0][1:].split("] ")
            figures.append(Figure(int(number), title, parts[1] == "raster", parts[2]))
        else:
            letter, title = parts[0].split(". ", 1)
            figures[-1].panels.append(Panel(letter, title, parts[1], parts[2], parts[3:]))
    return figures
