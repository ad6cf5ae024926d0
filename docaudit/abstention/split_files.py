"""A split in its file, which counts the looks at its held-out part: what cannot be counted is not shown."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from pydantic import ValidationError

from docaudit.abstention.frozen import Frozen
from docaudit.abstention.reading import read_json
from docaudit.abstention.splits import Split, take_part
from docaudit.atomic import write_text
from docaudit.errors import GateError


def load_split(path: str | Path) -> Split:
    """The split that `docaudit gate split` wrote; raises GateError."""
    content, _ = read_json(Path(path))
    try:
        return Split.model_validate(content)
    except ValidationError as error:
        raise GateError(
            "is not a split of results", file=str(path), remedy="make one: docaudit gate split"
        ) from error


def take_held_out(frozen: Frozen, path: str | Path, purpose: str) -> Frozen:
    """The held-out part, with this look counted in the file before anything is shown.

    Args:
        frozen: The results that were split.
        path: File of the split.
        purpose: What the look is for; kept with today's date.

    Raises:
        GateError: The file is no split of these results, or the split leaks.
        OutputError: The look cannot be counted.
    """
    parts = load_split(path).used(purpose, dt.date.today().isoformat())
    chosen = take_part(frozen, parts, "held_out")
    write_text(Path(path), parts.model_dump_json(indent=1) + "\n")
    return chosen
